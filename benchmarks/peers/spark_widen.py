"""Widen a column with Spark's ALTER TABLE, as a script that starts Spark for it."""

import argparse

from benchmarks.spark import session


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


if __name__ == "__main__":
    main()
