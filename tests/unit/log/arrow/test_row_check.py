"""Conditions on Arrow columns: three-valued logic, exact numbers, NaN, and odd files."""

from datetime import date
from decimal import Decimal as Number
from typing import Any

import pyarrow as pa
import pytest

from deltactl.log.arrow.row_check import (
    NotComparableError,
    as_compared,
    constant,
    missing,
    violations,
)
from deltactl.spec.constraints.condition import (
    AllOf,
    AnyOf,
    ColumnReference,
    Compare,
    Condition,
    Constant,
    Flag,
    IsNull,
    Not,
)
from deltactl.spec.schema import types
from deltactl.spec.schema.types import DataType, Decimal

NAN, INF = float("nan"), float("inf")


def column(data_type: DataType, name: str = "c") -> ColumnReference:
    return ColumnReference((name,), data_type)


LONG, DOUBLE, FLAG = column(types.LONG), column(types.DOUBLE), column(types.BOOLEAN)
CENTS = column(Decimal(10, 2))


def count(condition: Condition, values: list[Any], of: ColumnReference) -> int:
    """In how many of the values the condition is not true."""
    held = missing(of, 0).type
    return violations(condition, {of.path: pa.array(values, held)}, len(values))


@pytest.mark.parametrize(
    ("operator", "number", "values", "expected"),
    [
        ("<", "1.5", [1, 2], 1),
        ("<=", "1.5", [1, 2], 1),
        (">", "1.5", [1, 2], 1),
        (">=", "-1.5", [-1, -2], 1),
        ("=", "1.5", [1, 2, None], 3),
        ("<>", "1.5", [1, 2, None], 1),
        ("=", "2.0", [1, 2], 1),
        (">=", "-9223372036854775808", [-(2**63)], 0),
        (">", "-9223372036854775808", [-(2**63)], 1),
        ("<=", "9223372036854775807.5", [2**63 - 1], 0),
        ("=", "9007199254740993", [2**53, 2**53 + 1], 1),
    ],
)
def test_integers_against_a_number(
    operator: str, number: str, values: list[Any], expected: int
) -> None:
    assert count(Compare(operator, LONG, Number(number)), values, LONG) == expected


@pytest.mark.parametrize(
    ("operator", "number", "expected"),
    [
        ("=", "1.2", 1),
        ("=", "1.20", 1),
        ("<", "1.255", 0),
        (">", "1.195", 0),
        ("=", "1.255", 2),
    ],
)
def test_decimals_against_a_number(operator: str, number: str, expected: int) -> None:
    values = [Number("1.20"), Number("1.25")]
    assert count(Compare(operator, CENTS, Number(number)), values, CENTS) == expected


@pytest.mark.parametrize(
    ("operator", "expected"),
    [("=", [1.0]), ("<>", [NAN, 2.0, -0.0]), (">", [NAN, 2.0]), ("<=", [1.0, -0.0])],
)
def test_nan_is_above_every_number(operator: str, expected: list[float]) -> None:
    for value in (NAN, 1.0, 2.0, -0.0):
        met = count(Compare(operator, DOUBLE, 1.0), [value], DOUBLE) == 0
        assert met is any(value == e or (value != value and e != e) for e in expected), value


def test_nan_against_nan() -> None:
    other = column(types.FLOAT, "o")
    columns = {("c",): pa.array([NAN, NAN, 1.0]), ("o",): pa.array([NAN, INF, NAN])}
    assert violations(Compare("=", DOUBLE, other), columns, 3) == 2
    assert violations(Compare(">", DOUBLE, other), columns, 3) == 2
    assert violations(Compare(">=", DOUBLE, other), columns, 3) == 1
    assert violations(Compare("<", DOUBLE, other), columns, 3) == 2


def test_columns_of_different_scales() -> None:
    columns = {("c",): pa.array([1, 2]), ("o",): pa.array([Number("1.00"), Number("2.01")])}
    columns["o",] = columns["o",].cast(pa.decimal128(38, 2))
    assert violations(Compare("=", LONG, column(Decimal(10, 2), "o")), columns, 2) == 1


def test_all_digits_that_a_decimal_has() -> None:
    most = pa.array([Number("9" * 38), Number(2)], pa.decimal128(38, 0))
    columns = {("c",): pa.array([1, 2]), ("o",): most}
    assert violations(Compare("<", LONG, column(Decimal(38, 0), "o")), columns, 2) == 1


@pytest.mark.parametrize(
    ("condition", "met"),
    [
        (Flag(FLAG), [True]),
        (Not(Flag(FLAG)), [False]),
        (IsNull(FLAG), [None]),
        (AnyOf((Flag(FLAG), Constant(None))), [True]),
        (AllOf((Flag(FLAG), Constant(None))), []),
        (Not(AllOf((Flag(FLAG), Constant(None)))), [False]),
        (AnyOf((Flag(FLAG), Constant(True))), [True, False, None]),
        (AllOf((Flag(FLAG), Constant(False))), []),
        (Compare("<>", FLAG, True), [False]),
        (Constant(None), []),
    ],
)
def test_three_valued_logic(condition: Condition, met: list[bool | None]) -> None:
    for value in (True, False, None):
        assert (count(condition, [value], FLAG) == 0) is (value in met), value


@pytest.mark.parametrize(
    ("values", "held", "wanted", "compared"),
    [
        (pa.array([1], pa.int8()), "byte", types.LONG, [1]),
        (pa.array([1], pa.int32()), "integer", Decimal(12, 2), [Number("1.00")]),
        (pa.array([0.1], pa.float32()), "float", types.DOUBLE, [0.10000000149011612]),
        (pa.array(["a"]).dictionary_encode(), "string", types.STRING, ["a"]),
        (pa.array([date(9999, 12, 31)]), "date", types.DATE, [date(9999, 12, 31)]),
    ],
)
def test_a_file_in_an_older_type(
    values: pa.Array, held: str, wanted: DataType, compared: list[Any]
) -> None:
    assert as_compared(values, held, column(wanted)).to_pylist() == compared


@pytest.mark.parametrize(
    ("values", "held", "wanted"),
    [
        (pa.array([1], pa.int64()), "long", types.INTEGER),
        (pa.array([1], pa.uint8()), "uint8", types.LONG),
        (pa.array(["1"]), "string", types.INTEGER),
        (pa.array([date(1582, 10, 14)]), "date", types.DATE),
    ],
)
def test_a_file_that_only_spark_can_read(values: pa.Array, held: str, wanted: DataType) -> None:
    with pytest.raises(NotComparableError):
        as_compared(values, held, column(wanted))


@pytest.mark.parametrize(
    ("text", "data_type", "value"),
    [
        ("7", types.INTEGER, 7),
        ("-7", types.LONG, -7),
        ("1.5", Decimal(5, 2), Number("1.50")),
        ("2020-01-31", types.DATE, date(2020, 1, 31)),
        ("true", types.BOOLEAN, True),
        ("a b", types.STRING, "a b"),
        ("", types.STRING, None),
        (None, types.DATE, None),
        (None, types.TIMESTAMP, None),
    ],
)
def test_the_value_of_a_partition(text: str | None, data_type: DataType, value: Any) -> None:
    assert constant(text, column(data_type), 2).to_pylist() == [value, value]


@pytest.mark.parametrize(
    ("text", "data_type"),
    [
        ("07", types.INTEGER),
        ("x", types.LONG),
        ("1.555", Decimal(5, 2)),
        ("NaN", Decimal(5, 2)),
        ("1e400", Decimal(5, 2)),
        ("20200131", types.DATE),
        ("True", types.BOOLEAN),
        ("1.5", types.DOUBLE),
        ("2020-01-01 00:00:00", types.TIMESTAMP),
    ],
)
def test_a_partition_that_only_spark_can_read(text: str, data_type: DataType) -> None:
    with pytest.raises(NotComparableError):
        constant(text, column(data_type), 1)
