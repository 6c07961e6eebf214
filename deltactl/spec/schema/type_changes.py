"""`delta.typeChanges`: what a field's metadata remembers of the types it once had."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any, NamedTuple

from deltactl.errors import InvalidUsageError
from deltactl.spec.keys import TYPE_CHANGES
from deltactl.spec.schema.schema import Node, Path, children, walk
from deltactl.spec.schema.types import DataType, Struct, StructField, parse_type
from deltactl.spec.schema.widening import widening_rule


class TypeChange(NamedTuple):
    """One entry: `table_version` stands in preview tables and in those that deltactl widened."""

    from_type: str
    to_type: str
    field_path: str | None
    table_version: int | None

    @property
    def below(self) -> Path:
        """The way from the field to the node that changed."""
        return tuple(self.field_path.split(".")) if self.field_path else ()

    def to_json(self) -> dict[str, Any]:
        return {
            "fromType": self.from_type,
            "toType": self.to_type,
            "fieldPath": self.field_path,
            "tableVersion": self.table_version,
        }


class ChainFault(StrEnum):
    """What contradicts a list of type changes."""

    UNKNOWN_TYPE = "unknown type"
    NOT_CONTINUOUS = "not continuous"
    NOT_ALLOWED = "not allowed"
    NOT_CURRENT = "not current"


def type_changes(field: StructField) -> tuple[TypeChange, ...]:
    """Return the field's changes, oldest first; entries that are not type changes are left out."""
    entries = field.metadata.get(TYPE_CHANGES)
    if not isinstance(entries, list):
        return ()
    return tuple([change for entry in entries if (change := _read(entry)) is not None])


def changes_of(node: Node) -> tuple[TypeChange, ...]:
    """Return the changes of exactly this node."""
    changes = type_changes(node.field)
    return tuple([c for c in changes if c.below == node.below]) if changes else ()


def chain_faults(
    chain: Sequence[TypeChange], current: DataType
) -> Iterator[tuple[int, ChainFault]]:
    """Yield the place in `chain` of each change of a node that contradicts the others.

    `current` is the type of the node; the last change must lead to it.
    """
    before: DataType | None = None
    for place, change in enumerate(chain):
        old, new = _type(change.from_type), _type(change.to_type)
        if old is None or new is None:
            yield place, ChainFault.UNKNOWN_TYPE
            return
        if before is not None and before != old:
            yield place, ChainFault.NOT_CONTINUOUS
        if widening_rule(old, new) is None:
            yield place, ChainFault.NOT_ALLOWED
        before = new
    if before is not None and before != current:
        yield len(chain) - 1, ChainFault.NOT_CURRENT


def fields_with_changes(schema: Struct) -> Iterator[Node]:
    """Return the fields whose metadata has the key, well formed or not."""
    return (node for node in walk(schema) if node.is_field and TYPE_CHANGES in node.field.metadata)


def below(node: Node, path: Path) -> Node | None:
    """Return the node to which `path` leads from a field, which may not pass another field."""
    for name in path:
        inside = [n for n in children(node) if n.path[-1] == name and n.below]
        if not inside:
            return None
        node = inside[0]
    return node


def without_changes(field: StructField) -> StructField:
    """Return the field without the key: an empty list in its place would stop Spark."""
    kept = {key: value for key, value in field.metadata.items() if key != TYPE_CHANGES}
    return replace(field, metadata=kept)


def _read(entry: Any) -> TypeChange | None:
    match entry:
        case {"fromType": str(old), "toType": str(new)}:
            path, version = entry.get("fieldPath"), entry.get("tableVersion")
            return TypeChange(
                from_type=old,
                to_type=new,
                field_path=path if isinstance(path, str) else None,
                table_version=version if type(version) is int else None,
            )
    return None


def _type(text: str) -> DataType | None:
    try:
        return parse_type(text)
    except InvalidUsageError:
        return None
