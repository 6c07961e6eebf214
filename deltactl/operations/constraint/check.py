"""Whether the rows of a table satisfy a condition, file by file."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import NamedTuple

from deltactl.log.paths import canonical
from deltactl.log.row_check import (
    Columns,
    NotComparableError,
    as_compared,
    constant,
    missing,
    violations,
)
from deltactl.model import column_mapping
from deltactl.model.condition import Condition, columns_of
from deltactl.model.schema import Path, find
from deltactl.operations.change.draft import Draft
from deltactl.storage.base import Storage
from deltactl.table.files import prepare_state
from deltactl.table.row_batches import Batch, Wanted, read_batches
from deltactl.table.snapshot import Snapshot

# Most of the time goes to the store, or to Arrow, which leaves other threads room.
THREADS = 8
_LOT = 256

Advance = Callable[[int], None]


class DataFile(NamedTuple):
    """A live file: `vector` says which of its rows are deleted, how many they are `deleted`."""

    path: str
    partition_values: Mapping[str, str | None]
    vector: tuple[object, ...] | None
    deleted: int


class Answer(NamedTuple):
    """What one file has: its rows, and those that violate the condition.

    `unsure` is why only Spark can tell.
    """

    rows: int
    violations: int = 0
    unsure: str | None = None


class Finding(NamedTuple):
    """What all files have; `first` is the first of the files in which rows violate it."""

    files: int = 0
    rows: int = 0
    violations: int = 0
    first: str | None = None
    unsure: str | None = None


class RowCheck:
    """Checks the rows of one table for one command.

    A planner may run several times: what it has read of a file it does not read again, for a
    file never changes.
    """

    def __init__(self) -> None:
        self._condition: Condition | None = None
        self._answers: dict[tuple[str, tuple[object, ...] | None], Answer] = {}

    def check(self, draft: Draft, condition: Condition, advance: Advance) -> Finding:
        """Look at every row; `advance` is told of each file that was read.

        Raises:
            UnreadableFileError: a data file is missing, or cannot be read.
        """
        if condition != self._condition:
            self._condition, self._answers = condition, {}
        reader = _Reader(draft, condition)
        answers = self._answers
        finding = Finding()
        files = live_files(draft.base)
        with ThreadPoolExecutor(THREADS) as pool:
            # In bounded lots: a table may have millions of files.
            while lot := list(islice(files, _LOT)):
                new = [file for file in lot if (file.path, file.vector) not in answers]
                for file, answer in zip(new, pool.map(reader.look, new), strict=True):
                    answers[file.path, file.vector] = answer
                    advance(1)
                for file in lot:
                    finding = _with(finding, file, answers[file.path, file.vector])
        return finding


def live_files(snapshot: Snapshot) -> Iterator[DataFile]:
    """Every file of the table."""
    state = prepare_state(snapshot)
    for batch in state.batches(("partitionValues",)):
        rows = zip(*(batch.column(name).to_pylist() for name in _COLUMNS), strict=True)
        for path, values, kind, where, offset, deleted in rows:
            vector = None if kind is None else (kind, where, offset)
            yield DataFile(path, dict(values or ()), vector, deleted or 0)


_COLUMNS = ("path", "partitionValues", "storageType", "pathOrInlineDv", "offset", "cardinality")


def _with(finding: Finding, file: DataFile, answer: Answer) -> Finding:
    first = finding.first or (file.path if answer.violations else None)
    unsure = finding.unsure or (answer.unsure and f"{file.path}: {answer.unsure}")
    return Finding(
        finding.files + 1,
        finding.rows + answer.rows,
        finding.violations + answer.violations,
        first,
        unsure,
    )


class _Reader:
    """Reads files for one condition; its columns are found by their physical names or ids."""

    def __init__(self, draft: Draft, condition: Condition) -> None:
        self._storage: Storage = draft.base.log.storage
        self._condition = condition
        columns = list({column.path: column for column in columns_of(condition)}.values())
        partitions = set(draft.partition_columns)
        self._stored = [c for c in columns if len(c.path) > 1 or c.path[0] not in partitions]
        self._constant = [c for c in columns if c not in self._stored]
        self._wanted = [_wanted(draft, column.path) for column in self._stored]
        self._keys = {c.path: _wanted(draft, c.path).path[0] for c in self._constant}

    def look(self, file: DataFile) -> Answer:
        """Read one file."""
        rows = wrong = 0
        try:
            for batch in read_batches(self._storage, canonical(file.path), self._wanted):
                rows += batch.rows
                wrong += violations(self._condition, self._columns(file, batch), batch.rows)
        except NotComparableError as error:
            return Answer(rows, unsure=str(error))
        left = rows - file.deleted
        # Rows that hold the condition hold it whether or not they are deleted.
        if wrong and file.vector is not None:
            return Answer(left, unsure="rows of it violate the condition, and rows are deleted")
        return Answer(left, wrong)

    def _columns(self, file: DataFile, batch: Batch) -> Columns:
        columns = {}
        for column, held in zip(self._stored, batch.columns, strict=True):
            columns[column.path] = (
                missing(column, batch.rows)
                if held is None
                else as_compared(held.values, held.type, column)
            )
        for column in self._constant:
            text = file.partition_values.get(self._keys[column.path])
            columns[column.path] = constant(text, column, batch.rows)
        return columns


def _wanted(draft: Draft, path: Path) -> Wanted:
    schema = draft.schema
    node = find(schema, path)
    by_id = column_mapping.mode(draft.base.configuration) == "id"
    ids = column_mapping.id_path(schema, node) if by_id else None
    return Wanted(column_mapping.physical_path(schema, node), ids)
