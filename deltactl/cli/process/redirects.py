"""What to type instead of a command or an option that does not exist.

A guess never proposes what writes. Only words that other tools have for a change lead to one, as a
pattern that still needs its arguments.
"""

import os
import re
from collections.abc import Mapping
from itertools import pairwise

import click

from deltactl.cli.command_tree import NoSuchCommandError, typed_name
from deltactl.cli.commands import _index as index
from deltactl.cli.config.settings import DIFF_OUTPUTS, OUTPUTS
from deltactl.cli.global_options import Invocation
from deltactl.text.hints import Command, Sql, Words, naming
from deltactl.text.identifiers import table_at
from deltactl.text.quoting import quoted
from deltactl.text.suggestions import nearest

# What other tools have, by what it is called here, or by who does it.
_RESTORE = "deltactl restores no older version; in Spark SQL: " + Sql(
    "RESTORE TABLE", "TO VERSION AS OF N"
)
_COMMANDS: Mapping[str, str | Words] = {
    "add-column": Command("column add", "COLUMN", "TYPE"),
    "cat": Command("log cat", "VERSION"),
    "check": Command("verify-checksum"),
    "column delete": Command("column drop", "COLUMN"),
    "column remove": Command("column drop", "COLUMN"),
    "column set-type": Command("widen", "COLUMN", "TYPE"),
    "columns": Command("column list"),
    "delete": "deltactl changes no rows; in Spark SQL: " + Sql("DELETE FROM", "WHERE CONDITION"),
    "detail": Command("show"),
    "doctor": Command("verify-checksum"),
    "drop-column": Command("column drop", "COLUMN"),
    "features": "deltactl protocol features",
    "fsck": Command("verify-checksum", "--data")
    + " finds missing data files; FSCK REPAIR TABLE of Databricks or repair() of delta-rs "
    "removes their entries",
    "info": Command("show"),
    "list": "deltactl tables FOLDER",
    "ls": "deltactl tables FOLDER",
    "merge": "deltactl changes no rows; Spark SQL does: MERGE INTO",
    "optimize": "deltactl compacts no data files; in Spark SQL: " + Sql("OPTIMIZE"),
    "plan": "add --dry-run to a command to see its plan, --plan-out FILE to save it; "
    "deltactl apply FILE carries it out",
    "protocol clients": Command("protocol show"),
    "prune": Command("prune-type-changes", "--dry-run"),
    "rename-column": Command("column rename", "COLUMN", "NEW_NAME"),
    "repair": Command("verify-checksum", "--repair", "--dry-run"),
    "restore": _RESTORE,
    "revert": _RESTORE,
    "rollback": _RESTORE,
    "schema history": Command("history", "--schema"),
    "table list": "deltactl tables FOLDER",
    "table show": Command("show"),
    "undo": _RESTORE,
    "update": "deltactl changes no rows; in Spark SQL: " + Sql("UPDATE", "SET COLUMN = VALUE"),
    "vacuum": "deltactl deletes no data files; in Spark SQL: " + Sql("VACUUM"),
    "validate": Command("verify-checksum"),
    "zorder": "deltactl rewrites no data files; in Spark SQL: "
    + Sql("OPTIMIZE", "ZORDER BY (COLUMN)"),
}
# Where a group has a command that only shows, these words mean it.
_SHOWING = ("describe", "get", "list", "ls", "print", "show")
_OPTIONS: Mapping[str, str] = {
    **dict.fromkeys(("--as-of", "--version", "--version-as-of"), "--at VERSION"),
    **dict.fromkeys(("--time", "--timestamp", "--timestamp-as-of"), "--at TIMESTAMP"),
    **dict.fromkeys(("--last", "--max-count", "--top"), "--limit N"),
    **dict.fromkeys(("--plan-only", "--preview", "--simulate", "--what-if"), "--dry-run"),
    **{f"--{form}": f"-o {form}" for form in (*OUTPUTS, *DIFF_OUTPUTS)},
}
_ONE_TOO_MANY = re.compile(r"unexpected extra argument \((\S+)\)")
_FORMATS = ("--format", "--output-format", "--as")
_WRITING = frozenset(
    {"--backfill", "--enable", "--force", "--repair", "--rewrite", "--truncate-history", "--yes"}
)


def for_command(error: NoSuchCommandError) -> str:
    """Return what to type instead of a command that does not exist."""
    folder, (word, *rest) = error.folder, error.words
    ctx = error.ctx
    assert ctx is not None
    above = typed_name(ctx)
    found = _COMMANDS.get(f"{above} {word}".strip())
    if found is None and folder.default and word in _SHOWING:
        found = Command(f"{above} {folder.default}")
    if found is not None:
        return str(_naming_table(found, rest, ctx))
    if os.path.isdir(word) or "/" in word:
        return str(Command("show").named(ctx.ensure_object(Invocation).words_of(word)))
    known = (*folder.list_commands(ctx), *folder.aliases)
    harmless = [name for name in known if f"{above} {name}".strip() not in index.WRITES]
    if near := nearest(word, harmless):
        path = ctx.command_path
        return f"did you mean {' or '.join(f'{path} {name}' for name in near)}?"
    return f"see {ctx.command_path} --help"


def for_option(error: click.NoSuchOption) -> str | None:
    """Return what to type instead of an option that does not exist, None if nothing is near."""
    ctx, name = error.ctx, error.option_name
    if ctx is None:
        return None
    own = [param for param in ctx.command.params if isinstance(param, click.Option)]
    visible = [opt for param in own if not param.hidden for opt in param.opts]
    meant = _OPTIONS.get(name)
    if name in _FORMATS:
        meant = f"-o {_value(ctx, name)}"
    if re.fullmatch(r"-\d", name):
        meant = f"--limit {_number(ctx, name)}"
    if meant is not None and any(meant.split()[0] in param.opts for param in own):
        return f"did you mean {meant}?"
    if name in _WRITING or name in _OPTIONS:
        return None
    # The dashes must not make any two of them look alike.
    known = [opt[2:] for opt in visible if opt.startswith("--") and opt not in _WRITING]
    near = [f"--{found}" for found in nearest(name.lstrip("-"), known)]
    return f"did you mean {' or '.join(near)}?" if near else None


def for_argument(error: click.UsageError) -> str | None:
    """Return the option or command for a word that is one argument too many, None for others."""
    ctx, found = error.ctx, _ONE_TOO_MANY.search(error.message)
    if ctx is None or found is None:
        return None
    word = found[1]
    if typed_name(ctx) == "log list" and word.isdecimal():
        return str(Command("log cat", word).named(_first_argument(ctx)))
    own = {opt for param in ctx.command.params for opt in param.opts}
    wanted = ("--at", "--limit") if word.isdecimal() else ("--column",)
    near = next((option for option in wanted if option in own), None)
    return near and f"did you mean {near} {quoted(word)}?"


def _first_argument(ctx: click.Context) -> str:
    """Return the table that was typed first, with its profile, as it can be typed again."""
    invocation = ctx.ensure_object(Invocation)
    table = ctx.params.get("table")
    return invocation.words_of(table) if isinstance(table, str) else "TABLE"


def _number(ctx: click.Context, option: str) -> str:
    """Return the whole number that was typed as an option, of which click names the first digit."""
    typed = (a[1:] for a in ctx.ensure_object(Invocation).args if a.startswith(option))
    return next((number for number in typed if number.isdecimal()), "N")


def _value(ctx: click.Context, option: str) -> str:
    """Return the value that was typed for an option, if `-o` knows it."""
    args = list(ctx.ensure_object(Invocation).args)
    typed = [a.partition("=")[2] for a in args if a.startswith(f"{option}=")]
    typed += [b for a, b in pairwise(args) if a == option]
    return next((value for value in typed if value in OUTPUTS), "FORMAT")


def _naming_table(found: str | Words, rest: list[str], ctx: click.Context) -> str | Words:
    """Return what was found for the table that was typed, if one was."""
    words = [word for word in rest if not word.startswith("-")]
    # Values of options that nobody knows here are among them.
    places = [word for word in words if "/" in word or os.path.isdir(word)]
    if not words:
        return found
    [table, *_] = [*places, *words]
    place = table if "://" in table else os.path.abspath(table) if os.path.isdir(table) else None
    called = ctx.ensure_object(Invocation).words_of(table)
    return naming(found, called, place and table_at(place))
