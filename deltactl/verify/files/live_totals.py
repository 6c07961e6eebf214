"""The live files as a version leaves them: what a checksum counts, and a digest without order."""

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.log.arrow.arrow_values import numbers
from deltactl.log.arrow.file_table import records
from deltactl.log.paths import canonical
from deltactl.log.replay import FileKey
from deltactl.log.stats.record_count import records_in
from deltactl.spec.actions.file_action import AddFile
from deltactl.verify.checkpoint.file_texts import text_of, texts, vectors
from deltactl.verify.log.checksum import DELETED_BOUNDS, SIZE_BOUNDS

_PACKED = struct.Struct("<qqqqq")
_UNKNOWN = -(1 << 63)


class LiveFileFacts(NamedTuple):
    """What is kept of a live file; `digest` is over all that a checkpoint must say of it.

    `statistics` is the hash of their text; 0 if missing.
    """

    size: int
    cardinality: int | None
    records: int | None
    digest: int
    statistics: int = 0

    def packed(self) -> bytes:
        """Return the same in a fraction of the memory, for there may be millions."""
        known = (self.cardinality, self.records)
        rest = (_UNKNOWN if value is None else value for value in known)
        return _PACKED.pack(self.size, *rest, self.digest, self.statistics)

    @classmethod
    def unpacked(cls, text: bytes) -> "LiveFileFacts":
        """Return the facts that were packed."""
        size, cardinality, rows, digest, statistics = _PACKED.unpack(text)
        return cls(
            size,
            None if cardinality == _UNKNOWN else cardinality,
            None if rows == _UNKNOWN else rows,
            digest,
            statistics,
        )


@dataclass(slots=True)
class Totals:
    """The live files in figures; `records` is None if a file does not tell its rows."""

    files: int = 0
    size: int = 0
    vectors: int = 0
    deleted_rows: int = 0
    digest: int = 0
    known_records: int = 0
    without_records: int = 0
    size_counts: list[int] = field(default_factory=lambda: [0] * len(SIZE_BOUNDS))
    size_bytes: list[int] = field(default_factory=lambda: [0] * len(SIZE_BOUNDS))
    deleted_counts: list[int] = field(default_factory=lambda: [0] * len(DELETED_BOUNDS))

    @property
    def records(self) -> int | None:
        return None if self.without_records else self.known_records

    def count(self, file: LiveFileFacts, sign: int = 1) -> None:
        """Count a file, or take it back."""
        self.files += sign
        self.size += sign * file.size
        self.digest += sign * file.digest
        if file.records is None:
            self.without_records += sign
        else:
            self.known_records += sign * file.records
        if file.cardinality is not None:
            self.vectors += sign
            self.deleted_rows += sign * file.cardinality
        place = max(bisect_right(SIZE_BOUNDS, file.size) - 1, 0)
        self.size_counts[place] += sign
        self.size_bytes[place] += sign * file.size
        self.deleted_counts[bisect_right(DELETED_BOUNDS, file.cardinality or 0) - 1] += sign

    def tally(self, batch: pa.RecordBatch, marks: Iterable[int] = ()) -> None:
        """Count the files of a batch, in which every row is one, their rows and their digests."""
        rows = records(batch)
        self.files += batch.num_rows
        self.known_records += pc.sum(rows, min_count=0).as_py()
        self.without_records += rows.null_count
        self.digest += sum(marks)

    def count_batch(self, batch: pa.RecordBatch, marks: Iterable[int] = ()) -> None:
        """Count all there is to count of the files of a batch, whose digests are `marks`."""
        self.tally(batch, marks)
        sizes = _or_zero(batch.column("size"))
        self.size += pc.sum(sizes, min_count=0).as_py()
        _count(sizes, SIZE_BOUNDS, self.size_counts, self.size_bytes)
        held = batch.num_rows - batch.column("storageType").null_count
        self.vectors += held
        if held:
            deleted = batch.column("cardinality")
            self.deleted_rows += pc.sum(deleted, min_count=0).as_py()
            _count(_or_zero(deleted), DELETED_BOUNDS, self.deleted_counts)
        else:
            self.deleted_counts[0] += batch.num_rows

    def add(self, other: "Totals", sign: int = 1) -> None:
        """Count what `other` has counted, or take it back."""
        for name in ("files", "size", "vectors", "deleted_rows", "known_records"):
            setattr(self, name, getattr(self, name) + sign * getattr(other, name))
        self.without_records += sign * other.without_records
        self.digest += sign * other.digest
        for name in ("size_counts", "size_bytes", "deleted_counts"):
            pairs = zip(getattr(self, name), getattr(other, name), strict=True)
            setattr(self, name, [mine + sign * its for mine, its in pairs])


def facts_of(add: AddFile) -> LiveFileFacts:
    """Return the facts of a commit's add."""
    vector = add.deletion_vector
    return LiveFileFacts(
        add.size,
        None if vector is None else vector.cardinality,
        None if add.stats is None else records_in(add.stats),
        hash(text_of(add)),
        mark(add.stats),
    )


def mark(stats: str | None) -> int:
    """Return what tells the text of statistics from any other; 0 if missing."""
    return hash(stats) if stats else 0


def keys(batch: pa.RecordBatch) -> Iterator[FileKey]:
    """Yield the key of each file of a batch, in order."""
    for path, vector in zip(batch.column("path").to_pylist(), vectors(batch), strict=True):
        yield canonical(path), None if vector is None else vector[0]


def digests(batch: pa.RecordBatch) -> Iterator[int]:
    """Return each file's digest in order; equal to that of the add it came from."""
    return map(hash, texts(batch))


def packed(batch: pa.RecordBatch, marks: Iterable[int]) -> Iterator[bytes]:
    """Return the facts of each file of a batch, whose digests are `marks`, in order."""
    sizes = batch.column("size").fill_null(0).to_pylist()
    deleted = [_UNKNOWN if vector is None else vector[2] for vector in vectors(batch)]
    known = records(batch).fill_null(_UNKNOWN).to_pylist()
    told = batch.column("stats").to_pylist() if "stats" in batch.schema.names else repeat(None)
    return map(_PACKED.pack, sizes, deleted, known, marks, map(mark, told))


def _or_zero(column: pa.Int64Array) -> pa.Int64Array:
    return pc.coalesce(column, numbers([0])[0]) if column.null_count else column


def _count(
    values: pa.Int64Array,
    bounds: Sequence[int],
    counts: list[int],
    sums: list[int] | None = None,
) -> None:
    """Add the values to a histogram whose bins begin at `bounds`."""
    ordered = values.take(pc.sort_indices(values))
    numbers, start = memoryview(ordered.buffers()[1]).cast("q"), 0
    for place, upper in enumerate([*bounds[1:], None]):
        if start == len(ordered):
            return
        end = len(ordered) if upper is None else bisect_left(numbers, upper, start, len(ordered))
        counts[place] += end - start
        if sums is not None and end > start:
            sums[place] += pc.sum(ordered[start:end]).as_py()
        start = end
