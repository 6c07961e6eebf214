"""Deletion vectors where they lie: in an add, or in a file beside the data."""

from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from deltactl.errors import StorageError
from deltactl.findings import Finding
from deltactl.log import deletion_vector
from deltactl.log.arrow.file_table import VECTOR, records
from deltactl.log.deletion_vector import (
    ABSOLUTE,
    CRC_BYTES,
    FILE_VERSION,
    INLINE,
    RELATIVE,
    SIZE_BYTES,
    MalformedVectorError,
)
from deltactl.log.paths import canonical
from deltactl.storage.base import Storage

VECTORS = "deletion vectors"
OF_VECTOR = "deletion vector of "
"""What stands before the path of the data file in findings about its vector."""


class Vector(NamedTuple):
    """A descriptor, the data file that has it, and how many rows that file has, if it says."""

    path: str
    storage_type: str
    text: str
    offset: int | None
    size: int
    cardinality: int
    records: int | None


def of_batch(batch: pa.RecordBatch) -> Iterator[Vector]:
    """Yield the vectors of a batch of live files."""
    if batch.column("storageType").null_count == batch.num_rows:
        return
    counts = records(batch).to_pylist()
    columns = [batch.column(name).to_pylist() for name in ("path", *VECTOR)]
    for path, kind, text, offset, size, cardinality, rows in zip(*columns, counts, strict=True):
        if kind is not None:
            yield Vector(path, kind, text or "", offset, size or 0, cardinality or 0, rows)


def check(storage: Storage, vector: Vector) -> Iterator[Finding]:
    """Yield whether the vector can be found, is whole, and deletes as many rows as is said."""
    subject = f"{OF_VECTOR}{vector.path}"
    try:
        data = _data(storage, vector)
        rows = deletion_vector.rows(data)
    except MalformedVectorError as error:
        yield Finding(error.code, subject, error.expected, error.found)
        return
    except FileNotFoundError as error:
        yield Finding("VECTOR_FILE_MISSING", subject, "its file", f"no {error}")
        return
    except StorageError as error:
        yield Finding("VECTOR_FILE_MISSING", subject, "a file that can be read", error.message)
        return
    if rows.cardinality != vector.cardinality:
        expected, found = f"{vector.cardinality} rows", f"{rows.cardinality} rows"
        yield Finding("VECTOR_CARDINALITY_WRONG", subject, expected, found)
    if vector.records is not None and rows.last is not None and rows.last >= vector.records:
        expected = f"rows below {vector.records}, which the file has"
        yield Finding("VECTOR_ROW_BEYOND_FILE", subject, expected, f"row {rows.last}")


def _data(storage: Storage, vector: Vector) -> bytes:
    if vector.storage_type == INLINE:
        return deletion_vector.inline(vector.text, vector.size)
    if vector.storage_type == RELATIVE:
        try:
            path = deletion_vector.relative_path(vector.text)
        except ValueError as error:
            raise MalformedVectorError(
                "BAD_DELETION_VECTOR", "a UUID in Z85", str(error)
            ) from error
    elif vector.storage_type == ABSOLUTE:
        path = canonical(vector.text)
    else:
        expected = "storage type u, i or p"
        raise MalformedVectorError("BAD_DELETION_VECTOR", expected, vector.storage_type)
    try:
        version = storage.read(path, 0, 1)
        if version != bytes([FILE_VERSION]):
            found = str(list(version))
            raise MalformedVectorError("VECTOR_UNREADABLE", f"file version {FILE_VERSION}", found)
        length = SIZE_BYTES + vector.size + CRC_BYTES
        block = storage.read(path, vector.offset or 0, length)
    except FileNotFoundError as error:
        raise FileNotFoundError(path) from error
    return deletion_vector.framed(block, vector.size)
