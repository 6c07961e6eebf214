"""Both forms of a checkpoint's statistics: what contradicts, and what engines may leave out."""

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest

from deltactl.verify.checkpoint.parsed_statistics import contradictions

Parsed = dict[str, Any] | None


def adds(stats: str | None, parsed: Parsed, bounds: dict[str, Any]) -> pa.StructArray:
    """Two adds, the first without any statistics; `bounds` are the columns with their types."""
    columns = pa.struct(list(bounds.items()))
    kind = pa.struct([("numRecords", pa.int64()), ("minValues", columns)])
    fields = [("path", pa.string()), ("stats", pa.string()), ("stats_parsed", kind)]
    rows = [{"path": "first"}, {"path": "second", "stats": stats, "stats_parsed": parsed}]
    return pa.array(rows, pa.struct(fields))


def contradicted(stats: str | None, parsed: Parsed, **bounds: Any) -> list[str]:
    found = contradictions(adds(stats, parsed, bounds))
    return [" ".join(contradiction) for contradiction in found]


def test_each_leaf_that_differs_is_told_of_once() -> None:
    parsed = {"numRecords": 4, "minValues": {"a": 9, "b": "x"}}
    stats = '{"numRecords":3,"minValues":{"a":1,"b":"x"}}'
    assert contradicted(stats, parsed, a=pa.int32(), b=pa.string()) == [
        "numRecords second 3 4",
        "minValues.a second 1 9",
    ]


@pytest.mark.parametrize(
    ("stats", "parsed"),
    [
        (None, {"numRecords": 4, "minValues": {"a": 9}}),
        ('{"numRecords":3,"minValues":{"a":1}}', None),
        ('{"numRecords":3,"minValues":{"a":1}}', {"numRecords": 3, "minValues": {"a": None}}),
        ('{"numRecords":3,"minValues":{"a":1}}', {"numRecords": None, "minValues": None}),
        ('{"numRecords":3}', {"numRecords": 3, "minValues": {"a": 9}}),
        ("no JSON", {"numRecords": 4, "minValues": {"a": 9}}),
    ],
)
def test_what_one_of_them_leaves_out_contradicts_nothing(stats: Any, parsed: Any) -> None:
    assert contradicted(stats, parsed, a=pa.int32()) == []


@pytest.mark.parametrize(
    ("text", "value", "kind", "is_told"),
    [
        ('"NaN"', float("nan"), pa.float64(), False),
        ("2.5", float("nan"), pa.float64(), True),
        ("0.1", 0.1, pa.float32(), False),
        ('"2024-01-01T00:00:00.001Z"', datetime(2024, 1, 1, 0, 0, 0, 1999, UTC), "us", False),
        ('"2024-01-01T00:00:00.001Z"', datetime(2024, 1, 1, 0, 0, 0, 1999, UTC), "ns", False),
        ('"2024-01-01T00:00:00.001Z"', datetime(2024, 1, 1, 0, 0, 0, 3000, UTC), "us", True),
        ('"AAE="', b"\0\1", pa.binary(), False),
    ],
)
def test_values_are_compared_as_what_they_are(
    text: str, value: Any, kind: Any, is_told: bool
) -> None:
    kind = pa.timestamp(kind, "UTC") if isinstance(kind, str) else kind
    stats = f'{{"numRecords":3,"minValues":{{"a":{text}}}}}'
    found = contradicted(stats, {"numRecords": 3, "minValues": {"a": value}}, a=kind)
    assert bool(found) is is_told
