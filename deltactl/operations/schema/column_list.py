"""`column list`: every column with all that its field says."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from deltactl.errors import Notice
from deltactl.operations.schema.show import ColumnRow, report_schema
from deltactl.report import Report, TableRef
from deltactl.table.table import At, Table


@dataclass(frozen=True, kw_only=True)
class ColumnsReport(Report):
    """The columns at one version.

    Attributes:
        table: its place, its id and its name.
        version: the version that was read.
        columns: every column, and every field, element, key and value, parents first.
        warnings: what is odd, each with a `code` and a `message`.
    """

    table: TableRef
    version: int
    columns: tuple[ColumnRow, ...]
    warnings: tuple[Notice, ...] = field(default=())

    def body(self) -> Mapping[str, Any]:
        return {"version": self.version, "columns": list(self.elements())}

    def elements(self) -> Iterator[Mapping[str, Any]]:
        return (row.to_json() for row in self.columns)


def report_columns(table: Table, at: At = None) -> ColumnsReport:
    """Return the columns at a version, readable or not for the data.

    Raises:
        BrokenLogError: there is no schema, or no engine could use it.
    """
    found = report_schema(table, at)
    return ColumnsReport(
        table=found.table,
        version=found.snapshot.version,
        columns=found.columns,
        warnings=found.warnings,
    )
