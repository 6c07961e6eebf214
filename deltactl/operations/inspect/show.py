"""`show`: a table on one screen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from deltactl.errors import Notice
from deltactl.findings import Finding
from deltactl.log.arrow import compute as pc
from deltactl.log.arrow.arrow_values import numbers
from deltactl.log.arrow.file_table import records
from deltactl.log.segment import Checkpoint
from deltactl.operations.table_features.warnings import domain_warnings, property_warnings
from deltactl.report import Report, TableRef
from deltactl.spec.actions.action import DomainMetadata, Transaction
from deltactl.table.commit_times import rfc3339
from deltactl.table.snapshot import Snapshot
from deltactl.table.state.file_totals import FileTotals
from deltactl.table.state.files import TableState, read_state, vector_warnings
from deltactl.table.table import At, Table
from deltactl.table.version_facts import (
    checkpoint_json,
    checksum_warnings,
    commit_time,
    protocol_json,
    schema_json,
    table_ref,
)


@dataclass(frozen=True, kw_only=True, repr=False)
class ShowReport(Report):
    """What the log says of a table at one version.

    Attributes:
        table: its place, its id and its name.
        snapshot: protocol, metadata and schema of the version.
        timestamp: when it was committed, in milliseconds; None if that is lost.
        checkpoint: the checkpoint that it was read from, None without one.
        files: the live files in figures.
        domains: the metadata domains.
        transactions: the versions that applications have written.
        health: what a quick check found.
        warnings: what is odd, each with a `code` and a `message`.
        called: the words by which commands name the table.
    """

    table: TableRef
    snapshot: Snapshot
    timestamp: int | None
    checkpoint: Checkpoint | None
    files: FileTotals
    domains: tuple[DomainMetadata, ...]
    transactions: tuple[Transaction, ...]
    health: tuple[Finding, ...] = ()
    warnings: tuple[Notice, ...] = field(default=())
    called: str = "TABLE"

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
            "health": [finding.to_json() for finding in self.health],
        }


class QuickCheck(Protocol):
    """A check of a table that reads nothing beyond what `show` reads."""

    def __call__(
        self,
        snapshot: Snapshot,
        *,
        files: int,
        size: int,
        domains: Sequence[DomainMetadata],
        transactions: Sequence[Transaction],
    ) -> tuple[Finding, ...]:
        """Return the findings; the files are `files`, and have `size` bytes together."""


def report_show(
    table: Table, at: At = None, *, rows: bool = False, check: QuickCheck | None = None
) -> ShowReport:
    """Sum up the table at a version.

    `rows` counts them even if that takes time; `check` finds what the report's `health` tells.
    """
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

    state = read_state(snapshot, count, keep_stats="records")
    notices = [*snapshot.notices, *state.notices, *odd, *property_warnings(snapshot)]
    notices += domain_warnings(snapshot, domains)
    notices += checksum_warnings(table, snapshot.version)
    timestamp, missing = commit_time(table, snapshot)
    health: tuple[Finding, ...] = ()
    if check is not None:
        figures = {"files": totals.count, "size": totals.size}
        health = check(snapshot, **figures, domains=domains, transactions=transactions)
    return ShowReport(
        table=table_ref(table, snapshot.metadata),
        snapshot=snapshot,
        timestamp=timestamp,
        checkpoint=None if state.reader is None else state.reader.checkpoint,
        files=totals,
        domains=tuple(domains),
        transactions=tuple(transactions),
        health=health,
        warnings=tuple(dict.fromkeys([*notices, *missing])),
    )


def _totals(state: TableState, odd: dict[Notice, None], *, rows: bool) -> FileTotals:
    totals = FileTotals(counts_records=rows or state.counts_records_cheaply)
    columns = state.records_columns() if totals.counts_records else ()
    for batch, hidden in state.uncut_batches(("size", *columns)):
        counts = records(batch) if totals.counts_records else None
        totals.add(batch, counts)
        odd.update(dict.fromkeys(vector_warnings(batch, counts)))
        if hidden:
            taken = numbers(hidden)
            less = None if counts is None else pc.take(counts, taken)
            totals.add(pc.take(batch, taken), less, sign=-1)
    return totals
