"""Arrow's types as Spark names them."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, Union

import pyarrow as pa
import pyarrow.types as kinds

from deltactl.text.identifiers import backticked

# A type by its name, or the fields of a struct by theirs: values of JSON.
Shape: TypeAlias = Union[str, "Fields"]
Fields: TypeAlias = Mapping[str, Shape]

_NAMES = {
    "int8": "tinyint", "int16": "smallint", "int32": "int", "int64": "bigint", "float": "float",
    "double": "double", "string": "string", "bool": "boolean", "binary": "binary",
    "date32[day]": "date", "timestamp[us, tz=UTC]": "timestamp", "timestamp[us]": "timestamp_ntz",
    "map<string, string>": "map<string,string>", "list<element: string>": "array<string>",
}  # fmt: skip


def shape_of(fields: Iterable[Any]) -> Fields:
    """Return the shape of an Arrow schema, or of a struct."""
    return {field.name: _shape(field.type) for field in fields}


def ddl(shape: Shape) -> str:
    """Return the type as SQL writes it."""
    if isinstance(shape, str):
        return shape
    fields = (f"{backticked(name)}:{ddl(inner)}" for name, inner in shape.items())
    return f"struct<{','.join(fields)}>"


def _shape(kind: pa.DataType) -> Shape:
    if kinds.is_struct(kind):
        return shape_of(kind)
    if kinds.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    return _NAMES[str(kind)]
