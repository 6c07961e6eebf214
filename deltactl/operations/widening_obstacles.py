"""What stands in the way of a type change on a table as it is today."""

from collections.abc import Iterator

from deltactl.errors import Notice
from deltactl.model import constraints
from deltactl.model.constraints import RuleKind, row_rules
from deltactl.model.protocol import supported
from deltactl.model.schema import Node, format_path
from deltactl.model.types import TIMESTAMP_NTZ, DataType, Struct
from deltactl.model.widening import Rule
from deltactl.table.snapshot import TYPE_WIDENING, Snapshot

ENABLE = "delta.enableTypeWidening"
_ICEBERG = (
    "delta.enableIcebergCompatV1",
    "delta.enableIcebergCompatV2",
    "delta.enableIcebergCompatV3",
)


def obstacles(
    snapshot: Snapshot, schema: Struct, node: Node, new: DataType, rule: Rule
) -> Iterator[Notice]:
    """Everything that forbids the change now, though the protocol allows it in general."""
    have, configuration = supported(snapshot.protocol), snapshot.configuration
    if not have & TYPE_WIDENING:
        yield Notice(
            "TYPE_WIDENING_NOT_SUPPORTED", "the table does not have the feature typeWidening"
        )
    if str(configuration.get(ENABLE, "false")).lower() != "true":
        yield Notice("TYPE_WIDENING_NOT_ENABLED", f"the property {ENABLE} is not true")
    if new == TIMESTAMP_NTZ and "timestampNtz" not in have:
        said = "the table does not have the feature timestampNtz"
        yield Notice("TIMESTAMP_NTZ_NOT_SUPPORTED", said)
    yield from _row_rule_obstacles(snapshot, schema, node)
    if node.is_field and constraints.identity(node.field):
        yield Notice("IDENTITY_COLUMN", f"{node} is an identity column")
    for key in _ICEBERG:
        if str(configuration.get(key, "false")).lower() == "true" and not rule.iceberg:
            said = f"Iceberg has no such change, and {key} is true"
            yield Notice("ICEBERG_COMPAT", said)


def _row_rule_obstacles(snapshot: Snapshot, schema: Struct, node: Node) -> Iterator[Notice]:
    own = format_path(node.path)
    for rule in row_rules(schema, snapshot.configuration):
        if rule.kind is not RuleKind.CHECK and rule.name == own:
            said = f"{own} itself is a {rule.kind} column: {rule.expression}"
        elif rule.concerns(node.path, schema) is not False:
            said = f"the {_noun(rule.kind)} {rule.name} speaks of it: {rule.expression}"
        else:
            continue
        yield Notice(f"{rule.kind.upper()}_DEPENDS_ON_COLUMN", said)


def _noun(kind: RuleKind) -> str:
    match kind:
        case RuleKind.CHECK:
            return "CHECK constraint"
        case RuleKind.GENERATED:
            return "generated column"
        case RuleKind.INVARIANT:
            return "invariant of column"
