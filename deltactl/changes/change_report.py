"""What became of a plan, for the terminal and for programs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deltactl.changes.commit_options import Names
from deltactl.changes.plan import ChangePlan, Plan
from deltactl.changes.spark_steps import Backfilled, Rewritten, SparkWork
from deltactl.errors import DeltactlError, Notice
from deltactl.report import Report, TableRef


# No object is of this class alone: methods made for it would only slow the start down.
@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class PlanReport(Report):
    """A plan of any kind, and what became of it; `names` are those that were generated for it."""

    table: TableRef
    plan: Plan
    dry_run: bool = False
    error: DeltactlError | None = None
    exit_code: int = 0
    names: Names = field(default_factory=dict)
    warnings: tuple[Notice, ...] = field(default=())

    @property
    def errors(self) -> tuple[DeltactlError, ...]:
        """Every refusal, or what else ended it."""
        refused = tuple(refusal.error() for refusal in self.plan.refusals)
        return refused or super().errors

    def body(self) -> Mapping[str, Any]:
        return {"plan": self.plan.to_json(), "committed": False, "version": None}


@dataclass(frozen=True, kw_only=True)
class ChangeReport(PlanReport):
    """A change of the table. `version` is that of the commit, None without a commit.

    `saved_as` are the arguments of `apply` for the file of the plan. `rewritten` was rewritten
    before the commit, `backfilled` after it. `first` says in words what had to be committed before
    all that.
    """

    plan: ChangePlan
    version: int | None = None
    done_before: bool = False
    saved_as: str | None = None
    rewritten: Rewritten | None = None
    backfilled: Backfilled | None = None
    first: str | None = None

    @property
    def committed(self) -> bool:
        return self.version is not None

    @property
    def done(self) -> str | None:
        return SparkWork.committed(self.version, self.first, self.rewritten, self.backfilled)

    def body(self) -> Mapping[str, Any]:
        columns = self.plan.columns
        return {
            **super().body(),
            "committed": self.committed,
            "version": self.version,
            **({} if columns is None else {"columns": [held.to_json() for held in columns]}),
            **({} if self.rewritten is None else {"rewritten": self.rewritten.to_json()}),
            **({} if self.backfilled is None else {"backfilled": self.backfilled._asdict()}),
        }
