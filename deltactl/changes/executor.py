"""From a plan to a version: Spark's work before it, the commit, and again after a lost race."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from uuid import uuid4

from deltactl.changes.change_report import ChangeReport
from deltactl.changes.checkpoint_due import checkpoint_due
from deltactl.changes.commit_buffer import commit_buffer
from deltactl.changes.commit_options import CommitOptions, Names
from deltactl.changes.draft import Draft
from deltactl.changes.jobs import Job, SparkCheck
from deltactl.changes.plan import ChangePlan, CommitPlan, JobPlan
from deltactl.changes.plan_executor import Clock, PlanExecutor
from deltactl.changes.spark_steps import Backfilled, Runners, SparkWork
from deltactl.changes.steps_taken import Landed
from deltactl.errors import BrokenLogError, ConflictError, DeltactlError, Notice
from deltactl.log.checksum import VersionMetadata
from deltactl.log.commit.commit_text import CommitContext
from deltactl.report import TableRef
from deltactl.spec.actions.action import Transaction
from deltactl.table.commit.checksum import carry_over
from deltactl.table.commit.commit import (
    CommitBody,
    ConcurrentCommit,
    check_free,
    is_ours,
    put_commit,
    winner,
)
from deltactl.table.commit_times import now
from deltactl.table.snapshot import Snapshot, own_time
from deltactl.table.state.small_actions import read_transaction
from deltactl.table.table import Table
from deltactl.table.version_facts import table_ref
from deltactl.text.hints import Command, Words, words_of

Planner = Callable[[Draft], ChangePlan]

ATTEMPTS = 20
ROUNDS = 3
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 1.0
# The operation of a plan that was never made: Delta's word for one that has no other.
NOTHING = "Manual Update"


class ChangeExecutor(PlanExecutor[ChangePlan, ChangeReport]):
    """Carries out one change of one table, as one version or several."""

    def __init__(
        self,
        table: Table,
        planner: Planner,
        options: CommitOptions,
        *,
        names: Names | None = None,
        runners: Runners | None = None,
        check_spark: SparkCheck | None = None,
        clock: Clock = now,
    ) -> None:
        super().__init__(table, planner, options, names=names, clock=clock)
        self._spark = SparkWork(table, runners, options.message, check_spark)

    def _execute_plan(self, plan: ChangePlan) -> ChangeReport:
        with self._spark:
            match self._rewrite(self._begin(plan)):
                case JobPlan(job=job, base=base):
                    result = self._spark.run(job, base)
                    done = self._report(plan, version=result["version"])
                    return replace(done, backfilled=Backfilled.of(job, result))
                case CommitPlan(follow_up=follow_up, base=base):
                    if follow_up is not None:
                        self._spark.ready()
                    # Asking takes time, and the time of the commit is part of the plan.
                    return self._followed(self._commit(plan, self._plan(base)))

    def _followed(self, report: ChangeReport) -> ChangeReport:
        """Return the report, with what Spark did after the commit."""
        match report.plan:
            case CommitPlan(follow_up=Job() as job) if report.version is not None:
                # What is true after Ctrl-C is more than that it was committed.
                self._steps.written.clear()
                return replace(report, backfilled=self._spark.follow(job, report.version))
            case _:
                return report

    def _begin(self, wanted: ChangePlan) -> ChangePlan:
        """Return the plan for the table once that is committed which has to be before all else.

        Raises:
            ConflictError: other writers came first, and the plan no longer holds.
        """
        if not isinstance(wanted, JobPlan) or wanted.first is None:
            return wanted
        self._spark.ready()
        return self._commit_first(
            wanted, wanted.first, replace(self._options, called=None, once=None)
        )

    def _commit_first(
        self, wanted: JobPlan, planner: Planner, options: CommitOptions
    ) -> ChangePlan:
        """Commit what `planner` plans, and return what is left of the plan.

        Raises:
            ConflictError: other writers came first, and the plan no longer holds.
        """
        made = ChangeExecutor(self._table, planner, options, clock=self._clock).execute()
        for error in made.errors:
            raise error
        if made.version is not None:
            undo = made.plan.naming(
                self._options.called or words_of(self._table.uri), self._table.uri
            ).undo
            back = list(map(str, undo.commands)) if undo and planner is wanted.first else []
            self._spark.begun(made.version, made.plan.operation, back)
        self._table = Table(self._table.storage)
        # What is done is no longer part of what is to be done.
        settings = tuple(s for s in wanted.settings if s not in made.plan.settings)
        schema = tuple(c for c in wanted.schema_changes if c not in made.plan.schema_changes)
        left = replace(wanted, settings=settings, schema_changes=schema)
        return self._plan_again(left, self._read(), None)

    def _rewrite(self, wanted: ChangePlan) -> ChangePlan:
        """Rewrite files on Spark until the plan needs no more of that, and return it.

        What must be committed after that and before the job is committed, too.

        Raises:
            ConflictError: other writers bring more of such files, or the plan no longer holds.
        """
        plan = wanted
        for _ in range(ROUNDS):
            if (rewrites := plan.rewrites_first) is not None:
                self._spark.rewrite(rewrites, plan.base)
                self._table = Table(self._table.storage)
                plan = self._plan_again(wanted, self._read(), None)
            if plan.rewrites_first is None:
                if not isinstance(plan, JobPlan) or plan.between is None:
                    return plan
                options = replace(self._options, called=None, once=None, if_version=None)
                plan = wanted = self._commit_first(plan, plan.between, options)
        raise ConflictError(
            "OLD_FILES_COME_BACK",
            f"even after {ROUNDS} rounds of rewriting there are more such files: other writers "
            "bring them",
            hint="run it again when no RESTORE or CLONE is under way",
        )

    def _commit(self, wanted: ChangePlan, plan: ChangePlan) -> ChangeReport:
        lost_to = None
        for attempt in range(ATTEMPTS):
            if plan.is_empty:
                return self._report(plan)
            assert isinstance(plan, CommitPlan)  # As is every plan of the intent that led here.
            txn_id = str(uuid4())
            with (
                commit_buffer(plan, self._stamp(plan, txn_id)) as text,
                self._steps.taking(
                    f"version {plan.version}", partial(self._landed, plan.version, text)
                ) as step,
            ):
                step.is_made = put_commit(self._table.storage, plan.version, text)
            if step.is_made:
                return self._finish(plan, txn_id)
            lost_to = winner(self._table.storage, plan.version)
            time.sleep(_pause(attempt))
            self._table = Table(self._table.storage)
            snapshot = self._read()
            if (before := self._done_before(snapshot)) is not None:
                return before
            plan = self._plan_again(wanted, snapshot, lost_to)
            if (rewrites := plan.rewrites_first) is not None:
                raise ConflictError(
                    "LOST_RACE",
                    f"another writer came first with {lost_to}, and brought files with "
                    f"{rewrites.have}",
                    hint="run it again: it continues with these",
                    details={"winner": lost_to.to_json(), "cause": None},
                )
        raise ConflictError(
            "TOO_MANY_WRITERS",
            f"other writers came first {ATTEMPTS} times, the last one with {lost_to}; "
            "nothing was written",
            hint="run it again when fewer of them are at work",
            details={"attempts": ATTEMPTS, "winner": lost_to and lost_to.to_json()},
        )

    def _landed(self, version: int, text: CommitBody) -> Landed:
        try:
            found = is_ours(self._table.storage, version, text)
        except BrokenLogError:
            return Landed.NEVER
        return Landed.NOT_YET if found is None else Landed.YES if found else Landed.NEVER

    def _outcome(self) -> tuple[str | None, str | Words | None]:
        if self.written:
            return f"{self.written[-1]} was committed", None
        if (doubted := self._steps.in_doubt) is not None:
            version = doubted.removeprefix("version ")
            said = f"whether {doubted} was committed is not known"
            return said, "look for it with: " + Command("log cat", version)
        return self._spark.outcome(), None

    def _check_spark(self, job: Job) -> Notice | None:
        return self._spark.check(job, dry_run=self._options.dry_run)

    def _check_possible(self, plan: ChangePlan) -> None:
        check_free(self._table.storage, plan.version)

    def _completed(self, plan: ChangePlan, draft: Draft) -> ChangePlan:
        if refusal := self._options.refusal_of(plan):
            plan = replace(plan, refusals=(refusal, *plan.refusals))
        if self._options.once is None or plan.is_empty or not isinstance(plan, CommitPlan):
            return plan
        app_id, version = self._options.once
        own = Transaction(app_id=app_id, version=version, last_updated=draft.now)
        return plan.with_transaction(own)

    def _plan_again(
        self, first: ChangePlan, snapshot: Snapshot, lost_to: ConcurrentCommit | None
    ) -> ChangePlan:
        """Return the same plan on top of what others wrote, or Spark did for it.

        Raises:
            ConflictError: what they wrote contradicts it.
        """
        if lost_to is not None:
            self._options.check_version(snapshot.version)
        plan = self._plan(snapshot)
        refused = plan.error()
        if refused is None and (plan.is_empty or plan.intent == first.intent):
            return plan
        why = refused.message if refused else "the change would no longer be the one first planned"
        came = f"with {lost_to}; nothing was written, for" if lost_to else "in between:"
        raise ConflictError(
            "LOST_RACE",
            f"another writer came first {came} {why}",
            hint="look at it with " + Command("history") + ", and run the command again",
            details={"winner": lost_to and lost_to.to_json(), "cause": refused and refused.code},
        )

    def _done_before(self, newest: Snapshot) -> ChangeReport | None:
        """Return the report if the application has written this already, or something later."""
        if self._options.once is None:
            return None
        app_id, version = self._options.once
        known = read_transaction(newest, app_id)
        if known is None or known.version < version:
            return None
        nothing = self._draft(newest).plan(NOTHING, {})
        return self._report(replace(nothing, refusals=()), done_before=True)

    def _stamp(self, plan: CommitPlan, txn_id: str) -> CommitContext:
        return CommitContext(
            time=self._clock(),
            txn_id=txn_id,
            in_commit_timestamp=plan.in_commit_timestamp,
            message=self._options.message,
        )

    def _finish(self, plan: CommitPlan, txn_id: str) -> ChangeReport:
        protocol, metadata = (
            plan.protocol or plan.base.protocol,
            plan.metadata or plan.base.metadata,
        )
        if plan.file_actions is None:
            after = VersionMetadata(protocol, metadata, plan.in_commit_timestamp, plan.all_domains)
            self._carry_over_checksum(plan, after, txn_id)
        report = self._report(plan, version=plan.version)
        called = self._options.called or words_of(self._table.uri)
        due = tuple(checkpoint_due(plan.version, metadata, called))
        return replace(report, warnings=(*report.warnings, *due))

    def _carry_over_checksum(self, plan: CommitPlan, after: VersionMetadata, txn_id: str) -> None:
        base = plan.base
        # The commit is made, whatever becomes of the checksum.
        with suppress(DeltactlError, OSError):
            before = VersionMetadata(
                base.protocol, base.metadata, own_time(base), plan.known_domains
            )
            carry_over(
                self._table.log,
                plan.version,
                before,
                after,
                txn_id=txn_id,
                transactions=plan.transactions,
            )

    def _report(
        self,
        plan: ChangePlan,
        error: DeltactlError | None = None,
        *,
        version: int | None = None,
        done_before: bool = False,
    ) -> ChangeReport:
        return ChangeReport(
            **self._members(plan, error),
            version=version,
            done_before=done_before,
            rewritten=self._spark.rewritten(),
            first=self._spark.first,
        )

    def _table_after(self, plan: ChangePlan) -> TableRef:
        return table_ref(self._table, plan.metadata or plan.base.metadata)


def _pause(attempt: int) -> float:
    """Return how long to wait before the next attempt: any time up to a bound that doubles."""
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * float(1 << attempt))
    return longest * int.from_bytes(os.urandom(4)) / float(1 << 32)
