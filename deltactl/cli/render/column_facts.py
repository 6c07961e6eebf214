"""What is said about one column, in a tree or in a list."""

from collections.abc import Iterator, Mapping
from typing import Any

from deltactl.cli.render.blocks import Span
from deltactl.operations.schema.show import ColumnRow
from deltactl.spec.constraints import rules
from deltactl.spec.keys import CHAR_VARCHAR, COLUMN_MAPPING_PHYSICAL_NAME, COMMENT, CURRENT_DEFAULT
from deltactl.spec.schema.change_words import type_words
from deltactl.spec.schema.types import Unknown, kind, short_name
from deltactl.table.state.type_change_versions import DatedChange


def type_label(row: ColumnRow) -> Span:
    """Return the type, as it was declared."""
    node = row.node
    declared = node.field.metadata.get(CHAR_VARCHAR) if node.is_field else None
    shown = declared if isinstance(declared, str) else kind(node.type, short_name)
    return Span(shown, "error" if isinstance(node.type, Unknown) else "type")


def is_not_null(row: ColumnRow) -> bool:
    """Return whether the column is NOT NULL; keys of maps always are, which is not said."""
    return not row.node.nullable and row.node.path[-1] != "key"


def facts(row: ColumnRow) -> Iterator[Span | str]:
    """Yield what the field says, type changes, and the comment, each after two spaces."""
    node, metadata = row.node, row.node.field.metadata
    if node.is_field:
        yield from _field_facts(row, metadata)
    for change in row.type_changes:
        yield Span(f"  {_change(change)}", "changed")
    if node.is_field and isinstance(comment := metadata.get(COMMENT), str):
        yield Span(f"  — {comment}", "dim")


def _field_facts(row: ColumnRow, metadata: Mapping[str, Any]) -> Iterator[Span | str]:
    field = row.node.field
    if row.is_partition:
        yield Span("  partition column", "dim")
    physical = metadata.get(COLUMN_MAPPING_PHYSICAL_NAME)
    if isinstance(physical, str) and physical != field.name:
        yield Span(f"  in files: {physical}", "dim")
    if isinstance(default := metadata.get(CURRENT_DEFAULT), str):
        yield f"  default {default}"
    if expression := rules.generation(field):
        yield f"  generated as {expression}"
    if identity := rules.identity(field):
        yield f"  identity {_identity(identity)}"
    if invariant := rules.invariant(field):
        yield f"  invariant {invariant}"
    if row.checks:
        yield f"  checked by {', '.join(row.checks)}"


def _identity(identity: Mapping[str, Any]) -> str:
    parts = [f"from {identity.get('start', 1)} by {identity.get('step', 1)}"]
    if "highWaterMark" in identity:
        parts.append(f"used up to {identity['highWaterMark']}")
    return ", ".join(parts)


def _change(dated: DatedChange) -> str:
    sighting, change = dated.sighting, dated.change
    when = f"v{sighting.since}" if sighting.since is not None else f"before v{sighting.before}"
    return f"{type_words(change.from_type)} → {type_words(change.to_type)} {when}"
