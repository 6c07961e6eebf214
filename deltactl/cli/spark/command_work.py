"""What commands give the public API to work with: bars, and Spark where the settings say."""

from contextlib import AbstractContextManager
from importlib import import_module

import click

from deltactl.api.verbs.verbs import Options
from deltactl.api.work import Asked, Planner, Request, Work
from deltactl.changes.jobs import Engine, Job, JobRunner
from deltactl.cli.session import Session
from deltactl.spark.install.urls import cluster_of, place


class SessionSpark:
    """Spark where the settings of the session say; what opens it loads when it is opened."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def engine(self) -> Engine:
        return Engine(self._session.settings.engine)

    @property
    def place(self) -> str:
        return place(self._session.settings.master)

    @property
    def is_cluster(self) -> bool:
        return cluster_of(self._session.settings.master) is not None

    def open(self) -> AbstractContextManager[JobRunner]:
        """Return a runner that announces its jobs, and shows how far they are."""
        module = import_module("deltactl.cli.spark.spark_jobs")
        found: AbstractContextManager[JobRunner] = module.spark(self._session)
        return found

    def check(self, job: Job, *, here: bool) -> None:
        """Check that Spark can do the job, as `jobs.SparkCheck` does."""
        import_module("deltactl.cli.spark.spark_jobs").check(self._session, job, here=here)


def work_of(session: Session) -> Work:
    """Return what the command works with: one for its plan and its change."""
    if session.work is None:
        session.work = Work(SessionSpark(session), session.progress, _hold)
    return session.work


def planning(session: Session, request: Request, options: Options) -> Planner:
    """Return what plans the request; how it is made, the command's own options say."""
    assert not options
    session.call = request.call if isinstance(request, Asked) else None
    return request(work_of(session))


def _hold(spark: AbstractContextManager[JobRunner]) -> JobRunner:
    """Open Spark until the command ends: what read footers for a plan also rewrites files."""
    return click.get_current_context().with_resource(spark)
