"""Spark with Delta, as the benchmarks start it: needs the [spark] extra and Java."""

from delta import configure_spark_with_delta_pip
from pyspark.sql import SparkSession

SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}


def session(jars: str | None) -> SparkSession:
    """Start Spark with these jars, or with those of Maven Central."""
    builder = SparkSession.builder.master("local[2]").appName("deltactl benchmarks")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    if jars:
        builder = builder.config("spark.jars", jars)
    else:
        builder = configure_spark_with_delta_pip(builder)
    return builder.getOrCreate()
