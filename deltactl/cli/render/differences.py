"""What differs between two states of a table, line by line, with a gutter that needs no colour."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from deltactl.cli.render.blocks import Block, Column, Fields, Grid, Label, Lines, Span, Style
from deltactl.cli.render.column_lines import PLAIN, DiffLine, DiffView, column_lines, shown_paths
from deltactl.cli.render.words import count, mapping_switched
from deltactl.spec.keys import (
    CLUSTERING_DOMAIN,
    COLUMN_MAPPING_MAX_ID,
    CONSTRAINT_PREFIX,
)
from deltactl.spec.schema.diff import ChangeKind, ColumnPair, without_column_mapping
from deltactl.table.differences import (
    PARTITION_COLUMNS,
    Differences,
    ProtocolChange,
    ValueChange,
)

# Columns that one line names.
NAMED = 20

_STYLES: dict[str, Style] = {"+": "added", "-": "removed", "~": "changed", "!": "error"}
_SUMMARY = {
    ChangeKind.WIDENED: "widened",
    ChangeKind.RETYPED: "retyped",
    ChangeKind.RENAMED: "renamed",
    ChangeKind.ADDED: "added",
    ChangeKind.DROPPED: "dropped",
    ChangeKind.METADATA: "altered",
}


def summary(found: Differences) -> str:
    """Return the numbers of changed columns: `2 widened · 1 renamed`."""
    kinds: Counter[str] = Counter()
    changes = (
        without_column_mapping(found.schema_changes)
        if found.mapping_switch
        else found.schema_changes
    )
    named: dict[str, set[ChangeKind]] = {}
    for change in changes:
        named.setdefault(change.path, set()).add(change.kind)
    for of_column in named.values():
        # Settings of a column that has changed otherwise, too, are no number of their own.
        counted = of_column - {ChangeKind.METADATA} or of_column
        kinds.update(_SUMMARY[one] for one in counted)
    order = _SUMMARY.values()
    return " · ".join(count(kinds[word], word, word) for word in order if kinds[word])


def title(name: str, versions: str, numbers: str) -> Grid:
    """Return a line with the table, its versions and its numbers; a narrow terminal breaks it."""
    cells: list[Label] = [Span(name, "name"), f" {versions}", f"  {numbers}" if numbers else ""]
    return Grid([Column("", fold=False), Column("", fold=False), Column("")], [cells])


def difference_blocks(
    found: Differences, shown: DiffView = PLAIN, more: Sequence[tuple[str, Label]] = ()
) -> Iterator[Block]:
    """Yield the columns, then all else that differs, `more` to say, then what was left out."""
    columns = column_lines(found.pairs, shown)
    if switch := found.mapping_switch:
        yield Lines([Span(mapping_switched(switch).capitalize(), "changed")])
    if columns.lines:
        titles = [Column("", fold=False), Column("", fold=False), Column("")]
        yield Grid(titles, map(_cells, columns.lines))
    if columns.more:
        yield Lines([f"and {count(columns.more, 'more column')}"])
    if rows := [*setting_rows(found, shown), *more]:
        yield Fields(rows)
    if columns.lines and columns.hidden and shown.context:
        hidden = count(columns.hidden, "unchanged column")
        yield Lines([Span(f"{hidden} hidden (--all)", "dim")])


def _cells(line: DiffLine) -> Sequence[Label]:
    """Return the cells of one line; marks stand in the gutter and tell without colour."""
    style = _STYLES.get(line.mark)
    if line.mark == " " and line.type[:2] in ("+ ", "- ", "! "):
        own = _STYLES[line.type[0]]
        return ["    " + line.indented, Span(line.type, own), Span(line.note, own)]
    name: Label = [Span(f"  {line.mark} ", style), Span(line.indented, style or "dim")]
    if line.mark == "~" and " → " in line.type:
        # What was declared is any text.
        old, _, new = line.type.partition(" → ")
        kept: Label = [Span(old, "removed"), " → ", Span(new, "added")]
    else:
        kept = Span(line.type, style or "dim")
    return [name, kept, Span(line.note, style or "dim")]


def setting_rows(found: Differences, shown: DiffView) -> Iterator[tuple[str, Label]]:
    """Yield everything but columns that differs: a title, and a line a difference."""
    if found.protocol is not None:
        yield "Protocol", protocol_words(found.protocol)
    counter = COLUMN_MAPPING_MAX_ID  # it grows with each new column
    plain = tuple(
        change
        for change in found.properties
        if not change.name.startswith(CONSTRAINT_PREFIX) and change.name != counter
    )
    yield from _titled("Properties", plain, " = ", shown.limit)
    yield from _titled("Constraints", found.constraints, ": ", shown.limit)
    described = tuple(change for change in found.table if change.name != PARTITION_COLUMNS)
    yield from _titled("Table", described, " = ", shown.limit)
    for change in found.table:
        if change.name == PARTITION_COLUMNS:
            yield "Partitioned by", _value_words(change._replace(name=""), "")
    if shown.clustering is not None:
        yield "Clustered by", _value_words(shown.clustering, "")
    known = None if shown.clustering is None else CLUSTERING_DOMAIN
    domains = tuple(domain for domain in found.domains if domain.name != known)
    yield from _titled("Domains", domains, " = ", shown.limit)


def readers_words(pairs: Sequence[ColumnPair]) -> Label:
    """Return what becomes of readers that opened the table before the changes."""
    stopped = [
        path
        for path, pair in shown_paths(pairs)
        if not all(change.readers_can_continue for change in pair.changes)
    ]
    if not stopped:
        return "open queries continue"
    more = len(stopped) - NAMED
    names = ", ".join(stopped[:NAMED]) + (f" and {more} more" if more > 0 else "")
    return [Span("open queries must refresh", "warning"), f": {names}"]


def protocol_words(change: ProtocolChange) -> Label:
    """Return the versions, once if they stay, and the features that came and went."""
    new = f"{change.after.min_reader_version}/{change.after.min_writer_version}"
    versions = new
    if (before := change.before) is not None:
        old = f"{before.min_reader_version}/{before.min_writer_version}"
        versions = new if old == new else f"{old} → {new}"
    words: list[str | Span] = [versions]
    for mark, names, style in (("+", change.added, "added"), ("-", change.removed, "removed")):
        for name in names:
            words += ["  ", Span(f"{mark} {name}", "added" if style == "added" else "removed")]
    return words


def _titled(
    title: str, changes: Sequence[ValueChange], sign: str, limit: int | None
) -> Iterator[tuple[str, Label]]:
    for place, change in enumerate(changes[:limit]):
        yield ("" if place else title), _value_words(change, sign)
    if more := len(changes[limit:]) if limit else 0:
        yield "", f"and {count(more)} more"


def _value_words(change: ValueChange, sign: str) -> Label:
    before, after = _text(change.before), _text(change.after)
    if change.before is None:
        return Span(f"+ {change.name}{sign}{after}", "added")
    if change.after is None:
        return Span(f"- {change.name}{sign}{before}", "removed")
    return [Span(f"~ {change.name}{sign}", "changed"), f"{before} → ", Span(after, "added")]


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
