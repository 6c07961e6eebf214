"""Running jobs on Spark for a command: said before, and shown while they run."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from deltactl.cli.context import Session
from deltactl.cli.render.progress import Progress
from deltactl.cli.render.words import count, size
from deltactl.operations.jobs import Job, JobRunner, Reached, Watch
from deltactl.spark.ready import check_job
from deltactl.spark.runner import Wishes, job_runner
from deltactl.spark.urls import place


@contextmanager
def spark(session: Session) -> Iterator[JobRunner]:
    """Give what runs jobs where the settings say; Spark starts with the first one.

    Raises:
        SparkError: something that it takes is missing.
        StorageError: there is no room for its files.
    """
    bars = Bars()
    with job_runner(wishes(session), bars.reached) as runner:
        yield Told(runner, session, bars)


def check(session: Session, job: Job, *, here: bool) -> None:
    """Check, as `spark.ready.check_job` does, what the settings say of Spark."""
    check_job(wishes(session), job, here=here)


def wishes(session: Session) -> Wishes:
    """Return what the settings say of Spark."""
    settings = session.settings
    return Wishes(
        master=settings.master,
        jars=settings.jars,
        conf=settings.spark_conf,
        storage_options=settings.storage_options,
        timeout=settings.timeout,
    )


def plan_of(job: Job, master: str) -> str:
    """Return what is going to happen, in one line: where, on how much, and why there."""
    work = f", {count(job.files, 'file')}, {size(job.size)}" if job.files else ""
    return f"{place(master)}{work}: {job.why}"


def watching(bar: Progress) -> Watch:
    """Return what draws how far a job is."""

    def reached(reached: Reached) -> None:
        if reached.tasks:
            current = min(reached.stages_done + 1, reached.stages)
            stages = f"stage {current} of {reached.stages}"
            bar.reached(reached.tasks_done, reached.tasks, f"Spark, {stages}, tasks")

    return reached


class Bars:
    """Passes on how far a job is to the bar of the moment."""

    def __init__(self) -> None:
        self.watch: Watch | None = None

    def reached(self, reached: Reached) -> None:
        if self.watch is not None:
            self.watch(reached)


class Told:
    """A runner whose jobs are announced, and have a bar while they run."""

    def __init__(self, runner: JobRunner, session: Session, bars: Bars) -> None:
        self._runner = runner
        self._session = session
        self._bars = bars
        self.place = runner.place

    def run(self, job: Job) -> Mapping[str, Any]:
        self._session.note(plan_of(job, self._session.settings.master))
        with self._session.progress("Spark") as bar:
            self._bars.watch = watching(bar)
            try:
                return self._runner.run(job)
            finally:
                self._bars.watch = None
