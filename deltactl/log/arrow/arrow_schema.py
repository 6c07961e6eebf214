"""A Delta schema in Arrow's types."""

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from deltactl.errors import RefusedError
from deltactl.spec.schema.types import Array, DataType, Decimal, Map, Primitive, Struct

_ARROW = {
    "byte": pa.int8(), "short": pa.int16(), "integer": pa.int32(), "long": pa.int64(),
    "float": pa.float32(), "double": pa.float64(), "string": pa.string(), "boolean": pa.bool_(),
    "binary": pa.binary(), "date": pa.date32(), "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"), "void": pa.null(),
}  # fmt: skip


def arrow_schema(schema: Struct) -> pa.Schema:
    """Return the schema as Arrow has it, each field with its Delta metadata.

    Raises:
        RefusedError: a type that Arrow does not have.
    """
    return pa.schema(list(_arrow_type(schema)))


def _arrow_type(data_type: DataType) -> pa.DataType:
    match data_type:
        case Primitive(name) if name in _ARROW:
            return _ARROW[name]
        case Decimal(precision, scale):
            return pa.decimal128(precision, scale)
        case Array(element, contains_null):
            return pa.list_(pa.field("element", _arrow_type(element), contains_null))
        case Map(key, value, value_contains_null):
            item = pa.field("value", _arrow_type(value), value_contains_null)
            return pa.map_(_arrow_type(key), item)
        case Struct(fields):
            return pa.struct(
                pa.field(f.name, _arrow_type(f.type), f.nullable, _texts(f.metadata) or None)
                for f in fields
            )
        case _:
            raise RefusedError(
                "NO_ARROW_TYPE",
                f"Arrow has no type for {data_type}",
                hint="export the schema with --as json or --as ddl",
            )


def _texts(metadata: Mapping[str, Any]) -> dict[str, str]:
    held = metadata.items()
    return {k: v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for k, v in held}
