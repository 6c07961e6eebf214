"""Two schemas side by side, as trees with what became of each column."""

from collections.abc import Callable, Iterator, Sequence

from deltactl.cli.render.blocks import Block, Column, Grid, Label, Lines, Span, Style, guided
from deltactl.cli.render.words import CHANGE_STYLES, mapping_switched
from deltactl.spec.schema.change_words import beside_type
from deltactl.spec.schema.diff import (
    ChangeKind,
    ColumnPair,
    SchemaChange,
    mapping_switch,
    without_column_mapping,
)
from deltactl.spec.schema.schema import Node
from deltactl.spec.schema.types import kind, short_name

# Less than that breaks the cells of common tables over lines.
LEAST_WIDTH = 120


def side_by_side(
    pairs: Sequence[ColumnPair], titles: tuple[str, str], *, has_readers: bool
) -> Iterator[Block]:
    """Yield both schemas as one grid; `has_readers` adds what becomes of open readers."""
    switch = mapping_switch(pairs)
    if switch is not None:
        yield Lines([Span(mapping_switched(switch).capitalize(), "changed")])
    columns = [*titles, "CHANGE", *(["READERS"] if has_readers else [])]
    rows = (row[: len(columns)] for row in _rows(pairs, folds=switch is not None))
    yield Grid([Column(title) for title in columns], rows)


def _rows(pairs: Sequence[ColumnPair], *, folds: bool) -> Iterator[Sequence[Label]]:
    root = ColumnPair(None, None, (), tuple(pairs))
    left = _guides(root, lambda pair: pair.before)
    right = _guides(root, lambda pair: pair.after)
    for _, pair in guided(root, lambda p: p.below):
        if pair is root:
            continue
        changes = tuple(without_column_mapping(pair.changes)) if folds else pair.changes
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


def _readers(pair: ColumnPair, shown: Sequence[SchemaChange]) -> Label:
    """Return what becomes of readers that have the table open."""
    goes_on = all(change.readers_can_continue for change in pair.changes)
    if goes_on and not shown:
        return ""
    return Span("continue", "dim") if goes_on else Span("must refresh", "warning")


def _guides(root: ColumnPair, side: Callable[[ColumnPair], Node | None]) -> dict[int, str]:
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
