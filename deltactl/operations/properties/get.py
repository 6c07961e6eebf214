"""`property get`: one property, with its default if it is not set."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deltactl.errors import NotFoundError, Notice
from deltactl.operations.properties.list import PropertyRow, property_row
from deltactl.report import Report, TableRef
from deltactl.spec.properties import registry
from deltactl.table.table import At, Table
from deltactl.table.version_facts import table_ref
from deltactl.text.hints import Command
from deltactl.text.suggestions import nearest


@dataclass(frozen=True, kw_only=True)
class PropertyReport(Report):
    """One property of a table, which is set or has a default.

    Attributes:
        table: its place, its id and its name.
        version: the version that was read.
        row: the property.
        warnings: what is odd, each with a `code` and a `message`.
    """

    table: TableRef
    version: int
    row: PropertyRow
    warnings: tuple[Notice, ...] = field(default=())

    @property
    def in_force(self) -> str:
        """The value, or the default if none is set."""
        default = self.row.row.default if self.row.row else None
        return self.row.value if self.row.value is not None else default or ""

    def body(self) -> Mapping[str, Any]:
        return {"version": self.version, "property": self.row.to_json()}


def report_property(table: Table, key: str, at: At = None) -> PropertyReport:
    """Return the property `key`, in any letter case if Delta defines it.

    Raises:
        NotFoundError: it is not set, and has no default.
    """
    snapshot = table.snapshot(at)
    known = snapshot.configuration
    stored, defined = registry.stored_name(known, key), registry.lookup(key)
    if stored is None and (defined is None or defined.is_family or defined.default is None):
        near = nearest(key, known) or registry.nearest(key)
        hint = "did you mean " + " or ".join(near) + "?" if near else Command("property list")
        said = f"the table has no property {key}"
        raise NotFoundError("PROPERTY_NOT_FOUND", said, hint=hint)
    name = stored or (defined.name if defined else key)
    return PropertyReport(
        table=table_ref(table, snapshot.metadata),
        version=snapshot.version,
        row=property_row(name, known, dict(registry.problems(known)).get(name)),
        warnings=snapshot.notices,
    )
