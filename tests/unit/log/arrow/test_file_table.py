import json
from typing import Any

import pyarrow as pa
import pytest

from deltactl.log.arrow.file_table import (
    COLUMNS,
    SupersededFiles,
    cut_out,
    flatten,
    from_adds,
    records,
    vector_id,
    with_keys,
    without,
)
from deltactl.spec.actions.file_action import AddFile


def adds(*bodies: dict[str, Any]) -> pa.RecordBatch:
    return from_adds(map(AddFile.from_json, bodies), tuple(COLUMNS))


def paths(*names: str, vectors: list[str | None] | None = None) -> pa.RecordBatch:
    """A batch of a checkpoint, with a vector `u NAME @1` where there is one."""
    held = vectors or [None] * len(names)
    columns = {
        "path": pa.array(names, pa.string()),
        "storageType": pa.array([v and "u" for v in held], pa.string()),
        "pathOrInlineDv": pa.array(held, pa.string()),
        "offset": pa.array([v and 1 for v in held], pa.int64()),
    }
    return pa.record_batch(list(columns.values()), names=list(columns))


def uncovered(batch: pa.RecordBatch, *keys: tuple[str, str | None]) -> list[str]:
    live = without(batch, SupersededFiles(keys).hidden(batch))
    found: list[str] = live.column("path").to_pylist()
    return found


LONG = "x" * 40
DEEP = "/data/warehouse/" + LONG


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        (LONG, LONG),
        ("a", "a"),
        ("a%20b", "a b"),
        ("p=a%20b/" + LONG, "p=a b/" + LONG),
        (LONG + "%20", LONG + " "),
        (LONG + "%41" + 18 * "y", LONG + "A" + 18 * "y"),
        (LONG + "%41" + 19 * "y", LONG + "A" + 19 * "y"),
        (LONG + "%41" + 20 * "y", LONG + "A" + 20 * "y"),
        ("%E6%97%A5" + 20 * "y", "日" + 20 * "y"),
        ("%E6%97%A5" + 19 * "y", "日" + 19 * "y"),
        ("日" * 30 + "%20", "日" * 30 + " "),
        ("file:/a", "/a"),
        ("file:///a", "/a"),
        ("file:///a/b%20c", "/a/b c"),
        ("file:" + DEEP, DEEP),
        ("file://" + DEEP, DEEP),
        (DEEP, DEEP),
        ("a%FFb", "a\udcffb"),
        ("%FF" + LONG, "\udcff" + LONG),
    ],
)
def test_a_file_is_hidden_under_every_spelling(raw: str, key: str) -> None:
    others = ["b", "c%20d", "other-" + LONG, "file:///elsewhere"]
    assert uncovered(paths(*others, raw), (key, None)) == others
    assert uncovered(paths(raw), (key, None)) == []
    assert uncovered(paths(raw, *others), ("no such file", None)) == [raw, *others]


def test_another_vector_is_another_file() -> None:
    batch = paths("a", "a", "b", vectors=["v", None, "v"])
    assert uncovered(batch, ("a", "uv@1")) == ["a", "b"]
    assert uncovered(batch, ("a", None)) == ["a", "b"]
    assert uncovered(batch, ("a", None), ("a", "uv@1"), ("b", None)) == ["b"]
    assert [vector_id(batch, row) for row in range(3)] == ["uv@1", None, "uv@1"]


@pytest.mark.parametrize("gone", [[0], [4], [1, 2], [0, 2, 4], [0, 1, 2, 3, 4]], ids=str)
def test_rows_are_cut_out(gone: list[int]) -> None:
    structs = pa.array([{"path": name, "size": size} for size, name in enumerate("abcdefg")])
    left = [name for place, name in enumerate("bcdef") if place not in gone]
    assert [row["path"] for row in cut_out(structs.slice(1, 5), gone).to_pylist()] == left


def test_many_rows_are_cut_out() -> None:
    numbers = pa.array(range(100))
    assert cut_out(numbers, list(range(0, 100, 2))).to_pylist() == list(range(1, 100, 2))


def test_nothing_newer_hides_nothing() -> None:
    batch = paths("a", "b%20c")
    assert SupersededFiles([]).hidden(batch) == []
    assert SupersededFiles([("c", None)]).hidden(batch) == []
    assert without(batch, []) is batch


@pytest.mark.parametrize("raw", ["a", "a%20b", "file:///a"])
def test_rows_without_a_file_are_not_hidden_but_left_out(raw: str) -> None:
    batch = pa.record_batch(
        [pa.array([None, raw, None, "c"], pa.string()), pa.nulls(4, pa.string())],
        names=["path", "storageType"],
    )
    assert without(batch, []).column("path").to_pylist() == [raw, "c"]
    assert SupersededFiles([("b", None)]).hidden(batch) == []
    hidden = SupersededFiles([("c", None)]).hidden(batch)
    assert hidden == [3]
    assert without(batch, hidden).column("path").to_pylist() == [raw]


@pytest.mark.parametrize(
    ("stats", "expected"),
    [
        ('{"numRecords":5}', 5),
        ('{"numRecords":5,"minValues":{"a":1}}', 5),
        ('{"numRecords":0}', 0),
        ('{ "numRecords" : 7 }', 7),
        ('{"minValues":{"numRecords":9},"numRecords":3}', 3),
        ('{"numRecords":123456789012345678}', 123456789012345678),
        ('{"numRecords":9223372036854775807}', 9223372036854775807),
        ('{"numRecords":9223372036854775808}', None),
        ('{"numRecords":-1}', -1),
        ('{"numRecords":"5"}', None),
        ('{"numRecords":5.0}', None),
        ('{"numRecords":true}', None),
        ('{"numRecords":null}', None),
        ("{}", None),
        ("[]", None),
        ("", None),
        ("{", None),
        ('{"numRecords":5', None),
        ('{"a":' + "[" * 100_000, None),
        ('{"é":"éééééééééééééééééééé","numRecords":4}', 4),
        (None, None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_the_rows_of_a_file_are_in_its_statistics(stats: str | None, expected: int | None) -> None:
    from_commit = adds({"path": "a", "size": 1, "stats": stats})
    assert records(from_commit).to_pylist() == [expected]
    column = pa.array([stats, '{"numRecords":2}'], pa.string())
    assert records(pa.record_batch([column], names=["stats"])).to_pylist() == [expected, 2]


def test_parsed_statistics_come_first_and_text_fills_their_gaps() -> None:
    parsed = pa.array([1, None, None], pa.int64())
    stats = pa.array(['{"numRecords":9}', '{"numRecords":2}', None], pa.string())
    both = pa.record_batch([parsed, stats], names=["parsedRecords", "stats"])
    assert records(both).to_pylist() == [1, 2, None]
    assert records(both.select(["parsedRecords"])).to_pylist() == [1, None, None]
    assert records(both.select([])).to_pylist() == [None, None, None]


def test_adds_of_commits_have_the_flat_shape() -> None:
    batch = adds(
        {
            "path": "p=1/a%20b",
            "partitionValues": {"p": "1", "q": None},
            "size": 7,
            "modificationTime": 5,
            "stats": '{"numRecords":3}',
            "deletionVector": {
                "storageType": "u",
                "pathOrInlineDv": "abc",
                "offset": 2**40,
                "sizeInBytes": 9,
                "cardinality": 1,
            },
            "baseRowId": 4,
            "defaultRowCommitVersion": 2,
            "tags": {"ZCUBE_ID": "z", "n": 1, "none": None},
        },
        {"path": "b"},
    )
    assert batch.to_pylist()[0] == {
        "path": "p=1/a%20b",
        "size": 7,
        "modificationTime": 5,
        "partitionValues": [("p", "1"), ("q", None)],
        "tags": [("ZCUBE_ID", "z"), ("n", "1"), ("none", None)],
        "stats": '{"numRecords":3}',
        "parsedRecords": 3,
        "storageType": "u",
        "pathOrInlineDv": "abc",
        "offset": 2**40,
        "sizeInBytes": 9,
        "cardinality": 1,
        "baseRowId": 4,
        "defaultRowCommitVersion": 2,
    }
    assert batch.to_pylist()[1]["path"] == "b"
    assert {name: batch.schema.field(name).type for name in batch.schema.names} == {
        name: data_type for name, (data_type, _) in COLUMNS.items()
    }


def test_adds_of_a_checkpoint_have_the_same_shape() -> None:
    vector = pa.struct([("storageType", pa.string()), ("offset", pa.int32())])
    add = pa.struct([("path", pa.string()), ("size", pa.int32()), ("deletionVector", vector)])
    rows = [
        None,
        {"path": "a", "size": 1, "deletionVector": None},
        {"path": None, "size": None, "deletionVector": None},  # as some writers leave it
        {"path": "b", "size": 2, "deletionVector": {"storageType": "u", "offset": 3}},
    ]
    columns = ("path", "size", "storageType", "offset", "stats")
    odd = flatten(pa.array(rows, add), columns)
    assert json.loads(json.dumps(without(odd, []).to_pylist())) == [
        {"path": "a", "size": 1, "storageType": None, "offset": None, "stats": None},
        {"path": "b", "size": 2, "storageType": "u", "offset": 3, "stats": None},
    ]


def test_maps_with_other_keys() -> None:
    kind = pa.map_(pa.string(), pa.string())
    rows = [[("z", "0")], [("x", "1"), ("y", None)], None, [], [("x", "2"), ("z", "3")]]
    found = with_keys(pa.array(rows, kind).slice(1), {"x": "a", "y": "b"})
    found.validate(full=True)
    assert found.to_pylist() == [[("a", "1"), ("b", None)], None, [], [("a", "2"), ("z", "3")]]


def test_rows_without_an_add_are_null() -> None:
    add = pa.struct([("path", pa.string()), ("size", pa.int64())])
    batch = flatten(pa.array([None, {"path": "a", "size": 1}], add), ("path", "size"))
    assert batch.to_pylist() == [{"path": None, "size": None}, {"path": "a", "size": 1}]
