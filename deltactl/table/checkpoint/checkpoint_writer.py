"""Writing a checkpoint to local files, and reading it back before anyone else can."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple
from zlib import crc32

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deltactl.errors import DeltactlError, StorageError, UnreadableCheckpointError
from deltactl.log.arrow.files_digest import texts_of
from deltactl.log.checkpoint.checkpoint_schema import CheckpointSchema
from deltactl.log.checkpoint.rows import small_rows
from deltactl.log.filenames import LOG, CheckpointKind
from deltactl.log.segment import arrange
from deltactl.storage.base import Storage
from deltactl.storage.local.local import LocalStorage
from deltactl.table.checkpoint.contents import Contents, contents_of, differences, domain_text
from deltactl.table.checkpoint.reader import CheckpointReader
from deltactl.table.checkpoint.source import ActionRows, FileRows
from deltactl.table.state.files import TableState

# Rows of a row group: readers work on several at once, and skip those that they do not need.
GROUP = 100_000
# Rows that wait in memory for their row groups, when several files are written at once.
WAITING = GROUP
_BLOCK = 8 << 20
_DICTIONARIES = (
    "add.partitionValues.", "add.partitionValues_parsed.", "add.stats_parsed.nullCount.",
    "remove.partitionValues.", "add.tags.",
)  # fmt: skip

Action = tuple[str, Mapping[str, Any]]


class Layout(NamedTuple):
    """Which files a checkpoint is to consist of, by their paths below the table.

    `files` hold file actions: with one path, or a multi-part checkpoint's, everything else too.
    A V2 checkpoint has its `top` file beside them, and they may be fewer than planned.
    """

    version: int
    kind: CheckpointKind
    files: tuple[str, ...]
    top: str | None = None
    rows_a_file: int = GROUP

    @property
    def paths(self) -> tuple[str, ...]:
        """All files in the order in which they may appear: the one that leads to others is last."""
        return self.files if self.top is None else (*self.files, self.top)


class Written(NamedTuple):
    """A file that is ready to be put: its path in the table, and where it is on this machine."""

    path: str
    local_file: str
    rows: int
    size: int


class WrittenCheckpoint(NamedTuple):
    """The files of a checkpoint in the order in which they may appear, and how many adds it has."""

    files: tuple[Written, ...]
    adds: int


class Retention(NamedTuple):
    """Tombstones and transactions that are older than these times, in milliseconds, are left out.

    None keeps every transaction.
    """

    removes: int
    transactions: int | None = None


def write(
    state: TableState,
    schema: CheckpointSchema,
    layout: Layout,
    folder: str,
    retention: Retention,
    now: int,
    there: frozenset[str] = frozenset(),
) -> WrittenCheckpoint:
    """Write the checkpoint of the state's version below the local `folder`, and read it back.

    Files of it that are `there` in the table, as an interrupted run left them, are returned as they
    are, if they and the rest of ours say together what they should.

    Raises:
        StorageError: the disk is full, or what was written is not what was to be written.
        UnreadableCheckpointError: the older checkpoint that it is made from cannot be read.
        BrokenLogError: the log contradicts the protocol.
    """
    contents = Contents(
        protocol=state.snapshot.protocol,
        metadata=state.snapshot.metadata,
        transactions={
            t.app_id: t for t in state.transactions() if _is_recent(t.last_updated, retention)
        },
        domains={d.domain: d for d in state.domains()},
    )
    rows = FileRows(state, schema, retention.removes)
    try:
        written = _write_files(rows, contents, schema, layout, folder)
        contents.adds, contents.removes = rows.adds, rows.removes
        if layout.top is not None:
            written += (write_top(contents, schema, layout, folder, written, now),)
    except OSError as error:
        raise StorageError(
            "TEMPORARY_FILE_FAILED",
            f"{folder}: {error.strerror or error}; nothing was written to the table",
            hint="with TMPDIR set to a folder with room, run it again",
        ) from error
    check(folder, contents)
    if there:
        written = _completing(written, there, state.snapshot.log.storage, folder, contents)
    return WrittenCheckpoint(written, contents.adds.files)


def _completing(
    written: tuple[Written, ...],
    there: frozenset[str],
    storage: Storage,
    folder: str,
    contents: Contents,
) -> tuple[Written, ...]:
    """Return the files with those that are `there` instead of ours, if that is as good.

    Rows may be in another order, and tombstones may have expired since.
    """
    place = os.path.join(folder, "completed")
    joined = []
    try:
        for file in written:
            local_file = os.path.join(place, *file.path.split("/"))
            os.makedirs(os.path.dirname(local_file), exist_ok=True)
            if file.path in there:
                _fetch(storage, file.path, local_file)
                rows, size = pq.read_metadata(local_file).num_rows, os.path.getsize(local_file)
                joined.append(Written(file.path, local_file, rows, size))
            else:
                os.link(file.local_file, local_file)
                joined.append(file)
        check(place, contents, tombstones=False)
    except (OSError, pa.ArrowException, DeltactlError):
        return written  # Those that exist are of another writer: putting ours tells.
    return tuple(joined)


def _fetch(storage: Storage, path: str, local_file: str) -> None:
    size = storage.head(path).size
    with open(local_file, "wb") as file:
        while file.tell() < size and (block := storage.read(path, file.tell(), _BLOCK)):
            file.write(block)


def check(folder: str, expected: Contents, *, tombstones: bool = True) -> None:
    """Read the files below `folder` back as the table's readers would.

    Raises:
        StorageError: they do not say what they should.
    """
    storage = LocalStorage(folder)
    found = arrange(storage.list_from(LOG)).checkpoints
    wrong = [f"there are {len(found)} checkpoints instead of one"] if len(found) != 1 else []
    if not wrong and not found[0].is_complete:
        wrong = [found[0].flaw().message]
    if not wrong:
        try:
            held = contents_of(CheckpointReader(storage, found[0]))
            wrong = list(differences(expected, held, tombstones=tombstones))
        except UnreadableCheckpointError as error:
            # It is ours, and not the one of the table that it is made from.
            wrong = [error.message]
    if wrong:
        raise StorageError(
            "CHECKPOINT_NOT_AS_WRITTEN",
            f"the checkpoint, read back from {folder}, is not what was written: "
            f"{'; '.join(wrong)}; nothing was written to the table",
            hint="the disk or the memory of this machine is at fault, or deltactl: report it",
        )


def small_actions(contents: Contents) -> Iterator[Action]:
    """Yield what a checkpoint says beside files."""
    assert contents.protocol is not None
    assert contents.metadata is not None
    yield "protocol", contents.protocol.to_json()
    yield "metaData", contents.metadata.to_json()
    for transaction in contents.transactions.values():
        yield "txn", transaction.to_json()
    for domain in contents.domains.values():
        yield "domainMetadata", {**domain.to_json(), "configuration": domain_text(domain)}


def _is_recent(updated: int | None, retention: Retention) -> bool:
    bound = retention.transactions
    return bound is None or (updated is not None and updated > bound)


def _write_files(
    rows: FileRows, contents: Contents, schema: CheckpointSchema, layout: Layout, folder: str
) -> tuple[Written, ...]:
    own = schema.classic() if layout.top is None else schema.sidecar()
    with ExitStack() as stack:
        files = [_File(path, folder, own, stack) for path in layout.files]
        if layout.top is None:
            files[0].add_small(small_rows(own, small_actions(contents)))
        spread = _Sequence(files, layout.rows_a_file) if layout.top else _Spread(files)
        for part in rows.stream():
            spread.add(part)
        return tuple(file.close() for file in files if file.is_needed or layout.top is None)


class _File:
    """A parquet file that is being written; it is made when the first rows come."""

    def __init__(self, path: str, folder: str, schema: pa.Schema, stack: ExitStack) -> None:
        self.rows = 0
        self.waiting = 0
        self._path = path
        self._local_file = os.path.join(folder, *path.split("/"))
        self._schema = schema
        self._stack = stack
        self._held: list[pa.RecordBatch] = []
        self._writer: pq.ParquetWriter | None = None

    @property
    def is_needed(self) -> bool:
        return bool(self.rows)

    def add(self, rows: ActionRows) -> None:
        """Take rows of one kind; they are written when there are enough for a row group."""
        number = len(rows.actions)
        columns = [
            rows.actions if field.name == rows.kind else pa.nulls(number, field.type)
            for field in self._schema
        ]
        self._held.append(pa.record_batch(columns, schema=self._schema))
        self.rows += number
        self.waiting += number
        if self.waiting >= GROUP:
            self.flush()

    def add_small(self, table: pa.Table) -> None:
        """Write rows as a row group of their own, which readers find without looking further."""
        self.rows += table.num_rows
        self._open().write_table(table, row_group_size=table.num_rows)

    def flush(self) -> None:
        """Write the rows that wait as a row group."""
        if self._held:
            table = pa.Table.from_batches(self._held, self._schema)
            self._held, self.waiting = [], 0
            self._open().write_table(table, row_group_size=table.num_rows)

    def close(self) -> Written:
        """Finish the file."""
        self.flush()
        self._open().close()
        size = os.path.getsize(self._local_file)
        return Written(self._path, self._local_file, self.rows, size)

    def _open(self) -> pq.ParquetWriter:
        if self._writer is None:
            os.makedirs(os.path.dirname(self._local_file), exist_ok=True)
            self._writer = self._stack.enter_context(
                pq.ParquetWriter(
                    self._local_file,
                    self._schema,
                    compression="snappy",
                    use_dictionary=_dictionaries(self._schema),
                    store_schema=False,
                    write_page_checksum=True,
                )
            )
        return self._writer


class _Spread:
    """Gives each row to the file that the hash of its path says."""

    def __init__(self, files: Sequence[_File]) -> None:
        self._files = files

    def add(self, rows: ActionRows) -> None:
        """Give the rows to their files."""
        if len(self._files) == 1:
            self._files[0].add(rows)
            return
        number = len(self._files)
        paths = pc.struct_field(rows.actions, "path")
        places = pa.array([crc32(text) % number for text in texts_of(paths)], pa.int32())
        for place in pc.unique(places).to_pylist():
            own = rows.actions.filter(pc.equal(places, place))
            self._files[place].add(ActionRows(rows.kind, own))
        while sum(file.waiting for file in self._files) > WAITING:
            max(self._files, key=lambda file: file.waiting).flush()


class _Sequence:
    """Fills one file after the other."""

    def __init__(self, files: Sequence[_File], rows_a_file: int) -> None:
        self._files = list(files)
        self._most = rows_a_file

    def add(self, rows: ActionRows) -> None:
        """Give the rows to the first file that has room; the last one takes what is left."""
        actions = rows.actions
        while len(actions):
            file = self._files[0]
            room = len(actions) if len(self._files) == 1 else self._most - file.rows
            file.add(ActionRows(rows.kind, actions.slice(0, room)))
            actions = actions.slice(room)
            if len(self._files) > 1 and file.rows >= self._most:
                file.flush()
                self._files.pop(0)


def _dictionaries(schema: pa.Schema) -> list[str]:
    """Return the leaves of which many rows have the same value."""
    leaves = [leaf for field in schema for leaf in _leaf_paths(field, ())]
    return [leaf for leaf in leaves if leaf.startswith(_DICTIONARIES)]


def _leaf_paths(field: Any, above: tuple[str, ...]) -> Iterator[str]:
    path = (*above, field.name)
    if pa.types.is_struct(field.type):
        for inner in field.type:
            yield from _leaf_paths(inner, path)
    elif pa.types.is_map(field.type):
        yield from (".".join((*path, "key_value", name)) for name in ("key", "value"))
    else:
        yield ".".join(path)


def write_top(
    contents: Contents,
    schema: CheckpointSchema,
    layout: Layout,
    folder: str,
    sidecars: Sequence[Written],
    now: int,
) -> Written:
    """Write the file of a V2 checkpoint by which readers find the others."""
    assert layout.top is not None
    tags = {
        "sidecarNumActions": str(sum(sidecar.rows for sidecar in sidecars)),
        "sidecarSizeInBytes": str(sum(sidecar.size for sidecar in sidecars)),
        "numOfAddFiles": str(contents.adds.files),
    }
    actions: list[Action] = [("checkpointMetadata", {"version": layout.version, "tags": tags})]
    for sidecar in sidecars:
        name = sidecar.path.rpartition("/")[2]
        body = {"path": name, "sizeInBytes": sidecar.size, "modificationTime": now}
        actions.append(("sidecar", body))
    actions += small_actions(contents)
    local_file = os.path.join(folder, *layout.top.split("/"))
    os.makedirs(os.path.dirname(local_file), exist_ok=True)
    if layout.top.endswith(".json"):
        lines = [json.dumps({k: v}, ensure_ascii=False, separators=(",", ":")) for k, v in actions]
        with open(local_file, "wb") as file:
            file.write("".join(f"{line}\n" for line in lines).encode())
    else:
        pq.write_table(small_rows(schema.top(), actions), local_file, store_schema=False)
    return Written(layout.top, local_file, len(actions), os.path.getsize(local_file))
