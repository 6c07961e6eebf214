"""Running jobs on Spark for a command: said before, and shown while they run."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from deltactl.changes.jobs import Job, JobRunner, Reached, Watch
from deltactl.cli.render.progress import CountingProgress
from deltactl.cli.render.words import count, size
from deltactl.cli.session import Session
from deltactl.spark.install.urls import place
from deltactl.spark.progress import Polling
from deltactl.spark.runner import SparkConfig, job_runner
from deltactl.spark.settings.conf import not_counting
from deltactl.spark.settings.job_check import check_job

TICK = 0.5  # seconds between two looks at the clock
# Seconds without a running task. No task runs between two stages either, but only briefly.
IDLE, LONG_IDLE = 5.0, 15.0
WAITING = (
    "Spark waits for executors: no task of the job runs. Has the cluster workers with free cores "
    "and memory? --timeout-job bounds the wait"
)


@contextmanager
def spark(session: Session) -> Iterator[JobRunner]:
    """Give what runs jobs where the settings say; Spark starts with the first one.

    Raises:
        SparkError: something that it takes is missing.
        StorageError: there is no room for its files.
    """
    bars, wanted = Bars(), spark_config(session)
    with job_runner(wanted, bars.reached) as runner:
        for said in not_counting(wanted.master, wanted.conf, os.environ):
            session.note(said)
        yield AnnouncingRunner(runner, session, bars)


def check(session: Session, job: Job, *, here: bool) -> None:
    """Check with `spark.settings.job_check.check_job` that the settings let Spark do the job."""
    check_job(spark_config(session), job, here=here)


def spark_config(session: Session) -> SparkConfig:
    """Return what the settings say of Spark."""
    settings = session.settings
    return SparkConfig(
        master=settings.master,
        jars=settings.jars,
        conf=settings.spark_conf,
        storage_options=settings.storage_options,
        timeout=settings.timeout,
        limit=settings.timeout_job,
        log=settings.spark_log,
    )


def plan_of(job: Job, master: str) -> str:
    """Return what is going to happen, in one line: where, on how much, and why there."""
    work = f", {count(job.files, 'file')}, {size(job.size)}" if job.files else ""
    return f"{place(master)}{work}: {job.why}"


class JobBar:
    """Draws the progress of a job, and notes when it waits for executors."""

    def __init__(self, bar: CountingProgress, note: Callable[[str], None] = lambda _: None) -> None:
        self._bar = bar
        self._note = note
        self._reached = Reached(0, 0, 0, 0)
        self._at_work = time.monotonic()
        self._noted = False

    def reached(self, reached: Reached) -> None:
        """Note how far the job is."""
        known = self._reached
        # Spark's start is not a wait for executors.
        if reached.running != 0 or reached.tasks_done != known.tasks_done or not known.tasks:
            self._at_work = time.monotonic()
        self._reached = reached
        self.draw()

    def draw(self) -> None:
        """Draw the state; called at intervals, because a job that waits reports nothing."""
        known = self._reached
        # A Spark Connect server does not say what runs, and says nothing while nothing changes.
        idle = time.monotonic() - self._at_work if known.running == 0 else 0.0
        if not known.tasks:
            self._bar.reached(0, None, "Spark, starting")
        elif idle > IDLE:
            self._bar.reached(known.tasks_done, known.tasks, "Spark, waiting for executors")
        else:
            current = min(known.stages_done + 1, known.stages)
            stages = f"stage {current} of {known.stages}"
            self._bar.reached(known.tasks_done, known.tasks, f"Spark, {stages}, tasks")
        if known.tasks and idle > LONG_IDLE and not self._noted:
            self._noted = True
            self._note(WAITING)


class Bars:
    """Passes on how far a job is to the bar of the moment."""

    def __init__(self) -> None:
        self.watch: Watch | None = None

    def reached(self, reached: Reached) -> None:
        if self.watch is not None:
            self.watch(reached)


class AnnouncingRunner:
    """A runner whose jobs are announced, and have a bar while they run."""

    def __init__(self, runner: JobRunner, session: Session, bars: Bars) -> None:
        self._runner = runner
        self._session = session
        self._bars = bars
        self.place = runner.place

    def run(self, job: Job) -> Mapping[str, Any]:
        self._session.note(plan_of(job, self._session.settings.master))
        with self._session.progress("Spark") as bar:
            shown = JobBar(bar, self._session.note)
            self._bars.watch = shown.reached
            try:
                with Polling(shown.draw, TICK):
                    return self._runner.run(job)
            finally:
                self._bars.watch = None
