"""Install and check Spark dependencies: jars, Java, versions, a master."""

SECTION = "Set up"
