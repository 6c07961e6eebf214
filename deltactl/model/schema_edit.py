"""Changes of a schema, as functions from one schema to the next; what is not changed stays."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from deltactl.model import strict_json
from deltactl.model.schema import Path
from deltactl.model.types import Array, DataType, Map, Struct, StructField, type_to_json


class First(NamedTuple):
    """Before all other fields of the struct."""


class After(NamedTuple):
    """Right behind the field `name` of the struct."""

    name: str


class Last(NamedTuple):
    """Behind all other fields of the struct."""


Place = First | After | Last


def with_type(schema: Struct, path: Path, change: Callable[[DataType], DataType]) -> Struct:
    """The schema with the type at `path` changed; `path` is spelt as the schema spells it."""
    changed = _rebuilt(schema, path, change)
    assert isinstance(changed, Struct)
    return changed


def with_field(schema: Struct, path: Path, change: Callable[[StructField], StructField]) -> Struct:
    """The schema with the field at `path` changed."""

    def changed(struct: Struct) -> Struct:
        fields = (change(f) if f.name == path[-1] else f for f in struct.fields)
        return replace(struct, fields=tuple(fields))

    return _in_struct(schema, path[:-1], changed)


def with_new_field(schema: Struct, parent: Path, field: StructField, place: Place) -> Struct:
    """The schema with one more field in the struct at `parent`, the empty path for the top."""

    def longer(struct: Struct) -> Struct:
        at = _index(struct, place)
        return replace(struct, fields=(*struct.fields[:at], field, *struct.fields[at:]))

    return _in_struct(schema, parent, longer)


def without_field(schema: Struct, path: Path) -> Struct:
    """The schema without the field at `path`."""

    def shorter(struct: Struct) -> Struct:
        return replace(struct, fields=tuple(f for f in struct.fields if f.name != path[-1]))

    return _in_struct(schema, path[:-1], shorter)


def with_each_field(schema: Struct, change: Callable[[StructField], StructField]) -> Struct:
    """The schema with every field changed, at every depth, parents before what is below them."""
    changed = _each(schema, change)
    assert isinstance(changed, Struct)
    return changed


def schema_string(schema: Struct) -> str:
    """The schema as `metaData.schemaString` holds it."""
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
            at = next(place for place, field in enumerate(fields) if field.name == name)
            field = replace(fields[at], type=_rebuilt(fields[at].type, rest, change))
            return replace(data_type, fields=(*fields[:at], field, *fields[at + 1 :]))
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
            return [f.name for f in struct.fields].index(name) + 1
        case Last():
            return len(struct.fields)
