"""Column mapping: the identity and the physical name that a column keeps when it is renamed."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from deltactl.errors import BrokenLogError
from deltactl.model import type_changes
from deltactl.model.schema import Node, find, walk
from deltactl.model.types import Array, DataType, Map, Struct, StructField

MODE = "delta.columnMapping.mode"
ID = "delta.columnMapping.id"
PHYSICAL_NAME = "delta.columnMapping.physicalName"
_PREFIX = "delta.columnMapping."


def mode(configuration: Mapping[str, Any]) -> str:
    """`none`, `name` or `id`."""
    return str(configuration.get(MODE, "none")).lower()


def column_id(field: StructField) -> int | None:
    """The column's id; None where it has none."""
    value = field.metadata.get(ID)
    return value if type(value) is int else None


def physical_name(field: StructField) -> str:
    """The name in data files, statistics and partition values."""
    value = field.metadata.get(PHYSICAL_NAME)
    return value if isinstance(value, str) else field.name


def physical_path(schema: Struct, node: Node) -> tuple[str, ...]:
    """The node's path as data files have it."""
    return tuple(
        physical_name(step.field) if step.is_field else step.path[-1]
        for step in _steps(schema, node)
    )


def id_path(schema: Struct, node: Node) -> tuple[int | None, ...]:
    """The column ids on the way to the node; None for an element, key or value."""
    return tuple(column_id(step.field) if step.is_field else None for step in _steps(schema, node))


def _steps(schema: Struct, node: Node) -> Iterator[Node]:
    """The node's ancestors from the top, and the node."""
    for end in range(1, len(node.path) + 1):
        yield find(schema, node.path[:end])


def unmapped(schema: Struct) -> Struct:
    """The schema without what says nothing outside its own table: ids, physical names, history."""
    return Struct(tuple(_unmapped_field(field) for field in schema.fields))


def _unmapped_field(field: StructField) -> StructField:
    own = (_PREFIX, type_changes.KEY)
    kept = {key: v for key, v in field.metadata.items() if not key.startswith(own)}
    return replace(field, type=_unmapped_type(field.type), metadata=kept)


def _unmapped_type(data_type: DataType) -> DataType:
    match data_type:
        case Struct():
            return unmapped(data_type)
        case Array(element):
            return replace(data_type, element=_unmapped_type(element))
        case Map(key, value):
            return replace(data_type, key=_unmapped_type(key), value=_unmapped_type(value))
        case _:
            return data_type


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
            f"though {MODE} is {mode(configuration)}",
        )


def _incomplete(schema: Struct) -> Iterator[Node]:
    for node in walk(schema):
        if node.is_field and not {ID, PHYSICAL_NAME} <= set(node.field.metadata):
            yield node
