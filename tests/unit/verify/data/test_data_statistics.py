"""Bounds in the log against those of a file: engines may cut them, to one side only."""

import io
import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltactl.spec.schema.schema import parse_schema, walk
from deltactl.verify.data.data_statistics import check

LONG = "a" * 40
TIME = datetime(2024, 5, 6, 7, 8, 9, 123456, UTC)


def found(
    kind: str, values: pa.Array, stats: dict[str, Any], *, has_vector: bool = False
) -> list[tuple[str, str]]:
    """The codes, and the bounds, that are found of a file with these values in its only column."""
    column = {"name": "c", "type": kind, "nullable": True, "metadata": {}}
    schema = parse_schema(json.dumps({"type": "struct", "fields": [column]}))
    file = io.BytesIO()
    pq.write_table(pa.table({"c": values}), file)
    columns = [(node, node.path) for node in walk(schema)]
    parquet = pq.ParquetFile(file)
    findings = check(parquet, columns, "f", json.dumps(stats), has_vector=has_vector)
    return [(finding.code, finding.subject) for finding in findings]


def bounds(low: Any, high: Any) -> dict[str, Any]:
    return {"numRecords": 1, "minValues": {"c": low}, "maxValues": {"c": high}}


TEXTS, TIMES = pa.array(["b", LONG]), pa.array([TIME], pa.timestamp("us", "UTC"))
MONEY = pa.array([Decimal("1.25")], pa.decimal128(10, 2))


@pytest.mark.parametrize(
    ("kind", "values", "low", "high"),
    [
        ("string", TEXTS, LONG[:32], "b"),
        ("string", TEXTS, "", "b\U0010ffff"),
        ("timestamp", TIMES, "2024-05-06T07:08:09.123Z", "2024-05-06T07:08:09.123Z"),
        ("timestamp", TIMES, "2024-05-06T07:08:09.123456Z", "2024-05-06T07:08:09.123456Z"),
        ("timestamp", TIMES, "2024-05-06T09:08:09.123+02:00", "2024-05-06T09:08:09.124+02:00"),
        ("decimal(10,2)", MONEY, 1.25, 1.25),
        ("double", pa.array([1.5, float("nan")]), 1.5, 1.5),
        ("integer", pa.array([None], pa.int32()), None, None),
    ],
)
def test_bounds_that_hold(kind: str, values: pa.Array, low: Any, high: Any) -> None:
    assert found(kind, values, bounds(low, high)) == []


@pytest.mark.parametrize(
    ("kind", "values", "low", "high", "wrong"),
    [
        ("string", TEXTS, LONG[:32] + "b", "b", "minValues"),
        ("string", TEXTS, "a", LONG, "maxValues"),
        ("timestamp", TIMES, "2024-05-06T07:08:09.124Z", "2024-05-06T07:08:09.124Z", "minValues"),
        ("timestamp", TIMES, "2024-05-06T07:08:09.122Z", "2024-05-06T07:08:09.122Z", "maxValues"),
        ("decimal(10,2)", MONEY, 1.26, 1.26, "minValues"),
        ("date", pa.array([19_000], pa.int32()).cast(pa.date32()), "2000-01-01", "2022-01-07",
         "maxValues"),
    ],
)  # fmt: skip
def test_bounds_that_cut_rows_off(
    kind: str, values: pa.Array, low: Any, high: Any, wrong: str
) -> None:
    assert found(kind, values, bounds(low, high)) == [("STATISTICS_WRONG", f"f: c, {wrong}")]


def test_with_a_vector_only_wide_bounds_are_those_of_all_rows() -> None:
    one, wide = pa.array([5], pa.int32()), {"tightBounds": False, "nullCount": {"c": 7}}
    assert found("integer", one, bounds(6, 6), has_vector=True) == []
    assert found("integer", one, {**bounds(6, 6), **wide}, has_vector=True) == [
        ("STATISTICS_WRONG", "f: c, minValues")
    ]


def test_nulls_are_counted() -> None:
    values = pa.array([None, 1], pa.int32())
    assert found("integer", values, {"nullCount": {"c": 1}}) == []
    assert found("integer", values, {"nullCount": {"c": 2}}) == [("STATISTICS_WRONG", "f: c")]
