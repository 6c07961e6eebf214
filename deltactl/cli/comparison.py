"""What commands share that compare two states of a table: A and B, options, the screen."""

import functools
import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import click

from deltactl.cli.command_options import parse_at, whole_number
from deltactl.cli.render.blocks import Block, Fields, Label, Lines, Span, formatted, view
from deltactl.cli.render.column_lines import CONTEXT, DiffView
from deltactl.cli.render.diff_formats import markdown, patch, same_words
from deltactl.cli.render.differences import (
    difference_blocks,
    readers_words,
    summary,
    title,
)
from deltactl.cli.render.side_by_side import LEAST_WIDTH, side_by_side
from deltactl.cli.session import Session
from deltactl.errors import Notice
from deltactl.operations.inspect.diff import DiffReport, Side
from deltactl.report import Report, TableRef
from deltactl.spec.schema import column_mapping
from deltactl.table.table import At

_VERSION_OR_TIME = re.compile(r"\d+[smhdw]?|@prev|@?-\d+|\d{4}-\d{2}-\d{2}(?:[T ].*)?")
# Versions as screens show them, and as git writes a range. A table may have that name.
_OF_GIT = re.compile(r"(?=v|\d+\.)v?(\d+)(?:\.{2,3}v?(\d+))?")


@dataclass(frozen=True)
class DiffOptions:
    """How to show a diff, as it was typed."""

    everything: bool
    side_by_side: bool
    exit_code: bool
    context: int | None = None

    @property
    def around(self) -> int | None:
        """How many unchanged columns to show around a changed one, None for all."""
        if self.everything:
            return None
        return CONTEXT if self.context is None else self.context


def diff_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a diff; it gets them as `options`, a `DiffOptions`."""

    @functools.wraps(function)
    def run(
        *args: Any,
        everything: bool,
        context: int | None,
        side_by_side: bool,
        exit_code: bool,
        **others: Any,
    ) -> None:
        options = DiffOptions(everything, side_by_side, exit_code, context)
        function(*args, options=options, **others)

    return functools.reduce(lambda one, option: option(one), reversed(_OPTIONS), run)


_OPTIONS = (
    click.option("--all", "everything", is_flag=True, help="Show unchanged columns, too."),
    click.option(
        "--context",
        type=whole_number(most=1_000_000),
        metavar="N",
        help=f"Show N unchanged columns around each changed one (default: {CONTEXT}).",
    ),
    click.option(
        "--side-by-side",
        is_flag=True,
        help=f"Show both schemas as trees; needs {LEAST_WIDTH} columns.",
    ),
    click.option("--exit-code", is_flag=True, help="Exit 5 if there is a difference."),
)


@dataclass(frozen=True)
class DiffScreen(Report):
    """A diff, with how it is to be shown."""

    found: DiffReport
    around: int | None
    side_by_side: bool
    table: TableRef
    warnings: tuple[Notice, ...]
    exit_code: int

    def body(self) -> Mapping[str, Any]:
        return self.found.body()

    def elements(self) -> Iterator[Mapping[str, Any] | bytes] | None:
        return self.found.elements()


def screen(session: Session, found: DiffReport, options: DiffOptions) -> DiffScreen:
    """Return the diff for the terminal; one that is too narrow gets a single column."""
    beside = options.side_by_side
    wide = session.terminal_width()
    if beside and wide is not None and wide < LEAST_WIDTH:
        session.note(f"--side-by-side needs {LEAST_WIDTH} columns; this terminal has {wide}")
        beside = False
    return DiffScreen(found, options.around, beside, found.table, found.warnings, found.exit_code)


@formatted.register
def _(report: DiffScreen, form: str) -> Iterator[str]:
    found, shown = report.found, _shown(report.found, report.around)
    name, versions = _name(found), _versions(found)
    if form == "patch":
        sides = (found.before, found.after)
        is_one = found.before.uri == found.after.uri
        names = [_own_name(side) or name if is_one else side.uri for side in sides]
        labels = [
            "/dev/null" if side.version is None else f"{text} v{side.version}"
            for text, side in zip(names, sides, strict=True)
        ]
        return patch(found, (labels[0], labels[1]), shown)
    readers = readers_words(found.differences.pairs) if _has_readers(found) else None
    return markdown(found, f"{name} {versions}", shown, readers)


@view.register
def _(report: DiffReport) -> Iterable[Block]:
    return _blocks(report, CONTEXT)


@view.register
def _(report: DiffScreen) -> Iterable[Block]:
    return _blocks(report.found, report.around, beside=report.side_by_side)


def _blocks(found: DiffReport, around: int | None, *, beside: bool = False) -> Iterator[Block]:
    if found.before.uri != found.after.uri:
        yield Fields([("A", _place(found.before)), ("B", _place(found.after))])
    yield title(_name(found), _versions(found), summary(found.differences))
    if not found.differences:
        yield Lines([same_words(found)])
        return
    differences = found.differences
    readers: list[tuple[str, Label]] = []
    if _has_readers(found):
        readers = [("Readers", readers_words(differences.pairs))]
    if beside:
        has_readers = found.is_one_table and bool(differences.schema_changes)
        yield from side_by_side(differences.pairs, _titles(found), has_readers=has_readers)
        differences = differences._replace(pairs=())
        readers = [] if has_readers else readers
    yield from difference_blocks(differences, _shown(found, around), readers)


def _titles(found: DiffReport) -> tuple[str, str]:
    if found.before.uri != found.after.uri:
        return "A", "B"
    before, after = found.before.version, found.after.version
    return "NOTHING" if before is None else f"VERSION {before}", f"VERSION {after}"


def _place(side: Side) -> Label:
    return [Span(side.uri, "name"), Span(f"  v{side.version}", "dim")]


def _name(found: DiffReport) -> str:
    return found.table.name or found.table.uri.rstrip("/").rpartition("/")[2]


def _own_name(side: Side) -> str | None:
    """Return the name that the table had at that version."""
    return None if side.snapshot is None else side.snapshot.metadata.name


def _versions(found: DiffReport) -> str:
    before, after = found.before.version, found.after.version
    if found.before.uri != found.after.uri:
        return "A → B"
    return f"created as v{after}" if before is None else f"v{before} → v{after}"


def _has_readers(found: DiffReport) -> bool:
    """Return whether somebody may have the table open as it was before."""
    return found.is_one_table and found.before.version is not None


def _shown(found: DiffReport, context: int | None) -> DiffView:
    newer = found.after.snapshot
    is_mapped = newer is not None and column_mapping.mode(newer.configuration) != "none"
    keeps_values = found.is_one_table and is_mapped
    clustering = found.clustering and found.clustering._replace(name="")
    return DiffView(found.since, keeps_values=keeps_values, clustering=clustering, context=context)


def two_states(a: str, b: str | None, tables: Container[str]) -> tuple[At, At, str | None]:
    """Return both versions or times, and the other table, of which the second one is.

    `tables` are the names in `[tables]`, which may look like versions in other tools: `v2`.
    """
    for typed in filter(None, (a, b)):
        found = _OF_GIT.fullmatch(typed)
        if found and typed not in tables and not os.path.isdir(typed):
            meant = " ".join(filter(None, found.groups()))
            said = f"{typed!r} is neither a version nor a table; write {meant}"
            raise click.BadParameter(said, param_hint="A or B")
    if not _VERSION_OR_TIME.fullmatch(a):
        return None, _at(b), a
    if b is None or _VERSION_OR_TIME.fullmatch(b):
        return _at(a), _at(b), None
    return _at(a), None, b


def _at(text: str | None) -> At:
    if text is None:
        return None
    try:
        return parse_at(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="A or B") from error
