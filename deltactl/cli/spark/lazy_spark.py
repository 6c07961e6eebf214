"""Spark for commands that may turn out not to need it."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from deltactl.changes.jobs import Job, JobRunner
from deltactl.cli.session import Session
from deltactl.errors import SparkError
from deltactl.spark.install.urls import place

_KEY = "deltactl.spark"


def opened() -> JobRunner | None:
    """Return the runner that is at work for the command; a process has one session of Spark."""
    found: JobRunner | None = click.get_current_context().meta.get(_KEY)
    return found


class LazySpark:
    """Runs jobs as `spark_jobs.spark` does; Spark's dependencies are looked for with the first job.

    Where it is not there the error also says what it was to do. From the first job on the runner
    serves the rest of the command.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._runner: JobRunner | None = None

    @property
    def place(self) -> str:
        return place(self._session.settings.master)

    def check(self, job: Job) -> None:
        """Check, before other work is done, whether the job can run.

        Raises:
            SparkError: it cannot, or something is missing.
        """
        import_module("deltactl.cli.spark.spark_jobs").check(self._session, job, here=True)

    def run(self, job: Job) -> Mapping[str, Any]:
        if self._runner is None:
            self._runner = self._opened(job)
        return self._runner.run(job)

    def _opened(self, job: Job) -> JobRunner:
        try:
            spark = import_module("deltactl.cli.spark.spark_jobs").spark(self._session)
            context = click.get_current_context()
            # Spark ends with the command, not with what plans a change for it.
            runner: JobRunner = context.with_resource(spark)
            context.meta[_KEY] = runner
        except SparkError as error:
            error.message = f"{job.why}, and {error.message}"
            raise
        return runner
