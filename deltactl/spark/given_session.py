"""Jobs in a session that the caller has: its settings stay, and it is not stopped."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from deltactl.changes.jobs import Job, Reached
from deltactl.errors import SparkError, UsageError
from deltactl.spark.install.urls import cluster_of
from deltactl.spark.install.versions import installed_pair
from deltactl.spark.runner import check_needs_no_jvm, received, sent_job
from deltactl.spark.settings.conf import DELTA
from deltactl.spark.settings.properties import properties
from deltactl.spark.settings.store_settings import PROPERTY
from deltactl.spark.settings.stores import Stores
from deltactl.storage.options.settings import StoreSettings

_ARGUMENT = {"argument": "spark"}
# Literals of times in conditions and defaults mean the same wherever a job runs.
_UTC = {"spark.sql.session.timeZone": "UTC"}


class GivenSession:
    """Runs jobs in clones of a session, which share its driver, its executors and its caches."""

    def __init__(self, session: Any, stores: StoreSettings, place: str) -> None:
        self._session = session
        self._stores = Stores(stores.options, os.environ, stores.timeout)
        self.place = place

    def run(self, job: Job) -> Mapping[str, Any]:
        """Run the job to its end, and return its result."""
        sessions: Any = import_module("deltactl.spark.session")
        told = {key: v for key, v in self._stores.reach(job).conf.items() if key == PROPERTY}
        with _clone(sessions, self._session, {**_UTC, **told}) as session:
            sent = sent_job(self._stores.renamed(job))
            return received(sessions.perform(session, sent, _ignore))


def check_session(session: Any) -> None:
    """Check that the session has Delta.

    Raises:
        UsageError: it has not, or it has ended.
        SparkError: its version, or that of Delta, was not tested.
    """
    try:
        found = {key: session.conf.get(key, None) or "" for key in DELTA}
        version = session.version
        is_stopped = _has_jvm(session) and session._jsparkSession.sparkContext().isStopped()
    # PySpark fails in many ways on a session without a JVM, or without a server.
    except Exception as error:
        raise _ended(f"the session does not answer: {error!s:.200}") from error
    if is_stopped:
        raise _ended("the session was stopped")
    missing = {key: name for key, name in DELTA.items() if name not in found[key].split(",")}
    if missing:
        settings = "".join(f".config({key!r}, {name!r})" for key, name in missing.items())
        raise UsageError(
            "SESSION_WITHOUT_DELTA",
            f"the session has no {' and no '.join(missing.values())}",
            hint=f"start it with SparkSession.builder{settings}",
            details={**_ARGUMENT, "missing": missing},
        )
    pair = installed_pair()
    if version != pair.spark:
        raise SparkError(
            "SPARK_VERSIONS_UNTESTED",
            f"the session is of Spark {version}; tested: {pair}",
            hint=f"give a session of Spark {pair.spark}",
            details={"pyspark": version, "deltaSpark": pair.delta},
        )


def _ended(said: str) -> UsageError:
    hint = "give a session that was not stopped"
    return UsageError("SESSION_ENDED", said, hint=hint, details=_ARGUMENT)


def check_job(session: Any, job: Job) -> None:
    """Check that the session can do the job.

    Raises:
        SparkError: the job calls the JVM, and the session is on a Spark Connect server.
    """
    if not _has_jvm(session):
        check_needs_no_jvm(job)


def is_on_cluster(session: Any) -> bool:
    """Return whether jobs of the session run on other machines."""
    return not _has_jvm(session) or cluster_of(session.sparkContext.master) is not None


@contextmanager
def _clone(sessions: Any, session: Any, changed: Mapping[str, str]) -> Iterator[Any]:
    """Give a session of the same settings, but for those that are changed."""
    if _has_jvm(session):
        clone = sessions.clone(session)
        for key, value in changed.items():
            clone.conf.set(key, value)
        yield clone
    else:
        with properties(session, changed):
            yield session


def _has_jvm(session: Any) -> bool:
    return hasattr(session, "_jsparkSession")


def _ignore(_: Reached) -> None:
    pass
