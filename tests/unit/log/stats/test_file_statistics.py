"""Statistics: floats read as doubles, and the JSON that structs came from."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltactl.log.stats.stats import Float32, float32, from_parsed, imprecise, with_exact_floats

F = ("f",)


@pytest.mark.parametrize(
    ("text", "double"),
    [
        ("1.1", 1.100000023841858),
        ("-2.2", -2.200000047683716),
        ("0.1", 0.10000000149011612),
        ("1.5", 1.5),
        ("16777216", 16777216.0),
        ("1.0E10", 1e10),
        ("3.4028235E38", 3.4028234663852886e38),
        ("1.4E-45", 1.401298464324817e-45),
        ("0.0", 0.0),
        # Beyond all floats: no writer took it from one.
        ("1e39", None),
        ("-1e300", None),
        # The double nearest to these lies in the middle between two floats, they beside it.
        ("1.00000005960464477539062500000001", 1.0000001192092896),
        ("1.00000005960464477539062499999999", 1.0),
        ("1.000000059604644775390625", 1.0),
        ("-1.00000005960464477539062500000001", -1.0000001192092896),
        ("7.0064923216240853546186479164495806564013097093825788587853E-46", 0.0),
        ("7.0064923216240853546186479164495806564013097093825788587854E-46", 1.401298464324817e-45),
    ],
)
def test_the_float_that_a_number_stands_for(text: str, double: float | None) -> None:
    assert float32(text) == double


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float_stands_for_itself(number: float) -> None:
    assert float32(repr(number)) == number


def test_the_bounds_of_one_column_change_and_nothing_else_does() -> None:
    stats = (
        '{"numRecords":2,"tightBounds":false,"minValues":{"f":1.1,"e":12345678901234567890.12345,'
        '"n":1.10,"s":{"f":2.2,"t":"ü\\n"}},"maxValues":{"f":3.3,"e":1.0E22,"s":{"f":2.5}},'
        '"nullCount":{"f":0,"l":[1,true,null]}}'
    )
    assert imprecise(stats, [F, ("s", "f"), ("e",)]) == (F, ("s", "f"), ("e",))
    assert with_exact_floats(stats, [F, ("s", "f")]) == (
        '{"numRecords":2,"tightBounds":false,"minValues":{"f":1.100000023841858,'
        '"e":12345678901234567890.12345,"n":1.10,"s":{"f":2.200000047683716,"t":"ü\\n"}},'
        '"maxValues":{"f":3.299999952316284,"e":1.0E22,"s":{"f":2.5}},'
        '"nullCount":{"f":0,"l":[1,true,null]}}'
    )


@pytest.mark.parametrize(
    "stats",
    [
        None,
        "",
        "{",
        "[1.1]",
        '{"numRecords":1}',
        '{"minValues":{"f":1.5},"maxValues":{"f":1.5}}',
        '{"minValues":{"f":1.100000023841858},"maxValues":{"f":1.100000023841858}}',
        '{"minValues":{"f":"NaN"},"maxValues":{"f":"Infinity"}}',
        '{"minValues":{"f":"-Infinity"},"maxValues":{"f":null}}',
        '{"minValues":{"f":NaN},"maxValues":{"f":Infinity}}',
        '{"minValues":{"f":{"f":1.1}},"maxValues":1.1}',
        '{"minValues":{"f":"1.1"},"maxValues":{"F":1.1}}',
        '{"minValues":{"f":1e39},"maxValues":{"f":1e999}}',
    ],
)
def test_bounds_that_are_right_or_none(stats: str | None) -> None:
    assert imprecise(stats, [F]) == ()


def test_one_bound_may_be_a_word_and_the_other_a_number() -> None:
    stats = '{"minValues":{"f":1.1},"maxValues":{"f":"NaN"}}'
    assert with_exact_floats(stats, [F]) == (
        '{"minValues":{"f":1.100000023841858},"maxValues":{"f":"NaN"}}'
    )


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_right_bounds_stay(number: float) -> None:
    stats = json.dumps({"minValues": {"f": number}})
    assert imprecise(stats, [F]) == ()


def test_structs_become_the_text_that_spark_made_them_of() -> None:
    parsed = {
        "numRecords": 1,
        "tightBounds": True,
        "minValues": {
            "f": 1.5,
            "d": date(2020, 1, 1),
            "ts": datetime(2020, 1, 2, 3, 4, 5, 678000, UTC),
            "n": datetime(2020, 1, 2, 3, 4, 5, 678000),
            "de": Decimal("1.5000"),
            "db": float("inf"),
            "s": 'x"ü',
            "st": {"f": None},
            "b": b"\0",
        },
        "maxValues": {"f": float("nan"), "db": float("-inf"), "de": Decimal("0E-10")},
        "nullCount": {"f": 0, "st": {"f": 1}},
    }
    assert from_parsed(parsed) == (
        '{"numRecords":1,"tightBounds":true,"minValues":{"f":1.5,"d":"2020-01-01",'
        '"ts":"2020-01-02T03:04:05.678Z","n":"2020-01-02T03:04:05.678","de":1.5000,'
        '"db":"Infinity","s":"x\\"ü","st":{}},'
        '"maxValues":{"f":"NaN","db":"-Infinity","de":0.0000000000},'
        '"nullCount":{"f":0,"st":{"f":1}}}'
    )


def test_a_time_that_is_known_to_the_microsecond_is_not_cut_short() -> None:
    parsed = {"maxValues": {"ts": datetime(2020, 1, 2, 3, 4, 5, 678901, UTC)}}
    assert from_parsed(parsed) == '{"maxValues":{"ts":"2020-01-02T03:04:05.678901Z"}}'


@pytest.mark.parametrize(
    ("double", "text"),
    [
        (1.100000023841858, "1.1"),
        (-0.10000000149011612, "-0.1"),
        (16777216.0, "16777216"),
        (3.4028234663852886e38, "3.4028235e+38"),
        (1.401298464324817e-45, "1e-45"),
        (0.0, "0"),
        (float("nan"), '"NaN"'),
        (float("inf"), '"Infinity"'),
    ],
)
def test_a_float_has_as_few_digits_as_tell_it_from_others(double: float, text: str) -> None:
    assert from_parsed({"f": Float32(double)}) == f'{{"f":{text}}}'


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float_comes_back_from_its_digits(number: float) -> None:
    text = from_parsed({"f": Float32(number)})[len('{"f":') : -1]
    assert float32(text) == number
