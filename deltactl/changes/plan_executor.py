"""From a planner to a report: plan, refuse, ask, carry out, and say what is true at the end."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from deltactl.changes.change_report import PlanReport
from deltactl.changes.commit_options import CommitOptions, FreshNames, Names
from deltactl.changes.draft import Draft
from deltactl.changes.jobs import Job, SparkCheck, checked
from deltactl.changes.plan import ChangePlan, LogFilePlan, Plan
from deltactl.changes.steps_taken import StepsTaken
from deltactl.errors import DeltactlError, InterruptedRunError, Notice, RefusedError
from deltactl.report import TableRef
from deltactl.spec.actions.action import Metadata
from deltactl.table.snapshot import Snapshot
from deltactl.table.table import At, Table
from deltactl.table.version_facts import table_ref
from deltactl.text.hints import Words

Clock = Callable[[], int]
P = TypeVar("P", ChangePlan, LogFilePlan)
R = TypeVar("R", bound=PlanReport)
E = TypeVar("E", bound=DeltactlError)


def agree(_: Plan) -> None:
    """Agree to every plan."""


class PlanExecutor(ABC, Generic[P, R]):
    """Carries out one plan of one table.

    The clock, in milliseconds, and the names come from here, so that planners stay pure. `names`
    are those that are to be used again. `at` is the version or the time that the plan is about,
    None for the newest.
    """

    def __init__(
        self,
        table: Table,
        planner: Callable[[Draft], P],
        options: CommitOptions,
        *,
        clock: Clock,
        at: At = None,
        names: Names | None = None,
        check_spark: SparkCheck | None = None,
    ) -> None:
        self._table = table
        self._planner: Callable[[Draft], P] = planner
        self._options = options
        self._clock = clock
        self._at = at
        self._fresh = FreshNames(names)
        self._spark_check = check_spark
        self._steps = StepsTaken(table.storage)
        self._metadata: Metadata | None = None

    def execute(self, agrees: Callable[[P], RefusedError | None] = agree) -> R:
        """Plan, and carry it out unless it is a dry run, nothing is to do, or a rule forbids it.

        `agrees` is shown the plan before anything is written, and says what stands against that,
        if anything does.

        Raises:
            ConflictError: another writer came first, and the plan no longer holds.
            OutcomeUnknownError: the store does not say whether it was written.
            InterruptedRunError: the user ended it; the message says what was written.
            StorageError: the store refused, or what was made is not what was to be made.
            BrokenLogError: the log contradicts the protocol, or cannot take the version.
        """
        try:
            return self._execute(agrees)
        except KeyboardInterrupt:
            raise self.interrupted() from None
        except DeltactlError as error:
            self._naming_the_table(error)
            raise

    @property
    def written(self) -> list[str]:
        """What was written so far, by the names that it has now."""
        return self._steps.written

    def interrupted(self) -> InterruptedRunError:
        """Return what is true after Ctrl-C, wherever it struck."""
        self._steps.settle()
        said, hint = self._outcome()
        said = said or "nothing was written"
        error = InterruptedRunError("INTERRUPTED", f"interrupted; {said}", hint=hint)
        return self._naming_the_table(error)

    def _execute(self, agrees: Callable[[P], RefusedError | None]) -> R:
        snapshot = None if self._at is None else self._table.snapshot(self._at)
        newest = self._read()
        if (before := self._done_before(newest)) is not None:
            return before
        self._options.check_version(newest.version)
        plan = self._plan(snapshot or newest, newest)
        error = plan.error()
        if error is not None or plan.is_empty:
            return self._report(plan, error)
        if self._options.dry_run:
            self._check_possible(plan)
            return self._report(plan)
        if (refused := agrees(plan)) is not None:
            return self._report(plan, refused)
        return self._execute_plan(plan)

    def _read(self) -> Snapshot:
        snapshot = self._table.snapshot()
        self._metadata = snapshot.metadata
        return snapshot

    def _draft(self, snapshot: Snapshot, newest: Snapshot | None = None) -> Draft:
        return Draft(
            snapshot,
            newest=newest,
            now=self._clock(),
            fresh=self._fresh,
            check_spark=self._check_spark,
        )

    def _plan(self, snapshot: Snapshot, newest: Snapshot | None = None) -> P:
        draft = self._draft(snapshot, newest)
        plan = self._completed(self._planner(draft), draft)
        if self._options.called is not None:
            return plan.naming(self._options.called, self._table.uri)
        return plan

    def _naming_the_table(self, error: E) -> E:
        """Return the error with the table, if so much as that was read of it."""
        if self._metadata is not None:
            error.table = table_ref(self._table, self._metadata).to_json()
        return error

    def _members(self, plan: P, error: DeltactlError | None) -> dict[str, Any]:
        """Return what all reports say."""
        return {
            "table": self._table_after(plan),
            "plan": plan,
            "dry_run": self._options.dry_run,
            "error": error,
            "exit_code": self._options.exit_code(error, waiting=not plan.is_empty),
            "names": dict(self._fresh.given),
            "warnings": () if plan.refusals else plan.warnings,
        }

    @abstractmethod
    def _execute_plan(self, plan: P) -> R:
        """Do what was planned and agreed to, with each write noted in `_steps`."""

    @abstractmethod
    def _report(self, plan: P, error: DeltactlError | None = None) -> R:
        """Report a plan of which nothing was carried out."""

    @abstractmethod
    def _outcome(self) -> tuple[str | None, str | Words | None]:
        """Return what was written, in words, and a hint; None if nothing was."""

    def _check_spark(self, job: Job) -> Notice | None:
        """Check that Spark can do the job; return what a dry run only warns of."""
        if self._spark_check is None:
            return None
        return checked(self._spark_check, job, dry_run=self._options.dry_run)

    def _done_before(self, newest: Snapshot) -> R | None:
        """Return the report if this was carried out before, and is not to be done twice."""
        return None

    def _completed(self, plan: P, draft: Draft) -> P:
        """Return the plan with what the options demand of it."""
        return plan

    def _check_possible(self, plan: P) -> None:
        """Check, for a dry run, that nothing stands where the plan would write."""

    def _table_after(self, plan: P) -> TableRef:
        return table_ref(self._table, plan.base.metadata)
