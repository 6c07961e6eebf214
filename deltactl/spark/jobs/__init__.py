"""What Spark does, one job a file: `run(spark, params)` from values of JSON to values of JSON.

A job that works with a Spark Connect session has `NEEDS_JVM = False`. Jobs import Spark from
nowhere: the session that they get is enough for SQL and DataFrames, and `spark._jvm` is the JVM.
"""
