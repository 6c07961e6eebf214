"""The few values of a parquet column that is null nearly throughout, from its bare pages.

Arrow decodes such a column null by null. Here pages that hold nothing, which are alike to the byte,
are passed over. No more is understood than the forms in which checkpoints have such columns.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import pyarrow as pa

Value = str | int

_CODECS = {"UNCOMPRESSED": None, "SNAPPY": "snappy", "GZIP": "gzip", "ZSTD": "zstd"}
_LENGTHS = {"INT32": 4, "INT64": 8}
# What damaged pages may claim: their bytes and rows, and the entries of a column or a run.
_MOST, _FEW = 1 << 23, 1 << 12
_FAULTS = (LookupError, TypeError, ValueError, OSError, RecursionError, pa.ArrowException)

# Numbers in parquet's Thrift definition: the fields of a page's header, and what they say.
_KIND, _SIZE, _COMPRESSED_SIZE, _OF_DATA = 1, 2, 3, 5
_COUNT, _ENCODING, _LEVEL_ENCODING = 1, 2, 3
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
_PLAIN, _OLD_DICTIONARY, _RLE, _DICTIONARY = 0, 2, 3, 8


class UnexpectedPageError(Exception):
    """The column is not of the simple form that is understood here."""


class ParquetColumn(NamedTuple):
    """A leaf as the footer describes it; levels are the highest ones."""

    type: str
    codec: str
    num_values: int
    definition_level: int
    repetition_level: int


class PageValue(NamedTuple):
    """A value, or a null that is defined as far as `level`."""

    level: int
    value: Value | None


def entries(chunk: bytes, column: ParquetColumn) -> list[PageValue]:
    """Return what a column's chunk holds but for nulls of which nothing is defined, in order.

    Raises:
        UnexpectedPageError: the pages are damaged, or of a form that is not understood.
    """
    try:
        found = list(islice(_entries(chunk, column), _FEW + 1))
    except _FAULTS as error:
        raise UnexpectedPageError(f"a page is not understood: {error}") from error
    if len(found) > _FEW:
        raise UnexpectedPageError("the column holds more than a few values")
    return found


def _entries(chunk: bytes, column: ParquetColumn) -> Iterator[PageValue]:
    dictionary: Sequence[Value] = ()
    at = seen = 0
    while at < len(chunk):
        header, start = _struct(chunk, at)
        end = start + header[_COMPRESSED_SIZE]
        page, body = chunk[at:end], _decompressed(chunk[start:end], header[_SIZE], column.codec)
        at += len(page)
        if header[_KIND] == _DICTIONARY_PAGE:
            dictionary = list(_plain(body, column.type))
            continue
        if header[_KIND] != _DATA_PAGE:
            raise UnexpectedPageError(f"a page of kind {header[_KIND]}")
        held = _held(body, header[_OF_DATA], column, dictionary)
        yield from held
        count = header[_OF_DATA][_COUNT]
        seen += count
        while not held and chunk.startswith(page, at):
            at, seen = at + len(page), seen + count
    if seen != column.num_values:
        raise UnexpectedPageError(f"{seen} values in pages instead of {column.num_values}")


def _decompressed(body: bytes, size: int, codec: str) -> bytes:
    if size > _MOST:
        raise UnexpectedPageError(f"a page of {size} bytes")
    name = _CODECS[codec]
    return body if name is None else pa.decompress(body, size, name, asbytes=True)


def _held(
    body: bytes, header: dict[int, Any], column: ParquetColumn, dictionary: Sequence[Value]
) -> list[PageValue]:
    """Return the entries of a data page but for nulls of which nothing is defined."""
    count, highest = header[_COUNT], column.definition_level
    if count > _MOST or header[_LEVEL_ENCODING] != _RLE:
        raise UnexpectedPageError(f"{count} entries, levels in encoding {header[_LEVEL_ENCODING]}")
    # Which entries belong to one row need not be known: repetition levels are passed over.
    start = 4 + _number(body, 0) if column.repetition_level else 0
    end = start + 4 + _number(body, start)
    levels: list[int] = []
    for level, length in _runs(body[start + 4 : end], highest.bit_length(), count):
        if level:
            levels += [level] * min(length, _FEW + 1)
    number = levels.count(highest)
    values = list(_values(body[end:], header[_ENCODING], number, column.type, dictionary))
    if len(values) != number or max(levels, default=0) > highest:
        raise UnexpectedPageError(f"{len(values)} values for {number}")
    following = iter(values)
    return [PageValue(level, next(following) if level == highest else None) for level in levels]


def _values(
    data: bytes, encoding: int, number: int, kind: str, dictionary: Sequence[Value]
) -> Iterator[Value]:
    if encoding == _PLAIN:
        yield from _plain(data, kind)
    elif encoding not in (_DICTIONARY, _OLD_DICTIONARY):
        raise UnexpectedPageError(f"values in encoding {encoding}")
    elif number:
        for place, length in _runs(data[1:], data[0], number):
            yield from [dictionary[place]] * length


def _runs(data: bytes, width: int, count: int) -> Iterator[tuple[int, int]]:
    """Write numbers of a fixed bit width, each with its length: in runs, or packed in eights."""
    at = 0
    while count > 0:
        head, at = _varint(data, at)
        if head & 1 and head >> 1 > _FEW:
            raise UnexpectedPageError("a long run of packed numbers")
        if head & 1:
            end, length = at + (head >> 1) * width, min(head >> 1 << 3, count)
            bits, mask = int.from_bytes(data[at:end], "little"), (1 << width) - 1
            yield from ((bits >> place * width & mask, 1) for place in range(length))
        else:
            end, length = at + (width + 7) // 8, min(head >> 1, count)
            yield int.from_bytes(data[at:end], "little"), length
        at, count = end, count - length


def _plain(data: bytes, kind: str) -> Iterator[Value]:
    at = 0
    while at < len(data):
        if kind == "BYTE_ARRAY":
            start, at = at + 4, at + 4 + _number(data, at)
            yield data[start:at].decode()
        else:
            start, at = at, at + _LENGTHS[kind]
            yield int.from_bytes(data[start:at], "little", signed=True)


def _struct(data: bytes, at: int) -> tuple[dict[int, Any], int]:
    """Return a struct of Thrift's compact protocol by field number, and its end."""
    fields: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        number, kind, at = number + (head >> 4), head & 15, at + 1
        if kind in (1, 2):
            fields[number] = kind == 1
        elif kind in (5, 6):
            encoded, at = _varint(data, at)
            fields[number] = encoded >> 1  # None that is looked at is below zero.
        elif kind == 8:
            length, at = _varint(data, at)
            at += length
        elif kind == 12:
            fields[number], at = _struct(data, at)
        else:
            raise UnexpectedPageError(f"a header with a field of type {kind}")
    return fields, at + 1


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while data[at] & 128:
        if shift > 63:
            raise UnexpectedPageError("a number of more than 64 bits")
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")
