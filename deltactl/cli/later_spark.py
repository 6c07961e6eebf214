"""Spark for commands that may turn out not to need it."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from deltactl.cli.context import Session
from deltactl.errors import SparkError
from deltactl.operations.jobs import Job, JobRunner
from deltactl.spark.urls import place


class LaterSpark:
    """Runs jobs as `spark_jobs.spark` does; what Spark takes is looked for with the first job.

    Where it is not there the error also says what it was to do.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._runner: JobRunner | None = None

    @property
    def place(self) -> str:
        return place(self._session.settings.master)

    def run(self, job: Job) -> Mapping[str, Any]:
        if self._runner is None:
            self._runner = self._opened(job)
        return self._runner.run(job)

    def _opened(self, job: Job) -> JobRunner:
        try:
            spark = import_module("deltactl.cli.spark_jobs").spark(self._session)
            # Spark ends with the command, not with what plans a change for it.
            runner: JobRunner = click.get_current_context().with_resource(spark)
        except SparkError as error:
            error.message = f"{job.why}, and {error.message}"
            raise
        return runner
