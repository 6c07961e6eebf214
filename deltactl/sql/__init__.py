"""The Spark SQL that declares types and columns: read and written."""
