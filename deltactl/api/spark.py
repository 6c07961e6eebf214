"""Spark as the public API opens it, silent but for its log."""

from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

from deltactl.api.verbs.verbs import Spark
from deltactl.changes.jobs import Engine, Job, JobRunner, Reached
from deltactl.spark.install.urls import cluster_of, place
from deltactl.storage.options.settings import StoreSettings


class SparkOf:
    """Spark where `wanted` says; the store of the table is reached with the same options."""

    def __init__(self, wanted: Spark, stores: StoreSettings) -> None:
        self._wanted = wanted
        self._stores = stores
        self.engine = Engine(wanted.engine)

    @property
    def place(self) -> str:
        return place(self._wanted.master)

    @property
    def is_cluster(self) -> bool:
        return cluster_of(self._wanted.master) is not None

    def open(self) -> AbstractContextManager[JobRunner]:
        """Return the runner; nothing starts before its first job."""
        runner = import_module("deltactl.spark.runner")
        found: AbstractContextManager[JobRunner] = runner.job_runner(self._config(), _ignore)
        return found

    def check(self, job: Job, *, here: bool) -> None:
        """Check that Spark can do the job, as `jobs.SparkCheck` does."""
        ready = import_module("deltactl.spark.settings.ready")
        ready.check_job(self._config(), job, here=here)

    def _config(self) -> Any:
        wanted = self._wanted
        return import_module("deltactl.spark.runner").SparkConfig(
            master=wanted.master,
            jars=wanted.jars,
            conf=wanted.conf,
            storage_options=self._stores.options,
            timeout=self._stores.timeout,
            limit=wanted.timeout,
            log=wanted.log,
        )


def _ignore(_: Reached) -> None:
    pass
