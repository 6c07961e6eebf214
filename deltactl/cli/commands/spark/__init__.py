"""Install and check what Spark takes: Delta's jars, Java, versions, a master."""

SECTION = "Set up"
