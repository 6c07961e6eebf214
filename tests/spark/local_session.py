"""One session of Spark in the process of the tests, and what carries changes out on it."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from spark_cluster import INTERPRETED

from deltactl.changes.change_report import ChangeReport
from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.executor import ChangeExecutor, Planner
from deltactl.changes.jobs import Job, JobRunner
from deltactl.spark.runner import SparkConfig, job_runner
from deltactl.table.table import open_table

MASTER = "local[2]"


class OnSession:
    """A runner whose session stays from change to change."""

    place = "Spark in the tests"

    def __init__(self, runner: JobRunner) -> None:
        self._runner = runner

    @contextmanager
    def __call__(self) -> Iterator["OnSession"]:
        yield self

    def run(self, job: Job) -> Mapping[str, Any]:
        return self._runner.run(job)

    @property
    def spark(self) -> Any:
        """The session itself."""
        return import_module("pyspark.sql").SparkSession.getActiveSession()

    def change(self, table: Path, planner: Planner, **options: Any) -> ChangeReport:
        """Carry the change out, agreed to."""
        changer = ChangeExecutor(
            open_table(str(table)), planner, CommitOptions(**options), runners=self
        )
        return changer.execute(lambda _: None)


@contextmanager
def local_session(jars: Sequence[Path]) -> Iterator[OnSession]:
    """A session as jobs get it, until the block is left."""
    spark_config = SparkConfig(master=MASTER, jars=str(jars[0].parent), conf=INTERPRETED)
    with job_runner(spark_config, lambda _: None) as runner, warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        runner.run(Job("round_trip", {"value": 1}, ""))
        yield OnSession(runner)
