"""`schema show`: the schema as a tree."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from deltactl.cli.command_options import at_option, table_command
from deltactl.cli.render.blocks import Block, Fields, Heading, Span, Tree, view
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.operations.schema.show import ColumnRow, SchemaReport
from deltactl.spec.constraints import rules
from deltactl.spec.keys import CHAR_VARCHAR, COLUMN_MAPPING_PHYSICAL_NAME, COMMENT, CURRENT_DEFAULT
from deltactl.spec.schema.schema import Path
from deltactl.spec.schema.types import Unknown, kind, short_name
from deltactl.table.state.type_change_versions import DatedChange


@view.register
def _(report: SchemaReport) -> Iterable[Block]:
    version = f"version {report.snapshot.version}"
    yield Tree(
        [Span(report.table.name or report.table.uri, "heading"), "  ", Span(version, "dim")],
        _trees(report.columns),
    )
    if report.checks:
        yield Heading("Constraints")
        yield Fields([(f"  {check.name}", check.expression) for check in report.checks])


def _trees(rows: Sequence[ColumnRow]) -> Sequence[Tree]:
    """Return the rows, which have parents first, as trees."""
    below: dict[Path, list[Tree]] = {}
    for row in reversed(rows):
        path = row.node.path
        tree = Tree(list(_label(row)), below.pop(path, []))
        below.setdefault(path[:-1], []).insert(0, tree)
    return below.get((), [])


def _label(row: ColumnRow) -> Iterator[Span | str]:
    node, metadata = row.node, row.node.field.metadata
    yield Span(node.path[-1], "name" if node.is_field else "dim")
    yield " "
    declared = metadata.get(CHAR_VARCHAR) if node.is_field else None
    shown = declared if isinstance(declared, str) else kind(node.type, short_name)
    yield Span(shown, "error" if isinstance(node.type, Unknown) else "type")
    if not node.nullable and node.path[-1] != "key":
        yield " not null"
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
    return f"{_short(change.from_type)} → {_short(change.to_type)} {when}"


def _short(type_name: str) -> str:
    return "int" if type_name == "integer" else type_name


@table_command
@at_option
def command(session: Session, table: str, at: int | datetime | None) -> None:
    """Show the schema of TABLE as a tree, with the types that columns had.

    Physical names, defaults, generated and identity columns, constraints, comments and type
    changes are shown if a column has them.

    \b
        deltactl schema show ./events
        deltactl schema show ./events --at 12 -o json
    """
    session.show(reports_of(session, table).schema(at=at))
