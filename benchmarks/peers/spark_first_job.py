"""Count the rows of a table by PySpark with Delta, with default settings."""

import argparse

from delta import configure_spark_with_delta_pip
from pyspark.sql import SparkSession

DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("--jars", help="delta-spark and delta-storage, joined by a comma")
    options = parser.parse_args()
    builder = SparkSession.builder.appName("default settings")
    for name, value in DELTA.items():
        builder = builder.config(name, value)
    if options.jars:
        builder = builder.config("spark.jars", options.jars)
    else:
        builder = configure_spark_with_delta_pip(builder)
    spark = builder.getOrCreate()
    print(spark.read.format("delta").load(options.table).count())
    spark.stop()


if __name__ == "__main__":
    main()
