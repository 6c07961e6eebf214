"""Live files as Arrow: one flat shape for a checkpoint's adds and for those of commits."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from typing import Any

import pyarrow as pa

from deltactl.errors import UnreadableCheckpointError
from deltactl.log.arrow import compute as pc
from deltactl.log.arrow.arrow_values import BUILDERS, texts
from deltactl.log.paths import canonical
from deltactl.log.replay import FileKey
from deltactl.log.stats.record_count import HEAD_PATTERN, records_in
from deltactl.spec.actions.file_action import AddFile, unique_id

# Each flat column, its type, and the checkpoint's leaf that it comes from.
COLUMNS: Mapping[str, tuple[pa.DataType, str]] = {
    "path": (pa.string(), "add.path"),
    "size": (pa.int64(), "add.size"),
    "modificationTime": (pa.int64(), "add.modificationTime"),
    "partitionValues": (pa.map_(pa.string(), pa.string()), "add.partitionValues"),
    "tags": (pa.map_(pa.string(), pa.string()), "add.tags"),
    "stats": (pa.string(), "add.stats"),
    "parsedRecords": (pa.int64(), "add.stats_parsed.numRecords"),
    "storageType": (pa.string(), "add.deletionVector.storageType"),
    "pathOrInlineDv": (pa.string(), "add.deletionVector.pathOrInlineDv"),
    "offset": (pa.int64(), "add.deletionVector.offset"),
    "sizeInBytes": (pa.int64(), "add.deletionVector.sizeInBytes"),
    "cardinality": (pa.int64(), "add.deletionVector.cardinality"),
    "baseRowId": (pa.int64(), "add.baseRowId"),
    "defaultRowCommitVersion": (pa.int64(), "add.defaultRowCommitVersion"),
}
VECTOR = ("storageType", "pathOrInlineDv", "offset", "sizeInBytes", "cardinality")

_HEAD = 34
_OCTET = re.compile("[\udc80-\udcff]")
_SUFFIX = 20
_LOT = 1 << 13
# Rows around which the others are copied as they lie; Arrow's filter takes them one by one.
_FEW = 16


def flatten(adds: pa.StructArray, columns: Sequence[str]) -> pa.RecordBatch:
    """Return the adds of a checkpoint's batch; columns that the checkpoint does not have are null.

    A row without an add is null in every column.

    Raises:
        UnreadableCheckpointError: a column has a type that no checkpoint has.
    """
    try:
        check_struct(adds)
        # Some writers leave the struct of every row valid and its leaves null instead.
        path = adds.field("path")
        if path.null_count > adds.null_count:
            adds = adds.filter(path.is_valid())
        structs: dict[str, Mapping[str, pa.Array]] = {"add": _fields(adds)}
        arrays = [_leaf(structs, column, len(adds)) for column in columns]
        batch = pa.record_batch(arrays, names=list(columns))
    except (pa.ArrowException, KeyError) as error:
        said = str(error).splitlines()[0]
        raise UnreadableCheckpointError(
            "CHECKPOINT_UNREADABLE", f"the adds of a checkpoint cannot be read: {said:.200}"
        ) from error
    return batch


def from_adds(adds: Iterable[AddFile], columns: Sequence[str]) -> pa.RecordBatch:
    """Return the adds of commits in the same shape."""
    held = list(adds)
    arrays = [BUILDERS[COLUMNS[c][0]]([_OF_ADD[c](add) for add in held]) for c in columns]
    return pa.record_batch(arrays, names=list(columns))


def batches_of(adds: Iterable[AddFile], columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield the adds of commits, which may be many, in batches."""
    left = iter(adds)
    while lot := list(islice(left, _LOT)):
        yield from_adds(lot, columns)


def records(batch: pa.RecordBatch) -> pa.Int64Array:
    """Return the number of rows in each file, null if nothing says it."""
    known = batch.column("parsedRecords") if "parsedRecords" in batch.schema.names else None
    if known is not None and not known.null_count:
        return known
    if "stats" not in batch.schema.names:
        return pa.nulls(batch.num_rows, pa.int64()) if known is None else known
    found = _records_in(batch.column("stats"))
    return found if known is None else pc.coalesce(known, found)


class SupersededFiles:
    """The logical files that newer commits refer to: a checkpoint's word on them is out of date."""

    def __init__(self, keys: Iterable[FileKey]) -> None:
        self._vectors: dict[str, set[str | None]] = {}
        for path, vector in keys:
            self._vectors.setdefault(path, set()).add(vector)
        self._paths = _held_texts(self._vectors)
        self._suffixes = _held_texts({path[-_SUFFIX:] for path in self._vectors})

    def hidden(self, batch: pa.RecordBatch) -> list[int]:
        """Return the rows of the files that newer commits refer to."""
        if not self._vectors:
            return []
        candidates = pc.indices_nonzero(self._candidates(batch.column("path"))).to_pylist()
        return [row for row in candidates if self._hides(batch, row)]

    def _candidates(self, paths: pa.StringArray) -> pa.BooleanArray:
        # All paths at once, for in memory they stand one behind the other.
        buffer = paths.buffers()[2]
        text = b"" if buffer is None else buffer.to_pybytes()
        if b":" in text and pc.any(pc.starts_with(paths, "file:/")).as_py():
            paths = pc.replace_substring_regex(paths, "^file:/+", "/")
        if b"%" not in text:
            return pc.is_in(paths, self._paths)
        # Spellings differ: whatever ends alike, or is encoded at its end, is looked at one by one.
        suffixes = pc.utf8_slice_codeunits(paths, -_SUFFIX)
        ends = pc.utf8_slice_codeunits(paths, -_SUFFIX - 2)
        return pc.or_(pc.is_in(suffixes, self._suffixes), pc.match_substring(ends, "%"))

    def _hides(self, batch: pa.RecordBatch, row: int) -> bool:
        vectors = self._vectors.get(canonical(batch.column("path")[row].as_py()))
        return vectors is not None and vector_id(batch, row) in vectors


def without(batch: pa.RecordBatch, rows: Sequence[int]) -> pa.RecordBatch:
    """Return the batch without these rows, and without those that are not a file."""
    if rows:
        batch = batch.filter(all_but(rows, batch.num_rows))
    path = batch.column("path")
    return batch.filter(path.is_valid()) if path.null_count else batch


def cut_out(array: pa.Array, rows: Sequence[int]) -> pa.Array:
    """Return the array without these rows, which are in order."""
    if len(rows) > _FEW:
        return array.filter(all_but(rows, len(array)))
    starts = [0, *(row + 1 for row in rows)]
    stops = [*rows, len(array)]
    pieces = zip(starts, stops, strict=True)
    return pa.concat_arrays([array.slice(start, stop - start) for start, stop in pieces])


def has_vectors(batch: pa.RecordBatch) -> bool:
    """Return whether a file of the batch has a deletion vector."""
    return bool(batch.column("storageType").null_count < batch.num_rows)


def vector_id(batch: pa.RecordBatch, row: int) -> str | None:
    """Return the unique id of a row's deletion vector; None if it has none."""
    storage_type = batch.column("storageType")[row].as_py()
    if storage_type is None:
        return None
    path = batch.column("pathOrInlineDv")[row].as_py()
    return unique_id(storage_type, path, batch.column("offset")[row].as_py())


def _held_texts(paths: Iterable[str]) -> pa.StringArray:
    """Return those that Arrow can hold; a checkpoint encodes bytes that are not UTF-8."""
    return texts([path for path in paths if not _OCTET.search(path)])


def with_keys(maps: pa.MapArray, names: Mapping[str, str]) -> pa.MapArray:
    """Return the maps with other keys: each that `names` has is replaced."""
    keys = maps.keys.dictionary_encode()
    known = texts([names.get(key, key) for key in keys.dictionary.to_pylist()])
    kind = maps.type
    entries = pa.StructArray.from_arrays(
        [known.take(keys.indices), maps.items], fields=[kind.key_field, kind.item_field]
    )
    buffers = maps.buffers()[:2]
    return pa.Array.from_buffers(kind, len(maps), buffers, offset=maps.offset, children=[entries])


def all_but(rows: Iterable[int], total: int) -> pa.BooleanArray:
    """Return a mask of `total` rows that leaves these out."""
    bits = bytearray(b"\xff" * ((total + 7) // 8))
    for row in rows:
        bits[row >> 3] &= ~(1 << (row & 7))
    return pa.BooleanArray.from_buffers(pa.bool_(), total, [None, pa.py_buffer(bits)])


def _leaf(structs: dict[str, Mapping[str, pa.Array]], column: str, rows: int) -> pa.Array:
    """Return a column of the flat shape; structs that were taken apart for another one are kept."""
    data_type, leaf = COLUMNS[column]
    above, _, name = leaf.rpartition(".")
    if above not in structs:
        struct = structs["add"].get(above.removeprefix("add."))
        structs[above] = {} if struct is None else _fields(struct)
    array = structs[above].get(name)
    if array is None:
        return _nulls(rows, data_type)
    return array if array.type == data_type else array.cast(data_type)


@lru_cache(maxsize=16)
def _nulls(rows: int, data_type: pa.DataType) -> pa.Array:
    """Return nulls, made once for the many batches of one length."""
    return pa.nulls(rows, data_type)


def _fields(struct: pa.StructArray) -> Mapping[str, pa.Array]:
    """Return the struct's fields, null if the struct is; nothing of one that is always null."""
    if struct.null_count == len(struct):
        return {}
    check_struct(struct)
    # flatten() carries the struct's own nulls down to its fields, and copies; field() does neither.
    arrays = (
        struct.flatten() if struct.null_count else map(struct.field, range(struct.type.num_fields))
    )
    return {field.name: array for field, array in zip(struct.type, arrays, strict=True)}


def check_struct(array: pa.Array) -> None:
    """Raise pyarrow.ArrowTypeError unless the array holds structs."""
    if not pa.types.is_struct(array.type):
        raise pa.ArrowTypeError(f"{array.type} in the place of a struct")


def _of_vector(name: str) -> Callable[[AddFile], Any]:
    def value(add: AddFile) -> Any:
        return None if add.deletion_vector is None else getattr(add.deletion_vector, name)

    return value


_OF_ADD: Mapping[str, Callable[[AddFile], Any]] = {
    "path": attrgetter("path"),
    "size": attrgetter("size"),
    "modificationTime": attrgetter("modification_time"),
    "partitionValues": lambda add: list(add.partition_values.items()),
    "tags": lambda add: None if add.tags is None else tagged(add),
    "stats": attrgetter("stats"),
    "parsedRecords": lambda add: None if add.stats is None else records_in(add.stats),
    "storageType": _of_vector("storage_type"),
    "pathOrInlineDv": _of_vector("path_or_inline"),
    "offset": _of_vector("offset"),
    "sizeInBytes": _of_vector("size_in_bytes"),
    "cardinality": _of_vector("cardinality"),
    "baseRowId": attrgetter("base_row_id"),
    "defaultRowCommitVersion": attrgetter("default_row_commit_version"),
}


def _records_in(stats: pa.StringArray) -> pa.Int64Array:
    head = pc.binary_slice(stats.view(pa.binary()), 0, _HEAD).view(pa.string())
    found = pc.struct_field(pc.extract_regex(head, HEAD_PATTERN), "records").cast(pa.int64())
    unread = pc.and_(stats.is_valid(), found.is_null())
    if not pc.any(unread).as_py():
        return found
    values = found.to_pylist()
    for row in pc.indices_nonzero(unread).to_pylist():
        values[row] = records_in(stats[row].as_py())
    return pa.array(values, pa.int64())


def tagged(add: AddFile) -> list[tuple[str, str | None]]:
    """Return the tags of an add as checkpoints hold them: in text, whatever a commit has."""
    held = add.tags if isinstance(add.tags, Mapping) else {}
    return [
        (key, value if isinstance(value, str | None) else json.dumps(value))
        for key, value in held.items()
    ]
