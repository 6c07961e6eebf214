"""The lines of our commits: of the form that engines decode, or not written at all."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltactl.log.commit.commit_text import CommitContext, commit_info, line

INFO = commit_info(
    "SET TBLPROPERTIES", {"properties": "{}"}, 4, CommitContext(5, "id", "deltactl/0")
)
PROTOCOL = {
    "minReaderVersion": 3,
    "minWriterVersion": 7,
    "readerFeatures": [],
    "writerFeatures": [],
}
METADATA = {
    "id": "m",
    "format": {"provider": "parquet", "options": {}},
    "schemaString": "{}",
    "partitionColumns": ["p"],
    "configuration": {"k": "v"},
    "createdTime": 5,
}
ADD = {
    "path": "a",
    "partitionValues": {"p": None},
    "size": 1,
    "modificationTime": 2,
    "dataChange": False,
    "tags": {"t": "x"},
    "baseRowId": 0,
    "defaultRowCommitVersion": 0,
}
DOMAIN = {"domain": "d", "configuration": "{}", "removed": False}
TXN = {"appId": "a", "version": 1, "lastUpdated": 2}
SOUND: dict[str, dict[str, Any]] = {
    "commitInfo": INFO,
    "protocol": PROTOCOL,
    "metaData": METADATA,
    "add": ADD,
    "domainMetadata": DOMAIN,
    "txn": TXN,
}
LONG = "9223372036854775808"


def test_the_first_line_of_a_commit() -> None:
    stamp = CommitContext(5, "id", "deltactl/0", in_commit_timestamp=6, message='a "note"\n')
    info = commit_info("RENAME COLUMN", {"oldColumnPath": "a"}, 4, stamp)
    assert line("commitInfo", info) == (
        b'{"commitInfo":{"inCommitTimestamp":6,"timestamp":5,"operation":"RENAME COLUMN",'
        b'"operationParameters":{"oldColumnPath":"a"},"readVersion":4,"isolationLevel":'
        b'"Serializable","isBlindAppend":false,"operationMetrics":{},"engineInfo":"deltactl/0",'
        b'"txnId":"id","userMetadata":"a \\"note\\"\\n"}}\n'
    )


@pytest.mark.parametrize("kind", SOUND)
def test_a_sound_action_is_one_line(kind: str) -> None:
    text = line(kind, SOUND[kind])
    assert text.endswith(b"}\n")
    assert text.count(b"\n") == 1
    assert json.loads(text) == {kind: SOUND[kind]}


# Each of these makes Spark fail on the whole table, on its history, or on the next commit.
HARMFUL: list[tuple[str, dict[str, Any]]] = [
    ("commitInfo", {"readVersion": "0"}),
    ("commitInfo", {"isBlindAppend": "false"}),
    ("commitInfo", {"inCommitTimestamp": "5"}),
    ("commitInfo", {"operationParameters": "x"}),
    ("commitInfo", {"operationParameters": {"k": ["v"]}}),
    ("commitInfo", {"operationParameters": {"k": True}}),
    ("commitInfo", {"operationMetrics": {"k": {"a": 1}}}),
    ("commitInfo", {"job": "x"}),
    ("commitInfo", {"tags": "x"}),
    ("commitInfo", {"userMetadata": {}}),
    ("commitInfo", {"engineInfo": {}}),
    ("commitInfo", {"timestamp": "2026-01-02"}),
    ("commitInfo", {"timestamp": True}),
    ("commitInfo", {"timestamp": int(LONG)}),
    ("protocol", {"minReaderVersion": "3"}),
    ("protocol", {"minReaderVersion": 2**31}),
    ("protocol", {"readerFeatures": "typeWidening"}),
    ("protocol", {"writerFeatures": [1]}),
    ("metaData", {"id": None}),
    ("metaData", {"schemaString": {}}),
    ("metaData", {"partitionColumns": [None]}),
    ("metaData", {"configuration": {"k": 1}}),
    ("metaData", {"configuration": {"k": None}}),
    ("metaData", {"createdTime": "5"}),
    ("metaData", {"format": "parquet"}),
    ("add", {"size": 1.0}),
    ("add", {"dataChange": "false"}),
    ("add", {"partitionValues": {"p": 1}}),
    ("add", {"tags": {"t": 1}}),
    ("add", {"stats": {"numRecords": 1}}),
    ("add", {"baseRowId": int(LONG)}),
    ("domainMetadata", {"configuration": {}}),
    ("domainMetadata", {"removed": "false"}),
    ("txn", {"version": "1"}),
    ("txn", {"appId": 1}),
]


@pytest.mark.parametrize(("kind", "wrong"), HARMFUL, ids=str)
def test_what_engines_cannot_decode_is_not_written(kind: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"^{kind}: "):
        line(kind, {**SOUND[kind], **wrong})


REQUIRED = [
    ("commitInfo", ["timestamp", "operation", "operationParameters", "txnId"]),
    ("protocol", ["minReaderVersion", "minWriterVersion"]),
    ("metaData", ["id", "format", "schemaString", "partitionColumns", "configuration"]),
    ("add", ["path", "partitionValues", "size", "modificationTime", "dataChange"]),
    ("domainMetadata", ["domain", "configuration", "removed"]),
    ("txn", ["appId", "version"]),
]


@pytest.mark.parametrize(("kind", "field"), [(k, f) for k, fields in REQUIRED for f in fields])
def test_what_engines_need_is_there(kind: str, field: str) -> None:
    body = {key: value for key, value in SOUND[kind].items() if key != field}
    with pytest.raises(ValueError, match=f"{field} is missing"):
        line(kind, body)


@pytest.mark.parametrize("kind", ["remove", "cdc", "commitinfo", ""])
def test_other_actions_are_not_written(kind: str) -> None:
    with pytest.raises(ValueError, match="no such action"):
        line(kind, {})


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_json_does_not_have(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        line("metaData", {**METADATA, "own": number})


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.lists(st.integers()), st.dictionaries(st.text(max_size=3), st.integers()),
)  # fmt: skip


@given(kind=st.sampled_from(sorted(SOUND)), data=st.data(), value=VALUES)
def test_a_field_keeps_its_type_or_nothing_is_written(
    kind: str, data: st.DataObject, value: Any
) -> None:
    field = data.draw(st.sampled_from(sorted(SOUND[kind])))
    was = SOUND[kind][field]
    try:
        text = line(kind, {**SOUND[kind], field: value})
    except ValueError:
        return
    assert type(value) is type(was) or (kind, value) == ("commitInfo", None)
    assert json.loads(text)[kind][field] == value
