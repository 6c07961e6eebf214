"""From a request to a version of a table."""

from deltactl.api.work import Planner, Request, Work
from deltactl.changes.change_report import ChangeReport, PlanReport
from deltactl.changes.commit_options import CommitOptions, Names
from deltactl.changes.executor import ChangeExecutor
from deltactl.table.table import Table


def executor(
    table: Table, planner: Planner, work: Work, options: CommitOptions, names: Names | None = None
) -> ChangeExecutor:
    """Return what carries the change out; `names` are those to be used again."""
    return ChangeExecutor(
        table,
        planner,
        options,
        names=names,
        runners=work.rewriting,
        check_spark=work.check_rewriting,
    )


def execute(
    table: Table,
    request: Request,
    work: Work,
    options: CommitOptions,
    names: Names | None = None,
) -> ChangeReport:
    """Plan, and commit unless it is a dry run, nothing is to be done, or a rule forbids it.

    It asks for no consent: whoever calls a change of the API wants it.
    """
    return executor(table, request(work), work, options, names).execute()


def raise_refusal(report: PlanReport) -> None:
    """Raise what stands against the change, if anything does.

    Raises:
        DeltactlError: of the kind of all refusals; `details` have each of them as `refusals`.
    """
    if report.error is None:
        return
    if refusals := report.plan.refusals:
        report.error.details["refusals"] = [refusal.to_json() for refusal in refusals]
    raise report.error
