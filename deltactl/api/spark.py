"""Spark as the public API opens it, silent but for its log."""

from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any

from deltactl.api.verbs.verbs import Spark, SparkSession
from deltactl.api.work import SparkAccess
from deltactl.changes.jobs import Engine, Job, JobRunner, Reached
from deltactl.spark.install.urls import cluster_of, place
from deltactl.storage.options.settings import StoreSettings


def spark_access(wanted: Spark | SparkSession | None, stores: StoreSettings) -> SparkAccess:
    """Return Spark where `wanted` says, in a session of the caller's if it is one.

    Raises:
        UsageError: the session has no Delta, or has ended.
    """
    if wanted is None or isinstance(wanted, Spark):
        return SparkOf(wanted or Spark(), stores)
    return SparkIn(wanted, stores)


class SparkIn:
    """Spark in a session of the caller's."""

    def __init__(self, session: SparkSession, stores: StoreSettings) -> None:
        self._given: Any = import_module("deltactl.spark.given_session")
        self._session = session
        self._stores = stores
        self._given.check_session(session)
        self.engine = Engine.AUTO
        self.place = "Spark in the session that was given"

    @property
    def is_cluster(self) -> bool:
        found: bool = self._given.is_on_cluster(self._session)
        return found

    def open(self) -> AbstractContextManager[JobRunner]:
        """Return the runner; the session outlives it."""
        return nullcontext(self._given.GivenSession(self._session, self._stores, self.place))

    def check(self, job: Job, *, here: bool) -> None:
        """Check that the session can do the job."""
        self._given.check_job(self._session, job)


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
        ready = import_module("deltactl.spark.settings.job_check")
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
