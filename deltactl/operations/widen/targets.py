"""`schema types`: what a column may become, under which rule, and what blocks it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from deltactl.errors import Notice
from deltactl.operations.widen.obstacles import obstacles
from deltactl.report import Report, TableRef
from deltactl.spec.constraints.rules import RowRules, row_rules
from deltactl.spec.protocol.protocol import supported
from deltactl.spec.schema.schema import Node, Path, find
from deltactl.spec.schema.types import MAX_PRECISION, Decimal
from deltactl.spec.schema.widening import DECIMAL_SAME_SCALE, WideningTarget, targets
from deltactl.table.table import At, Table
from deltactl.table.version_facts import table_ref


class TargetRow(NamedTuple):
    """A type that the column may become, and what forbids it today."""

    target: WideningTarget
    blocked_by: tuple[Notice, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "type": self.target.type,
            "example": str(self.target.example),
            "decimal": _family(self.target),
            "rule": self.target.rule.name,
            "inDraft": self.target.rule.draft,
            "icebergSafe": self.target.rule.iceberg,
            "blockedBy": [{"code": n.code, "message": n.message} for n in self.blocked_by],
        }


@dataclass(frozen=True, kw_only=True)
class SchemaTypesReport(Report):
    """The types that one column can be widened to.

    Attributes:
        table: its place, its id and its name.
        version: the version that was read.
        node: the column.
        targets: the types, each with what forbids it today.
        warnings: what is odd, each with a `code` and a `message`.
    """

    table: TableRef
    version: int
    node: Node
    targets: tuple[TargetRow, ...]
    warnings: tuple[Notice, ...] = field(default=())

    def body(self) -> Mapping[str, Any]:
        return {
            "version": self.version,
            "column": {"path": str(self.node), "type": str(self.node.type)},
            "targets": [row.to_json() for row in self.targets],
        }

    def elements(self) -> Iterator[Mapping[str, Any]]:
        return (row.to_json() for row in self.targets)


def _family(target: WideningTarget) -> dict[str, int] | None:
    """Return the decimals that a target stands for; None if it is one type."""
    match target.example:
        case Decimal(precision, scale):
            whole = precision - scale
            most = scale if target.rule is DECIMAL_SAME_SCALE else MAX_PRECISION - whole
            return {"minWholeDigits": whole, "minScale": scale, "maxScale": most}
        case _:
            return None


def report_schema_types(table: Table, column: Path, at: At = None) -> SchemaTypesReport:
    """Return what `column` may be widened to.

    Raises:
        NotFoundError: there is no such column.
    """
    snapshot = table.snapshot(at, even_if_unsupported=True)
    schema = snapshot.usable_schema
    node = find(schema, column)
    have = supported(snapshot.protocol)
    rules = RowRules(row_rules(schema, snapshot.configuration), schema)
    rows = (
        TargetRow(t, tuple(obstacles(have, snapshot.configuration, rules, node, t.example, t.rule)))
        for t in targets(node.type)
    )
    return SchemaTypesReport(
        table=table_ref(table, snapshot.metadata),
        version=snapshot.version,
        node=node,
        targets=tuple(rows),
        warnings=snapshot.notices,
    )
