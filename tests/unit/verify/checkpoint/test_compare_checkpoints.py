"""What a checkpoint says against what the commits say: each difference, and which side is which."""

import pytest
from small_tables import field, metadata

from deltactl.log.filenames import CheckpointKind, LogFile
from deltactl.log.segment import Checkpoint
from deltactl.spec.actions.action import DomainMetadata, Metadata, Protocol, Transaction
from deltactl.verify.checkpoint.checkpoints import compare
from deltactl.verify.log.state import State

NAME = f"{4:020d}.checkpoint.parquet"
CHECKPOINT = Checkpoint(4, CheckpointKind.CLASSIC, (LogFile(NAME, 100, 0),))
RETENTION = {"delta.setTransactionRetentionDuration": "interval 30 days"}


def state(
    transactions: dict[str, int] | None = None,
    domains: dict[str, str] | None = None,
    **configuration: str,
) -> State:
    body = metadata(field("id", "long"))["metaData"] | {"configuration": configuration}
    protocol = Protocol(min_reader_version=1, min_writer_version=2)
    txns = [Transaction(app_id=a, version=v) for a, v in (transactions or {}).items()]
    texts = [DomainMetadata(domain=d, configuration=c) for d, c in (domains or {}).items()]
    return State(
        protocol=protocol,
        metadata=Metadata.from_json(body),
        transactions={txn.app_id: txn for txn in txns},
        domains={text.domain: text for text in texts},
    )


def said(held: State, replayed: State) -> list[tuple[str, str, str]]:
    found = list(compare(CHECKPOINT, held, replayed))
    assert {f.code for f in found} <= {"CHECKPOINT_WRONG"}
    assert {f.since_version for f in found} <= {4}
    return [(f.subject.removeprefix(f"{NAME}: "), f.expected, f.found) for f in found]


@pytest.mark.parametrize(
    ("held", "replayed", "expected"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [("txn a", "2", "1")]),
        ({}, {"a": 2}, [("txn a", "2", "none")]),
        ({"a": 1, "b": 0}, {"a": 1}, [("txn b", "none", "0")]),
    ],
)
def test_transactions(held, replayed, expected) -> None:
    assert said(state(held), state(replayed)) == expected


def test_a_transaction_that_has_expired_may_be_missing() -> None:
    # `delta.setTransactionRetentionDuration`: PROTOCOL.md, "Transaction Identifiers".
    assert said(state(**RETENTION), state({"a": 2}, **RETENTION)) == []
    assert said(state({"a": 1}, **RETENTION), state({"a": 2}, **RETENTION)) == [("txn a", "2", "1")]


def test_domains() -> None:
    assert said(state(domains={"d": "x"}), state(domains={"d": "x"})) == []
    assert said(state(domains={"d": "x"}), state(domains={"d": "y", "e": "z"})) == [
        ("domainMetadata d", "y", "x"),
        ("domainMetadata e", "z", "none"),
    ]


def test_heads() -> None:
    other = state()
    other.protocol = Protocol(min_reader_version=1, min_writer_version=3)
    assert said(state(), other) == [("protocol", "minWriterVersion: 3", "minWriterVersion: 2")]
    assert said(state(x="1"), state(x="2")) == [
        ("metaData", "configuration: x: 2", "configuration: x: 1")
    ]


def test_rows_of_the_same_files() -> None:
    held, replayed = state(), state()
    held.totals.known_records, replayed.totals.known_records = 3, 4
    assert said(held, replayed) == [("numRecords", "4 rows", "3 rows")]
    assert said(held, held) == []
    replayed.totals.digest = 1  # other files, of which more is told elsewhere
    assert said(held, replayed) == []
    replayed.totals.digest, replayed.totals.without_records = 0, 1
    assert said(held, replayed) == []
