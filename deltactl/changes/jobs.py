"""What an operation asks of Spark, without knowing Spark: a job, and who runs it."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from deltactl.errors import DeltactlError, InterruptedRunError, Notice, RefusedError, SparkError
from deltactl.log.filenames import LOG, commit_name, commit_version
from deltactl.storage.base import Storage
from deltactl.table.commit.commit import winner


class Job(NamedTuple):
    """Work on `files` data files of `size` bytes for `deltactl.spark.jobs.NAME`.

    `params` and the result are values of JSON. `why` says why Spark does it, as the end of a
    sentence: "only Spark rewrites data files".
    """

    name: str
    params: Mapping[str, Any]
    why: str
    files: int = 0
    size: int = 0

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "why": self.why, "files": self.files, "bytes": self.size}


class Reached(NamedTuple):
    """How far a job is; the number of stages grows while Spark plans them.

    `running` is how many tasks run now; None if that is not known.
    """

    stages: int
    stages_done: int
    tasks: int
    tasks_done: int
    running: int | None = None


Watch = Callable[[Reached], None]


class JobRunner(Protocol):
    """Runs jobs where the user wants them; the terminal makes one, and hands it down.

    `place` says where that is: `Spark 4.2.0, local[*]`.
    """

    @property
    def place(self) -> str: ...

    def run(self, job: Job) -> Mapping[str, Any]:
        """Run `job` to its end, and return its result.

        Raises:
            SparkError: Spark or Java is not available, or the job failed.
            StorageError: a disk is full, or what is missing could not be fetched.
            DeltactlError: what the job itself raised.
            KeyboardInterrupt: the user ended it; the job was cancelled, and runs no more. What it
                committed by then stays.
        """
        ...


class SparkCheck(Protocol):
    """Checks, before any other work, that Spark can do a job."""

    def __call__(self, job: Job, *, here: bool) -> None:
        """Check what was asked for, and with `here` also what this machine has.

        Raises:
            SparkError: the job cannot run there, or something is missing.
            RefusedError: Spark is not to be used.
        """
        ...


def checked(check: SparkCheck, job: Job, *, dry_run: bool) -> Notice | None:
    """Check that Spark can do the job; return what a dry run only warns of.

    Raises:
        SparkError: the job cannot run where it was asked for, or something is missing here.
        RefusedError: Spark is not to be used.
    """
    check(job, here=False)
    try:
        check(job, here=True)
    except (SparkError, RefusedError) as error:
        if not dry_run:
            raise
        return Notice(error.code, f"this machine cannot carry the plan out: {error.message}")
    return None


class Engine(StrEnum):
    """Where to work: in this process (`local`), on Spark, or where it is quicker (`auto`)."""

    AUTO = "auto"
    LOCAL = "local"
    SPARK = "spark"


class Choice(NamedTuple):
    """The engine that was chosen, and why, as the end of a sentence."""

    on_spark: bool
    why: str


def choose(wanted: Engine, *, files: int, spark_from: int | None) -> Choice:
    """Choose where to work on `files` files; Spark is quicker from `spark_from` on, None: never."""
    if wanted is not Engine.AUTO:
        return Choice(wanted is Engine.SPARK, f"--engine {wanted} asks for it")
    if spark_from is None or files < spark_from:
        return Choice(False, "that is quicker than Spark's start")
    return Choice(True, f"there are {spark_from:,} files or more")


def check_spark_may(wanted: Engine, what: str) -> None:
    """Raise RefusedError where `--engine local` rules out Spark, which alone can do `what`."""
    if wanted is Engine.LOCAL:
        raise RefusedError(
            "ONLY_ON_SPARK",
            f"{what} takes Spark, which --engine local rules out",
            hint="leave --engine out: without --master, Spark runs on this machine",
        )


def run_on(storage: Storage, version: int, runner: JobRunner, job: Job) -> Mapping[str, Any]:
    """Run a job that commits by itself to the table that is at `version`.

    Whatever ends it before its time says what was committed by then.

    Raises:
        InterruptedRunError: the user ended it.
        DeltactlError: as `JobRunner.run` does.
    """
    try:
        return runner.run(job)
    except KeyboardInterrupt:
        said = f"interrupted; {committed_since(storage, version)}"
        raise InterruptedRunError("INTERRUPTED", said) from None
    except DeltactlError as error:
        error.message = f"{error.message}; {committed_since(storage, version)}"
        raise


def committed_since(storage: Storage, version: int) -> str:
    """Return which versions came after `version`, and by whom the last one."""
    names = (file.name for file in storage.list_from(LOG, commit_name(version + 1)))
    versions = [found for name in names if (found := commit_version(name)) is not None]
    if not versions:
        return "nothing was committed"
    last = winner(storage, versions[-1])
    if len(versions) == 1:
        return f"committed since: {last}"
    return f"committed since: versions {versions[0]} to {versions[-1]}, the last one {last}"
