"""The one action of its kind in a row group, put together from the entries of its leaves."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from pyarrow._parquet import ColumnChunkMetaData

from deltactl.log.checkpoint.parquet_pages import (
    PageValue,
    ParquetColumn,
    UnexpectedPageError,
    entries,
)
from deltactl.table.parquet.parquet_file import ParquetFile

# Reads so many of the file's bytes from a place on.
Read = Callable[[int, int], bytes]
# The entries of the schema's next leaf, of which values are defined at this level.
Next = Callable[[int], list[PageValue]]

_LEAVES = (pa.string(), pa.int32(), pa.int64())
_MOST = 1 << 24  # bytes of all leaves


def lone_action(parquet: ParquetFile, group: int, kind: str, read: Read) -> dict[str, Any] | None:
    """Return the one action that the column `kind` has in a row group, as Arrow would give it.

    None if it has several, or the file is not as plain as those that engines write.
    """
    schema, chunks = parquet.metadata.schema, parquet.metadata.row_group(group)
    leaves = [i for i, leaf in enumerate(parquet.leaves) if leaf.startswith(f"{kind}.")]
    spans = [_span(chunks.column(leaf)) for leaf in leaves]
    first, end = min(start for start, _ in spans), max(end for _, end in spans)
    if end - first > _MOST:
        return None
    data, places = read(first, end - first), iter(zip(leaves, spans, strict=True))

    def following(level: int) -> list[PageValue]:
        place, (start, end) = next(places)
        leaf, chunk = schema.column(place), chunks.column(place)
        if leaf.max_definition_level != level:
            raise UnexpectedPageError(f"{leaf.path} is not defined at {level}")
        column = ParquetColumn(
            type=leaf.physical_type,
            codec=chunk.compression,
            num_values=chunk.num_values,
            definition_level=level,
            repetition_level=leaf.max_repetition_level,
        )
        return entries(data[start - first : end - first], column)

    field = parquet.schema_arrow.field(kind)
    try:
        return _fields(field.type, int(field.nullable), following)
    except (UnexpectedPageError, ValueError):
        return None


def _span(chunk: ColumnChunkMetaData) -> tuple[int, int]:
    """Return where the pages of a column begin and end."""
    start = chunk.data_page_offset
    if chunk.has_dictionary_page:
        start = min(start, chunk.dictionary_page_offset)
    return start, start + chunk.total_compressed_size


def _fields(struct: pa.StructType, above: int, following: Next) -> dict[str, Any]:
    return {field.name: _value(field, above + field.nullable, following) for field in struct}


def _value(field: pa.Field, level: int, following: Next) -> Any:
    """Return the value of a field that exists from `level` on."""
    if pa.types.is_struct(field.type):
        body = _fields(field.type, level, following)
        if not any(body.values()):
            raise UnexpectedPageError(f"{field.name} may be null")
        return body
    if pa.types.is_map(field.type):
        keys = _items(field.type.key_field, level, following)
        items = _items(field.type.item_field, level, following)
        if keys is None or items is None:
            return None
        if len(set(keys)) < len(keys):
            raise UnexpectedPageError(f"{field.name} has a key twice")
        return dict(zip(keys, items, strict=True))
    if pa.types.is_list(field.type):
        return _items(field.type.value_field, level, following)
    (entry,) = _entries(field, level, following)
    return entry.value


def _items(field: pa.Field, level: int, following: Next) -> list[Any] | None:
    """Return the items of a list, or of one side of a map, that exists from `level` on."""
    entries = _entries(field, level + 1 + field.nullable, following)
    if entries and all(entry.level > level for entry in entries):
        return [entry.value for entry in entries]
    (nothing,) = entries
    return [] if nothing.level == level else None


def _entries(field: pa.Field, level: int, following: Next) -> list[PageValue]:
    if field.type not in _LEAVES:
        raise UnexpectedPageError(f"{field.name} is a {field.type}")
    return following(level)
