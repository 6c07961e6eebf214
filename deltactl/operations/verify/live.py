"""The live files as a version leaves them: what a checksum counts, and a digest without order."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.log.file_table import VECTOR, records, records_in
from deltactl.log.paths import canonical
from deltactl.log.replay import FileKey, Replay
from deltactl.log.verify.checksum import DELETED_BOUNDS, SIZE_BOUNDS
from deltactl.model.file_actions import AddFile, unique_id

COLUMNS = (
    "path", "size", "modificationTime", "partitionValues", *VECTOR,
    "baseRowId", "defaultRowCommitVersion",
)  # fmt: skip
_MASK = (1 << 64) - 1

# One partition value with its name, several in any order, or None for none.
Partition = tuple[str, str | None] | frozenset[tuple[str, str | None]] | None


class Facts(NamedTuple):
    """What is kept of a live file; `digest` is over all that a checkpoint must say of it."""

    size: int
    cardinality: int | None
    records: int | None
    digest: int


@dataclass(slots=True)
class Totals:
    """The live files in figures; `records` is None where a file does not tell its rows."""

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

    def count(self, file: Facts, sign: int = 1) -> None:
        """Count a file, or take it back."""
        self.files += sign
        self.size += sign * file.size
        self.digest = self.digest + sign * file.digest & _MASK
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

    def count_batch(self, batch: pa.RecordBatch, *, with_digest: bool) -> None:
        """Count the files of a batch, in which every row is one."""
        sizes = batch.column("size").fill_null(0)
        rows = records(batch)
        self.files += batch.num_rows
        self.size += pc.sum(sizes, min_count=0).as_py()
        self.known_records += pc.sum(rows, min_count=0).as_py()
        self.without_records += rows.null_count
        _count(sizes, SIZE_BOUNDS, self.size_counts, self.size_bytes)
        vectors = batch.column("cardinality")
        held = batch.num_rows - batch.column("storageType").null_count
        self.vectors += held
        if held:
            self.deleted_rows += pc.sum(vectors, min_count=0).as_py()
            _count(vectors.fill_null(0), DELETED_BOUNDS, self.deleted_counts)
        else:
            self.deleted_counts[0] += batch.num_rows
        if with_digest:
            self.digest = self.digest + sum(digests(batch)) & _MASK


class LiveFiles(Replay):
    """Replay that keeps of each live file its facts only, and counts as it goes."""

    def __init__(self) -> None:
        super().__init__()
        self.totals = Totals()
        self.facts: dict[FileKey, Facts] = {}

    def take(self, kind: str, body: dict[str, Any], name: str) -> None:
        """Apply one action; `files` holds nothing afterwards."""
        super().take(kind, body, name)
        if self.files:
            key, add = self.files.popitem()
            self._put(key, None if add is None else facts_of(add))

    def apply_compacted(self, block: bytes, name: str) -> None:
        """Apply a compacted file, whose files are counted as those of a commit."""
        super().apply_compacted(block, name)
        for key, add in self.files.items():
            self._put(key, None if add is None else facts_of(add))
        self.files.clear()

    def load(self, batch: pa.RecordBatch) -> None:
        """Take over the files of a checkpoint."""
        rows = zip(keys(batch), _facts(batch), strict=True)
        for key, file in rows:
            self._put(key, file)

    def forget(self) -> None:
        """Begin anew, as where commits are missing and a checkpoint stands in for them."""
        self.totals = Totals()
        self.facts.clear()
        self.transactions.clear()
        self.domains.clear()

    def _put(self, key: FileKey, file: Facts | None) -> None:
        before = self.facts.pop(key, None)
        if before is not None:
            self.totals.count(before, -1)
        if file is not None:
            self.facts[key] = file
            self.totals.count(file)


def facts_of(add: AddFile) -> Facts:
    """The facts of a commit's add."""
    vector = add.deletion_vector
    return Facts(
        add.size,
        None if vector is None else vector.cardinality,
        None if add.stats is None else records_in(add.stats),
        _digest(
            canonical(add.path),
            None
            if vector is None
            else (vector.unique_id, vector.size_in_bytes, vector.cardinality),
            add.size,
            add.modification_time,
            _partition(add.partition_values.items()),
            (add.base_row_id, add.default_row_commit_version),
        ),
    )


def digests(batch: pa.RecordBatch) -> Iterator[int]:
    """The digest of each file of a batch, in order; the same as that of the add it came from."""
    size, time = batch.column("size"), batch.column("modificationTime")
    columns: list[Iterable[Any]] = [
        [canonical(path) for path in batch.column("path").to_pylist()],
        _vectors(batch),
        size.fill_null(0).to_pylist(),
        time.to_pylist(),
        _partitions(batch),
        _row_ids(batch),
    ]
    return map(_digest, *columns)


def keys(batch: pa.RecordBatch) -> Iterator[FileKey]:
    """The key of each file of a batch, in order."""
    vectors = _vectors(batch)
    for path, vector in zip(batch.column("path").to_pylist(), vectors, strict=True):
        yield canonical(path), None if vector is None else vector[0]


def _digest(
    path: str,
    vector: tuple[str, int, int] | None,
    size: int,
    time: int | None,
    partition: Partition,
    row_ids: tuple[int | None, int | None],
) -> int:
    return hash((path, vector, size, time, partition, row_ids)) & _MASK


def _vectors(batch: pa.RecordBatch) -> list[tuple[str, int, int] | None]:
    kinds = batch.column("storageType")
    if kinds.null_count == batch.num_rows:
        return [None] * batch.num_rows
    columns = [batch.column(name).to_pylist() for name in VECTOR]
    return [
        None if kind is None else (unique_id(kind, path, offset), size or 0, cardinality or 0)
        for kind, path, offset, size, cardinality in zip(*columns, strict=True)
    ]


def _row_ids(batch: pa.RecordBatch) -> Iterable[tuple[int | None, int | None]]:
    columns = [batch.column(name) for name in ("baseRowId", "defaultRowCommitVersion")]
    if all(column.null_count == batch.num_rows for column in columns):
        return repeat((None, None), batch.num_rows)
    return zip(*(column.to_pylist() for column in columns), strict=True)


def _partitions(batch: pa.RecordBatch) -> Iterable[Partition]:
    """The partition of each file in the form in which it is a part of its digest."""
    values = batch.column("partitionValues")
    if not len(values.items):
        return repeat(None, batch.num_rows)
    keys, items = values.keys.to_pylist(), values.items.to_pylist()
    first = values.offsets[0].as_py()
    offsets = [offset - first for offset in values.offsets.to_pylist()]
    if offsets == list(range(batch.num_rows + 1)):
        return zip(keys, items, strict=True)
    return (
        _partition(list(zip(keys[start:end], items[start:end], strict=True)))
        for start, end in pairwise(offsets)
    )


def _partition(values: Collection[tuple[str, str | None]]) -> Partition:
    # The order of partition values means nothing, and engines do not keep it.
    return next(iter(values), None) if len(values) < 2 else frozenset(values)


def _facts(batch: pa.RecordBatch) -> Iterator[Facts]:
    sizes = batch.column("size").fill_null(0).to_pylist()
    deleted = [None if vector is None else vector[2] for vector in _vectors(batch)]
    return map(Facts, sizes, deleted, records(batch).to_pylist(), digests(batch))


def _count(
    values: pa.Int64Array,
    bounds: Sequence[int],
    counts: list[int],
    sums: list[int] | None = None,
) -> None:
    """Add the values to a histogram whose bins begin at `bounds`."""
    left = values
    for place, upper in enumerate([*bounds[1:], None]):
        if not len(left):
            return
        above = left.filter(pc.greater_equal(left, upper)) if upper is not None else left[:0]
        counts[place] += len(left) - len(above)
        if sums is not None:
            total = pc.sum(left, min_count=0).as_py() - pc.sum(above, min_count=0).as_py()
            sums[place] += total
        left = above
