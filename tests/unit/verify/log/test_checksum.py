"""A checksum against what replay says: each field that differs, and the text that it should be."""

import json
from dataclasses import replace
from typing import Any

import pytest

from deltactl.spec.actions.action import DomainMetadata, Metadata, Protocol, Transaction
from deltactl.verify.log.checksum import DELETED_BOUNDS, SIZE_BOUNDS, ReplayedVersion, check, text

PROTOCOL = {"minReaderVersion": 1, "minWriterVersion": 2}
METADATA: dict[str, Any] = {
    "id": "m",
    "format": {"provider": "parquet", "options": {}},
    "schemaString": "{}",
    "partitionColumns": [],
    "configuration": {},
}
COUNTS = [2, *[0] * (len(SIZE_BOUNDS) - 1)]
BYTES = [908, *[0] * (len(SIZE_BOUNDS) - 1)]
DELETED = [1, 1, *[0] * (len(DELETED_BOUNDS) - 2)]

PLAIN = ReplayedVersion(
    version=4,
    protocol=Protocol.from_json(PROTOCOL),
    metadata=Metadata.from_json(METADATA),
    transactions=[Transaction(app_id="a", version=1)],
    domains=[DomainMetadata(domain="own", configuration="x")],
    gives_time=False,
    in_commit_timestamp=None,
    files=2,
    size=908,
    has_vectors=False,
    vectors=0,
    deleted_rows=0,
    size_counts=COUNTS,
    size_bytes=BYTES,
    deleted_counts=[0] * len(DELETED_BOUNDS),
)
TIMED = replace(PLAIN, gives_time=True, in_commit_timestamp=7, transaction_id="t")
VECTORED = replace(PLAIN, has_vectors=True, vectors=1, deleted_rows=3, deleted_counts=DELETED)
BODY: dict[str, Any] = {
    "tableSizeBytes": 908,
    "numFiles": 2,
    "numMetadata": 1,
    "numProtocol": 1,
    "setTransactions": [{"appId": "a", "version": 1}],
    "domainMetadata": [{"domain": "own", "configuration": "x", "removed": False}],
    "metadata": METADATA,
    "protocol": PROTOCOL,
    "fileSizeHistogram": {
        "sortedBinBoundaries": list(SIZE_BOUNDS), "fileCounts": COUNTS, "totalBytes": BYTES,
    },
}  # fmt: skip


def found(replayed: ReplayedVersion, **changed: Any) -> list[tuple[str, str, str]]:
    body = {key: value for key, value in {**BODY, **changed}.items() if value is not None}
    findings = list(check(json.dumps(body).encode(), "4.crc", replayed))
    assert all((f.code, f.repairable) == ("CHECKSUM_WRONG", True) for f in findings)
    return [(f.subject.removeprefix("4.crc: "), f.expected, f.found) for f in findings]


def histogram(**changed: Any) -> dict[str, Any]:
    return {**BODY["fileSizeHistogram"], **changed}


@pytest.mark.parametrize("replayed", [PLAIN, TIMED, VECTORED], ids=["plain", "timed", "vectored"])
def test_a_checksum_that_is_right(replayed: ReplayedVersion) -> None:
    assert found(replayed) == []
    written = text(replayed, b"")
    assert list(check(written, "4.crc", replayed)) == []
    assert written.endswith(b"}\n")


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"numFiles": 3}, [("numFiles", "2", "3")]),
        ({"numFiles": None}, [("numFiles", "2", "none")]),
        ({"tableSizeBytes": 907}, [("tableSizeBytes", "908", "907")]),
        ({"numMetadata": 2}, [("numMetadata", "1", "2")]),
        ({"numProtocol": 0}, [("numProtocol", "1", "0")]),
        ({"inCommitTimestampOpt": 5}, [("inCommitTimestampOpt", "none", "5")]),
        ({"txnId": "any"}, []),  # the commit does not tell its own
        ({"numDeletionVectorsOpt": 0, "numDeletedRecordsOpt": 0}, []),
        ({"numDeletionVectorsOpt": 1}, [("numDeletionVectorsOpt", "0", "1")]),
        ({"numDeletedRecordsOpt": 2}, [("numDeletedRecordsOpt", "0", "2")]),
        ({"setTransactions": None, "domainMetadata": None}, []),
        ({"setTransactions": 5}, []),
        ({"allFiles": [{"size": 908}, {"size": 0}]}, []),
        (
            {"allFiles": [{"size": 1}]},
            [("allFiles", "2", "1"), ("allFiles, their sizes", "908", "1")],
        ),
        ({"allFiles": [{"size": "1"}, {}]}, []),
        ({"fileSizeHistogram": histogram(sortedBinBoundaries=[0], fileCounts=[9])}, []),
        ({"deletedRecordCountsHistogramOpt": {"deletedRecordCounts": [1]}}, []),
    ],
    ids=lambda value: json.dumps(value)[:40],
)
def test_each_field(changed: dict[str, Any], expected: list[tuple[str, str, str]]) -> None:
    assert found(PLAIN, **changed) == expected


@pytest.mark.parametrize(
    ("changed", "fields"),
    [
        ({"setTransactions": []}, ["setTransactions"]),
        ({"setTransactions": [{"appId": "a", "version": 2}]}, ["setTransactions"]),
        ({"setTransactions": [5]}, ["setTransactions"]),
        ({"domainMetadata": [{"domain": "own", "configuration": "y"}]}, ["domainMetadata"]),
        ({"protocol": {**PROTOCOL, "minWriterVersion": 3}}, ["protocol"]),
        ({"metadata": {**METADATA, "id": "n"}}, ["metadata"]),
        ({"fileSizeHistogram": histogram(fileCounts=[])}, ["fileSizeHistogram.fileCounts"]),
        ({"histogramOpt": histogram(totalBytes=[])}, ["histogramOpt.totalBytes"]),
    ],
    ids=lambda value: json.dumps(value)[:40],
)
def test_fields_with_an_inside(changed: dict[str, Any], fields: list[str]) -> None:
    assert [field for field, _, _ in found(PLAIN, **changed)] == fields


@pytest.mark.parametrize(
    ("changed", "fields"),
    [
        ({"inCommitTimestampOpt": 7, "txnId": "t"}, []),
        ({"inCommitTimestampOpt": 8, "txnId": "u"}, ["inCommitTimestampOpt", "txnId"]),
    ],
)
def test_times_and_ids_that_the_commit_tells(changed: dict[str, Any], fields: list[str]) -> None:
    assert [field for field, _, _ in found(TIMED, **changed)] == fields
    # A time that the commit should give and does not is not known to be another.
    untold = replace(TIMED, in_commit_timestamp=None, transaction_id=None)
    assert found(untold, **changed) == []


@pytest.mark.parametrize(
    ("changed", "fields"),
    [
        ({"numDeletionVectorsOpt": 1, "numDeletedRecordsOpt": 3}, []),
        (
            {"numDeletionVectorsOpt": 0, "numDeletedRecordsOpt": 4},
            ["numDeletionVectorsOpt", "numDeletedRecordsOpt"],
        ),
        ({"deletedRecordCountsHistogramOpt": {"deletedRecordCounts": DELETED}}, []),
        ({"deletedRecordCountsHistogramOpt": {"deletedRecordCounts": [0, 0]}}, []),
        ({"deletedRecordCountsHistogramOpt": {"deletedRecordCounts": []}}, []),
        (
            {"deletedRecordCountsHistogramOpt": {"deletedRecordCounts": [0, 2]}},
            ["deletedRecordCountsHistogramOpt.deletedRecordCounts"],
        ),
    ],
    ids=lambda value: json.dumps(value)[:60],
)
def test_deletion_vectors(changed: dict[str, Any], fields: list[str]) -> None:
    assert [field for field, _, _ in found(VECTORED, **changed)] == fields


@pytest.mark.parametrize("data", [b"\xff", b"{", b"[]", b"5"])
def test_what_is_no_checksum(data: bytes) -> None:
    (finding,) = check(data, "4.crc", PLAIN)
    assert (finding.code, finding.subject) == ("CHECKSUM_UNREADABLE", "4.crc")


@pytest.mark.parametrize(
    ("replayed", "old", "time"),
    [
        (TIMED, b'{"inCommitTimestampOpt":5}', 7),
        (replace(TIMED, in_commit_timestamp=None), b'{"inCommitTimestampOpt":5}', 5),
        (replace(TIMED, in_commit_timestamp=None), b'{"inCommitTimestampOpt":"5"}', None),
        (replace(TIMED, in_commit_timestamp=None), b"not JSON", None),
        (replace(TIMED, in_commit_timestamp=None), b"[5]", None),
        # Times were switched off: the commit has none, and the checksum must not have one.
        (PLAIN, b'{"inCommitTimestampOpt":5}', None),
    ],
)
def test_the_time_in_a_checksum(replayed: ReplayedVersion, old: bytes, time: int | None) -> None:
    assert json.loads(text(replayed, old)).get("inCommitTimestampOpt") == time


def test_what_a_checksum_leaves_out() -> None:
    assert json.loads(text(PLAIN, b"")) == BODY
    forgets = {**METADATA, "configuration": {"DELTA.setTransactionRetentionDuration": "1 day"}}
    forgetful = replace(PLAIN, metadata=Metadata.from_json(forgets))
    assert "setTransactions" not in json.loads(text(forgetful, b""))
    domains = [DomainMetadata(domain=f"d{n}", configuration="") for n in range(11)]
    transactions = [Transaction(app_id=f"a{n}", version=1) for n in range(101)]
    for less, kept in ((1, True), (0, False)):
        many = replace(PLAIN, domains=domains[less:], transactions=transactions[less:])
        body = json.loads(text(many, b""))
        assert ("domainMetadata" in body, "setTransactions" in body) == (kept, kept)
    body = json.loads(text(VECTORED, b""))
    assert (body["numDeletionVectorsOpt"], body["numDeletedRecordsOpt"]) == (1, 3)
    assert body["deletedRecordCountsHistogramOpt"] == {"deletedRecordCounts": DELETED}
