"""`show`: a table on one screen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pyarrow.compute as pc

from deltactl.errors import Notice
from deltactl.log.file_table import records
from deltactl.log.segment import Checkpoint
from deltactl.model.actions import DomainMetadata, Transaction
from deltactl.operations.remarks import domain_remarks, property_remarks
from deltactl.operations.report import Report, TableRef
from deltactl.operations.version_facts import (
    checkpoint_json,
    checksum_remarks,
    commit_time,
    protocol_json,
    schema_json,
)
from deltactl.table.commit_times import rfc3339
from deltactl.table.files import TableState, read_state, vector_remarks
from deltactl.table.snapshot import Snapshot
from deltactl.table.table import At, Table


@dataclass(slots=True)
class FileTotals:
    """The live files in figures; `records` is None where a file does not say or nobody counted."""

    counts_records: bool = False
    count: int = 0
    size: int = 0
    records: int | None = None
    with_vectors: int = 0
    deleted_rows: int = 0


@dataclass(frozen=True, kw_only=True)
class ShowReport(Report):
    """All that the log says of a table at one version, files summed up."""

    command: ClassVar[str] = "show"
    table: TableRef
    snapshot: Snapshot
    timestamp: int | None
    checkpoint: Checkpoint | None
    files: FileTotals
    domains: list[DomainMetadata]
    transactions: list[Transaction]
    warnings: tuple[Notice, ...] = field(default=())

    def body(self) -> Mapping[str, Any]:
        metadata = self.snapshot.metadata
        return {
            "version": self.snapshot.version,
            "timestamp": None if self.timestamp is None else rfc3339(self.timestamp),
            "description": metadata.description,
            "format": metadata.format.get("provider"),
            "protocol": protocol_json(self.snapshot.protocol),
            "schema": schema_json(metadata),
            "partitionColumns": list(metadata.partition_columns),
            "properties": dict(metadata.configuration),
            "files": {
                "count": self.files.count,
                "bytes": self.files.size,
                "records": self.files.records,
                "withDeletionVectors": self.files.with_vectors,
                "deletedRows": self.files.deleted_rows,
            },
            "domains": [
                {"domain": d.domain, "configuration": d.configuration} for d in self.domains
            ],
            "transactions": [{"appId": t.app_id, "version": t.version} for t in self.transactions],
            "checkpoint": self.checkpoint and checkpoint_json(self.checkpoint),
        }


def report_show(table: Table, at: At = None, *, rows: bool = False) -> ShowReport:
    """Sum up the table at a version; `rows` counts them even where that takes time."""
    snapshot = table.snapshot(at)
    totals = FileTotals()
    odd: dict[Notice, None] = {}
    domains: list[DomainMetadata] = []
    transactions: list[Transaction] = []

    def count(state: TableState) -> None:
        nonlocal totals, domains, transactions
        odd.clear()
        totals = _totals(state, odd, rows=rows)
        domains, transactions = state.domains(), state.transactions()

    state = read_state(snapshot, count)
    notices = [*snapshot.notices, *state.notices, *odd, *property_remarks(snapshot)]
    notices += domain_remarks(snapshot, domains)
    notices += checksum_remarks(table, snapshot.version)
    timestamp, missing = commit_time(table, snapshot)
    return ShowReport(
        table=TableRef(table.uri, snapshot.metadata.id, snapshot.metadata.name),
        snapshot=snapshot,
        timestamp=timestamp,
        checkpoint=None if state.reader is None else state.reader.checkpoint,
        files=totals,
        domains=domains,
        transactions=transactions,
        warnings=tuple(dict.fromkeys([*notices, *missing])),
    )


def _totals(state: TableState, odd: dict[Notice, None], *, rows: bool) -> FileTotals:
    totals = FileTotals()
    counting = rows or state.counts_records_cheaply
    if counting:
        totals.records, totals.counts_records = 0, True
    columns = state.records_columns() if counting else ()
    for batch in state.batches(("size", *columns)):
        totals.count += batch.num_rows
        totals.size += pc.sum(batch.column("size")).as_py() or 0
        found = records(batch) if counting else None
        vectors = batch.num_rows - batch.column("storageType").null_count
        if vectors:
            totals.with_vectors += vectors
            totals.deleted_rows += pc.sum(batch.column("cardinality")).as_py() or 0
            odd.update(dict.fromkeys(vector_remarks(batch, found)))
        if found is not None and totals.records is not None:
            known = not found.null_count
            totals.records = totals.records + (pc.sum(found).as_py() or 0) if known else None
    return totals
