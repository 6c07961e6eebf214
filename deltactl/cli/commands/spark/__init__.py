"""Install and check Spark dependencies: jars, Java, versions, the master."""

SECTION = "Set up"
