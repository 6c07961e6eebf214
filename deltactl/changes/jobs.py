"""What an operation asks of Spark, without knowing Spark: a job, and who runs it."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from deltactl.errors import Notice, RefusedError, SparkError


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
            f"{what} needs Spark, which --engine local rules out",
            hint="leave --engine out: without --master, Spark runs on this machine",
        )
