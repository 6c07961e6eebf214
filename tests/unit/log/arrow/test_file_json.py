"""Live files as JSON lines: each the same by column as by row, and as a literal."""

import json
from typing import Any

import pytest

from deltactl.log.arrow.file_json import COLUMNS, json_lines
from deltactl.log.arrow.file_table import from_adds, records
from deltactl.spec.actions.file_action import AddFile

VECTOR = {"storageType": "u", "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^", "sizeInBytes": 40,
          "cardinality": 6}  # fmt: skip
PLAIN: dict[str, Any] = {
    "path": "p=1/a.parquet",
    "size": 100,
    "partitionValues": {"p": "1"},
    "modificationTime": 1_767_225_600_001,
    "stats": '{"numRecords":10,"nullCount":{}}',
}


def lines(*bodies: dict[str, Any]) -> list[str]:
    batch = from_adds(map(AddFile.from_json, bodies), (*COLUMNS, "parsedRecords"))
    return json_lines(batch, records(batch)).decode().splitlines()


def line(**said: str) -> str:
    """The line of `PLAIN`, but for what is given as JSON."""
    members = {
        "path": '"p=1/a.parquet"', "size": "100", "partitionValues": '{"p":"1"}',
        "modificationTime": '"2026-01-01T00:00:00.001Z"', "records": "10",
        "deletionVector": "null", "baseRowId": "null", "defaultRowCommitVersion": "null", **said,
    }  # fmt: skip
    return "{" + ",".join(f'"{key}":{value}' for key, value in members.items()) + "}"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, {}),
        ({"partitionValues": {}}, {"partitionValues": "{}"}),
        ({"partitionValues": {"p": None}}, {"partitionValues": '{"p":null}'}),
        ({"partitionValues": {"p": "", "q": "x y"}}, {"partitionValues": '{"p":"","q":"x y"}'}),
        # What JSON escapes, and what it need not.
        ({"partitionValues": {"p": 'a"b'}}, {"partitionValues": r'{"p":"a\"b"}'}),
        ({"partitionValues": {"p": "a\\b"}}, {"partitionValues": r'{"p":"a\\b"}'}),
        ({"partitionValues": {"p": "a\x1fb\n"}}, {"partitionValues": r'{"p":"a\u001fb\n"}'}),
        ({"partitionValues": {"ü": "日本\x7f"}}, {"partitionValues": '{"ü":"日本\x7f"}'}),
        ({"modificationTime": None}, {"modificationTime": "null"}),
        ({"modificationTime": 0}, {"modificationTime": '"1970-01-01T00:00:00.000Z"'}),
        ({"modificationTime": -1}, {"modificationTime": '"1969-12-31T23:59:59.999Z"'}),
        ({"modificationTime": 253_402_300_799_999},
         {"modificationTime": '"9999-12-31T23:59:59.999Z"'}),
        ({"modificationTime": 1_709_164_799_050},
         {"modificationTime": '"2024-02-28T23:59:59.050Z"'}),
        ({"stats": None}, {"records": "null"}),
        ({"baseRowId": 7, "defaultRowCommitVersion": 3},
         {"baseRowId": "7", "defaultRowCommitVersion": "3"}),
        ({"deletionVector": {**VECTOR, "offset": 1}},
         {"deletionVector": '{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^",'
                            '"offset":1,"sizeInBytes":40,"cardinality":6}'}),
        ({"deletionVector": VECTOR},
         {"deletionVector": '{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^",'
                            '"offset":null,"sizeInBytes":40,"cardinality":6}'}),
        ({"deletionVector": {**VECTOR, "pathOrInlineDv": '\x1b"'}},
         {"deletionVector": r'{"storageType":"u","pathOrInlineDv":"\u001b\"",'
                            '"offset":null,"sizeInBytes":40,"cardinality":6}'}),
        ({"deletionVector": {**VECTOR, "storageType": "\\"}},
         {"deletionVector": r'{"storageType":"\\","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^",'
                            '"offset":null,"sizeInBytes":40,"cardinality":6}'}),
    ],
    ids=lambda value: json.dumps(value)[:40],
)  # fmt: skip
def test_a_line(change: dict[str, Any], expected: dict[str, str]) -> None:
    # Alone, and beside a file that is plain: a column may then hold both.
    assert lines({**PLAIN, **change}) == [line(**expected)]
    assert lines(PLAIN, {**PLAIN, **change}, PLAIN) == [line(), line(**expected), line()]


def test_as_many_values_as_files_need_not_be_one_each() -> None:
    none, two = {**PLAIN, "partitionValues": {}}, {**PLAIN, "partitionValues": {"p": "1", "q": "2"}}
    expected = [line(partitionValues="{}"), line(partitionValues='{"p":"1","q":"2"}')]
    assert lines(none, two) == expected


def test_a_part_of_a_batch() -> None:
    bodies = [{**PLAIN, "partitionValues": {"p": str(n)}} for n in range(4)]
    batch = from_adds(map(AddFile.from_json, bodies), (*COLUMNS, "parsedRecords")).slice(1, 2)
    expected = [line(partitionValues=f'{{"p":"{n}"}}') for n in (1, 2)]
    assert json_lines(batch, records(batch)).decode().splitlines() == expected
