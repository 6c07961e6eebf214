"""A schema of Arrow or of a parquet file in Delta's types."""

from collections.abc import Collection
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds

from deltactl.spec.schema.arrow_text import leaf_type
from deltactl.spec.schema.types import TIMESTAMP, Array, DataType, Map, Struct, StructField

_LISTS = (
    kinds.is_list, kinds.is_large_list, kinds.is_fixed_size_list, kinds.is_list_view,
    kinds.is_large_list_view,
)  # fmt: skip


def delta_schema(schema: pa.Schema, legacy_times: Collection[str] = ()) -> Struct:
    """Return the schema in Delta's types.

    `legacy_times` are the top columns with parquet's old form of a timestamp, INT96, which says
    nothing of time zones and always means an instant.

    Raises:
        RefusedError: a type that Delta does not have.
    """
    return Struct(tuple(_field(field, field.name in legacy_times) for field in schema))


def _field(field: Any, is_legacy: bool) -> StructField:
    return StructField(field.name, _type(field.type, is_legacy), field.nullable)


def _type(data_type: pa.DataType, is_legacy: bool) -> DataType:
    if isinstance(data_type, pa.BaseExtensionType):
        return _type(data_type.storage_type, is_legacy)
    if kinds.is_dictionary(data_type):
        return _type(data_type.value_type, is_legacy)
    if kinds.is_struct(data_type):
        return Struct(tuple(_field(field, is_legacy) for field in data_type))
    if kinds.is_map(data_type):
        value = data_type.item_field
        key_type = _type(data_type.key_type, is_legacy)
        return Map(key_type, _type(value.type, is_legacy), value.nullable)
    if any(test(data_type) for test in _LISTS):
        element = data_type.value_field
        return Array(_type(element.type, is_legacy), element.nullable)
    if is_legacy and kinds.is_timestamp(data_type):
        return TIMESTAMP
    return leaf_type(str(data_type))
