"""Statistics in JSON as structs of a checkpoint: what cannot be had is null, and fails nothing."""

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from deltactl.table.stats_parser import StatsParser


def target(**columns: pa.DataType) -> pa.StructType:
    bounds = pa.struct(columns)
    nulls = pa.struct({name: pa.int64() for name in columns})
    fields = {"numRecords": pa.int64(), "minValues": bounds, "maxValues": bounds}
    return pa.struct({**fields, "nullCount": nulls})


def least(text: str, kind: pa.DataType) -> Any:
    """The least value of a column `c` by statistics in which it is the JSON `text`."""
    stats = pa.array(['{"numRecords":1,"minValues":{"c":%s}}' % text])  # noqa: UP031 - braces
    (row,) = StatsParser(target(c=kind)).parse(stats).to_pylist()
    assert row["numRecords"] == 1
    return None if row["minValues"] is None else row["minValues"]["c"]


INSTANT, LOCAL = pa.timestamp("us", "UTC"), pa.timestamp("us")


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("7", pa.int8(), 7),
        ("128", pa.int8(), None),
        ("5", pa.int64(), 5),  # written before the column was widened
        ("1.0", pa.int32(), None),
        ('"5"', pa.string(), "5"),
        ("5", pa.string(), None),
        ("1.5", pa.float32(), 1.5),
        ("3", pa.float64(), 3.0),
        ('"Infinity"', pa.float64(), math.inf),
        ('"-Infinity"', pa.float32(), -math.inf),
        ("12.30", pa.decimal128(10, 2), Decimal("12.30")),
        ("12", pa.decimal128(12, 4), Decimal("12.0000")),
        ("0E-10", pa.decimal128(20, 10), Decimal("0E-10")),
        ("1.234", pa.decimal128(10, 2), None),
        ('"2024-02-29"', pa.date32(), date(2024, 2, 29)),
        ('"2023-02-29"', pa.date32(), None),
        ('"2024-01-02T03:04:05.678Z"', INSTANT, datetime(2024, 1, 2, 3, 4, 5, 678000, UTC)),
        ('"2024-01-02T03:04:05.678-08:00"', INSTANT, datetime(2024, 1, 2, 11, 4, 5, 678000, UTC)),
        ('"2024-01-02T03:04:05.678"', LOCAL, datetime(2024, 1, 2, 3, 4, 5, 678000)),
        ('"2024-01-02"', LOCAL, datetime(2024, 1, 2)),  # written when the column was a date
        ('"soon"', INSTANT, None),
        ("null", pa.int32(), None),
        ('"NaN"', pa.string(), "NaN"),
    ],
    ids=str,
)
def test_a_value(text: str, kind: pa.DataType, expected: Any) -> None:
    assert least(text, kind) == expected


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
def test_no_number_is_a_number_of_its_own(kind: pa.DataType) -> None:
    assert math.isnan(least('"NaN"', kind))


@pytest.mark.parametrize("broken", ["", " ", "x", "[]", "5", '{"numRecords":1', '"a"', "\n"])
def test_what_is_no_object_takes_only_itself(broken: str) -> None:
    stats = pa.array(['{"numRecords":1}', broken, None, '{"numRecords":3}'])
    found = StatsParser(target(c=pa.int32())).parse(stats).to_pylist()
    assert [None if row is None else row["numRecords"] for row in found] == [1, None, None, 3]


def test_a_value_that_fails_takes_only_itself() -> None:
    texts = ['{"numRecords":%d,"minValues":{"c":%d}}' % (n, n) for n in range(100)]  # noqa: UP031
    texts[77] = '{"numRecords":77,"minValues":{"c":"x"}}'
    found = StatsParser(target(c=pa.int32())).parse(pa.array(texts)).to_pylist()
    assert [row["numRecords"] for row in found] == list(range(100))
    assert [row["minValues"]["c"] for row in found] == [*range(77), None, *range(78, 100)]


def test_words_for_numbers_stay_texts_where_they_are_texts() -> None:
    stats = pa.array(
        [
            '{"minValues":{"f":"NaN","s":"NaN"},"maxValues":{"f":1.5,"s":"Infinity"}}',
            r'{"minValues":{"s":"\"f\":\"NaN\""}}',
        ]
    )
    parser = StatsParser(target(f=pa.float64(), s=pa.string()))
    first, second = parser.parse(stats).to_pylist()
    assert math.isnan(first["minValues"]["f"])
    assert (first["minValues"]["s"], first["maxValues"]) == ("NaN", {"f": 1.5, "s": "Infinity"})
    assert second["minValues"] == {"f": None, "s": '"f":"NaN"'}


def test_a_column_that_holds_a_stand_in_keeps_it() -> None:
    stats = pa.array(['{"minValues":{"f":3.4028232635611926e38}}', '{"minValues":{"f":"NaN"}}'])
    found = StatsParser(target(f=pa.float64())).parse(stats).to_pylist()
    assert found[0]["minValues"]["f"] == 3.4028232635611926e38
    assert math.isnan(found[1]["minValues"]["f"])


def test_what_no_column_has_is_passed_over() -> None:
    stats = pa.array(['{"numRecords":2,"minValues":{"gone":{"x":[1]},"c":1},"later":{}}'])
    (row,) = StatsParser(target(c=pa.int32())).parse(stats).to_pylist()
    assert (row["numRecords"], row["minValues"]) == (2, {"c": 1})
