"""What of a `.crc` may be carried over to a version without file actions: literal texts."""

import json
from typing import Any

import pytest

from deltactl.log.checksum import VersionMetadata, following, number_of_files, totals
from deltactl.spec.actions.action import DomainMetadata, Metadata, Protocol, Transaction

PROTOCOL = '{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["domainMetadata"]}'
METADATA = (
    '{"id":"m","format":{"provider":"parquet","options":{}},"schemaString":"{}",'
    '"partitionColumns":[],"configuration":{},"createdTime":5}'
)
DOMAIN = '{"domain":"own","configuration":"{}","removed":false}'
# In Spark's order, with fields that deltactl knows nothing of.
OLD = (
    '{"txnId":"old","tableSizeBytes":908,"numFiles":2,"numDeletedRecordsOpt":0,"numMetadata":1,'
    '"numProtocol":1,"setTransactions":[{"appId":"a","version":1}],"domainMetadata":[' + DOMAIN
    + '],"metadata":' + METADATA + ',"protocol":' + PROTOCOL + ',"fileSizeHistogram":{"fileCounts":'
    '[2]},"allFiles":[{"path":"x","size":454}]}\n'
)  # fmt: skip
# Newer Pythons read and write JSON to a depth of thousands.
DEEP = "[" * 200_000 + "]" * 200_000
OWN = DomainMetadata(domain="own", configuration="{}")


def heads(
    *domains: DomainMetadata, time: int | None = None, looked: bool = True, **more: Any
) -> VersionMetadata:
    metadata = Metadata.from_json({**json.loads(METADATA), **more})
    protocol = Protocol.from_json(json.loads(PROTOCOL))
    return VersionMetadata(protocol, metadata, time, list(domains) if looked else None)


def test_all_but_what_the_commit_changed_stays() -> None:
    named = heads(OWN, DomainMetadata(domain="two", configuration="[]"), name="orders")
    transactions = [Transaction(app_id="b", version=7, last_updated=9)]
    text = following(OLD.encode(), heads(OWN), named, txn_id="new", transactions=transactions)
    assert text == (
        '{"txnId":"new","tableSizeBytes":908,"numFiles":2,"numDeletedRecordsOpt":0,'
        '"numMetadata":1,"numProtocol":1,"setTransactions":[{"appId":"a","version":1},'
        '{"appId":"b","version":7,"lastUpdated":9}],"domainMetadata":[' + DOMAIN
        + ',{"domain":"two","configuration":"[]","removed":false}],"metadata":{"id":"m","name":'
        '"orders","createdTime":5,"format":{"provider":"parquet","options":{}},"schemaString":'
        '"{}","partitionColumns":[],"configuration":{}},"protocol":' + PROTOCOL
        + ',"fileSizeHistogram":{"fileCounts":[2]},"allFiles":[{"path":"x","size":454}]}\n'
    ).encode()  # fmt: skip


def carried(
    text: str, before: VersionMetadata, after: VersionMetadata | None = None
) -> dict[str, Any] | None:
    found = following(text.encode(), before, after or before, txn_id="new")
    return None if found is None else json.loads(found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, "{"),
        (OLD, ""),
        (OLD, "[]"),
        (OLD, OLD.replace('"numFiles":2', '"numFiles":2.0')),
        (OLD, OLD.replace('"numFiles":2', '"numFiles":true')),
        (OLD, OLD.replace('"numFiles":2,', "")),
        (OLD, OLD.replace('"tableSizeBytes":908', '"tableSizeBytes":-1')),
        (OLD, OLD.replace('"numMetadata":1', '"numMetadata":2')),
        (OLD, OLD.replace('"numProtocol":1,', "")),
        (OLD, OLD.replace('"id":"m"', '"id":"n"')),
        (OLD, OLD.replace('"configuration":{},', '"configuration":{"delta.appendOnly":"true"},')),
        (OLD, OLD.replace('"minWriterVersion":7', '"minWriterVersion":4')),
        (OLD, OLD.replace('"metadata":', '"other":')),
        (OLD, OLD.replace('"numMetadata"', '"inCommitTimestampOpt":5,"numMetadata"')),
        (OLD, OLD.replace('"domain":"own"', '"domain":"foreign"')),
        (OLD, OLD.replace('"configuration":"{}"', '"configuration":"{1}"')),
        (OLD, OLD.replace(f"[{DOMAIN}]", "[]")),
        (OLD, OLD.replace(f"[{DOMAIN}]", "{}")),
        (OLD, OLD.replace('"domain":"own"', '"domain":["own"]')),
        (OLD, OLD.replace(DOMAIN, f"{DOMAIN},{DOMAIN}")),
        (OLD, OLD.replace(DOMAIN, f"{DOMAIN},7")),
        (OLD, OLD.replace(f"[{DOMAIN}]", "null")),
        (OLD, OLD.replace('["domainMetadata"]', '["domainMetadata",7]')),
        (OLD, OLD.replace('["domainMetadata"]', '{"domainMetadata":1}')),
        (OLD, OLD.replace('"txnId":"old"', '"txnId":7')),
        (OLD, OLD.replace('"numDeletedRecordsOpt":0', '"numDeletedRecordsOpt":"0"')),
        (OLD, OLD.replace('"numDeletedRecordsOpt":0', '"numDeletionVectorsOpt":-1')),
        (OLD, OLD.replace('"appId":"a"', '"appId":{}')),
        (OLD, OLD.replace('"appId":"a"', '"id":"a"')),
        (OLD, OLD.replace('"version":1', '"version":true')),
        (OLD, OLD.replace('[{"appId":"a","version":1}]', "null")),
        (OLD, OLD.replace('{"appId":"a","version":1}', "7")),
        (OLD, OLD.replace('"path":"x"', '"path":7')),
        (OLD, OLD.replace('"size":454', '"size":"454"')),
        (OLD, OLD.replace('[{"path":"x","size":454}]', '"x"')),
        (OLD, OLD.replace('{"fileCounts":[2]}', "[2]")),
        (OLD, OLD.replace('{"fileCounts":[2]}', '{"fileCounts":["2"]}')),
        (OLD, OLD.replace('"txnId"', f'"more":{DEEP},"txnId"')),
    ],
)
def test_a_checksum_that_is_not_right_has_no_successor(old: str, new: str) -> None:
    assert carried(old, heads(OWN)) is not None
    assert new != old
    assert carried(new, heads(OWN)) is None


def test_what_can_be_read_and_not_written_has_no_successor() -> None:
    """The depth that Python reads is not the one that it writes."""
    depths = range(900, 1000)
    texts = [OLD.replace('"txnId"', f'"more":{"[" * n + "]" * n},"txnId"') for n in depths]
    found = [carried(text, heads(OWN)) is not None for text in texts]
    assert found == sorted(found, reverse=True)


def test_lists_that_nobody_read_are_not_guessed() -> None:
    assert carried(OLD, heads(looked=False)) is None
    unknown = OLD.replace(f'"domainMetadata":[{DOMAIN}],', "")
    found = carried(unknown, heads(OWN))
    assert found is not None
    assert "domainMetadata" not in found, "missing is unknown, and stays so"


def test_the_order_of_features_means_nothing() -> None:
    two = '"writerFeatures":["domainMetadata","appendOnly"]'
    one = heads(OWN)
    swapped = one.protocol.__class__.from_json(
        {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["appendOnly",
         "domainMetadata"]}
    )  # fmt: skip
    text = OLD.replace('"writerFeatures":["domainMetadata"]', two)
    assert carried(text, one._replace(protocol=swapped)) is not None


def test_times_are_those_of_the_version() -> None:
    text = OLD.replace('"numMetadata"', '"inCommitTimestampOpt":5,"numMetadata"')
    found = carried(text, heads(OWN, time=5), heads(OWN, time=8))
    assert found is not None
    assert found["inCommitTimestampOpt"] == 8
    first = carried(OLD, heads(OWN), heads(OWN, time=8))
    assert first is not None
    assert first["inCommitTimestampOpt"] == 8


def test_vectors_that_were_never_counted_are_not_guessed() -> None:
    gained = Protocol.from_json(
        {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["deletionVectors"],
         "writerFeatures": ["deletionVectors", "domainMetadata"]}
    )  # fmt: skip
    assert carried(OLD, heads(OWN), heads(OWN)._replace(protocol=gained)) is None


def test_lists_that_engines_would_leave_out_are_left_out() -> None:
    many = [DomainMetadata(domain=f"d{n}", configuration="") for n in range(11)]
    found = carried(OLD, heads(OWN), heads(*many))
    assert found is not None
    assert "domainMetadata" not in found
    kept = heads(OWN, configuration={"delta.setTransactionRetentionDuration": "interval 1 day"})
    retained = carried(OLD, heads(OWN), kept)
    assert retained is not None
    assert "setTransactions" not in retained


@pytest.mark.parametrize(
    ("text", "count"),
    [(OLD, 2), ('{"numFiles":0}', 0), ("{}", None), ('{"numFiles":"2"}', None), ("nope", None)],
)
def test_the_number_of_files(text: str, count: int | None) -> None:
    assert number_of_files(text.encode()) == count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (OLD, (2, 908)),
        ('{"numFiles":0,"tableSizeBytes":0}', (0, 0)),
        ('{"numFiles":2}', None),
        ('{"tableSizeBytes":908}', None),
        ('{"numFiles":-1,"tableSizeBytes":0}', None),
        ('{"numFiles":1.0,"tableSizeBytes":0}', None),
        ('{"numFiles":true,"tableSizeBytes":0}', None),
        ("[]", None),
        ("{", None),
    ],
)
def test_totals(text: str, expected: tuple[int, int] | None) -> None:
    assert totals(text.encode()) == expected
