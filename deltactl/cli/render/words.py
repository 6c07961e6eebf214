"""Figures, times and changes in the words of people."""

import json
from collections.abc import Sequence
from typing import Any

from deltactl.cli.render.blocks import Span, Style
from deltactl.spec.protocol.features import FeatureKind
from deltactl.spec.schema.diff import ChangeKind, MappingSwitch, SchemaChange
from deltactl.table.differences import PARTITION_COLUMNS, ValueChange

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")

CHANGE_STYLES: dict[ChangeKind, Style] = {
    ChangeKind.ADDED: "added",
    ChangeKind.DROPPED: "removed",
    ChangeKind.RENAMED: "changed",
    ChangeKind.WIDENED: "changed",
    ChangeKind.RETYPED: "changed",
    ChangeKind.METADATA: "changed",
}


KINDS: dict[FeatureKind, str] = {
    FeatureKind.WRITER: "writers",
    FeatureKind.READER_WRITER: "all clients",
}


def count(number: int, noun: str = "", plural: str | None = None) -> str:
    """Return the number with its noun: `1,234 files`, `1 file`."""
    if not noun:
        return f"{number:,}"
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(number: int) -> str:
    """Return the size with its unit: `512 B`, `1.5 GiB`."""
    value, unit = float(number), 0
    while value >= 1023.95 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{number} B" if unit == 0 else f"{value:.1f} {_UNITS[unit]}"


def moment(rfc3339: str) -> str:
    """Return a time of a document: `2026-11-21 07:28:01.640Z`, which `--at` takes as it stands."""
    return rfc3339.replace("T", " ")


def joined(labels: Sequence[Span | str], separator: str = ", ") -> list[Span | str]:
    """Return the labels in one line."""
    line: list[Span | str] = []
    for label in labels:
        line += [separator, label] if line else [label]
    return line


def mapping_switched(switch: MappingSwitch) -> str:
    """Return that all columns of a table get or lose ids, in one line instead of one for each."""
    columns = count(switch.columns, "column")
    if switch.is_on:
        get = "gets an id" if switch.columns == 1 else "get ids"
        return f"column mapping switched on ({columns} {get})"
    lose = "loses its id" if switch.columns == 1 else "lose their ids"
    return f"column mapping switched off ({columns} {lose})"


def became(name: str, before: Any, after: Any) -> str:
    """Return what a setting has become: `a = 2`, `a 1 → 2`, `a 1 removed`."""
    if after is None or after == []:
        return f"{name} {_value(before)} removed"
    if before is None or before == []:
        return f"{name} = {_value(after)}"
    return f"{name} {_value(before)} → {_value(after)}"


def of_table(change: ValueChange) -> str:
    """Return what a field of the metadata has become: `partitioned by day`, `name a → b`."""
    before, after = change.before, change.after
    if change.name != PARTITION_COLUMNS:
        return became(change.name, before, after)
    old, new = (", ".join(side or ["no column"]) for side in (before, after))
    return f"partitioned by {new}" if before is None else f"partitioned by {old} → {new}"


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def changed(change: SchemaChange) -> Span:
    """Return a schema change in its colour."""
    return Span(str(change), CHANGE_STYLES[change.kind])
