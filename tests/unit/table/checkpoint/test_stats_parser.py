"""Statistics in JSON as structs of a checkpoint: what cannot be had is null, and fails nothing."""

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from deltactl.table.checkpoint.stats_parser import StatsParser
from deltactl.table.checkpoint.uniform_stats import read_uniform


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


def test_what_is_no_text_takes_only_itself() -> None:
    octets = [b'\xff{"numRecords":1}', b'{"numRecords":2}']
    found = StatsParser(target(c=pa.int32())).parse(pa.array(octets).view(pa.string()))
    assert [None if row is None else row["numRecords"] for row in found.to_pylist()] == [None, 2]


def test_a_text_of_one_shape_that_is_no_text_is_nothing() -> None:
    octets = [b"a", "é".encode(), b"\xff"]
    texts = [b'{"numRecords":%d,"minValues":{"gone":"%s"}}' % (n, t) for n, t in enumerate(octets)]
    stats = pa.array(texts).view(pa.string())
    assert read_uniform(stats.slice(0, 2), target(c=pa.int32())) is not None
    assert read_uniform(stats, target(c=pa.int32())) is None
    found = StatsParser(target(c=pa.int32())).parse(stats).to_pylist()
    assert [None if row is None else row["numRecords"] for row in found] == [0, 1, None]


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


def alike(*least: str, kind: pa.DataType) -> list[Any]:
    """The least values of texts that differ in them only, and whether one parsed them all."""
    texts = ['{"numRecords":1,"minValues":{"c":%s},"nullCount":{"c":0}}' % t for t in least]  # noqa: UP031
    stats = pa.array(texts)
    quickly = read_uniform(stats, target(c=kind))
    found = StatsParser(target(c=kind)).parse(stats)
    assert quickly is None or quickly.to_pylist() == found.to_pylist()
    bounds = [None if row is None else row["minValues"] for row in found.to_pylist()]
    values = [None if bound is None else bound["c"] for bound in bounds]
    return [quickly is not None, *values]


@pytest.mark.parametrize(
    ("texts", "kind", "expected"),
    [
        (["7", "-8"], pa.int64(), [True, 7, -8]),
        (["1.5", '"Infinity"'], pa.float64(), [True, 1.5, math.inf]),
        (['"-Infinity"', "1e3"], pa.float32(), [True, -math.inf, 1000.0]),
        (["1.5", "12"], pa.decimal128(10, 2), [True, Decimal("1.50"), Decimal("12.00")]),
        (['"é}"', '"b:{"'], pa.string(), [True, "é}", "b:{"]),
        (['"2024-02-29"', '"never"'], pa.date32(), [True, date(2024, 2, 29), None]),
        (["true", "false"], pa.bool_(), [True, True, False]),
        # Not of one shape, or not what JSON has for the type.
        (['"a"', '"b,c"'], pa.string(), [False, "a", "b,c"]),
        (['"a"', r'"b\"c"'], pa.string(), [False, "a", 'b"c']),
        (['"a"', '"b"c"'], pa.string(), [False, "a", None]),
        (['"a"', '"'], pa.string(), [False, "a", None]),
        (["1", "null"], pa.int32(), [False, 1, None]),
        (["1", '"2"'], pa.int32(), [False, 1, 2]),
        (["1", "2.0"], pa.int32(), [False, 1, None]),
        (["1", "2}"], pa.int32(), [False, 1, None]),
        (["7", "128"], pa.int8(), [False, 7, None]),
        (["1", "2"], pa.string(), [False, None, None]),
    ],
    ids=str,
)
def test_texts_that_are_alike(texts: list[str], kind: pa.DataType, expected: list[Any]) -> None:
    assert alike(*texts, kind=kind) == expected


@pytest.mark.parametrize(
    "other",
    [
        '{"numRecords":2,"minValues":{"c":2}',
        '{"numRecords":2,"minValues":{"c":2}}}',
        '{"numRecords":2,"maxValues":{"c":2}}',
        '{"numRecords":2,"minValues":{"x":{"c":2}}}',
        '{"numRecords":2,"minValues":{"c":2}}\n{"numRecords":3,"minValues":{"c":3}}',
        '{"numRecords":2,"minValues":{"c":2,"d":3}}',
        '{"numRecords":2}',
        "",
    ],
)
def test_a_text_of_another_shape_is_no_concern_of_the_quick_way(other: str) -> None:
    stats = pa.array(['{"numRecords":1,"minValues":{"c":1}}', other])
    assert read_uniform(stats, target(c=pa.int32())) is None


@pytest.mark.parametrize(
    "text",
    [
        '{"numRecords":1,"minValues":{"c":1,"c":2}}',
        '{"minValues":{"c":1},"numRecords":1,"minValues":{"c":2}}',
        '{"numRecords":1,"minValues":{}}',
        '{"numRecords":1,"minValues":{"c":[1,2]}}',
        '{"numRecords":1,"minValues":{"c":1}',
        '{"numRecords":1},"minValues":{"c":1}}',
        '{"numRecords":1,{"minValues":{"c":1}}}',
        "[]",
    ],
)
def test_a_shape_that_cannot_be_told_by_commas(text: str) -> None:
    assert read_uniform(pa.array([text, text]), target(c=pa.int32())) is None


def test_what_some_of_the_columns_have() -> None:
    text = '{"numRecords":1,"minValues":{"gone":{"x":"y","z":true},"c":%d},"tightBounds":true}'
    stats = pa.array([text % 1, text % 2])
    found = read_uniform(stats, target(c=pa.int32(), d=pa.date32()))
    assert found is not None
    assert [row["minValues"] for row in found.to_pylist()] == [
        {"c": 1, "d": None},
        {"c": 2, "d": None},
    ]
    assert found.field("maxValues").null_count == 2


def test_a_word_of_a_number_in_a_text_of_the_same_name() -> None:
    floats, texts = (pa.struct({"c": kind}) for kind in (pa.float64(), pa.string()))
    kind = pa.struct({"minValues": pa.struct({"f": floats, "t": texts})})
    stats = [
        '{"minValues":{"f":{"c":"-Infinity"},"t":{"c":"Infinity"}}}',
        '{"minValues":{"t":{"c":"NaN"},"f":{"c":1.5}}}',
        None,
    ]
    found = StatsParser(kind).parse(pa.array(stats)).to_pylist()
    assert found == [
        {"minValues": {"f": {"c": -math.inf}, "t": {"c": "Infinity"}}},
        {"minValues": {"f": {"c": 1.5}, "t": {"c": "NaN"}}},
        None,
    ]
