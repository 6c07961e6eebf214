"""Widen a column with Spark's ALTER TABLE, as a script that starts Spark for it."""

import argparse

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("column")
    parser.add_argument("type")
    parser.add_argument("--jars", help="delta-spark and delta-storage, joined by a comma")
    options = parser.parse_args()
    spark = session(options.jars)
    table = f"delta.`{options.table}`"
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN {options.column} TYPE {options.type}")
    print("true")
    spark.stop()


def session(jars: str | None) -> SparkSession:
    """Return a session for small tables."""
    builder = SparkSession.builder.master("local[2]").appName("deltactl benchmarks")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    if jars:
        builder = builder.config("spark.jars", jars)
    else:
        builder = configure_spark_with_delta_pip(builder)
    return builder.getOrCreate()


if __name__ == "__main__":
    main()
