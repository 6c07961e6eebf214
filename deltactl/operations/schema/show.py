"""`schema show`: every column with all that its field says, and when its type changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from deltactl.errors import Notice
from deltactl.report import Report, TableRef
from deltactl.spec.constraints import rules
from deltactl.spec.constraints.rules import RowRule, RowRules, RuleKind, row_rules
from deltactl.spec.keys import CHAR_VARCHAR, COLUMN_MAPPING_PHYSICAL_NAME, COMMENT, CURRENT_DEFAULT
from deltactl.spec.schema import column_mapping
from deltactl.spec.schema.schema import Node, walk
from deltactl.spec.schema.type_changes import changes_of
from deltactl.table.snapshot import Snapshot
from deltactl.table.state.type_change_versions import DatedChange, find_versions
from deltactl.table.table import At, Table
from deltactl.table.version_facts import schema_json, table_ref


class ColumnRow(NamedTuple):
    """One node of the schema with what its field says of it."""

    node: Node
    is_partition: bool
    type_changes: tuple[DatedChange, ...]
    checks: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        node, metadata = self.node, self.node.field.metadata
        facts: dict[str, Any] = {
            "path": str(node),
            "type": str(node.type),
            "nullable": node.nullable,
            "typeChanges": [change.to_json() for change in self.type_changes],
        }
        if node.is_field:
            facts |= {
                "comment": metadata.get(COMMENT),
                "id": column_mapping.column_id(node.field),
                "physicalName": metadata.get(COLUMN_MAPPING_PHYSICAL_NAME),
                "default": metadata.get(CURRENT_DEFAULT),
                "generation": rules.generation(node.field),
                "identity": rules.identity(node.field),
                "invariant": rules.invariant(node.field),
                "charVarchar": metadata.get(CHAR_VARCHAR),
                "partition": self.is_partition,
                "constraints": list(self.checks),
            }
        return facts


@dataclass(frozen=True, kw_only=True)
class SchemaReport(Report):
    """The schema at one version.

    Attributes:
        table: its place, its id and its name.
        snapshot: the version that was read.
        columns: every column, and every field, element, key and value, parents first.
        checks: the CHECK constraints.
        warnings: what is odd, each with a `code` and a `message`.
    """

    table: TableRef
    snapshot: Snapshot
    columns: tuple[ColumnRow, ...]
    checks: tuple[RowRule, ...]
    warnings: tuple[Notice, ...] = field(default=())

    def body(self) -> Mapping[str, Any]:
        return {
            "version": self.snapshot.version,
            "schema": schema_json(self.snapshot.metadata),
            "columns": [row.to_json() for row in self.columns],
            "constraints": [{"name": c.name, "expression": c.expression} for c in self.checks],
        }


def report_schema(table: Table, at: At = None) -> SchemaReport:
    """Return the schema at a version, readable or not for the data.

    Raises:
        BrokenLogError: there is no schema, or no engine could use it.
    """
    snapshot = table.snapshot(at, even_if_unsupported=True)
    schema = snapshot.usable_schema
    rules = tuple(row_rules(schema, snapshot.configuration))
    checks = tuple(rule for rule in rules if rule.kind is RuleKind.CHECK)
    by_column = RowRules(checks, schema)
    sightings = find_versions(snapshot)
    partitions = {name.casefold() for name in snapshot.metadata.partition_columns}

    def row(node: Node) -> ColumnRow:
        dated = (DatedChange(c, sightings[node.path, i]) for i, c in enumerate(changes_of(node)))
        naming = by_column.naming(node.path) if checks and node.is_field else ()
        is_partition = len(node.path) == 1 and node.path[0].casefold() in partitions
        return ColumnRow(node, is_partition, tuple(dated), tuple(rule.name for rule in naming))

    return SchemaReport(
        table=table_ref(table, snapshot.metadata),
        snapshot=snapshot,
        columns=tuple(row(node) for node in walk(schema)),
        checks=checks,
        warnings=snapshot.notices,
    )
