"""`property list`: the properties of a table, with what engines make of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from deltactl.errors import Notice
from deltactl.operations.table_features.warnings import property_warnings
from deltactl.report import Report, TableRef
from deltactl.spec.properties import registry
from deltactl.spec.properties.registry import Property
from deltactl.table.table import At, Table
from deltactl.table.version_facts import table_ref


class PropertyRow(NamedTuple):
    """One property: its value, None if it is not set, and its row, None if unknown.

    `effective` is what engines work with; `problem` why they do not accept what is set.
    """

    key: str
    value: str | None
    row: Property | None
    effective: registry.Value | None
    problem: str | None

    def to_json(self) -> dict[str, Any]:
        known, effective = self.row, self.effective
        return {
            "key": self.key,
            "value": self.value,
            "effective": list(effective) if isinstance(effective, tuple) else effective,
            "default": known and known.default,
            "type": known and known.type.value,
            "owner": known and known.owner.value,
            "feature": known and known.feature,
            "meaning": known and known.meaning,
            "problem": self.problem,
        }


@dataclass(frozen=True, kw_only=True)
class PropertiesReport(Report):
    """The properties of a table.

    Attributes:
        table: its place, its id and its name.
        version: the version that was read.
        properties: the properties, by name.
        warnings: what is odd, each with a `code` and a `message`.
    """

    table: TableRef
    version: int
    properties: tuple[PropertyRow, ...]
    warnings: tuple[Notice, ...] = field(default=())

    def body(self) -> Mapping[str, Any]:
        return {"version": self.version, "properties": list(self.elements())}

    def elements(self) -> Iterator[Mapping[str, Any]]:
        return (row.to_json() for row in self.properties)


def report_properties(table: Table, at: At = None, *, every: bool = False) -> PropertiesReport:
    """Return the properties that are set; with `every` also all that are known."""
    snapshot = table.snapshot(at)
    configuration = snapshot.configuration
    keys = set(configuration)
    if every:
        keys |= {name for name, row in registry.PROPERTIES.items() if not row.is_family}
    problems = dict(registry.problems(configuration))
    return PropertiesReport(
        table=table_ref(table, snapshot.metadata),
        version=snapshot.version,
        properties=tuple(
            property_row(key, configuration, problems.get(key)) for key in sorted(keys)
        ),
        warnings=(*snapshot.notices, *property_warnings(snapshot)),
    )


def property_row(key: str, configuration: Mapping[str, str], problem: str | None) -> PropertyRow:
    """Return the property `key`, set or not, with the problem that engines have with it."""
    row, value = registry.lookup(key), configuration.get(key)
    if row is None or row.is_family:
        return PropertyRow(key, value, row, value, problem)
    # Engines read a property only in its own spelling.
    effective = registry.effective(configuration, key) if key == row.name else None
    return PropertyRow(key, value, row, effective, problem)
