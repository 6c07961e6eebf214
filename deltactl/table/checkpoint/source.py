"""The file actions of a table as its next checkpoint holds them, streamed from what it has."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from deltactl.errors import BrokenLogError, UnreadableCheckpointError
from deltactl.log.arrow.file_table import (
    SupersededFiles,
    cut_out,
    flatten,
    from_adds,
    has_vectors,
    without,
)
from deltactl.log.arrow.files_digest import COLUMNS, FilesDigest
from deltactl.log.checkpoint.checkpoint_schema import (
    ADD,
    REMOVE,
    STATS,
    STATS_PARSED,
    CheckpointSchema,
)
from deltactl.log.checkpoint.rows import Path, RowMaker, holds
from deltactl.log.replay import file_key
from deltactl.spec.actions import validation
from deltactl.spec.actions.fields import malformed
from deltactl.spec.actions.file_action import AddFile, RemoveFile
from deltactl.spec.actions.validation import FieldError
from deltactl.spec.keys import DELETION_VECTORS_FEATURE
from deltactl.spec.protocol.protocol import supported
from deltactl.table.checkpoint.reader import WHOLE_ROWS
from deltactl.table.checkpoint.stats_parser import StatsParser
from deltactl.table.parallel import parallel_map, prefetch
from deltactl.table.parquet.parquet_file import ParquetFile
from deltactl.table.state.files import TableState, vector_without_feature

T = TypeVar("T")
# What Arrow raises for a column of a type that no checkpoint has, or for a missing column.
_NOT_OF_CHECKPOINTS = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, KeyError)


class ActionRows(NamedTuple):
    """Rows of one kind, `add` or `remove`, none of them null."""

    kind: str
    actions: pa.StructArray


class _Held(NamedTuple):
    """Rows as an older checkpoint holds them; some may be of other actions."""

    kind: str
    actions: pa.StructArray
    legacy_times: frozenset[Path] = frozenset()


class _New(NamedTuple):
    """Actions of commits, or those of a checkpoint in JSON that no newer commit replaces."""

    adds: Sequence[AddFile] = ()
    removes: Sequence[RemoveFile] = ()


class FileRows:
    """The adds, and the tombstones that were made after `expired`, in milliseconds.

    What was streamed is counted in `adds` and `removes`.
    """

    def __init__(self, state: TableState, schema: CheckpointSchema, expired: int) -> None:
        self.adds = FilesDigest()
        self.removes = FilesDigest()
        self._state = state
        self._maker = RowMaker(schema, StatsParser(schema.stats or pa.struct([])).parse)
        self._schema = schema
        self._expired = expired
        self._shadow = SupersededFiles(state.replay.files)
        self._may_have_vectors = DELETION_VECTORS_FEATURE in supported(state.snapshot.protocol)

    def stream(self) -> Iterator[ActionRows]:
        """Yield all rows; reading, and making what is new of them, run ahead in threads.

        Raises:
            BrokenLogError: a file has a deletion vector, and the protocol does not allow them.
            UnreadableCheckpointError: a file of the older checkpoint cannot be read.
        """
        with (
            prefetch(self._read()) as read,
            parallel_map(self._made, read) as made,
            prefetch(made) as ready,
        ):
            for parts in ready:
                for rows, digest in parts:
                    (self.adds if rows.kind == "add" else self.removes).merge(digest)
                    yield rows

    def _read(self) -> Iterator[_Held | _New]:
        replay, reader = self._state.replay, self._state.reader
        for adds in _chunks(replay.live()):
            yield _New(adds=adds)
        recent = (r for r in replay.removes.values() if self._is_kept(r))
        for removes in _chunks(recent):
            yield _New(removes=removes)
        if reader is None:
            return
        for found in reader.batches(self._columns):
            if isinstance(found, list):
                yield self._of_json(found)
                continue
            batch, parquet = found
            legacy = _legacy_times(parquet)
            for kind in ("add", "remove"):
                place = batch.schema.get_field_index(kind)
                if place >= 0 and batch.column(place).type.get_field_index("path") >= 0:
                    yield _Held(kind, batch.column(place), legacy)

    def _of_json(self, actions: Sequence[tuple[str, dict[str, Any]]]) -> _New:
        """Return the file actions that a V2 checkpoint has in its own file."""
        newer, reader = self._state.replay.files, self._state.reader
        assert reader is not None
        try:
            adds = [_add(body) for kind, body in actions if kind == "add"]
            removes = [_remove(body) for kind, body in actions if kind == "remove"]
        except BrokenLogError as error:
            name = reader.checkpoint.files[0].name
            raise UnreadableCheckpointError(
                "CHECKPOINT_UNREADABLE",
                f"checkpoint {name} cannot be read: {error}",
                details={"file": name},
            ) from error
        return _New(
            [add for add in adds if file_key(add) not in newer],
            [r for r in removes if file_key(r) not in newer and self._is_kept(r)],
        )

    def _made(self, part: _Held | _New) -> list[tuple[ActionRows, FilesDigest]]:
        if isinstance(part, _New):
            return list(self._made_new(part))
        try:
            return self._made_again(part)
        except _NOT_OF_CHECKPOINTS as error:
            said = str(error).splitlines()[0]
            raise UnreadableCheckpointError(
                "CHECKPOINT_UNREADABLE",
                f"the {part.kind} actions of a checkpoint cannot be read: {said:.200}",
            ) from error

    def _made_again(self, part: _Held) -> list[tuple[ActionRows, FilesDigest]]:
        live, flat = self._live(part)
        if not len(live):
            return []
        if part.kind == "remove":
            return [_counted("remove", self._maker.removes(live), flat)]
        self._check_vectors(flat)
        return [_counted("add", self._maker.adds(live, part.legacy_times), flat)]

    def _made_new(self, part: _New) -> Iterator[tuple[ActionRows, FilesDigest]]:
        if part.adds:
            flat = from_adds(part.adds, COLUMNS)
            self._check_vectors(flat)
            yield _counted("add", self._maker.new_adds(part.adds), flat)
        if part.removes:
            made = self._maker.new_removes(part.removes)
            yield _counted("remove", made, flatten(made, COLUMNS))

    def _live(self, held: _Held) -> tuple[pa.StructArray, pa.RecordBatch]:
        """Return the rows that count, and their keys."""
        actions = held.actions
        path = pc.struct_field(actions, "path")
        if path.null_count:
            actions = actions.filter(path.is_valid())
        if held.kind == "remove":
            time = actions.type.get_field_index("deletionTimestamp")
            if time < 0:
                actions = actions.slice(0, 0)
            else:
                kept = pc.greater(actions.field(time), self._expired).fill_null(False)
                actions = actions.filter(kept)
        flat = flatten(actions, COLUMNS)
        if hidden := self._shadow.hidden(flat):
            actions = cut_out(actions, hidden)
            flat = without(flat, hidden)
        return actions, flat

    def _check_vectors(self, flat: pa.RecordBatch) -> None:
        if not self._may_have_vectors and has_vectors(flat):
            raise vector_without_feature(flat)

    def _is_kept(self, remove: RemoveFile) -> bool:
        time = remove.unknown.get("deletionTimestamp")
        return type(time) is int and time > self._expired

    def _columns(self, parquet: ParquetFile) -> list[str]:
        """Return those of the file's columns that the new checkpoint is made of."""
        schema = parquet.schema_arrow
        names = []
        for kind, wanted in (("add", ADD), ("remove", REMOVE)):
            place = schema.get_field_index(kind)
            held = schema.field(place).type if place >= 0 else None
            if held is None or not kinds.is_struct(held):
                continue
            for field in held:
                if wanted.get_field_index(field.name) < 0 or field.name == "dataChange":
                    continue
                if kinds.is_struct(field.type):
                    names += [f"{kind}.{field.name}.{inner.name}" for inner in field.type]
                elif not kinds.is_map(field.type) or not _is_empty(parquet, kind, field.name):
                    names.append(f"{kind}.{field.name}")
            if kind == "add":
                names += self._statistics(parquet, held)
        return names

    def _statistics(self, parquet: ParquetFile, held: pa.StructType) -> list[str]:
        names = [name for name in (STATS, STATS_PARSED) if held.get_field_index(name) >= 0]
        if STATS_PARSED not in names:
            return [f"add.{name}" for name in names]
        parsed = held.field(held.get_field_index(STATS_PARSED)).type
        if not kinds.is_struct(parsed):
            names.remove(STATS_PARSED)
        if len(names) < 2:
            return [f"add.{name}" for name in names]
        # The structs where they will do, and where there is nothing else.
        has_all = self._schema.stats is not None and holds(parsed, self._schema.stats)
        if has_all or not parquet.is_complete(f"add.{STATS}"):
            return [f"add.{name}" for name in names]
        return [f"add.{STATS}"]


def _add(body: dict[str, Any]) -> AddFile:
    # What else a checkpoint must have of an add says nothing of the file.
    _refuse("add", (error for error in validation.add_errors(body) if error.field != "dataChange"))
    return AddFile.from_json(body)


def _remove(body: dict[str, Any]) -> RemoveFile:
    _refuse("remove", validation.remove_errors(body))
    return RemoveFile.from_json(body)


def _refuse(kind: str, found: Iterable[FieldError]) -> None:
    for error in found:
        said = f"{error.field} must be {error.expected}, found {error.found:.40}"
        raise malformed(kind, said)


def _counted(
    kind: str, actions: pa.StructArray, keys: pa.RecordBatch
) -> tuple[ActionRows, FilesDigest]:
    digest = FilesDigest()
    digest.add(keys)
    return ActionRows(kind, actions), digest


def _chunks(values: Iterator[T]) -> Iterator[list[T]]:
    while chunk := list(islice(values, WHOLE_ROWS)):
        yield chunk


def _is_empty(parquet: ParquetFile, kind: str, name: str) -> bool:
    """Return whether no row has an entry in this map."""
    inside = [leaf for leaf in parquet.leaves if leaf.startswith(f"{kind}.{name}.")]
    return not any(parquet.names_with_values(group, inside[:1]) for group in parquet.groups)


def _legacy_times(parquet: ParquetFile) -> frozenset[Path]:
    """Return the leaves of `stats_parsed` in parquet's old form of a timestamp."""
    lead = f"add.{STATS_PARSED}."
    paths = [path for path in parquet.legacy_times if path.startswith(lead)]
    return frozenset(tuple(path.removeprefix(lead).split(".")) for path in paths)
