"""What Delta makes of a table's schema and that of data that is written to it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from deltactl.spec.schema.column_mapping import unmapped
from deltactl.spec.schema.schema import Path, format_path
from deltactl.spec.schema.types import (
    BYTE,
    INTEGER,
    SHORT,
    VOID,
    Array,
    DataType,
    Map,
    Struct,
    StructField,
)

Widens = Callable[[DataType, DataType], bool]

# Parquet holds the three alike, so that Delta lets data have any of them; the table gets the wider.
_INT32 = (BYTE, SHORT, INTEGER)


@dataclass(frozen=True, slots=True)
class Difference:
    """A column of one type in the table and of another in the data; `merged` None: they clash."""

    path: Path
    table: DataType
    data: DataType
    merged: DataType | None

    def __str__(self) -> str:
        return format_path(self.path)


class Spelling(NamedTuple):
    """A column whose names in table and data differ in case only."""

    table: Path
    data: str


@dataclass(frozen=True)
class Merge:
    """The schema that the table would have, and where the two differed on the way to it."""

    schema: Struct
    differences: tuple[Difference, ...] = ()
    spellings: tuple[Spelling, ...] = ()
    missing: tuple[tuple[Path, StructField], ...] = ()


def as_data(schema: Struct) -> Struct:
    """Return the schema of data as Delta reads it: all nullable, nothing mapped."""
    nullable = _nullable(unmapped(schema))
    assert isinstance(nullable, Struct)
    return nullable


def merge(table: Struct, data: Struct, widens: Widens) -> Merge:
    """Merge the schema of data, as `as_data` has it, into that of a table.

    `widens` says whether a column of the first type may become one of the second.
    """
    merging = _Merging(widens)
    schema = merging.structs((), table, data)
    return Merge(
        schema,
        tuple(merging.differences),
        tuple(merging.spellings),
        tuple(merging.missing),
    )


@dataclass
class _Merging:
    widens: Widens
    differences: list[Difference] = field(default_factory=list)
    spellings: list[Spelling] = field(default_factory=list)
    missing: list[tuple[Path, StructField]] = field(default_factory=list)

    def structs(self, path: Path, table: Struct, data: Struct) -> Struct:
        given = {field.name.casefold(): field for field in data.fields}
        known = {field.name.casefold() for field in table.fields}
        fields: list[StructField] = []
        for old in table.fields:
            own = (*path, old.name)
            new = given.get(old.name.casefold())
            if new is None:
                self.missing.append((own, old))
                fields.append(old)
                continue
            if new.name != old.name:
                self.spellings.append(Spelling(own, new.name))
            fields.append(replace(old, type=self.types(own, old.type, new.type)))
        added = tuple(field for name, field in given.items() if name not in known)
        return replace(table, fields=(*fields, *added))

    def types(self, path: Path, table: DataType, data: DataType) -> DataType:
        match table, data:
            case Struct(), Struct():
                return self.structs(path, table, data)
            case Array(old), Array(new):
                return replace(table, element=self.types((*path, "element"), old, new))
            case Map(old_key, old_value), Map(new_key, new_value):
                return replace(
                    table,
                    key=self.types((*path, "key"), old_key, new_key),
                    value=self.types((*path, "value"), old_value, new_value),
                )
        if table == data:
            return table
        merged = self._merged(table, data)
        self.differences.append(Difference(path, table, data, merged))
        return table if merged is None else merged

    def _merged(self, table: DataType, data: DataType) -> DataType | None:
        if self.widens(table, data):
            return data
        if table in _INT32 and data in _INT32:
            return max(table, data, key=_INT32.index)
        if table == VOID:
            return data
        return table if data == VOID else None


def voids_in_collections(schema: Struct) -> Iterator[Path]:
    """Yield the arrays and maps with a void part, which no writer can write."""
    stack: list[tuple[Path, DataType, bool]] = [((), schema, False)]
    while stack:
        path, data_type, inside = stack.pop()
        match data_type:
            case Struct(fields):
                below = [((*path, f.name), f.type, inside) for f in reversed(fields)]
                stack += below
            case Array(element):
                stack.append(((*path, "element"), element, True))
            case Map(key, value):
                stack += [((*path, "value"), value, True), ((*path, "key"), key, True)]
            case other if inside and other == VOID:
                yield path


def _nullable(data_type: DataType) -> DataType:
    match data_type:
        case Struct(fields):
            open_fields = (replace(f, type=_nullable(f.type), nullable=True) for f in fields)
            return replace(data_type, fields=tuple(open_fields))
        case Array(element):
            return replace(data_type, element=_nullable(element), contains_null=True)
        case Map(key, value):
            return replace(
                data_type, key=_nullable(key), value=_nullable(value), value_contains_null=True
            )
        case other:
            return other
