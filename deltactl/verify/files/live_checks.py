"""The live files of the newest version: what shows only if all of them are seen together."""

from collections.abc import Iterator
from typing import Self

import pyarrow as pa

from deltactl.errors import Notice
from deltactl.findings import Finding
from deltactl.log.arrow.file_table import SupersededFiles, batches_of, has_vectors, records, without
from deltactl.log.replay import Replay
from deltactl.spec.keys import (
    DELETION_VECTORS_FEATURE,
    ENABLE_ROW_TRACKING,
    ROW_TRACKING_FEATURE,
    is_enabled,
)
from deltactl.spec.protocol.protocol import supported
from deltactl.storage.base import Storage
from deltactl.table.state.files import path_warnings, vector_warnings
from deltactl.verify.checkpoint import file_texts
from deltactl.verify.files import vectors
from deltactl.verify.files.live_totals import Totals
from deltactl.verify.files.row_ids import RowIds
from deltactl.verify.findings import Findings
from deltactl.verify.log.notices import finding_from_notice
from deltactl.verify.log.state import RECORDS, State, row_id_high_water_mark


class LiveChecks:
    """Checks and counts the files that commits add, then those of the checkpoint below.

    It may hold a temporary file; close it at the end.
    """

    def __init__(self, storage: Storage, findings: Findings, state: State, replay: Replay) -> None:
        self._storage = storage
        self._findings = findings
        self._state = state
        self._replay = replay
        self._shadow = SupersededFiles(replay.files)
        self._hidden = Totals()
        self._vectors = 0
        features = frozenset() if state.protocol is None else supported(state.protocol)
        self._has_row_ids = ROW_TRACKING_FEATURE in features
        self._may_have_vectors = state.protocol is None or DELETION_VECTORS_FEATURE in features
        self._row_ids = RowIds()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._row_ids.close()

    def of_commits(self) -> None:
        """Look at the files that commits have added."""
        # Their statistics were read into the number of rows, and are long.
        for batch in batches_of(self._replay.live(), (*file_texts.COLUMNS, RECORDS[0])):
            self._state.totals.count_batch(batch)
            self._check(batch)

    def of_checkpoint(self, batch: pa.RecordBatch) -> None:
        """Look at a batch of the checkpoint's files, but for those that commits refer to."""
        hidden = self._shadow.hidden(batch)
        if hidden:
            self._hidden.count_batch(batch.take(pa.array(hidden)))
            batch = without(batch, hidden)
        for finding in self._of_vectors(batch):
            self._findings.add(vectors.VECTORS, [finding])
        self._check(batch)

    def end(self, of_checkpoint: Totals) -> None:
        """Count the checkpoint's files, and say what all of them together are lacking."""
        totals = self._state.totals
        totals.add(of_checkpoint)
        totals.add(self._hidden, -1)
        self._findings.check("files").subjects = totals.files
        self._findings.check(vectors.VECTORS).subjects = self._vectors
        if self._has_row_ids:
            metadata = self._state.metadata
            enabled = metadata is not None and is_enabled(
                metadata.configuration, ENABLE_ROW_TRACKING
            )
            found = self._row_ids.check(row_id_high_water_mark(self._state), enabled=enabled)
            self._findings.add("files", found)

    def _check(self, batch: pa.RecordBatch) -> None:
        self._findings.add("files", _warnings(batch))
        if self._has_row_ids:
            self._row_ids.add(batch)
        for vector in vectors.of_batch(batch):
            self._vectors += 1
            self._findings.add(vectors.VECTORS, vectors.check(self._storage, vector))

    def _of_vectors(self, batch: pa.RecordBatch) -> Iterator[Finding]:
        """Yield what commits are told of where they are checked."""
        if not has_vectors(batch):
            return
        held = batch.filter(batch.column("storageType").is_valid())
        path = held.column("path")
        if not self._may_have_vectors:
            notice = Notice("DELETION_VECTOR_WITHOUT_FEATURE", "it has a deletion vector")
            yield finding_from_notice(notice, path[0].as_py())
        unknown = path.filter(records(held).is_null())
        for name in unknown.to_pylist():
            expected = "numRecords in the statistics, for there is a deletion vector"
            yield Finding("VECTOR_WITHOUT_RECORDS", name, expected, "none")


def _warnings(batch: pa.RecordBatch) -> Iterator[Finding]:
    for path, notice in path_warnings(batch):
        if notice.code != "ABSOLUTE_PATH":
            yield finding_from_notice(notice, path)
    if has_vectors(batch):
        for notice in vector_warnings(batch, records(batch)):
            yield finding_from_notice(notice, vectors.VECTORS)
