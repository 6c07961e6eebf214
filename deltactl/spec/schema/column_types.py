"""What types a new column may have, and which features and compatibilities they touch."""

from collections.abc import Iterator

from deltactl.errors import Notice
from deltactl.spec.keys import TIMESTAMP_NTZ_FEATURE, VARIANT_TYPE_FEATURE
from deltactl.spec.schema.column_mapping import unmapped
from deltactl.spec.schema.edit import with_each_field
from deltactl.spec.schema.schema import Node, format_path, walk
from deltactl.spec.schema.types import (
    TIMESTAMP_NTZ,
    VARIANT,
    VOID,
    Array,
    DataType,
    Map,
    Struct,
    StructField,
    Unknown,
)

_FEATURES = {TIMESTAMP_NTZ: TIMESTAMP_NTZ_FEATURE, VARIANT: VARIANT_TYPE_FEATURE}


def features_of(data_type: DataType) -> list[tuple[str, str]]:
    """Return the features that columns of the type need, each with the type that needs it."""
    types = [node.type for node in _nodes(data_type)]
    return [(feature, str(kind)) for kind, feature in _FEATURES.items() if kind in types]


def faults(data_type: DataType) -> Iterator[Notice]:
    """Yield what a new column may not have in its type."""
    for node in _nodes(data_type):
        below = format_path(node.path[1:])
        if node.type == VOID:
            yield Notice(
                "VOID_COLUMN", "a column of type void can hold nothing: name the type it is to have"
            )
        elif node.is_field and node.path[1:] and not node.nullable:
            yield Notice(
                "NESTED_NOT_NULL",
                f"{below} inside the type cannot be NOT NULL: what it is inside of can be null",
            )
        elif isinstance(node.type, Struct) and not node.type.fields:
            yield Notice("EMPTY_STRUCT", "a struct without fields cannot be stored")
        elif isinstance(node.type, Unknown):
            yield Notice("UNKNOWN_TYPE", f"{node.type} is not a type of Delta")


def not_in_iceberg(data_type: DataType, *, collections: bool, variants: bool) -> str | None:
    """Return the first part of the type that Iceberg tables may not have, in words."""
    for node in _nodes(data_type):
        match node.type:
            case Array() if not collections:
                return "an array"
            case Map() if not collections:
                return "a map"
        if node.type == VARIANT and not variants:
            return "a variant"
    return None


def plain(data_type: DataType) -> DataType:
    """Return the type without the fields' metadata, to compare it with a typed one."""

    def bare(field: StructField) -> StructField:
        # Names that differ only in case are one name.
        return StructField(field.name.casefold(), field.type, field.nullable)

    struct = with_each_field(unmapped(Struct((StructField("", data_type),))), bare)
    return struct.fields[0].type


def _nodes(data_type: DataType) -> Iterator[Node]:
    return walk(Struct((StructField("", data_type),)))
