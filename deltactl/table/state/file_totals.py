"""How many live files a table has, their bytes, and more of them in figures."""

from dataclasses import dataclass

import pyarrow as pa

from deltactl.log.arrow import compute as pc
from deltactl.log.arrow.file_table import has_vectors
from deltactl.table.snapshot import Snapshot
from deltactl.table.state.files import TableState, read_state


@dataclass(slots=True, eq=False, repr=False)
class FileTotals:
    """The live files in figures."""

    counts_records: bool = False
    count: int = 0
    size: int = 0
    with_vectors: int = 0
    deleted_rows: int = 0
    _records: int = 0
    _without_records: int = 0

    @property
    def records(self) -> int | None:
        """Their rows; None if a file does not say or they were not counted."""
        return self._records if self.counts_records and not self._without_records else None

    def add(self, batch: pa.RecordBatch, counts: pa.Int64Array | None, sign: int = 1) -> None:
        """Count the files of a batch, null rows as zero; or take them back."""
        paths = batch.column("path")
        self.count += sign * (batch.num_rows - paths.null_count)
        self.size += sign * _sum(batch.column("size"))
        if has_vectors(batch):
            self.with_vectors += sign * (batch.num_rows - batch.column("storageType").null_count)
            self.deleted_rows += sign * _sum(batch.column("cardinality"))
        if counts is not None:
            self._records += sign * _sum(counts)
            self._without_records += sign * (counts.null_count - paths.null_count)


def count_files(snapshot: Snapshot) -> tuple[int, int]:
    """Return the number of live files, and their bytes.

    Raises:
        BrokenLogError: a commit, or every way to the version, is broken.
    """
    totals = FileTotals()

    def count(state: TableState) -> None:
        nonlocal totals
        totals = FileTotals()
        for batch in state.batches(("size",)):
            totals.add(batch, None)

    read_state(snapshot, count, keep_stats=False)
    return totals.count, totals.size


def _sum(column: pa.Int64Array) -> int:
    return int(pc.sum(column, min_count=0).as_py())
