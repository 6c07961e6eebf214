"""Actions as deltactl writes them: a fault of its own ends before the log, not in it."""

import re
from typing import Any

import pytest

from deltactl.log.commit.commit_text import line

ADD = {"path": "p", "partitionValues": {}, "size": 1, "modificationTime": 2, "dataChange": True}


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("txn", {"appId": "a", "version": 2**63 - 1},
         b'{"txn":{"appId":"a","version":9223372036854775807}}\n'),
        ("protocol", {"minReaderVersion": 1, "minWriterVersion": 2**31 - 1},
         b'{"protocol":{"minReaderVersion":1,"minWriterVersion":2147483647}}\n'),
        ("add", {**ADD, "partitionValues": {"p": None}, "ofAnother": -(2**63)},
         b'{"add":{"path":"p","partitionValues":{"p":null},"size":1,"modificationTime":2,'
         b'"dataChange":true,"ofAnother":-9223372036854775808}}\n'),
    ],
)  # fmt: skip
def test_a_line(kind: str, body: dict[str, Any], expected: bytes) -> None:
    assert line(kind, body) == expected


@pytest.mark.parametrize(
    ("kind", "body", "said"),
    [
        ("cdc", {}, "cdc: no such action"),
        ("txn", {"appId": "a"}, "txn: version is missing"),
        ("txn", {"appId": "a", "version": "1"}, "txn: version has the wrong type"),
        ("txn", {"appId": "a", "version": True}, "txn: version has the wrong type"),
        ("txn", {"appId": "a", "version": 2**63}, "txn: version is too large"),
        ("txn", {"appId": "a", "version": -(2**63) - 1}, "txn: version is too large"),
        ("txn", {"appId": "a", "version": 1, "ofAnother": 2**63}, "txn: ofAnother is too large"),
        ("protocol", {"minReaderVersion": 1, "minWriterVersion": 2**31},
         "protocol: minWriterVersion is too large"),
        ("add", {**ADD, "partitionValues": {"p": 1}},
         "add: partitionValues holds what is not text"),
        ("protocol", {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": [None]},
         "protocol: readerFeatures holds what is not text"),
    ],
)  # fmt: skip
def test_what_no_engine_could_decode(kind: str, body: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        line(kind, body)
