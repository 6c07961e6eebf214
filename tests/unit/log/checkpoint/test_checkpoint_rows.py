"""File actions as columns of a checkpoint, from commits and from older checkpoints."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from deltactl.log.checkpoint.checkpoint_schema import DOMAIN, METADATA, CheckpointSchema
from deltactl.log.checkpoint.rows import RowMaker, holds, projected, small_rows
from deltactl.spec.actions.file_action import AddFile, RemoveFile

BOUNDS = pa.struct({"n": pa.int64()})
STATS = pa.struct({"numRecords": pa.int64(), "minValues": BOUNDS})
VALUES = pa.struct({"p": pa.int32()})
TEXTS = pa.map_(pa.string(), pa.string())
VECTOR = {"storageType": "u", "pathOrInlineDv": "ab", "sizeInBytes": 36, "cardinality": 3}


def parse(texts: pa.StringArray) -> pa.StructArray:
    return pa.array([None if t is None else json.loads(t) for t in texts.to_pylist()], STATS)


def maker(
    stats: pa.StructType | None = STATS,
    values: pa.StructType | None = None,
    *,
    as_json: bool = True,
) -> RowMaker:
    return RowMaker(CheckpointSchema(as_json, stats, values), parse)


def older(rows: list[dict[str, Any]], **types: pa.DataType) -> pa.StructArray:
    held = {"path": pa.string(), "partitionValues": TEXTS, **types}
    return pa.array([{"path": f"{n}"} | row for n, row in enumerate(rows)], pa.struct(held))


@pytest.mark.parametrize(
    ("maps", "expected"),
    [
        ([{"p": "1"}, {"p": "2"}], [1, 2]),
        ([{"p": "1"}, {"p": None}, {"p": ""}], [1, None, None]),
        ([{}, {"p": "2"}], [None, 2]),
        ([{}, {"p": "2"}, {}], [None, 2, None]),
        ([{"p": "1", "q": "7"}, {}], [1, None]),
        ([{}, {}], [None, None]),
        ([{"q": "1"}, {"p": "2"}], [None, 2]),
        ([{"q": "7", "p": "1"}, {"q": "8", "p": "2"}], [1, 2]),
        ([None, {"p": "2"}], [None, 2]),
        ([None, None], [None, None]),
        ([], []),
    ],
)
def test_partition_values_by_their_names(maps, expected) -> None:
    rows = [{"partitionValues": None if m is None else list(m.items())} for m in maps]
    found = maker(None, VALUES).adds(older(rows))
    assert found.field("partitionValues_parsed").to_pylist() == [{"p": v} for v in expected]
    assert found.field("partitionValues").null_count == 0


def test_partition_values_of_a_part_of_the_rows() -> None:
    rows = older([{"partitionValues": [("p", f"{n}")]} for n in range(4)]).slice(1, 2)
    found = maker(None, VALUES).adds(rows)
    assert found.field("partitionValues_parsed").to_pylist() == [{"p": 1}, {"p": 2}]


def parsed(n: int | None, records: int | None = 5) -> dict[str, Any]:
    return {"numRecords": records, "minValues": {"n": n}}


TEXT = '{"numRecords":5,"minValues":{"n":1}}'


@pytest.mark.parametrize(
    ("stats", "structs", "texts_after", "structs_after"),
    [
        ([TEXT, None], [None, parsed(2)], [TEXT, TEXT.replace("1", "2")], [parsed(1), parsed(2)]),
        ([TEXT, None], [None, None], [TEXT, None], [parsed(1), None]),
        ([TEXT, TEXT], [None, None], [TEXT, TEXT], [parsed(1), parsed(1)]),
        ([None, None], [parsed(3), None], [TEXT.replace("1", "3"), None], [parsed(3), None]),
        ([TEXT, None], None, [TEXT, None], [parsed(1), None]),
        (None, [parsed(3), None], [TEXT.replace("1", "3"), None], [parsed(3), None]),
        # What the checkpoint itself says stays as it is, in both forms.
        ([TEXT, TEXT], [parsed(8), parsed(9)], [TEXT, TEXT], [parsed(8), parsed(9)]),
    ],
)
def test_statistics_of_which_one_form_is_there(stats, structs, texts_after, structs_after) -> None:
    rows: list[dict[str, Any]] = [{}, {}]
    types: dict[str, pa.DataType] = {}
    for name, values, kind in (("stats", stats, pa.string()), ("stats_parsed", structs, STATS)):
        if values is not None:
            types[name] = kind
            rows = [row | {name: value} for row, value in zip(rows, values, strict=True)]
    found = maker().adds(older(rows, **types))
    assert found.field("stats").to_pylist() == texts_after
    assert found.field("stats_parsed").to_pylist() == structs_after


def test_structs_that_lack_a_column_yield_to_the_json() -> None:
    rows = [
        {"stats": TEXT, "stats_parsed": {"numRecords": 9}},
        {"stats": None, "stats_parsed": {"numRecords": 7}},
    ]
    narrow = pa.struct({"numRecords": pa.int64()})
    found = maker().adds(older(rows, stats=pa.string(), stats_parsed=narrow))
    assert found.field("stats_parsed").to_pylist() == [
        parsed(1),
        {"numRecords": 7, "minValues": None},
    ]


def test_old_timestamps_are_instants() -> None:
    noon = datetime(2024, 5, 1, 12)
    naive = pa.struct({"at": pa.timestamp("us"), "local": pa.timestamp("us")})
    zoned = pa.struct({"at": pa.timestamp("us", "UTC"), "local": pa.timestamp("us")})
    bounds = {"at": noon, "local": noon}
    held = older(
        [{"stats_parsed": {"minValues": bounds}}, {}],
        stats=pa.string(),
        stats_parsed=pa.struct({"minValues": naive}),
    )
    target = pa.struct({"minValues": zoned})
    found = RowMaker(
        CheckpointSchema(True, target, None), lambda texts: pa.nulls(len(texts), target)
    ).adds(held, [("minValues", "at")])
    assert found.field("stats_parsed").type == target
    assert found.field("stats_parsed").to_pylist() == [
        {"minValues": bounds | {"at": noon.replace(tzinfo=UTC)}},
        None,
    ]
    at = '"2024-05-01T12:00:00.000'
    assert found.field("stats").to_pylist() == [
        f'{{"minValues":{{"at":{at}Z","local":{at}"}}}}',
        None,
    ]


def test_old_timestamps_without_structs() -> None:
    found = maker().adds(older([{"stats": TEXT}], stats=pa.string()), [("minValues", "at")])
    assert found.field("stats_parsed").to_pylist() == [parsed(1)]


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 64, 65])
def test_no_row_is_a_change_of_data(rows: int) -> None:
    found = maker().adds(older([{}] * rows))
    found.validate(full=True)
    assert found.field("dataChange").to_pylist() == [False] * rows


def test_a_vector_of_nulls_is_none() -> None:
    # Some writers have a struct of nulls where there is no vector.
    kind = pa.struct({"storageType": pa.string(), "cardinality": pa.int32()})
    vectors = [
        {"storageType": "u", "cardinality": 3},
        {"storageType": None, "cardinality": 0},
        None,
    ]
    found = maker().adds(older([{"deletionVector": v} for v in vectors], deletionVector=kind))
    held = found.field("deletionVector").to_pylist()
    assert [v and (v["storageType"], v["cardinality"]) for v in held] == [("u", 3), None, None]


def test_removes_of_an_older_checkpoint() -> None:
    rows = [{"size": 7, "dataChange": True, "deletionTimestamp": 5}, {"dataChange": True}]
    types = {"size": pa.int32(), "dataChange": pa.bool_(), "deletionTimestamp": pa.int64()}
    found = maker().removes(older(rows, **types)).to_pylist()
    assert [(r["path"], r["size"], r["deletionTimestamp"], r["dataChange"]) for r in found] == [
        ("0", 7, 5, False),
        ("1", None, None, False),
    ]
    assert [(r["baseRowId"], r["deletionVector"]) for r in found] == [(None, None)] * 2


DECIMAL = pa.decimal128(10, 2)


@pytest.mark.parametrize(
    ("own", "target", "expected"),
    [
        (pa.int8(), pa.int16(), True),
        (pa.int8(), pa.int64(), True),
        (pa.int16(), pa.int32(), True),
        (pa.int32(), pa.int64(), True),
        (pa.int64(), pa.int32(), False),
        (pa.int32(), pa.float64(), False),
        (pa.float32(), pa.float64(), True),
        (pa.float64(), pa.float32(), False),
        (pa.timestamp("us"), pa.timestamp("us", "UTC"), True),
        (pa.timestamp("us", "UTC"), pa.timestamp("us"), False),
        (pa.string(), pa.binary(), False),
        (DECIMAL, pa.decimal128(10, 2), True),
        (DECIMAL, pa.decimal128(12, 4), True),
        (DECIMAL, pa.decimal128(11, 2), True),
        (DECIMAL, pa.decimal128(12, 1), False),  # a digit behind the point is lost
        (DECIMAL, pa.decimal128(10, 3), False),  # a digit before it is
        (DECIMAL, pa.int64(), False),
        (pa.int32(), DECIMAL, False),
        (BOUNDS, BOUNDS, True),
        (pa.int64(), BOUNDS, False),
        (BOUNDS, pa.int64(), False),
        (pa.struct({"n": pa.int32()}), BOUNDS, True),
        (pa.struct({"m": pa.int64()}), BOUNDS, False),
        (pa.struct({"n": pa.string()}), BOUNDS, False),
    ],
    ids=str,
)
def test_whether_each_value_has_a_place(own, target, expected) -> None:
    assert holds(pa.struct({"c": own}), pa.struct({"c": target})) is expected


def test_projected() -> None:
    held = pa.struct(
        {
            "a": pa.int32(),
            "t": pa.string(),
            "d": DECIMAL,
            "s": BOUNDS,
            "n": BOUNDS,
            "t2": pa.int64(),
        }
    )
    wanted = pa.struct(
        {
            "d": pa.decimal128(12, 3),
            "a": pa.int64(),
            "t": pa.int64(),
            "s": pa.struct({"n": pa.int64(), "o": pa.string()}),
            "none": pa.string(),
            "n": pa.int64(),
            "t2": BOUNDS,
        }
    )
    odd = {"n": {"n": 1}, "t2": 3}
    rows = pa.array([{"a": 1, "t": "x", "d": Decimal("1.25"), "s": {"n": 4}, **odd}, None], held)
    assert projected(rows, wanted).to_pylist() == [
        {"d": Decimal("1.250"), "a": 1, "t": None, "s": {"n": 4, "o": None}, "none": None}
        | {"n": None, "t2": None},
        None,
    ]


def test_adds_of_commits() -> None:
    adds = [
        AddFile.from_json(
            {
                "path": "a", "partitionValues": {"p": None}, "size": 1, "modificationTime": 2,
                "dataChange": True, "tags": {"k": "v"}, "deletionVector": VECTOR,
                "clusteringProvider": "liquid", "baseRowId": 4, "defaultRowCommitVersion": 6,
                "stats": TEXT,
            }
        ),
        AddFile.from_json(
            {"path": "b", "partitionValues": {}, "size": 3, "modificationTime": 4}
        ),
    ]  # fmt: skip
    nothing = dict.fromkeys(("tags", "deletionVector", "baseRowId", "defaultRowCommitVersion"))
    found = maker().new_adds(adds).to_pylist()
    assert found[0] == {
        "path": "a", "partitionValues": [("p", None)], "size": 1, "modificationTime": 2,
        "dataChange": False, "tags": [("k", "v")],
        "deletionVector": VECTOR | {"offset": None, "maxRowIndex": None}, "baseRowId": 4,
        "defaultRowCommitVersion": 6, "clusteringProvider": "liquid", "stats": TEXT,
        "stats_parsed": parsed(1),
    }  # fmt: skip
    assert found[1] == {
        "path": "b", "partitionValues": [], "size": 3, "modificationTime": 4, "dataChange": False,
        "clusteringProvider": None, "stats": None, "stats_parsed": None, **nothing,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (5, 5),
        (2**63 - 1, 2**63 - 1),
        (2**63, None),
        (-(2**63), -(2**63)),
        (-(2**63) - 1, None),
        (True, None),
        ("5", None),
        (5.0, None),
    ],
)
def test_a_number_of_a_remove(value, expected) -> None:
    remove = RemoveFile(path="a", unknown={"deletionTimestamp": value, "size": value})
    (found,) = maker().new_removes([remove]).to_pylist()
    assert (found["deletionTimestamp"], found["size"]) == (expected, expected)


@pytest.mark.parametrize(("flag", "expected"), [(True, True), (False, False), (1, None)])
@pytest.mark.parametrize(
    ("values", "held"),
    [
        ({"p": "x", "n": None}, [("p", "x"), ("n", None)]),
        ({"p": 1.5, "q": {"a": [1, "ä"]}}, [("p", "1.5"), ("q", '{"a":[1,"ä"]}')]),
        ({}, []),
        (None, None),
        ("p=x", None),
    ],
)
def test_a_remove_of_a_commit(values, held, flag, expected) -> None:
    body = {"extendedFileMetadata": flag, "partitionValues": values}
    remove = RemoveFile(path="a", unknown=body)
    (found,) = maker().new_removes([remove]).to_pylist()
    assert found["partitionValues"] == held
    assert found["extendedFileMetadata"] is expected
    assert found["deletionVector"] is None
    assert found["dataChange"] is False


def test_small_actions_with_odd_values() -> None:
    schema = pa.schema({"metaData": METADATA, "domainMetadata": DOMAIN})
    body = {"id": 7, "format": "parquet", "configuration": "none", "createdTime": True}
    domain = {"domain": "d", "configuration": {"a": 1}, "removed": False}
    found = small_rows(schema, [("metaData", body), ("domainMetadata", domain)]).to_pylist()
    assert found[0]["domainMetadata"] is None
    metadata = found[0]["metaData"]
    assert metadata["id"] == "7"
    assert metadata["format"] == {"provider": None, "options": None}
    assert metadata["configuration"] == []
    assert metadata["createdTime"] is None
    assert found[1]["domainMetadata"] == {
        "domain": "d", "configuration": '{"a":1}', "removed": False
    }  # fmt: skip
