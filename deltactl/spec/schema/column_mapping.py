"""Column mapping: the identity and the physical name that a column keeps when it is renamed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from deltactl.errors import BrokenLogError
from deltactl.spec.keys import (
    COLUMN_MAPPING_ID,
    COLUMN_MAPPING_MAX_ID,
    COLUMN_MAPPING_MODE,
    COLUMN_MAPPING_NESTED_IDS,
    COLUMN_MAPPING_PHYSICAL_NAME,
    COLUMN_MAPPING_PREFIX,
    TYPE_CHANGES,
)
from deltactl.spec.schema.edit import with_each_field
from deltactl.spec.schema.schema import Node, Path, steps, walk
from deltactl.spec.schema.types import Array, DataType, Map, Struct, StructField


def mode(configuration: Mapping[str, Any]) -> str:
    """Return the column mapping mode: `none`, `name` or `id`."""
    return str(configuration.get(COLUMN_MAPPING_MODE, "none")).lower()


def column_id(field: StructField) -> int | None:
    """Return the column's id; None if it has none."""
    value = field.metadata.get(COLUMN_MAPPING_ID)
    return value if type(value) is int else None


def physical_name(field: StructField) -> str:
    """Return the name in data files, statistics and partition values."""
    value = field.metadata.get(COLUMN_MAPPING_PHYSICAL_NAME)
    return value if isinstance(value, str) else field.name


def physical_path(schema: Struct, node: Node) -> tuple[str, ...]:
    """Return the node's path as data files have it."""
    return tuple(
        physical_name(step.field) if step.is_field else step.path[-1]
        for step in steps(schema, node.path)
    )


def id_path(schema: Struct, node: Node) -> tuple[int | None, ...]:
    """Return the column ids on the way to the node; None for an element, key or value."""
    return tuple(
        column_id(step.field) if step.is_field else None for step in steps(schema, node.path)
    )


def unmapped(schema: Struct) -> Struct:
    """Return the schema without ids, physical names and history of its own table."""
    return _without(schema, COLUMN_MAPPING_PREFIX, TYPE_CHANGES)


def without_mapping(schema: Struct) -> Struct:
    """Return the schema without ids and physical names; type changes stay."""
    return _without(schema, COLUMN_MAPPING_PREFIX)


def _without(schema: Struct, *own: str) -> Struct:
    def plain(field: StructField) -> StructField:
        kept = {key: v for key, v in field.metadata.items() if not key.startswith(own)}
        return replace(field, metadata=kept)

    return with_each_field(schema, plain)


def own_name(field: StructField, _: int) -> str:
    """Return the physical name of a field that files know by the name it has."""
    return field.name


def assigned(
    schema: Struct, last_id: int = 0, name: Callable[[StructField, int], str] = own_name
) -> tuple[Struct, int]:
    """Return the schema with an id on every field, from `last_id` on, and the last id.

    `name` gives a field with its new id the physical name: its own if files are there, one
    that no file has for a new field. Fields that are mapped already stay as they are.
    """

    def mapped(field: StructField) -> StructField:
        nonlocal last_id
        if {COLUMN_MAPPING_ID, COLUMN_MAPPING_PHYSICAL_NAME} <= set(field.metadata):
            return field
        last_id += 1
        own = {COLUMN_MAPPING_ID: last_id, COLUMN_MAPPING_PHYSICAL_NAME: name(field, last_id)}
        return replace(field, metadata={**field.metadata, **own})

    return with_each_field(schema, mapped), last_id


def with_nested_ids(schema: Struct, last_id: int) -> tuple[Struct, int]:
    """Return the schema with an id for every element, key and value, and the last id.

    Iceberg wants these. The field above them keeps them by their path from its physical name on;
    a field without any keeps an empty object. Ids that exist stay.
    """

    def numbered(field: StructField) -> StructField:
        nonlocal last_id
        known = field.metadata.get(COLUMN_MAPPING_NESTED_IDS)
        ids = dict(known) if isinstance(known, dict) else {}
        for path in _unnamed(field.type, (physical_name(field),)):
            if (key := ".".join(path)) not in ids:
                last_id += 1
                ids[key] = last_id
        return replace(field, metadata={**field.metadata, COLUMN_MAPPING_NESTED_IDS: ids})

    return with_each_field(schema, numbered), last_id


def _unnamed(data_type: DataType, path: Path) -> Iterator[Path]:
    """Yield the paths of elements, keys and values below a type, down to the next struct."""
    match data_type:
        case Array(element):
            inner = [("element", element)]
        case Map(key, value):
            inner = [("key", key), ("value", value)]
        case _:
            inner = []
    for name, below in inner:
        yield (*path, name)
        yield from _unnamed(below, (*path, name))


def max_column_id(schema: Struct, configuration: Mapping[str, Any]) -> int:
    """Return the highest id that was ever given, as far as schema and property say."""
    stored = str(configuration.get(COLUMN_MAPPING_MAX_ID, "0"))
    ids = [column_id(node.field) or 0 for node in walk(schema) if node.is_field]
    nested = (
        node.field.metadata.get(COLUMN_MAPPING_NESTED_IDS) for node in walk(schema) if node.is_field
    )
    ids += [n for known in nested if isinstance(known, dict) for n in known.values() if _is_id(n)]
    return max([int(stored) if stored.isdecimal() else 0, *ids])


def _is_id(value: Any) -> bool:
    return type(value) is int


def check_complete(schema: Struct, configuration: Mapping[str, Any]) -> None:
    """Refuse a mapped table with a field that has no id or no physical name.

    Raises:
        BrokenLogError: the data of that column could not be found.
    """
    if mode(configuration) == "none":
        return
    for node in _incomplete(schema):
        raise BrokenLogError(
            "COLUMN_MAPPING_INCOMPLETE",
            f"column {node} has no column-mapping id or physical name, "
            f"though {COLUMN_MAPPING_MODE} is {mode(configuration)}",
        )


def _incomplete(schema: Struct) -> Iterator[Node]:
    for node in walk(schema):
        if node.is_field and not {COLUMN_MAPPING_ID, COLUMN_MAPPING_PHYSICAL_NAME} <= set(
            node.field.metadata
        ):
            yield node
