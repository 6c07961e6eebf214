"""Drop a feature by Delta's own statement, in a script for spark-submit with default settings."""

import argparse

from pyspark.sql import SparkSession


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("feature")
    options = parser.parse_args()
    spark = SparkSession.builder.getOrCreate()
    spark.sql(f"ALTER TABLE delta.`{options.table}` DROP FEATURE {options.feature}")
    spark.stop()


if __name__ == "__main__":
    main()
