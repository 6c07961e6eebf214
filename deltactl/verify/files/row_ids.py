"""Row ids: on every file that needs them, apart from each other, and below the high-water mark."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.findings import Finding
from deltactl.log.arrow.file_table import records
from deltactl.table.state.sorted_runs import SortedRuns

_SUBJECT = "row ids"


class RowIds:
    """Gathers the row ids of any number of files, in bounded memory."""

    def __init__(self, runs: SortedRuns | None = None) -> None:
        # The first row id of each file, and its rows.
        self._files = SortedRuns(2) if runs is None else runs
        self._missing = 0

    def close(self) -> None:
        """Remove the temporary file, if there is one."""
        self._files.close()

    def add(self, batch: pa.RecordBatch) -> None:
        """Add the row ids of a batch of files.

        Raises:
            StorageError: a temporary file cannot be written.
        """
        base, rows = batch.column("baseRowId"), records(batch)
        self._missing += base.null_count
        # A file without rows has no ids, and begins where another one does.
        known = pc.and_(base.is_valid(), pc.fill_null(pc.greater(rows, 0), False))
        self._files.add(base.filter(known), rows.filter(known))

    def check(self, mark: int | None, *, enabled: bool) -> Iterator[Finding]:
        """Yield what is wrong with them; `mark` is the highest row id that was given out.

        Raises:
            StorageError: a temporary file cannot be written or read.
        """
        if self._missing and enabled:
            found = f"none on {self._missing} files"
            yield Finding("ROW_ID_MISSING", _SUBJECT, "a baseRowId on every file", found)
        last: int | None = None
        end: int | None = None
        overlap: Finding | None = None
        for base, rows in self._files.ordered():
            ends = pc.add(base, rows)
            if overlap is None:
                overlap = _overlap(base, ends, end)
            end = ends[-1].as_py() if len(ends) else end
            tops = (last, pc.max(ends).as_py())
            last = max((top for top in tops if top is not None), default=None)
        if overlap is not None:
            yield overlap
        if last is not None and (mark is None or mark < last - 1):
            found = "no such domain" if mark is None else str(mark)
            expected = f"a high-water mark of {last - 1} or more"
            yield Finding("ROW_ID_MARK_TOO_LOW", _SUBJECT, expected, found)


def _overlap(base: pa.Int64Array, ends: pa.Int64Array, before: int | None) -> Finding | None:
    """Return the first file that begins before the one below it ends; `before` is an end, too."""
    if before is not None and len(base) and before > (first := base[0].as_py()):
        return _overlapping(before, first)
    if len(base) < 2:
        return None
    place = pc.index(pc.greater(ends[:-1], base[1:]), True).as_py()
    return None if place < 0 else _overlapping(ends[place].as_py(), base[place + 1].as_py())


def _overlapping(end: int, start: int) -> Finding:
    expected = f"row ids from {end} on, behind those of the file before"
    return Finding("ROW_IDS_OVERLAP", _SUBJECT, expected, f"from {start} on")
