"""A `.crc` field by field: engines believe it, so each must be what replay gives."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deltactl.findings import Finding, shown
from deltactl.log.checksum import MOST_DOMAINS, MOST_TRANSACTIONS
from deltactl.spec.actions.action import DomainMetadata, Metadata, Protocol, Transaction
from deltactl.spec.actions.plain_form import plain
from deltactl.spec.keys import TRANSACTION_RETENTION
from deltactl.text import strict_json
from deltactl.verify.log.compare_actions import differing

_KB, _MB = 1 << 10, 1 << 20
_MEGABYTES = (
    *range(8, 40, 4), *range(40, 120, 8), *range(120, 144, 4), *range(144, 576, 16),
    *range(576, 1408, 64), *range(1408, 2048, 128), *range(2048, 4096, 256),
    *(4096 << n for n in range(7)),
)  # fmt: skip
# Where the bins of Delta's own histograms begin; a histogram with other bins is not compared.
SIZE_BOUNDS: tuple[int, ...] = (
    0, *(8 * _KB << n for n in range(10)), *(_MB * n for n in _MEGABYTES),
)  # fmt: skip
DELETED_BOUNDS: tuple[int, ...] = (0, *(10**n for n in range(8)), 2**31 - 1)

# Written under another name by older engines.
_HISTOGRAMS = ("fileSizeHistogram", "histogramOpt")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ReplayedVersion:
    """What replay says of a version. `histogram` and `deleted` are the counts of the bins.

    `in_commit_timestamp` and `transaction_id` are None if the commit gives none, or it is not
    known.
    """

    version: int
    protocol: Protocol
    metadata: Metadata
    transactions: Sequence[Transaction]
    domains: Sequence[DomainMetadata]
    gives_time: bool
    in_commit_timestamp: int | None
    files: int
    size: int
    has_vectors: bool
    vectors: int
    deleted_rows: int
    size_counts: Sequence[int]
    size_bytes: Sequence[int]
    deleted_counts: Sequence[int]
    transaction_id: str | None = None


def check(text: bytes, name: str, replayed: ReplayedVersion) -> Iterator[Finding]:
    """Yield every field of the checksum `name` that is not what the commits say."""
    try:
        value = strict_json.loads(text.decode())
    except (ValueError, RecursionError) as error:
        yield _unreadable(name, shown(str(error)))
        return
    if not isinstance(value, dict):
        yield _unreadable(name, shown(value))
        return
    for field, expected, found in _compared(value, replayed):
        if expected != found:
            said = differing(expected, found)
            yield Finding("CHECKSUM_WRONG", f"{name}: {field}", *said, repairable=True)


def text(replayed: ReplayedVersion, instead_of: bytes) -> bytes:
    """Return the checksum that the version should have, without the list of its files.

    A time that only the one it stands in for still tells is taken over from that.
    """
    body: dict[str, Any] = {"tableSizeBytes": replayed.size, "numFiles": replayed.files}
    if replayed.has_vectors:
        body["numDeletedRecordsOpt"] = replayed.deleted_rows
        body["numDeletionVectorsOpt"] = replayed.vectors
    body |= {"numMetadata": 1, "numProtocol": 1}
    time = replayed.in_commit_timestamp
    if time is None and replayed.gives_time:
        time = _time_in(instead_of)
    if time is not None:
        body["inCommitTimestampOpt"] = time
    keeps_all = not any(
        key.casefold() == TRANSACTION_RETENTION.casefold()
        for key in replayed.metadata.configuration
    )
    if keeps_all and len(replayed.transactions) <= MOST_TRANSACTIONS:
        body["setTransactions"] = [txn.to_json() for txn in replayed.transactions]
    if len(replayed.domains) <= MOST_DOMAINS:
        body["domainMetadata"] = [domain.to_json() for domain in replayed.domains]
    body |= {"metadata": replayed.metadata.to_json(), "protocol": replayed.protocol.to_json()}
    body["fileSizeHistogram"] = {
        "sortedBinBoundaries": list(SIZE_BOUNDS),
        "fileCounts": list(replayed.size_counts),
        "totalBytes": list(replayed.size_bytes),
    }
    if replayed.has_vectors:
        body["deletedRecordCountsHistogramOpt"] = {
            "deletedRecordCounts": list(replayed.deleted_counts)
        }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _time_in(text: bytes) -> int | None:
    try:
        value = strict_json.loads(text.decode())
    except (ValueError, RecursionError):
        return None
    time = value.get("inCommitTimestampOpt") if isinstance(value, dict) else None
    return time if type(time) is int else None


def _unreadable(name: str, found: str) -> Finding:
    return Finding("CHECKSUM_UNREADABLE", name, "a JSON object", found, repairable=True)


def _compared(
    value: Mapping[str, Any], replayed: ReplayedVersion
) -> Iterator[tuple[str, Any, Any]]:
    """Yield each field with what it should be and what it is; what is missing is not known."""
    wanted: dict[str, Any] = {
        "tableSizeBytes": replayed.size,
        "numFiles": replayed.files,
        "numMetadata": 1,
        "numProtocol": 1,
    }
    for field, expected in wanted.items():
        yield field, expected, value.get(field)
    for field, action in (("protocol", replayed.protocol), ("metadata", replayed.metadata)):
        if value.get(field) is not None:
            yield field, plain(action.to_json()), plain(value[field])
    optional: dict[str, Any] = {}
    if replayed.in_commit_timestamp is not None or not replayed.gives_time:
        optional["inCommitTimestampOpt"] = replayed.in_commit_timestamp
    if replayed.transaction_id is not None:
        optional["txnId"] = replayed.transaction_id
    if replayed.has_vectors:
        optional["numDeletionVectorsOpt"] = replayed.vectors
        optional["numDeletedRecordsOpt"] = replayed.deleted_rows
    for field, expected in optional.items():
        if value.get(field) is not None:
            yield field, expected, value[field]
    if not replayed.has_vectors:
        for field in ("numDeletionVectorsOpt", "numDeletedRecordsOpt"):
            if value.get(field) not in (None, 0):
                yield field, 0, value[field]
    if isinstance(held := value.get("setTransactions"), list):
        yield (
            "setTransactions",
            {t.app_id: t.version for t in replayed.transactions},
            _by_name(held, "appId", "version"),
        )
    if isinstance(held := value.get("domainMetadata"), list):
        yield (
            "domainMetadata",
            {d.domain: d.configuration for d in replayed.domains},
            _by_name(held, "domain", "configuration"),
        )
    if isinstance(held := value.get("allFiles"), list):
        yield "allFiles", replayed.files, len(held)
        sizes = [body.get("size") for body in held if isinstance(body, dict)]
        if all(type(size) is int for size in sizes):
            yield "allFiles, their sizes", replayed.size, sum(sizes)
    yield from _histograms(value, replayed)


def _by_name(held: Sequence[Any], key: str, field: str) -> dict[str, Any]:
    """Return each entry's field by its name, or as it is written if it has none."""
    found: dict[str, Any] = {}
    for body in held:
        name = body.get(key) if isinstance(body, dict) else None
        if isinstance(name, str):
            found[name] = body.get(field)
        else:
            found[json.dumps(body)] = None
    return found


def _histograms(
    value: Mapping[str, Any], replayed: ReplayedVersion
) -> Iterator[tuple[str, Any, Any]]:
    for field in _HISTOGRAMS:
        held = value.get(field)
        if isinstance(held, dict) and held.get("sortedBinBoundaries") == list(SIZE_BOUNDS):
            yield f"{field}.fileCounts", list(replayed.size_counts), held.get("fileCounts")
            yield f"{field}.totalBytes", list(replayed.size_bytes), held.get("totalBytes")
    held = value.get("deletedRecordCountsHistogramOpt")
    if isinstance(held, dict) and replayed.has_vectors:
        counts = held.get("deletedRecordCounts")
        # A checksum whose vectors were never counted has zeros throughout.
        if counts and not (isinstance(counts, list) and not any(counts)):
            field = "deletedRecordCountsHistogramOpt.deletedRecordCounts"
            yield field, list(replayed.deleted_counts), counts
