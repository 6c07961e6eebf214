"""What one call works with: bars for what takes long, and Spark, which it may turn out to need."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self, runtime_checkable

from deltactl.api.arguments import wrong
from deltactl.changes.draft import Draft
from deltactl.changes.jobs import Engine, Job, JobRunner, check_spark_may
from deltactl.changes.plan import ChangePlan
from deltactl.changes.saved_plan import Call
from deltactl.errors import SparkError

_REWRITING = "rewriting data files"

Planner = Callable[[Draft], ChangePlan]


class Bar(Protocol):
    """Counts the work that a call has done."""

    def advance(self, amount: int = 1) -> None:
        """Count `amount` more as done."""


@runtime_checkable
class Progress(Protocol):
    """Shows how far a call is: called with a label, it gives the bar for a `with` block."""

    def __call__(self, label: str) -> AbstractContextManager[Bar]: ...


def checked_progress(progress: Progress) -> Progress:
    """Return the same, which says what is wrong with what `progress` returns.

    Raises:
        UsageError: it returns no context manager, or that no bar; when it is called.
    """

    @contextmanager
    def begin(label: str) -> Iterator[Bar]:
        shown = progress(label)
        if not isinstance(shown, AbstractContextManager):
            raise wrong("progress", f"progress must return a context manager, not {shown!r:.40}")
        with shown as bar:
            if not callable(getattr(bar, "advance", None)):
                raise wrong(
                    "progress", f"progress must yield a bar with advance(), not {bar!r:.40}"
                )
            yield bar

    return begin


class SparkAccess(Protocol):
    """Where Spark runs, if it is needed."""

    @property
    def engine(self) -> Engine: ...

    @property
    def place(self) -> str:
        """Where Spark runs, in words."""

    @property
    def is_cluster(self) -> bool: ...

    def open(self) -> AbstractContextManager[JobRunner]:
        """Return the runner; nothing starts before its first job.

        Raises:
            SparkError: something that Spark needs is missing.
            StorageError: there is no room for its files.
        """

    def check(self, job: Job, *, here: bool) -> None:
        """Check that Spark can do the job, as `jobs.SparkCheck` does."""


Hold = Callable[[AbstractContextManager[JobRunner]], JobRunner]


class Work:
    """One call at work. Spark starts with the first job, and ends with the `with` block.

    `hold` keeps Spark open for longer than that.
    """

    def __init__(self, spark: SparkAccess, progress: Progress, hold: Hold | None = None) -> None:
        self.progress = progress
        self._spark = spark
        self._stack = ExitStack()
        self._hold = hold or self._stack.enter_context
        self._runner: JobRunner | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._runner = None
        self._stack.close()

    @property
    def engine(self) -> Engine:
        return self._spark.engine

    @property
    def is_on_cluster(self) -> bool:
        return self._spark.is_cluster

    @property
    def place(self) -> str:
        return self._spark.place

    def check(self, job: Job, *, here: bool = True) -> None:
        """Check, before other work is done, whether Spark can do a job.

        Raises:
            SparkError: it cannot, or something is missing.
        """
        self._spark.check(job, here=here)

    def run(self, job: Job) -> Mapping[str, Any]:
        """Run a job; the first one looks for what Spark needs, and starts it."""
        if self._runner is None:
            try:
                self._runner = self._hold(self._spark.open())
            except SparkError as error:
                error.message = f"{job.why}, and {error.message}"
                raise
        return self._runner.run(job)

    def check_rewriting(self, job: Job, *, here: bool) -> None:
        """Check that Spark can rewrite data files, as `jobs.SparkCheck` does."""
        if here:
            check_spark_may(self.engine, _REWRITING)
        # A runner that is at work has what Spark needs.
        if self._runner is None or not here:
            self._spark.check(job, here=here)

    def rewriting(self) -> AbstractContextManager[JobRunner]:
        """Return the runner that rewrites data files: the one that read footers, if any did."""
        check_spark_may(self.engine, _REWRITING)
        return self._spark.open() if self._runner is None else nullcontext(self._runner)

    def open(self) -> AbstractContextManager[JobRunner]:
        """Return a runner of its own, for what opens Spark itself."""
        return self._spark.open()


Request = Callable[[Work], Planner]
"""What is asked for: given what to work with, it returns what plans the change."""


@dataclass(frozen=True)
class Asked:
    """A request, and the call of the API that makes it again."""

    plans: Request
    call: Call

    def __call__(self, work: Work) -> Planner:
        return self.plans(work)


def call_of(request: Request) -> Call | None:
    """Return the call that makes the request again, None if none does."""
    return request.call if isinstance(request, Asked) else None
