"""Have Spark write the checkpoint of a synthetic table, so that its kind is measured too.

Spark's checkpoint replaces the synthetic one, and the commits up to it are removed, as log cleanup
would. Needs the [spark] extra and Java; the jars come from Maven Central, or from `--jars`.

    python -m benchmarks.generate_log /tmp/spark --files 1000000 --commits 200
    python -m benchmarks.spark_checkpoint /tmp/spark --at 1100
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from benchmarks.spark import session


def main() -> None:
    options = _parser().parse_args()
    table: Path = options.table.resolve()
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--driver-memory {options.memory} pyspark-shell"
    spark = session(options.jars)
    try:
        count = _write_checkpoint(spark, table, options.at)
    finally:
        spark.stop()
    _remove_before(table / "_delta_log", options.at)
    print(f"Spark counts {count} files")


def _write_checkpoint(spark: SparkSession, table: Path, version: int) -> int:
    """Write the checkpoint of `version`; return how many files Spark sees in the newest one."""
    jvm: Any = spark._jvm  # declared as possibly None, which it is in Spark Connect only
    none = jvm.scala.Option.empty()  # Scala's default arguments, which Python must name
    log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, str(table))
    log.checkpoint(log.getSnapshotAt(version, none, none, False), none)
    return int(log.update(False, none, none).numOfFiles())


def _remove_before(log: Path, version: int) -> None:
    """Remove what the checkpoint at `version` makes needless."""
    if not list(log.glob(f"{version:020}.checkpoint*")):
        sys.exit(f"Spark wrote no checkpoint at version {version}")
    for path in log.iterdir():
        name = path.name.removeprefix(".")  # Hadoop's side files are called .NAME.crc
        if name[:20].isdigit() and int(name[:20]) < version:
            path.unlink()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", type=Path)
    parser.add_argument("--at", type=int, required=True, help="version of the checkpoint")
    parser.add_argument("--memory", default="4g", help="of the driver (default 4g)")
    parser.add_argument("--jars", help="delta-spark and delta-storage, joined by a comma")
    return parser


if __name__ == "__main__":
    main()
