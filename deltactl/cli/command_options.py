"""What commands are made of: the decorators, arguments and options that several of them share."""

import functools
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any, Concatenate, ParamSpec, TypeVar

import click
from click.core import augment_usage_errors
from click.shell_completion import CompletionItem

from deltactl.cli.command_tree import CONTEXT, note_command
from deltactl.cli.global_options import Invocation, global_options, typed
from deltactl.cli.session import Session
from deltactl.spec.versions import VersionsBack, parse_versions_back

P = ParamSpec("P")
MAX_VERSION = 2**63 - 1
_BACK = re.compile("-[0-9]+")
# How long ago: `30s`, `15m`, `2h`, `2d`, `1w`.
_AGO = re.compile("([0-9]{1,9})([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


class SparkOption(click.Option):
    """An option that says where Spark runs, or how."""


class RenamedOption(click.Option):
    """An option that had the names `formerly`: they still work, and no help shows them."""

    def __init__(self, *args: Any, formerly: Sequence[str], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.formerly = tuple(formerly)

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Register the present names and the former ones, of an option with one value."""
        super().add_to_parser(parser, ctx)
        parser.add_option(
            obj=self, opts=self.formerly, dest=self.name, action="store", nargs=self.nargs
        )


class DeltactlCommand(click.Command):
    """A command that takes the global options after its name, too."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        attributes.setdefault("context_settings", CONTEXT)
        super().__init__(*args, **attributes)
        self.own = list(self.params)
        self.params = [*self.params, *global_options()]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; failures name this command from here on."""
        note_command(ctx)
        with augment_usage_errors(ctx):
            return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own options, and name those that every command takes."""
        options = [param for param in self.own if isinstance(param, click.Option)]
        on_spark = [param for param in options if isinstance(param, SparkOption)]
        plain = [param for param in options if param not in on_spark]
        rows = [param.get_help_record(ctx) for param in plain]
        with formatter.section("Options"):
            formatter.write_dl([row for row in rows if row] + [("-h, --help", "Show this help.")])
        if spark_rows := [row for param in on_spark if (row := param.get_help_record(ctx))]:
            with formatter.section("Spark [environment variable]"):
                formatter.write_dl(spark_rows)
        on_all = [param for param in self.params if param not in self.own]
        names = " ".join(param.opts[0] for param in on_all if param.get_help_record(ctx))
        with formatter.section("On every command (see deltactl --help)"):
            formatter.write_text(names)


class VersionsCommand(DeltactlCommand):
    """A command whose arguments may be versions: `-1` is one of them, and no option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, `-1` as `@-1` unless it is the value of an option."""
        options = [p for p in self.params if isinstance(p, click.Option) and not p.is_flag]
        taking = {name for option in options for name in option.opts}
        parsed = [
            f"@{arg}" if _BACK.fullmatch(arg) and before not in taking else arg
            for before, arg in zip(["", *args], args, strict=False)
        ]
        return super().parse_args(ctx, parsed)


C = TypeVar("C", bound=DeltactlCommand)


def bare_command(function: Callable[Concatenate[Session, P], None]) -> DeltactlCommand:
    """Make a command of a function that takes the session and its own parameters."""
    return command_of(DeltactlCommand, function)


def command_of(kind: type[C], function: Callable[Concatenate[Session, P], None]) -> C:
    """Make a command of the given kind, as `bare_command` does."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        invocation = click.get_current_context().ensure_object(Invocation)
        function(Session(invocation), *args, **kwargs)

    return click.command(cls=kind)(run)


def versions_command(function: Callable[Concatenate[Session, P], None]) -> DeltactlCommand:
    """Make a command whose first argument is TABLE, and whose others may be versions."""
    return command_of(VersionsCommand, table_argument(function))


def table_command(function: Callable[Concatenate[Session, P], None]) -> DeltactlCommand:
    """Make a command whose first argument is TABLE: a path, a URL, or a name in `[tables]`."""
    return bare_command(table_argument(function))


def completing(name: str, module: str = "complete") -> Complete:
    """Return that function of `cli.completion`, which loads when something is completed."""

    def complete(
        ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        function: Complete = getattr(import_module(f"deltactl.cli.completion.{module}"), name)
        return function(ctx, param, incomplete)

    return complete


def parse_at(text: str) -> int | VersionsBack | datetime:
    """Return the version or the time that `text` names; a time without an offset is UTC.

    `-2` is the version two before the newest, `@prev` the one before it; `2d` is two days ago.

    Raises:
        ValueError: it is neither, or too large.
    """
    if (back := parse_versions_back(text)) is not None:
        return back
    if found := _AGO.fullmatch(text):
        try:
            return datetime.now(UTC) - timedelta(seconds=int(found[1]) * _SECONDS[found[2]])
        except OverflowError:
            raise ValueError(f"{text[:40]} ago is before any time that can be told") from None
    if re.fullmatch("[0-9]+", text):
        digits = text.lstrip("0") or "0"
        if len(digits) > len(str(MAX_VERSION)) or int(digits) > MAX_VERSION:
            raise ValueError(f"{text[:40]} is more than the largest version, {MAX_VERSION}")
        return int(digits)
    if re.fullmatch("v[0-9]+", text):
        raise ValueError(f"{text[:40]!r} is not a version; write {text[1:40]}")
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(
            f"{text!r} is neither a version nor a time such as 2024-05-31T12:00:00Z"
        ) from None


def whole_number(least: int = 0, most: int = MAX_VERSION) -> Callable[[str], int]:
    """Return the type of an option that is a whole number between the two."""

    def parse(text: str) -> int:
        digits = text.strip().lstrip("0") or "0"
        fits = text.strip().isdecimal() and text.isascii() and len(digits) <= len(str(most))
        if not fits or not least <= int(digits) <= most:
            wanted = f"from {least} to {most}" if most < MAX_VERSION else f"from {least} on"
            raise ValueError(f"{text[:40]!r} is not a whole number {wanted}")
        return int(digits)

    return typed(parse)


def _note_table(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Note the table that the command is about: the profile of its alias holds for the run."""
    invocation = ctx.find_object(Invocation)
    if invocation is not None:
        invocation.table = value
    return value


VERSIONS = completing("versions", "complete_log")
VERSIONS_AND_TABLES = completing("versions_and_tables", "complete_log")

table_argument = click.argument(
    "table", metavar="TABLE", callback=_note_table, shell_complete=completing("tables")
)

at_option = click.option(
    "--at",
    metavar="VERSION|TIMESTAMP",
    type=typed(parse_at),
    shell_complete=VERSIONS,
    help="Read the table as of a version (12, -1, @prev), or of a time (UTC; 2d: two days ago).",
)
