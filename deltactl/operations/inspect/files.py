"""`files`: the live files of a table, and which physical types they hold."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import pyarrow as pa

from deltactl.errors import Notice
from deltactl.log.arrow.file_json import COLUMNS, json_lines
from deltactl.log.arrow.file_table import records, with_keys
from deltactl.report import Report, TableRef
from deltactl.spec.schema.column_mapping import mode, physical_name
from deltactl.table.state.files import TableState, path_warnings, prepare_state, vector_warnings
from deltactl.table.table import At, Table
from deltactl.table.version_facts import table_ref

VALUES = "partitionValues"


@dataclass(kw_only=True)
class FilesReport(Report):
    """The live files of a version, which `batches` and `elements` read as they are taken.

    Attributes:
        table: its place, its id and its name.
        version: the version that was read.
        state: what yields the files.
        limit: how many files at most, None for all.
        has_more: whether there are more than `limit`; known at the end.
        warnings: what is odd, each with a `code` and a `message`; known at the end.
    """

    streamed: ClassVar[str | None] = "files"
    table: TableRef
    version: int
    state: TableState
    limit: int | None
    has_more: bool = False
    warnings: tuple[Notice, ...] = field(default=())

    def body(self) -> Mapping[str, Any]:
        replay = self.state.replay
        return {
            "version": self.version,
            "changeFiles": {
                "count": replay.change_files,
                "bytes": replay.change_bytes,
                "sinceVersion": self.state.first_version,
            },
        }

    def elements(self) -> Iterator[bytes]:
        for batch, counts in self.batches():
            yield json_lines(batch, counts)

    def batches(self) -> Iterator[tuple[pa.RecordBatch, pa.Int64Array]]:
        """Yield the files with the rows of each, null if nothing says it."""
        left = self.limit
        odd: dict[str, Notice] = {}
        columns = (*COLUMNS, *self.state.records_columns())
        for batch in self.state.batches(columns):
            if left is not None:
                self.has_more = batch.num_rows > left
                batch = batch.slice(0, left)
                left -= batch.num_rows
            counts = records(batch)
            of_paths = (notice for _, notice in path_warnings(batch))
            for notice in (*of_paths, *vector_warnings(batch, counts)):
                odd.setdefault(notice.code, notice)
            if batch.num_rows:
                yield self._with_names(batch), counts
            if self.has_more:
                break
        self.warnings = (*self.warnings, *odd.values())

    def _with_names(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the batch with its partition values under the names of their columns."""
        if not self._names:
            return batch
        place = batch.schema.get_field_index(VALUES)
        values = with_keys(batch.column(place), self._names)
        return batch.set_column(place, batch.schema.field(place), values)

    @cached_property
    def _names(self) -> Mapping[str, str]:
        """Each partition column's name by the key that files have, if that is another one."""
        snapshot = self.state.snapshot
        if snapshot.schema is None or mode(snapshot.metadata.configuration) == "none":
            return {}
        columns = {name.casefold() for name in snapshot.metadata.partition_columns}
        fields = (f for f in snapshot.schema.fields if f.name.casefold() in columns)
        return {physical_name(f): f.name for f in fields if physical_name(f) != f.name}


def report_files(table: Table, at: At = None, *, limit: int | None = None) -> FilesReport:
    """Return the live files at a version."""
    snapshot = table.snapshot(at)
    state = prepare_state(snapshot, keep_stats="records")
    return FilesReport(
        table=table_ref(table, snapshot.metadata),
        version=snapshot.version,
        state=state,
        limit=limit,
        warnings=tuple(dict.fromkeys((*snapshot.notices, *state.notices))),
    )
