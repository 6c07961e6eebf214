"""The list of files in a checksum: each kind of fault is one finding, with its first file."""

import json
from typing import Any

import pytest

from deltactl.log.replay import file_key
from deltactl.spec.actions.file_action import AddFile
from deltactl.verify.files.live_totals import facts_of
from deltactl.verify.log.all_files import DigestOf, check


def body(path: str, size: int = 5) -> dict[str, Any]:
    add = {"path": path, "partitionValues": {}, "size": size, "modificationTime": 1}
    return {**add, "dataChange": False}


def live() -> DigestOf:
    """The files a, b and c."""
    adds = [AddFile.from_json(body(path)) for path in "abc"]
    return {file_key(add): facts_of(add).digest for add in adds}.get


def found(held: Any) -> list[str]:
    findings = list(check(json.dumps({"allFiles": held}).encode(), "9.crc", live))
    assert {finding.code for finding in findings} <= {"CHECKSUM_WRONG"}
    assert {finding.subject for finding in findings} <= {"9.crc: allFiles"}
    assert all(finding.repairable for finding in findings)
    return [finding.found for finding in findings]


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ([body("a"), body("b"), body("c")], []),
        ([body("a")], []),  # how many there are is compared elsewhere
        ([body("x"), body("a")], ["x is no live file"]),
        ([body("x"), body("y")], ["x is no live file and 1 more"]),
        ([body("x"), body("y"), body("z")], ["x is no live file and 2 more"]),
        ([body("b", 6), body("a")], ["b differs"]),
        ([body("a"), body("a"), body("a")], ["a is there twice and 1 more"]),
        ([body("x"), body("x")], ["x is no live file", "x is there twice"]),
        ([{"size": 1}, body("x")], ["an add action has no path, or an empty one"]),
        ([5, body("x")], ["x is no live file"]),
        ({}, []),
        (None, []),
    ],
)
def test_what_is_found(held: Any, expected: list[str]) -> None:
    assert found(held) == expected


@pytest.mark.parametrize("text", [b"", b'{"allFiles"', b'["allFiles"]', b"{}", b'"allFiles"\xff'])
def test_without_a_list_no_file_is_looked_at(text: bytes) -> None:
    def never() -> DigestOf:
        raise AssertionError

    assert list(check(text, "9.crc", never)) == []
