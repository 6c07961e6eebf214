"""commitInfo of a known form is cut, not parsed; whatever differs from the form is not of it."""

import json
from typing import Any

import pytest

from deltactl.log.commit.commit_info_form import FormedInfo, Forms
from deltactl.log.commit.digest import FileCounts, read_plain

INFO: dict[str, Any] = {
    "timestamp": 1,
    "operation": "WRITE",
    "operationParameters": {"mode": "Append", "operation": "x", "statsOnLoad": False},
    "readVersion": 4,
    "isBlindAppend": True,
    "operationMetrics": {"numFiles": "1", "numOutputRows": "10", "numUpdatedRows": 3},
    "engineInfo": "Apache-Spark/4.2.0 Delta-Lake/4.4.0",
    "inCommitTimestamp": 17,
}
SHOWN = (
    '"operation":"WRITE","operationParameters":{"mode":"Append","operation":"x","statsOnLoad":false},'
    '"operationMetrics":{"numFiles":"1","numOutputRows":"10","numUpdatedRows":3},'
    '"engineInfo":"Apache-Spark/4.2.0 Delta-Lake/4.4.0","userName":null,"userMetadata":null,'
    '"readVersion":4,"isBlindAppend":true'
)


def line(**change: Any) -> bytes:
    text = json.dumps({"commitInfo": {**INFO, **change}}, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def learned(*lines: bytes) -> Forms:
    forms = Forms()
    for text in lines or (line(),) * 3:
        forms.learn(text, json.loads(text)["commitInfo"])
    return forms


def test_what_is_shown_is_cut_out() -> None:
    info = learned().read(line())
    assert info is not None
    assert info.form.shown % info.shown() == SHOWN
    assert info.form.rows % info.rows() == '{"in":10,"out":null,"updated":3}'
    assert dict(info) == INFO
    assert info.get("userMetadata") is None


def test_values_may_be_others() -> None:
    metrics = {"numFiles": "", "numOutputRows": "0", "numUpdatedRows": 12}
    info = learned().read(line(operation="", readVersion=-1, operationMetrics=metrics))
    assert info is not None
    shown = info.form.shown % info.shown()
    assert shown.startswith('"operation":"","operationParameters":{')
    assert shown.endswith('"readVersion":-1,"isBlindAppend":true')
    assert info.form.rows % info.rows() == '{"in":0,"out":null,"updated":12}'


@pytest.mark.parametrize(
    "other",
    [
        line(more=1),
        line(operation=None),
        line(operation=1),
        line(operation="a\nb"),
        line(operation='a"b'),
        line(operation="ü"),
        line(operation="\x7f"),
        line(readVersion=1.5),
        line(readVersion=10**18),
        line(isBlindAppend="true"),
        line(operationMetrics={**INFO["operationMetrics"], "numOutputRows": "many"}),
        line(operationMetrics={**INFO["operationMetrics"], "numOutputRows": "010"}),
        line().replace(b":4,", b":04,"),
        line().replace(b":4,", b":-0,"),
        line().replace(b":4,", b": 4,"),
        line().replace(b'"WRITE"', b'"WR\tITE"'),
        line() + b" ",
        line()[:-1],
        line().replace(b"}}", b'},"add":{}}'),
    ],
)
def test_what_differs_is_parsed(other: bytes) -> None:
    assert learned().read(other) is None


@pytest.mark.parametrize(
    "text",
    [
        line(operation="ü"),
        line(readVersion=1.5),
        line(operationParameters={"partitionBy": ["p"]}),
        line(operationParameters={"p": {"q": 1}}),
        line(readVersion="4"),
        line(operationMetrics={"numOutputRows": None}),
        line().replace(b":4,", b": 4,"),
        line().replace(b'"readVersion":4', b'"readVersion":3,"readVersion":4'),
    ],
)
def test_no_form_is_made_of_what_must_be_parsed(text: bytes) -> None:
    assert learned(*[text] * 5).read(text) is None


def test_a_form_is_made_of_the_third_line_only() -> None:
    assert learned(line(), line(operation="MERGE")).read(line()) is None
    assert learned(line(), line(operation="MERGE"), line(readVersion=5)).read(line()) is not None


def test_several_forms_take_turns() -> None:
    other = line(userName="me")
    forms = learned(*(line(), other) * 3)
    found = [forms.read(text) for text in (line(), other, line(), other)]
    assert [info and info.get("userName") for info in found] == [None, "me", None, "me"]
    assert all(isinstance(info, FormedInfo) for info in found)


ADD, REMOVE, CDC = b'{"add":{"path":"a"}}\n', b'{"remove":{"path":"b"}}\n', b'{"cdc":{}}\n'


@pytest.mark.parametrize(
    ("rest", "files"),
    [
        (b"", FileCounts(0, 0, 0)),
        (ADD, FileCounts(1, 0, 0)),
        (ADD + REMOVE + CDC + ADD, FileCounts(2, 1, 1)),
        (b"\n" + ADD, None),
        (b'{"txn":{"appId":"x","version":1}}\n' + ADD, None),
        (ADD + b' {"add":{}}\n', None),
        (ADD + b'{"add":{"path":"cut\n', None),
        (ADD.rstrip(b"\n"), None),
    ],
)
def test_a_commit_of_info_and_files_is_read_at_once(rest: bytes, files: FileCounts | None) -> None:
    plain = read_plain(line() + b"\n" + rest, learned())
    assert (plain and plain[1]) == files
