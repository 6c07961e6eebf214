"""Whole adds: from commits as they stand there, from checkpoints with all that they keep."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_tables import field, metadata, protocol, write_log

from deltactl.table.state.files import prepare_state
from deltactl.table.state.live_adds import live_adds
from deltactl.table.table import open_table

PROTOCOL = protocol(reader=["deletionVectors"])
META = metadata(field("a", "integer"))["metaData"]
FAR = Path(__file__).parents[3] / "golden" / "far_timestamps" / "delta"
VECTOR = {"storageType": "u", "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^", "sizeInBytes": 4}


def adds(table: Path | str) -> dict[str, dict[str, Any]]:
    state = prepare_state(open_table(str(table)).snapshot())
    return {add.path: add.to_json() for add in live_adds(state)}


def add(path: str, **more: Any) -> dict[str, Any]:
    return {"path": path, "size": 1, "modificationTime": 5, "dataChange": True, **more}


def checkpointed(root: Path, rows: list[dict[str, Any]], types: dict[str, pa.DataType]) -> str:
    """A table whose version 0 is a commit and a checkpoint with adds of these fields."""
    texts = pa.map_(pa.string(), pa.string())
    struct = {
        "path": pa.string(), "partitionValues": texts, "size": pa.int64(),
        "modificationTime": pa.int64(), "dataChange": pa.bool_(), **types,
    }  # fmt: skip
    heads = {
        "protocol": pa.struct(
            {
                "minReaderVersion": pa.int32(), "minWriterVersion": pa.int32(),
                "readerFeatures": pa.list_(pa.string()), "writerFeatures": pa.list_(pa.string()),
            }
        ),
        "metaData": pa.struct(
            {
                "id": pa.string(), "schemaString": pa.string(), "configuration": texts,
                "format": pa.struct({"provider": pa.string(), "options": texts}),
                "partitionColumns": pa.list_(pa.string()),
            }
        ),
    }  # fmt: skip
    meta = {**META, "configuration": [], "format": {"provider": "parquet", "options": []}}
    table = pa.Table.from_pylist(
        [PROTOCOL, {"metaData": meta}, *({"add": row} for row in rows)],
        schema=pa.schema({**heads, "add": pa.struct(struct)}),
    )
    uri = write_log(root, [[PROTOCOL, {"metaData": META}]])
    pq.write_table(table, f"{uri}/_delta_log/{0:020d}.checkpoint.parquet")
    return uri


def test_an_add_of_a_commit_keeps_what_nobody_knows(tmp_path) -> None:
    body = add(
        "a",
        partitionValues={"p": None},
        tags={"T": "1"},
        deletionVector={**VECTOR, "offset": 1, "cardinality": 2},
        clusteringProvider="liquid",
        baseRowId=7,
        defaultRowCommitVersion=3,
        own={"x": [1]},
    )
    uri = write_log(tmp_path, [[PROTOCOL, {"metaData": META}, {"add": body}]])
    assert adds(uri) == {"a": body}


def test_an_add_of_a_checkpoint_keeps_it_too(tmp_path) -> None:
    types = {
        "tags": pa.map_(pa.string(), pa.string()),
        "clusteringProvider": pa.string(),
        "baseRowId": pa.int64(),
        "partitionValues_parsed": pa.struct({"p": pa.int32()}),
        "own": pa.struct({"x": pa.int64()}),
    }
    kept = {"tags": {"T": "1"}, "clusteringProvider": "liquid", "baseRowId": 0, "own": {"x": 1}}
    row = add("a", partitionValues={"p": None}, **kept)
    uri = checkpointed(
        tmp_path,
        [
            {
                **row,
                "partitionValues": [("p", None)],
                "tags": [("T", "1")],
                "partitionValues_parsed": {"p": 1},
            },
            add("b", partitionValues=[]),
        ],
        types,
    )
    assert adds(uri) == {"a": row, "b": add("b", partitionValues={})}


PARSED = pa.struct(
    {
        "numRecords": pa.int64(),
        "minValues": pa.struct(
            {
                "f": pa.float32(), "d": pa.date32(), "ts": pa.timestamp("us", "UTC"),
                "n": pa.timestamp("us"), "de": pa.decimal128(12, 4),
                "st": pa.struct({"f": pa.float64()}),
            }
        ),
        "nullCount": pa.struct({"f": pa.int64(), "st": pa.struct({"f": pa.int64()})}),
    }
)  # fmt: skip


def test_statistics_that_are_structs_only_become_text_again(tmp_path) -> None:
    at = datetime(2020, 1, 2, 3, 4, 5, 678000)
    parsed = {
        "numRecords": 2,
        "minValues": {
            "f": 1.1,
            "d": date(2020, 1, 1),
            "ts": at.replace(tzinfo=UTC),
            "n": at,
            "de": Decimal("1.5"),
            "st": {"f": None},
        },
        "nullCount": {"f": 0, "st": {"f": 2}},
    }
    types = {"stats": pa.string(), "stats_parsed": PARSED}
    rows = [
        add("parsed", stats_parsed=parsed, partitionValues=[]),
        add("both", stats='{"numRecords":1}', stats_parsed=parsed, partitionValues=[]),
        add("neither", partitionValues=[]),
    ]
    found = adds(checkpointed(tmp_path, rows, types))
    assert found["parsed"]["stats"] == (
        '{"numRecords":2,"minValues":{"f":1.1,"d":"2020-01-01",'
        '"ts":"2020-01-02T03:04:05.678Z","n":"2020-01-02T03:04:05.678",'
        '"de":1.5000,"st":{}},'
        '"nullCount":{"f":0,"st":{"f":2}}}'
    )
    assert found["both"]["stats"] == '{"numRecords":1}'
    assert "stats" not in found["neither"]
    assert all("stats_parsed" not in body for body in found.values())


def test_bounds_in_parquets_old_form_are_instants_of_any_year() -> None:
    # In nanoseconds, as Arrow reads INT96 by default, none of these but 2026 has a place.
    found = {json.loads(body["stats"])["minValues"]["id"]: body for body in adds(FAR).values()}
    bounds = {number: json.loads(body["stats"])["maxValues"] for number, body in found.items()}
    assert bounds == {
        1: {
            "id": 1,
            "ts": "9999-12-31T23:59:59.999Z",
            "s": {"at": "9999-12-31T00:00:00.000Z"},
        },
        2: {"id": 2, "ts": "1600-02-29T12:00:00.000Z", "s": {"at": "0001-01-01T00:00:00.000Z"}},
        3: {"id": 3, "ts": "2026-01-02T03:04:05.678Z", "s": {"at": "1677-09-21T00:12:43.000Z"}},
    }


def test_a_time_that_python_does_not_have_bounds_nothing(tmp_path) -> None:
    types = pa.struct({"maxValues": pa.struct({"ts": pa.timestamp("us", "UTC"), "d": pa.date32()})})
    # 31 December 9999 is the last day of Python; these are some years later.
    beyond = pa.scalar(300_000_000_000_000_000, pa.int64()).cast(pa.timestamp("us", "UTC"))
    row = {"maxValues": {"ts": beyond, "d": pa.scalar(4_000_000, pa.int32()).cast(pa.date32())}}
    uri = checkpointed(
        tmp_path, [add("a", partitionValues=[], stats_parsed=row)], {"stats_parsed": types}
    )
    assert adds(uri)["a"]["stats"] == '{"maxValues":{}}'


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "stats"),
    [
        (
            "kernel-rs__v1-single-part-struct-stats-only",
            '{"numRecords":1,"minValues":{"id":5,"value":"value_5"},'
            '"maxValues":{"id":5,"value":"value_5"},"nullCount":{"id":0,"value":0},'
            '"tightBounds":true}',
        ),
        (
            "kernel-rs__v2-json-sidecars-struct-stats-only",
            '{"numRecords":1,"minValues":{"id":4,"value":"value_4"},'
            '"maxValues":{"id":4,"value":"value_4"},"nullCount":{"id":0,"value":0},'
            '"tightBounds":true}',
        ),
        (
            "dat-v0.0.3__stats_as_struct",
            '{"numRecords":5,"minValues":{"letter":"a","int":93,"date":"1975-06-01"},'
            '"maxValues":{"letter":"c","int":753,"date":"2013-03-01"},'
            '"nullCount":{"letter":1,"int":0,"date":0}}',
        ),
    ],
)
def test_real_checkpoints_with_structs_only(shared_tables, name, stats) -> None:
    assert list(adds(shared_tables / name / "delta").values())[-1]["stats"] == stats


def test_row_57_structs_in_the_type_from_before_a_widening(tmp_path) -> None:
    # The checkpoint has the column as it was, the table as it is.
    bounds = pa.struct({"a": pa.int16()})
    parsed = pa.struct({"numRecords": pa.int64(), "minValues": bounds})
    row = add("a", partitionValues=[], stats_parsed={"numRecords": 1, "minValues": {"a": 1}})
    uri = checkpointed(tmp_path, [row], {"stats_parsed": parsed})
    assert json.loads(adds(uri)["a"]["stats"]) == {"numRecords": 1, "minValues": {"a": 1}}
