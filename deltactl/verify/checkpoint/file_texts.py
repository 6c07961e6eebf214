"""What a checkpoint must say of a file, as one text: two adds with the same text are the same.

Batches have the texts of the adds that they came from. They are made a column at a time, for there
may be millions.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.log.arrow.file_table import VECTOR, tagged
from deltactl.log.paths import canonical
from deltactl.spec.actions.file_action import AddFile, unique_id

KEY = ("path", *VECTOR)
COLUMNS = (
    *KEY, "size", "modificationTime", "partitionValues", "baseRowId", "defaultRowCommitVersion",
    "tags",
)  # fmt: skip
_NUMBERS = ("size", "modificationTime", "baseRowId", "defaultRowCommitVersion")
# Between what belongs together, from within: a name and its value, pairs, fields.
_OF, _AND, _END = "\x1f", "\x1e", "\n"

Vector = tuple[str, int, int]
Pair = tuple[str, str | None]


def text_of(add: AddFile) -> bytes:
    """Return the text of a commit's add."""
    vector = add.deletion_vector
    size_and_rows = () if vector is None else (vector.size_in_bytes, vector.cardinality)
    numbers = (
        add.size, add.modification_time, add.base_row_id, add.default_row_commit_version
    )  # fmt: skip
    fields = (
        canonical(add.path),
        *("" if number is None else str(number) for number in numbers),
        _pairs(add.partition_values.items()),
        _pairs(tagged(add)),
        "" if vector is None else _vector(vector.unique_id, *size_and_rows),
    )
    return _END.join(fields).encode(errors="surrogateescape")


def texts(batch: pa.RecordBatch) -> list[bytes]:
    """Return the text of each file of a batch, in order."""
    numbers = [batch.column(name) for name in _NUMBERS]
    numbers[0] = numbers[0].fill_null(0)
    fields = [
        _paths(batch),
        *(number.cast(pa.string()).cast(pa.binary()).fill_null(b"") for number in numbers),
        _maps(batch.column("partitionValues")),
        _maps(batch.column("tags")),
        _vector_texts(batch),
    ]
    found: list[bytes] = pc.binary_join_element_wise(*fields, _END.encode()).to_pylist()
    return found


def vectors(batch: pa.RecordBatch) -> list[Vector | None]:
    """Return the id, size and cardinality of each file's deletion vector, or None."""
    kinds = batch.column("storageType")
    if kinds.null_count == batch.num_rows:
        return [None] * batch.num_rows
    columns = [batch.column(name).to_pylist() for name in VECTOR]
    return [
        None if kind is None else (unique_id(kind, path, offset), size or 0, cardinality or 0)
        for kind, path, offset, size, cardinality in zip(*columns, strict=True)
    ]


def _paths(batch: pa.RecordBatch) -> pa.BinaryArray:
    paths = batch.column("path")
    text = paths.buffers()[2]
    is_plain = text is None or b"%" not in text.to_pybytes()
    if is_plain and not pc.any(pc.starts_with(paths, "file:/")).as_py():
        return paths.cast(pa.binary())
    return _array(map(canonical, paths.to_pylist()))


def _maps(values: pa.MapArray) -> pa.BinaryArray | bytes:
    places = values.offsets
    first, end = places[0].as_py(), places[-1].as_py()
    if first == end:
        return b""
    if pc.all(pc.equal(pc.subtract(places[1:], places[:-1]), 1)).as_py():
        names = values.keys[first:end].cast(pa.binary())
        held = values.items[first:end].cast(pa.binary())
        both = pc.binary_join_element_wise(names, held, _OF.encode())
        return pc.coalesce(both, names)
    # Those of a slice are numbered from the beginning of what it is a slice of.
    pairs = list(zip(values.keys.to_pylist(), values.items.to_pylist(), strict=True))
    return _array(_pairs(pairs[start:end]) for start, end in pairwise(places.to_pylist()))


def _vector_texts(batch: pa.RecordBatch) -> pa.BinaryArray | bytes:
    if batch.column("storageType").null_count == batch.num_rows:
        return b""
    return _array("" if vector is None else _vector(*vector) for vector in vectors(batch))


def _array(found: Iterable[str]) -> pa.BinaryArray:
    octets: Iterator[Any] = (text.encode(errors="surrogateescape") for text in found)
    return pa.array(octets, pa.binary())


def _pairs(values: Iterable[Pair]) -> str:
    # Their order means nothing, and engines do not keep it.
    return _AND.join(
        sorted(name if value is None else f"{name}{_OF}{value}" for name, value in values)
    )


def _vector(unique: str, size: int, cardinality: int) -> str:
    return _OF.join((unique, str(size), str(cardinality)))
