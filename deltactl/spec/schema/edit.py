"""Changes of a schema, as functions from one schema to the next; what is not changed stays."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from deltactl.spec.schema.schema import Path
from deltactl.spec.schema.types import Array, DataType, Map, Struct, StructField, type_to_json
from deltactl.text import strict_json


class First(NamedTuple):
    """Before all other fields of the struct."""


class After(NamedTuple):
    """Right behind the field `name` of the struct."""

    name: str


class Last(NamedTuple):
    """Behind all other fields of the struct."""


Place = First | After | Last


def with_type(schema: Struct, path: Path, change: Callable[[DataType], DataType]) -> Struct:
    """Return the schema with the type at `path` changed; `path` is in its spelling."""
    changed = _rebuilt(schema, path, change)
    assert isinstance(changed, Struct)
    return changed


def with_field(schema: Struct, path: Path, change: Callable[[StructField], StructField]) -> Struct:
    """Return the schema with the field at `path` changed."""

    def changed(struct: Struct) -> Struct:
        at = struct.place(path[-1])
        return struct if at is None else struct.spliced(at, at + 1, change(struct.fields[at]))

    return _in_struct(schema, path[:-1], changed)


def with_columns(
    schema: Struct, changes: Iterable[tuple[Path, Callable[[Struct], Struct]]]
) -> Struct:
    """Return the schema with changes at paths; each sees only its path's column.

    Takes less time than the changes one after the other, if they are of many columns.
    """
    changed: dict[int, StructField] = {}
    for path, change in changes:
        at = schema.place(path[0])
        assert at is not None
        (changed[at],) = change(Struct((changed.get(at, schema.fields[at]),))).fields
    fields = (changed.get(at, field) for at, field in enumerate(schema.fields))
    return replace(schema, fields=tuple(fields))


def with_new_field(schema: Struct, parent: Path, field: StructField, place: Place) -> Struct:
    """Return the schema with one more field in the struct at `parent` (empty: the top)."""

    def longer(struct: Struct) -> Struct:
        at = _index(struct, place)
        return struct.spliced(at, at, field)

    return _in_struct(schema, parent, longer)


def without_field(schema: Struct, path: Path) -> Struct:
    """Return the schema without the field at `path`."""

    def shorter(struct: Struct) -> Struct:
        at = struct.place(path[-1])
        return struct if at is None else struct.spliced(at, at + 1)

    return _in_struct(schema, path[:-1], shorter)


def with_each_field(schema: Struct, change: Callable[[StructField], StructField]) -> Struct:
    """Return the schema with every field changed at every depth, parents first."""
    changed = _each(schema, change)
    assert isinstance(changed, Struct)
    return changed


def schema_string(schema: Struct) -> str:
    """Return the schema as `metaData.schemaString` holds it."""
    return strict_json.dumps(type_to_json(schema))


def _in_struct(schema: Struct, path: Path, change: Callable[[Struct], Struct]) -> Struct:
    def changed(data_type: DataType) -> DataType:
        assert isinstance(data_type, Struct)
        return change(data_type)

    return with_type(schema, path, changed)


def _rebuilt(data_type: DataType, path: Path, change: Callable[[DataType], DataType]) -> DataType:
    if not path:
        return change(data_type)
    name, rest = path[0], path[1:]
    match data_type:
        case Struct(fields):
            at = data_type.place(name)
            assert at is not None
            field = replace(fields[at], type=_rebuilt(fields[at].type, rest, change))
            return data_type.spliced(at, at + 1, field)
        case Array(element):
            return replace(data_type, element=_rebuilt(element, rest, change))
        case Map(key, value) if name == "key":
            return replace(data_type, key=_rebuilt(key, rest, change))
        case Map(key, value):
            return replace(data_type, value=_rebuilt(value, rest, change))
    raise LookupError(f"{data_type} has nothing below it")


def _each(data_type: DataType, change: Callable[[StructField], StructField]) -> DataType:
    match data_type:
        case Struct(fields):
            changed = [change(field) for field in fields]
            below = tuple(replace(f, type=_each(f.type, change)) for f in changed)
            return replace(data_type, fields=below)
        case Array(element):
            return replace(data_type, element=_each(element, change))
        case Map(key, value):
            return replace(data_type, key=_each(key, change), value=_each(value, change))
        case _:
            return data_type


def _index(struct: Struct, place: Place) -> int:
    match place:
        case First():
            return 0
        case After(name):
            at = struct.place(name)
            assert at is not None
            return at + 1
        case Last():
            return len(struct.fields)
