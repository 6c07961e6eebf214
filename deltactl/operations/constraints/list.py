"""`constraint list`: what the rows of a table must satisfy."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from deltactl.errors import Notice
from deltactl.report import Report, TableRef
from deltactl.spec.constraints.expression import columns_in
from deltactl.spec.constraints.rules import RowRule, row_rules
from deltactl.spec.schema.schema import format_path, resolve_prefix
from deltactl.spec.schema.types import Struct
from deltactl.table.table import At, Table
from deltactl.table.version_facts import table_ref


class ConstraintRow(NamedTuple):
    """A rule, and the columns that it looks at; None if its expression does not parse here."""

    rule: RowRule
    columns: tuple[str, ...] | None

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.rule.name,
            "kind": self.rule.kind.value,
            "expression": self.rule.expression,
            "columns": None if self.columns is None else list(self.columns),
        }


@dataclass(frozen=True, kw_only=True)
class ConstraintsReport(Report):
    """What rows must satisfy.

    Attributes:
        table: its place, its id and its name.
        version: the version that was read.
        constraints: CHECK constraints, then the rules of columns.
        warnings: what is odd, each with a `code` and a `message`.
    """

    table: TableRef
    version: int
    constraints: tuple[ConstraintRow, ...]
    warnings: tuple[Notice, ...] = field(default=())

    def body(self) -> Mapping[str, Any]:
        return {"version": self.version, "constraints": list(self.elements())}

    def elements(self) -> Iterator[Mapping[str, Any]]:
        return (row.to_json() for row in self.constraints)


def report_constraints(table: Table, at: At = None) -> ConstraintsReport:
    """Return the constraints of the table at a version."""
    snapshot = table.snapshot(at)
    schema = snapshot.usable_schema
    rules = row_rules(schema, snapshot.configuration)
    return ConstraintsReport(
        table=table_ref(table, snapshot.metadata),
        version=snapshot.version,
        constraints=tuple(ConstraintRow(rule, _columns(rule, schema)) for rule in rules),
        warnings=snapshot.notices,
    )


def _columns(rule: RowRule, schema: Struct) -> tuple[str, ...] | None:
    named = columns_in(rule.expression)
    if named is None:
        return None
    # What the schema does not have is shown as it is written.
    return tuple(sorted({format_path(resolve_prefix(schema, path) or path) for path in named}))
