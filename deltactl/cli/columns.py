"""The verbs of `column`: their options on the command line, and on a line of `column apply`."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import click

from deltactl.api.verbs.columns import request_of, request_of_steps
from deltactl.api.work import Asked
from deltactl.changes.executor import Planner
from deltactl.changes.saved_plan import Call
from deltactl.cli.command_options import completing
from deltactl.cli.process.failures import one_line
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import planning
from deltactl.errors import InvalidUsageError
from deltactl.operations.columns.add import AddColumn
from deltactl.operations.columns.drop import DropColumns
from deltactl.operations.columns.not_null import DropNotNull, SetNotNull
from deltactl.operations.columns.rename import RenameColumn
from deltactl.operations.columns.settings import CommentColumn, DropDefault, SetDefault
from deltactl.operations.columns.verbs import ColumnStep, Verb

Parameter = Callable[[Any], Any]


class VerbForm(NamedTuple):
    """How a verb is typed: what makes it, of the values of these parameters."""

    make: Callable[..., Verb]
    parameters: tuple[Parameter, ...]


def _column(name: str = "column", offering: str = "fields", **attributes: Any) -> Parameter:
    metavar = attributes.pop("metavar", "COLUMN")
    return click.argument(name, metavar=metavar, shell_complete=completing(offering), **attributes)


def _enable(text: str) -> Parameter:
    return click.option("--enable", is_flag=True, help=text)


_MAPPING = _enable("Enable column mapping, mode name, if it is off.")

VERBS: Mapping[str, VerbForm] = {
    "add": VerbForm(
        AddColumn,
        (
            _column(),
            click.argument("type", metavar="TYPE", shell_complete=completing("types")),
            click.option(
                "--default",
                metavar="EXPR",
                help="Set the default for new rows, as SQL: 0, \"'EU'\".",
            ),
            click.option(
                "--backfill",
                is_flag=True,
                help="With --default: also set it in existing rows, by an UPDATE on Spark.",
            ),
            click.option("--comment", metavar="TEXT", help="Set the column comment."),
            click.option(
                "--not-null", is_flag=True, help="Reject NULL; only on a table without files."
            ),
            click.option("--first", is_flag=True, help="Put the new column before all others."),
            click.option(
                "--after",
                metavar="COLUMN",
                help="Put the new column directly after COLUMN.",
                shell_complete=completing("neighbours"),
            ),
            click.option("--if-not-exists", is_flag=True, help="Do nothing if the column exists."),
            _enable("Add the features that the type, the default or the name needs."),
        ),
    ),
    "drop": VerbForm(
        DropColumns,
        (
            _column("columns", nargs=-1, required=True, metavar="COLUMN..."),
            click.option("--if-exists", is_flag=True, help="Skip columns that do not exist."),
            _MAPPING,
        ),
    ),
    "rename": VerbForm(
        RenameColumn,
        (
            _column(),
            click.argument("new", metavar="NEW"),
            click.option("--if-exists", is_flag=True, help="Do nothing if COLUMN does not exist."),
            _MAPPING,
        ),
    ),
    "comment": VerbForm(CommentColumn, (_column(), click.argument("text", metavar="TEXT"))),
    "set-default": VerbForm(
        SetDefault,
        (
            _column(),
            click.argument("expression", metavar="EXPR"),
            _enable("Add the feature allowColumnDefaults if it is missing."),
        ),
    ),
    "drop-default": VerbForm(DropDefault, (_column(),)),
    "set-not-null": VerbForm(
        SetNotNull, (_column(), _enable("Add the feature invariants if it is missing."))
    ),
    "drop-not-null": VerbForm(DropNotNull, (_column(),)),
}


def taking(verb: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the decorator that gives a command the parameters of the verb."""

    def with_parameters(function: Callable[..., Any]) -> Callable[..., Any]:
        for parameter in reversed(VERBS[verb].parameters):
            function = parameter(function)
        return function

    return with_parameters


def planner(session: Session, verb: str, values: Mapping[str, Any]) -> Planner:
    """Return what plans the one verb, made with these values."""
    call = Call(f"columns.{verb.replace('-', '_')}", values)
    return planning(session, Asked(request_of(_made(verb, values)), call), {})


def planner_of_steps(session: Session, steps: Sequence[ColumnStep], *, enable: bool) -> Planner:
    """Return what plans the verbs, in their order, as one commit."""
    return planning(session, request_of_steps(steps, enable=enable), {})


def read_steps(lines: Iterable[str]) -> list[ColumnStep]:
    """Return the verb of each line, written as after `deltactl column` but without TABLE.

    Raises:
        InvalidUsageError: lines are malformed; all of them are named.
    """
    steps, wrong = [], []
    for number, line in enumerate(lines, start=1):
        try:
            words = shlex.split(line, comments=True)
            if words:
                steps.append(ColumnStep(_parsed(words), f"line {number}: "))
        except click.UsageError as error:
            wrong.append(f"line {number}: {one_line(error)}")
        except ValueError as error:
            wrong.append(f"line {number}: {error}")
    if wrong:
        raise InvalidUsageError(
            "BAD_COLUMN_LINES",
            "; ".join(wrong),
            hint="write one verb a line, such as: rename user_id id",
            details={"lines": wrong},
        )
    return steps


def _parsed(words: list[str]) -> Verb:
    verb, *rest = words
    if verb not in VERBS:
        raise click.UsageError(f"{verb!r} is not one of {', '.join(VERBS)}.")
    return _made(verb, _command(verb).make_context(verb, rest).params)


@cache
def _command(verb: str) -> click.Command:
    """Return the parser of a verb's lines; cached, for a file may have thousands of lines."""
    return click.command(verb, add_help_option=False)(taking(verb)(lambda **_: None))


def _made(verb: str, values: Mapping[str, Any]) -> Verb:
    if values.get("first") and values.get("after") is not None:
        raise click.UsageError("--first and --after cannot be given together.")
    if values.get("backfill") and values.get("default") is None:
        raise click.UsageError("--backfill goes with --default: it gives old rows that value.")
    return VERBS[verb].make(**values)
