"""`schema diff`: two versions of a table, or two tables, side by side."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import click

from deltactl.cli.command_options import completing, parse_at, table_command
from deltactl.cli.render.blocks import (
    Block,
    Column,
    Fields,
    Grid,
    Label,
    Lines,
    Span,
    Style,
    guided,
    view,
)
from deltactl.cli.render.words import CHANGE_STYLES, count, mapped
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.operations.schema.diff import SchemaDiffReport, Side
from deltactl.spec.schema.change_words import beside_type
from deltactl.spec.schema.diff import ChangeKind, Pair, SchemaChange, ids_given, told
from deltactl.spec.schema.schema import Node
from deltactl.spec.schema.types import kind, short_name
from deltactl.table.table import At

_VERSION_OR_TIME = re.compile(r"\d+|\d{4}-\d{2}-\d{2}(?:[T ].*)?")


@view.register
def _(report: SchemaDiffReport) -> Iterable[Block]:
    before, after = report.before, report.after
    titles = [f"VERSION {before.version}", f"VERSION {after.version}"]
    if before.uri != after.uri:
        titles = ["A", "B"]
        yield Fields([("A", _place(before)), ("B", _place(after))])
    titles.append("CHANGE")
    if report.is_one_table and report.changes:
        titles.append("READERS")
    given = ids_given(report.pairs)
    rows = (row[: len(titles)] for row in _rows(report.pairs, folds=given > 0))
    yield Grid([Column(title) for title in titles], rows)
    shown = list(told(report.changes) if given else report.changes)
    if given:
        yield Lines([Span(mapped(given).capitalize(), "changed")])
    if shown or not given:
        yield Lines([count(len(shown), "change") if shown else "The schemas are the same."])


def _place(side: Side) -> Label:
    return [Span(side.uri, "name"), Span(f"  version {side.version}", "dim")]


def _rows(pairs: Sequence[Pair], *, folds: bool) -> Iterator[Sequence[Label]]:
    root = Pair(None, None, (), tuple(pairs))
    left = _guides(root, lambda pair: pair.before)
    right = _guides(root, lambda pair: pair.after)
    for _, pair in guided(root, lambda p: p.below):
        if pair is root:
            continue
        changes = tuple(told(pair.changes)) if folds else pair.changes
        style = CHANGE_STYLES[changes[0].kind] if changes else None
        # Below what was added or dropped nothing is a change of its own, but all of it is new.
        if not changes and None in (pair.before, pair.after):
            style = "added" if pair.before is None else "removed"
        yield (
            _side(left.get(id(pair), ""), pair.before, style),
            _side(right.get(id(pair), ""), pair.after, style),
            [Span("; ".join(map(_word, changes)), style)],
            _readers(pair, changes),
        )


def _readers(pair: Pair, shown: Sequence[SchemaChange]) -> Label:
    """Return what becomes of readers that have the table open."""
    goes_on = all(change.readers_go_on for change in pair.changes)
    if goes_on and not shown:
        return ""
    return Span("continue", "dim") if goes_on else Span("must refresh", "warning")


def _guides(root: Pair, side: Callable[[Pair], Node | None]) -> dict[int, str]:
    """Return the prefix of a column that only one side has."""
    drawn = guided(root, lambda pair: [p for p in pair.below if side(p) is not None])
    return {id(pair): guide.first for guide, pair in drawn}


def _side(guide: str, node: Node | None, style: Style | None) -> Label:
    if node is None:
        return ""
    return [guide, Span(node.path[-1], style or "name"), " ", Span(_type(node), style or "type")]


def _type(node: Node) -> str:
    name = kind(node.type, short_name)
    return name if node.nullable or node.path[-1] == "key" else f"{name} not null"


def _word(change: SchemaChange) -> str:
    match change.kind:
        case ChangeKind.METADATA:
            return change.words
        case ChangeKind.ADDED if change.field is not None:
            return f"added{beside_type(change.field)}"
        case other:
            return str(other)


@table_command
@click.argument("a", metavar="A", shell_complete=completing("tables"))
@click.argument("b", metavar="[B]", required=False, shell_complete=completing("tables"))
@click.option("--exit-code", is_flag=True, help="Exit 5 if there is a difference.")
def command(session: Session, table: str, a: str, b: str | None, *, exit_code: bool) -> None:
    """Compare the schema of TABLE at A with B, or with its newest version.

    A and B are versions or times; anything else is another table (./5 is a path, 5 a version).
    Columns of one table are matched by column-mapping id if it has such, so that a renamed
    column is seen as one; columns of two tables are matched by name.

    READERS says whether a reader that opened the table before the change continues after it, or
    must refresh.

    \b
        deltactl schema diff ./events 3
        deltactl schema diff ./events 3 7 --exit-code
        deltactl schema diff ./events ./events_copy
    """
    before, after, named = _sides(a, b)
    other = None if named is None else reports_of(session, named)
    report = reports_of(session, table).schema_diff(
        before, after, other=other, fail_on_changes=exit_code
    )
    session.show(report)


def _sides(a: str, b: str | None) -> tuple[At, At, str | None]:
    """Return both versions or times, and the other table, of which the second one is."""
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
