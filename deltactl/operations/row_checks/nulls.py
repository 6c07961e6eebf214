"""Whether a column has a value in every row: by statistics, by footers, and by rows at last."""

import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import pyarrow as pa

from deltactl.changes.draft import Draft
from deltactl.changes.rows import Counterexample
from deltactl.log.paths import canonical
from deltactl.operations.row_checks.example_columns import ExampleColumns
from deltactl.operations.row_checks.files import DataFile, FileKey, key_of, live_files, wanted
from deltactl.operations.row_checks.on_spark import SparkRows
from deltactl.operations.row_checks.row_check_result import SHOWN, RowCheckResult
from deltactl.operations.row_checks.sql import quoted_path
from deltactl.spec.schema.schema import Path, format_path
from deltactl.storage.remote.threads import DaemonPool
from deltactl.table.parquet.footers import null_count
from deltactl.table.parquet.row_batches import Batch, read_batches

# Most of the time goes to the store, or to Arrow, which leaves other threads room.
THREADS = 8
_LOT = 256

Advance = Callable[[int], None]


class Nulls(NamedTuple):
    """Of a file its rows, and those without a value; None if deleted rows may be among them."""

    rows: int
    nulls: int | None


class NullCheck:
    """Looks for rows without a value in one column of one table, for one command.

    A planner may run several times: what is known of a file is not looked for again, for a file
    never changes. `spark` looks at rows of which some are deleted, and at all rows if it is to;
    without it there are files of which it is not known.
    """

    def __init__(self, spark: SparkRows | None = None) -> None:
        self._spark = spark
        self._path: Path | None = None
        self._known: dict[FileKey, Nulls] = {}

    def check(self, draft: Draft, path: Path, advance: Advance = lambda _: None) -> RowCheckResult:
        """Look at every file; `advance` is told of each.

        Raises:
            UnreadableFileError: a data file is missing, or cannot be read.
            SparkError: Spark is to look, and is not there, or its job failed.
        """
        if self._spark is not None and self._spark.always:
            return self._on_spark(draft, path, "--engine spark asks for it")
        if path != self._path:
            self._path, self._known = path, {}
        reader, finding = _Reader(draft, path), RowCheckResult()
        wrong: list[DataFile] = []
        files = live_files(draft.base, with_stats=True)
        with DaemonPool(THREADS, "rows") as pool:
            # In bounded lots: a table may have millions of files.
            while lot := list(islice(files, _LOT)):
                new = [file for file in lot if key_of(file) not in self._known]
                for file, found in zip(new, pool.map(reader.read_file, new), strict=True):
                    self._known[key_of(file)] = found
                    advance(1)
                for file in lot:
                    finding = _with(finding, file, self._known[key_of(file)])
                    if self._known[key_of(file)].nulls and len(wrong) < SHOWN:
                        wrong.append(file)
        if finding.unsure is not None:
            if self._spark is None:
                return finding
            return self._on_spark(draft, path, f"only Spark can tell ({finding.unsure})")
        examples = (row for file in wrong for row in reader.examples(file))
        return finding._replace(examples=tuple(islice(examples, SHOWN)))

    def _on_spark(self, draft: Draft, path: Path, why: str) -> RowCheckResult:
        assert self._spark is not None
        return self._spark.check(draft, f"{quoted_path(path)} IS NOT NULL", [path], why)


def _with(finding: RowCheckResult, file: DataFile, found: Nulls) -> RowCheckResult:
    unsure = f"{file.path}: there are rows without a value, and rows that are deleted"
    return RowCheckResult(
        finding.files + 1,
        finding.rows + found.rows,
        finding.violations + (found.nulls or 0),
        finding.first or (file.path if found.nulls else None),
        finding.unsure or (unsure if found.nulls is None else None),
    )


class _Reader:
    """Looks at files for one column."""

    def __init__(self, draft: Draft, path: Path) -> None:
        self._storage = draft.base.log.storage
        self._wanted = wanted(draft, path)
        self._shown = ExampleColumns(draft, [path])
        partitions = {name.casefold() for name in draft.partition_columns}
        self._is_partition = path[0].casefold() in partitions
        self._name = format_path(path)

    def read_file(self, file: DataFile) -> Nulls:
        """Return the nulls of one file, from what tells them with the least work."""
        if self._is_partition and file.records is not None:
            left = file.records - file.deleted
            has_value = file.partition_values.get(self._wanted.path[0]) not in (None, "")
            return Nulls(left, 0 if has_value else left)
        nulls, rows = self._stated(file), file.records
        if nulls is None or rows is None:
            rows, nulls = self._held(file)
        left = rows - file.deleted
        if nulls in (0, rows) or not file.deleted:
            # Where all rows are alike it does not matter which of them are deleted.
            return Nulls(left, left if nulls == rows else nulls)
        return Nulls(left, None)

    def examples(self, file: DataFile) -> Iterator[Counterexample]:
        """Yield rows of the file without a value, whether or not they are deleted."""
        for batch in self._batches(file):
            own, *shown = batch.columns
            empty = pa.nulls(batch.rows) if own is None else own.values
            if self._is_partition:
                empty = pa.nulls(batch.rows)
            if empty.null_count:
                yield from self._shown.examples(file, shown, empty.is_null())

    def _stated(self, file: DataFile) -> int | None:
        """Return what the log says of all rows of the file, deleted ones included."""
        if file.stats is None:
            return None
        try:
            said = json.loads(file.stats)
        except (ValueError, RecursionError):
            return None
        nulls: Any = said.get("nullCount") if isinstance(said, dict) else None
        for name in self._wanted.path:
            nulls = nulls.get(name) if isinstance(nulls, dict) else None
        if type(nulls) is not int:
            return None
        # Behind a deletion vector a count that is not tight is exact only at its ends.
        is_tight = said.get("tightBounds") is not False
        return nulls if (is_tight and not file.deleted) or nulls in (0, file.records) else None

    def _held(self, file: DataFile) -> tuple[int, int]:
        """Return the rows of the file, and those without a value, as it holds them."""
        path = canonical(file.path)
        if self._is_partition:
            rows = sum(batch.rows for batch in read_batches(self._storage, path, []))
            has_value = file.partition_values.get(self._wanted.path[0]) not in (None, "")
            return rows, 0 if has_value else rows
        known = null_count(self._storage, path, self._wanted.path, self._wanted.ids)
        if known is not None:
            return known
        rows = nulls = 0
        for batch in read_batches(self._storage, path, [self._wanted]):
            [own] = batch.columns
            rows += batch.rows
            nulls += batch.rows if own is None else own.values.null_count
        return rows, nulls

    def _batches(self, file: DataFile) -> Iterator[Batch]:
        asked = [self._wanted, *self._shown.wanted]
        return read_batches(self._storage, canonical(file.path), asked)
