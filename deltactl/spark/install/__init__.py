"""What Spark needs on this machine: Java, jars, and versions that fit."""
