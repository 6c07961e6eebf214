"""The live files of a table as a look at rows needs them."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from deltactl.changes.draft import Draft
from deltactl.log.arrow.file_table import records
from deltactl.spec.schema import column_mapping
from deltactl.spec.schema.schema import Path, find
from deltactl.table.parquet.row_batches import Wanted
from deltactl.table.snapshot import Snapshot
from deltactl.table.state.files import prepare_state

_VECTOR = ("storageType", "pathOrInlineDv", "offset", "cardinality")


class DataFile(NamedTuple):
    """A live file: `vector` says which of its rows are deleted, how many they are `deleted`.

    `stats` are only there if they were asked for.
    """

    path: str
    partition_values: Mapping[str, str | None]
    vector: tuple[object, ...] | None
    deleted: int
    size: int
    records: int | None = None
    stats: str | None = None


FileKey = tuple[str, tuple[object, ...] | None]


def key_of(file: DataFile) -> FileKey:
    """Return what tells which rows the file has: they never change while this stays."""
    return file.path, file.vector


def live_files(snapshot: Snapshot, *, with_stats: bool = False) -> Iterator[DataFile]:
    """Yield every file of the table."""
    asked = ("partitionValues", "size", *(("stats", "parsedRecords") if with_stats else ()))
    for batch in prepare_state(snapshot).batches(asked):
        columns = [batch.column(name).to_pylist() for name in ("path", *asked[:2], *_VECTOR)]
        if with_stats:
            columns += [records(batch).to_pylist(), batch.column("stats").to_pylist()]
        for path, values, size, kind, where, offset, deleted, *more in zip(*columns, strict=True):
            vector = None if kind is None else (kind, where, offset)
            yield DataFile(path, dict(values or ()), vector, deleted or 0, size or 0, *more)


def wanted(draft: Draft, path: Path) -> Wanted:
    """Return how files have the field at the path."""
    schema = draft.schema
    node = find(schema, path)
    by_id = column_mapping.mode(draft.base.configuration) == "id"
    ids = column_mapping.id_path(schema, node) if by_id else None
    return Wanted(column_mapping.physical_path(schema, node), ids)
