"""How commands that change a table run: the options they share, and the saved plan."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Concatenate, NamedTuple, ParamSpec

import click

from deltactl.api.executing import executor
from deltactl.api.saved import files
from deltactl.changes.change_report import ChangeReport, PlanReport
from deltactl.changes.commit_options import CommitOptions, Names
from deltactl.changes.executor import Planner
from deltactl.cli.command_options import (
    MAX_VERSION,
    RenamedOption,
    command_of,
    completing,
    table_argument,
    whole_number,
)
from deltactl.cli.consent import Consent
from deltactl.cli.global_options import typed
from deltactl.cli.render.plan import PreviewReport, outcome_of
from deltactl.cli.requests import ChangeCommand
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import work_of
from deltactl.cli.spark.spark_options import SPARK
from deltactl.cli.tables import open_named
from deltactl.table.table import Table

P = ParamSpec("P")


class Target(NamedTuple):
    """The table that is to be changed, and the words by which commands name it."""

    table: Table
    called: str


@dataclass(frozen=True, kw_only=True)
class ChangeOptions:
    """What the options say that all commands which write share."""

    dry_run: bool
    exit_code: bool
    yes: bool
    if_version: int | None
    message: str | None = None
    once: tuple[str, int] | None = None
    plan_out: str | None = None

    def commit_options(self, called: str) -> CommitOptions:
        """Return how the table that commands name by these words is to be changed.

        Raises:
            click.UsageError: an option goes with another one that is not there.
        """
        only_plans = self.dry_run or self.plan_out is not None
        if self.exit_code and not only_plans:
            said = "--exit-code goes with --dry-run: without that the change is made"
            raise click.UsageError(said)
        return CommitOptions(
            called=called,
            dry_run=only_plans,
            fail_if_changes=self.exit_code,
            if_version=self.if_version,
            message=self.message,
            once=self.once,
        )


def change_command(function: Callable[Concatenate[Session, P], Planner]) -> ChangeCommand:
    """Make a command that changes TABLE of a function that returns what plans the change."""

    @functools.wraps(function)
    def run(session: Session, /, *args: Any, **kwargs: Any) -> None:
        chosen = ChangeOptions(**{option: kwargs.pop(option) for option in (*OPTIONS, *PLAN_OUT)})
        table = kwargs.pop("table")
        planner = function(session, *args, **kwargs)
        subject = Target(open_named(session, table), session.invocation.words_of(table))
        execute(session, subject, planner, chosen)

    changing = table_argument(with_options({**OPTIONS, **PLAN_OUT}, run))
    command = command_of(ChangeCommand, changing)
    command.plans = function
    # Where to work is for whoever applies a saved plan to say.
    command.shared = frozenset({*OPTIONS, *PLAN_OUT, *SPARK})
    return command


def with_options(
    options: Mapping[str, Callable[[Any], Any]], function: Callable[..., None]
) -> Callable[..., None]:
    """Give the function the parameters of the options, in their order."""
    for option in reversed([*options.values()]):
        function = option(function)
    return function


def execute(
    session: Session,
    subject: Target,
    planner: Planner,
    chosen: ChangeOptions,
    names: Names | None = None,
) -> None:
    """Plan the change of the table, show it, ask if that is needed, and commit.

    `names` are those that are to be used again.
    """
    commit_options, plan_out = chosen.commit_options(subject.called), chosen.plan_out
    replaces = plan_out is not None and files.holds_plan(plan_out)
    changer = executor(subject.table, planner, work_of(session), commit_options, names)
    consent = Consent(session, given=chosen.yes)
    report = _with_whole_commands(session, changer.execute(consent.ask))
    try:
        if plan_out is not None and report.error is None:
            report = _saved(session, report, plan_out)
            if replaces:
                session.note(f"{plan_out} held a plan, which this one replaces")
        show(session, report, consent.preview)
    except KeyboardInterrupt:
        raise changer.interrupted() from None


def _with_whole_commands(session: Session, report: ChangeReport) -> ChangeReport:
    """Return the report whose refusals have the command that was typed, with one more option."""
    if not report.plan.refusals:
        return report
    plan = report.plan.retyped(session.invocation.again)
    return replace(report, plan=plan, error=plan.error())


def show(session: Session, report: PlanReport, preview: PreviewReport | None = None) -> None:
    """Print what became of the plan; the plan itself if it was not shown before."""
    is_saved = isinstance(report, ChangeReport) and report.saved_as is not None
    asked_for = report.dry_run and not is_saved
    quiet = session.settings.quiet and session.settings.output == "text" and not asked_for
    needs_no_plan = preview is not None or (quiet and report.error is None)
    session.show(outcome_of(report, after=preview) if needs_no_plan else report)
    if report.plan.refusals:
        # A plan for files of the log may be one for an older version.
        is_change = isinstance(report, ChangeReport)
        at = f"; the table is at version {report.plan.read_version}" if is_change else ""
        session.note(f"nothing was written{at}")


def _saved(session: Session, report: ChangeReport, file: str) -> ChangeReport:
    ctx = click.get_current_context()
    assert isinstance(ctx.command, ChangeCommand)
    request, inputs = ctx.command.request(ctx), session.invocation.inputs
    files.save(file, report, session.call, request, inputs)
    return replace(report, saved_as=session.invocation.words_of(file))


def parse_message(text: str) -> str:
    """Return `text` if a commit can hold it, or raise ValueError."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("it is not text in UTF-8") from None
    return text


def parse_once(text: str) -> tuple[str, int]:
    """Return the application and the version in `APPID:VERSION`, or raise ValueError."""
    app_id, colon, version = text.rpartition(":")
    is_version = version.isdecimal() and len(version) < 20 and int(version) <= MAX_VERSION
    if not colon or not parse_message(app_id) or not is_version:
        raise ValueError(f"{text!r} is not APPID:VERSION, such as nightly-migration:17")
    return app_id, int(version)


OPTIONS: dict[str, Callable[[Any], Any]] = {
    "dry_run": click.option("--dry-run", is_flag=True, help="Show the plan, and write nothing."),
    "exit_code": click.option(
        "--exit-code", is_flag=True, help="With --dry-run: exit 5 if anything would change."
    ),
    "yes": click.option("-y", "--yes", is_flag=True, help="Skip confirmation prompts."),
    "if_version": click.option(
        "--expect-version",
        "if_version",
        cls=RenamedOption,
        formerly=("--if-version",),
        metavar="N",
        type=whole_number(),
        shell_complete=completing("newest_version", "complete_log"),
        help="Write only if the table is at version N; otherwise exit 6.",
    ),
    "message": click.option(
        "-m",
        "--message",
        metavar="TEXT",
        type=typed(parse_message),
        help="Store TEXT in the commit, as userMetadata.",
    ),
    "once": click.option(
        "--once",
        cls=RenamedOption,
        formerly=("--txn",),
        metavar="APPID:VERSION",
        type=typed(parse_once),
        help="Commit once: do nothing if APPID has written VERSION or a later one.",
    ),
}
PLAN_OUT: dict[str, Callable[[Any], Any]] = {
    "plan_out": click.option(
        "--plan-out",
        metavar="FILE",
        type=click.Path(),
        help="Save the plan for `deltactl apply FILE`, and write nothing to the table.",
    ),
}
# Those of commands that write files of the log, and no version.
_OF_LOG_FILES = {name: OPTIONS[name] for name in ("dry_run", "exit_code", "yes", "if_version")}


def log_file_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command that writes files of the log the options for `ChangeOptions`."""
    return with_options(_OF_LOG_FILES, function)
