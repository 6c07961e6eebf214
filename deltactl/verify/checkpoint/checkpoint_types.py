"""The columns of a checkpoint's parquet files: whether each has the type of the protocol.

An engine reads them by types of its own, and fails, or takes one for the other, if they differ.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pyarrow as pa
import pyarrow.types as kinds

from deltactl.log.checkpoint.checkpoint_schema import (
    ADD,
    CHECKPOINT_METADATA,
    DOMAIN,
    METADATA,
    PROTOCOL,
    REMOVE,
    SIDECAR,
    STATS,
    TXN,
)

_ACTIONS: Mapping[str, pa.StructType] = {
    "add": pa.struct([*ADD, pa.field(STATS, pa.string())]),
    "remove": REMOVE,
    "txn": TXN,
    "metaData": METADATA,
    "protocol": PROTOCOL,
    "domainMetadata": DOMAIN,
    "checkpointMetadata": CHECKPOINT_METADATA,
    "sidecar": SIDECAR,
}
_TEXTS = (kinds.is_string, kinds.is_large_string, kinds.is_string_view)
_LISTS = (kinds.is_list, kinds.is_large_list, kinds.is_list_view)


class MistypedColumn(NamedTuple):
    """A column, by its path with dots, of another type than it should have."""

    column: str
    expected: pa.DataType
    found: pa.DataType


def mistyped_columns(schema: pa.Schema) -> Iterator[MistypedColumn]:
    """Yield the protocol's columns that have another type; ignore other columns."""
    for field in schema:
        if (known := _ACTIONS.get(field.name)) is not None:
            yield from _mistyped(field.type, known, field.name)


def _mistyped(found: pa.DataType, known: pa.DataType, path: str) -> Iterator[MistypedColumn]:
    if not (kinds.is_struct(found) and kinds.is_struct(known)):
        if not _fits(found, known):
            yield MistypedColumn(path, known, found)
        return
    for field in found:
        place = known.get_field_index(field.name)
        if place >= 0:
            yield from _mistyped(field.type, known.field(place).type, f"{path}.{field.name}")


def _fits(found: pa.DataType, known: pa.DataType) -> bool:
    """Return whether each value of the one is a value of the other, however Arrow lays it out."""
    if kinds.is_null(found):
        return True  # It has no value at all.
    if kinds.is_dictionary(found):
        return _fits(found.value_type, known)
    if kinds.is_map(known):
        if not kinds.is_map(found):
            return False
        return _fits(found.key_type, known.key_type) and _fits(found.item_type, known.item_type)
    if kinds.is_list(known):
        is_list = any(fits(found) for fits in _LISTS)
        return is_list and _fits(found.value_type, known.value_type)
    if kinds.is_string(known):
        return any(fits(found) for fits in _TEXTS)
    if kinds.is_integer(known):
        # Engines read a smaller number as a larger one.
        unused = int(kinds.is_unsigned_integer(found))
        return bool(kinds.is_integer(found) and found.bit_width + unused <= known.bit_width)
    return bool(found == known)
