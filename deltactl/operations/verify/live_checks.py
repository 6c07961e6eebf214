"""The live files of the newest version: what shows only where all of them are seen together."""

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.errors import Notice
from deltactl.log.file_table import Shadow, from_adds, has_vectors, records, without
from deltactl.log.replay import Replay
from deltactl.log.verify import said
from deltactl.log.verify.finding import Finding
from deltactl.log.verify.heads import is_on
from deltactl.model.protocol import supported
from deltactl.operations.verify import file_texts, vectors
from deltactl.operations.verify.gathered import Findings
from deltactl.operations.verify.live import Totals
from deltactl.operations.verify.state import RECORDS, State, mark_of
from deltactl.storage.base import Storage
from deltactl.table.files import path_remarks, vector_remarks

_ROW_TRACKING = "delta.enableRowTracking"


class LiveChecks:
    """Is shown the files that commits add, then those of the checkpoint below; counts them."""

    def __init__(self, storage: Storage, findings: Findings, state: State, replay: Replay) -> None:
        self._storage = storage
        self._findings = findings
        self._state = state
        self._replay = replay
        self._shadow = Shadow(replay.files)
        self._hidden = Totals()
        self._vectors = 0
        features = frozenset() if state.protocol is None else supported(state.protocol)
        self._has_row_ids = "rowTracking" in features
        self._may_have_vectors = state.protocol is None or "deletionVectors" in features
        self._rows: list[tuple[pa.Int64Array, pa.Int64Array]] = []

    def of_commits(self) -> None:
        """Look at the files that commits have added."""
        # Their statistics were read into the number of rows, and are long.
        batch = from_adds(self._replay.live(), (*file_texts.COLUMNS, RECORDS[0]))
        if batch.num_rows:
            self._state.totals.count_batch(batch)
            self._look(batch)

    def of_checkpoint(self, batch: pa.RecordBatch) -> None:
        """Look at a batch of the checkpoint's files, but for those that commits speak of."""
        hidden = self._shadow.hidden(batch)
        if hidden:
            self._hidden.count_batch(batch.take(pa.array(hidden)))
            batch = without(batch, hidden)
        for finding in self._of_vectors(batch):
            self._findings.take(vectors.VECTORS, [finding])
        self._look(batch)

    def end(self, of_checkpoint: Totals) -> None:
        """Count the checkpoint's files, and say what all of them together are lacking."""
        totals = self._state.totals
        totals.add(of_checkpoint)
        totals.add(self._hidden, -1)
        self._findings.check("files").subjects = totals.files
        self._findings.check(vectors.VECTORS).subjects = self._vectors
        if self._rows:
            metadata = self._state.metadata
            enabled = metadata is not None and is_on(metadata.configuration, _ROW_TRACKING)
            found = _row_ids(self._rows, mark_of(self._state), enabled=enabled)
            self._findings.take("files", found)

    def _look(self, batch: pa.RecordBatch) -> None:
        self._findings.take("files", _remarks(batch))
        if self._has_row_ids:
            self._rows.append((batch.column("baseRowId"), records(batch)))
        for vector in vectors.of_batch(batch):
            self._vectors += 1
            self._findings.take(vectors.VECTORS, vectors.check(self._storage, vector))

    def _of_vectors(self, batch: pa.RecordBatch) -> Iterator[Finding]:
        """What commits are told of where they are checked."""
        if not has_vectors(batch):
            return
        held = batch.filter(batch.column("storageType").is_valid())
        path = held.column("path")
        if not self._may_have_vectors:
            notice = Notice("DELETION_VECTOR_WITHOUT_FEATURE", "it has a deletion vector")
            yield said.finding(notice, path[0].as_py())
        unknown = path.filter(records(held).is_null())
        for name in unknown.to_pylist():
            expected = "numRecords in the statistics, for there is a deletion vector"
            yield Finding("VECTOR_WITHOUT_RECORDS", name, expected, "none")


def _remarks(batch: pa.RecordBatch) -> Iterator[Finding]:
    for notice in path_remarks(batch):
        if notice.code != "ABSOLUTE_PATH":
            yield said.finding(notice, notice.message.split(" ")[0])
    if has_vectors(batch):
        for notice in vector_remarks(batch, records(batch)):
            yield said.finding(notice, vectors.VECTORS)


def _row_ids(
    rows: Sequence[tuple[pa.Int64Array, pa.Int64Array]], mark: int | None, *, enabled: bool
) -> Iterator[Finding]:
    """Whether the files' row ids are there, apart from each other, and below the mark."""
    base = pa.chunked_array([ids for ids, _ in rows])
    counts = pa.chunked_array([number for _, number in rows])
    if base.null_count and enabled:
        found = f"none on {base.null_count} files"
        yield Finding("ROW_ID_MISSING", "row ids", "a baseRowId on every file", found)
    # A file without rows has no ids, and begins where another one does.
    known = pc.and_(base.is_valid(), pc.fill_null(pc.greater(counts, 0), False))
    base, counts = base.filter(known), counts.filter(known)
    order = pc.sort_indices(base)
    base, counts = base.take(order), counts.take(order)
    ends = pc.add(base, counts)
    if not len(base):
        return
    overlaps = pc.greater(ends[:-1], base[1:])
    if len(base) > 1 and pc.any(overlaps).as_py():
        first = pc.index(overlaps, True).as_py()
        expected = f"row ids from {ends[first].as_py()} on, behind those of the file before"
        found = f"from {base[first + 1].as_py()} on"
        yield Finding("ROW_IDS_OVERLAP", "row ids", expected, found)
    last = pc.max(ends).as_py() - 1
    if mark is None or mark < last:
        found = "no such domain" if mark is None else str(mark)
        expected = f"a high-water mark of {last} or more"
        yield Finding("ROW_ID_MARK_TOO_LOW", "row ids", expected, found)
