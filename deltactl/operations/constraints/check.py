"""Whether the rows of a table satisfy a condition, file by file."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from deltactl.changes.draft import Draft
from deltactl.changes.rows import Counterexample
from deltactl.log.arrow.row_check import (
    Columns,
    NotComparableError,
    as_compared,
    constant,
    missing,
    violating,
    violations,
)
from deltactl.log.paths import canonical
from deltactl.operations.row_checks.example_columns import ExampleColumns
from deltactl.operations.row_checks.files import DataFile, FileKey, key_of, live_files, wanted
from deltactl.operations.row_checks.row_check_result import SHOWN, RowCheckResult
from deltactl.spec.constraints.condition import Condition, columns_of
from deltactl.storage.base import Storage
from deltactl.storage.remote.threads import DaemonPool
from deltactl.table.parquet.row_batches import Held, read_batches

# Most of the time goes to the store, or to Arrow, which leaves other threads room.
THREADS = 8
_LOT = 256

Advance = Callable[[int], None]


class FileViolations(NamedTuple):
    """What one file has: its rows, and those that violate the condition.

    `unsure` is why only Spark can tell.
    """

    rows: int
    violations: int = 0
    unsure: str | None = None


class RowCheck:
    """Checks the rows of one table for one command.

    A planner may run several times: what it has read of a file it does not read again, for a
    file never changes.
    """

    def __init__(self) -> None:
        self._condition: Condition | None = None
        self._answers: dict[FileKey, FileViolations] = {}

    def check(self, draft: Draft, condition: Condition, advance: Advance) -> RowCheckResult:
        """Look at every row; `advance` is told of each file that was read.

        Raises:
            UnreadableFileError: a data file is missing, or cannot be read.
        """
        if condition != self._condition:
            self._condition, self._answers = condition, {}
        reader = _Reader(draft, condition)
        answers = self._answers
        finding = RowCheckResult()
        wrong: list[DataFile] = []
        files = live_files(draft.base)
        with DaemonPool(THREADS, "rows") as pool:
            # In bounded lots: a table may have millions of files.
            while lot := list(islice(files, _LOT)):
                new = [file for file in lot if key_of(file) not in answers]
                for file, answer in zip(new, pool.map(reader.read_file, new), strict=True):
                    answers[key_of(file)] = answer
                    advance(1)
                for file in lot:
                    answer = answers[key_of(file)]
                    finding = _with(finding, file, answer)
                    if answer.violations and len(wrong) < SHOWN:
                        wrong.append(file)
        if finding.unsure is not None:
            return finding
        examples = (row for file in wrong for row in reader.examples(file))
        return finding._replace(examples=tuple(islice(examples, SHOWN)))


def _with(finding: RowCheckResult, file: DataFile, answer: FileViolations) -> RowCheckResult:
    first = finding.first or (file.path if answer.violations else None)
    unsure = finding.unsure or (answer.unsure and f"{file.path}: {answer.unsure}")
    return RowCheckResult(
        finding.files + 1,
        finding.rows + answer.rows,
        finding.violations + answer.violations,
        first,
        unsure,
    )


class _Reader:
    """Reads files for one condition; its columns are found by their physical names or ids."""

    def __init__(self, draft: Draft, condition: Condition) -> None:
        self._draft = draft
        self._storage: Storage = draft.base.log.storage
        self._condition = condition
        columns = list({column.path: column for column in columns_of(condition)}.values())
        partitions = set(draft.partition_columns)
        self._stored = [c for c in columns if len(c.path) > 1 or c.path[0] not in partitions]
        self._constant = [c for c in columns if c not in self._stored]
        self._wanted = [wanted(draft, column.path) for column in self._stored]
        self._keys = {c.path: wanted(draft, c.path).path[0] for c in self._constant}

    def read_file(self, file: DataFile) -> FileViolations:
        """Read one file."""
        rows = wrong = 0
        try:
            for batch in read_batches(self._storage, canonical(file.path), self._wanted):
                rows += batch.rows
                columns = self._columns(file, batch.columns, batch.rows)
                wrong += violations(self._condition, columns, batch.rows)
        except NotComparableError as error:
            return FileViolations(rows, unsure=str(error))
        left = rows - file.deleted
        # Rows that hold the condition hold it whether or not they are deleted.
        if wrong and file.vector is not None:
            return FileViolations(
                left, unsure="rows of it violate the condition, and rows are deleted"
            )
        return FileViolations(left, wrong)

    def examples(self, file: DataFile) -> Iterator[Counterexample]:
        """Yield rows of the file that violate the condition."""
        own = len(self._wanted)
        shown = ExampleColumns(
            self._draft, [column.path for column in (*self._stored, *self._constant)]
        )
        asked = [*self._wanted, *shown.wanted]
        for batch in read_batches(self._storage, canonical(file.path), asked):
            columns = self._columns(file, batch.columns[:own], batch.rows)
            found = violating(self._condition, columns, batch.rows)
            yield from shown.examples(file, batch.columns[own:], found)

    def _columns(self, file: DataFile, stored: Sequence[Held | None], rows: int) -> Columns:
        columns = {}
        for column, held in zip(self._stored, stored, strict=True):
            columns[column.path] = (
                missing(column, rows)
                if held is None
                else as_compared(held.values, held.type, column)
            )
        for column in self._constant:
            text = file.partition_values.get(self._keys[column.path])
            columns[column.path] = constant(text, column, rows)
        return columns
