"""Count the rows of a table by Spark as deltactl starts it: from nothing to the first answer."""

import argparse
from pathlib import Path

from pyspark.sql import SparkSession

from deltactl.changes.jobs import Job
from deltactl.spark.runner import SparkConfig, job_runner


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    parser.add_argument("--jars", help="delta-spark and delta-storage, joined by a comma")
    options = parser.parse_args()
    folder = str(Path(options.jars.split(",")[0]).parent) if options.jars else None
    with job_runner(SparkConfig("local[2]", folder), lambda _: None) as runner:
        # The session that a job gets, for a job that every Spark knows.
        runner.run(Job("round_trip", {"value": 1}, why=""))
        session = SparkSession.getActiveSession()
        assert session is not None
        print(session.read.format("delta").load(options.table).count())


if __name__ == "__main__":
    main()
