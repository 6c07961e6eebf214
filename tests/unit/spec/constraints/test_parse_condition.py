"""Which expressions have one meaning in every session of Spark, and which are declined."""

from datetime import date
from decimal import Decimal as Number

import pytest
from small_tables import array, field, mapping, schema, struct

from deltactl.errors import RefusedError
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
    columns_of,
)
from deltactl.spec.constraints.parse import (
    Declined,
    parse_expression,
    read_condition,
    unknown_columns,
)
from deltactl.spec.schema import types
from deltactl.spec.schema.types import Decimal

TABLE = schema(
    field("i", "integer"),
    field("l", "long"),
    field("b", "boolean"),
    field("d", "double"),
    field("f", "float"),
    field("n", "decimal(10,2)"),
    field("big", "decimal(38,10)"),
    field("s", "string"),
    field("dt", "date"),
    field("ts", "timestamp"),
    field("a.b", "integer"),
    field("st", struct(field("x", "integer"))),
    field("ar", array(struct(field("x", "integer")))),
    field("m", mapping("string", "integer")),
    field("padded", "string", __CHAR_VARCHAR_TYPE_STRING="char(3)"),
    field("bounded", "string", __CHAR_VARCHAR_TYPE_STRING="varchar(3)"),
    field("collated", "string", __COLLATIONS={"collated": "icu.de"}),
)
I = ColumnReference(("i",), types.INTEGER)  # noqa: E741
B = ColumnReference(("b",), types.BOOLEAN)
S = ColumnReference(("s",), types.STRING)
N = ColumnReference(("n",), Decimal(10, 2))
D = ColumnReference(("d",), types.DOUBLE)
DT = ColumnReference(("dt",), types.DATE)


def read(text: str) -> Condition | Declined:
    return read_condition(parse_expression(text), TABLE)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("i > 1", Compare(">", I, Number(1))),
        ("I >= -1", Compare(">=", I, Number(-1))),
        ("1.5 < i", Compare(">", I, Number("1.5"))),
        ("i == 5L", Compare("=", I, Number(5))),
        ("i != 5", Compare("<>", I, Number(5))),
        ("n <= 1.255", Compare("<=", N, Number("1.255"))),
        ("d < 1e3", Compare("<", D, 1000.0)),
        ("d = -0.5", Compare("=", D, -0.5)),
        ("s = 'it'", Compare("=", S, "it")),
        ("dt = '2020-02-29'", Compare("=", DT, date(2020, 2, 29))),
        ("dt < DATE '2020-02-29'", Compare("<", DT, date(2020, 2, 29))),
        ("b", Flag(B)),
        ("NOT b", Not(Flag(B))),
        ("b = false", Compare("=", B, False)),
        ("b IS TRUE", AllOf((Not(IsNull(B)), Flag(B)))),
        ("i IS NOT NULL", Not(IsNull(I))),
        ("i IN (1, NULL)", AnyOf((Compare("=", I, Number(1)), Constant(None)))),
        ("i NOT IN (1)", Not(AnyOf((Compare("=", I, Number(1)),)))),
        (
            "i BETWEEN 1 AND 2",
            AllOf((Compare(">=", I, Number(1)), Compare("<=", I, Number(2)))),
        ),
        ("b OR b AND TRUE", AnyOf((Flag(B), AllOf((Flag(B), Constant(True)))))),
        ("i < n", Compare("<", I, N)),
        ("`a.b` = 1", Compare("=", ColumnReference(("a.b",), types.INTEGER), Number(1))),
        ("ST.X = 1", Compare("=", ColumnReference(("st", "x"), types.INTEGER), Number(1))),
        ("ts IS NULL", IsNull(ColumnReference(("ts",), types.TIMESTAMP))),
        ("bounded = 'x'", Compare("=", ColumnReference(("bounded",), types.STRING), "x")),
    ],
)
def test_what_has_one_meaning(text: str, condition: Condition) -> None:
    assert read(text) == condition


@pytest.mark.parametrize(
    "text",
    [
        "length(s) < 3",
        "i + 1 > 2",
        "i <=> 1",
        "s LIKE 'x%'",
        "i = '1'",  # casts one of the two, by the ANSI mode
        "s = 1",
        "i = NULL",
        "i = d",  # rounds
        "l = 1.5D",
        "n > 1e3",
        "f > 16777217",  # is 16777216 as a float
        "big > 12345678901234567890123456789.5",  # 29 digits before the point and 10 behind
        "i > 500Y",  # does not fit
        "i < 2147483648",  # is beyond the column's type
        "i > -2147483649",
        "n <= 100000000",
        "ts > '2020-01-01'",  # depends on the time zone
        "dt > '2020-1-1'",
        "dt > '2020-02-30'",
        'i > 1 OR s = "x"',  # a text or a column, by a setting
        r"s = 'a\n'",
        "s = 'a' 'b'",
        "i IS NOT DISTINCT FROM 1",
        "padded = 'x'",
        "collated = 'x'",
        "b > true",
        "st IS NULL",
        "ar.x = 1",
        "m.k = 1",
        "i = b IS NULL",  # engines group it in different ways
        "i ISNULL",  # other dialects have it
        "i IN (1, 2,)",
        "i > 1 -- why",
        "i > 0x10",
        "i > :n",
        "1 = 1",
    ],
)
def test_what_only_spark_knows(text: str) -> None:
    assert isinstance(read(text), Declined)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "i >",
        "i > 1; i > 2",
        "i > 1;",
        "SELECT 1",
        "DROP TABLE x",
        "i > 1 AS x",
        "i IN (SELECT 1)",
        "max(i) > 1",
        "i > sum(i) OVER ()",
        "i + 1",
        "'text'",
        "NULL",
        "i",
        "b AND i",
        "(" * 5000,
    ],
)
def test_what_is_no_condition_on_a_row(text: str) -> None:
    with pytest.raises(RefusedError) as caught:
        read(text)
    assert caught.value.code == "BAD_EXPRESSION"
    assert "\x1b" not in caught.value.message


def test_nesting_without_end_is_declined_or_refused() -> None:
    text = "i > 1" + " AND (i > 1" * 3000 + ")" * 3000
    with pytest.raises(RefusedError, match="cannot be read"):
        read(text)


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("i > 1 AND st.x > 1 AND m.anything = 1 AND ar.x = 1", []),
        ("i > 1 OR nope > 1 OR none.x = 1", ["no column none", "no column nope"]),
        ("st.y > 1", ["no column st.y: st has no y"]),
        ("ar.y > 1", ["no column ar.y: ar has no y"]),
        ("i.x > 1", ["no column i.x: i is int and has nothing below it"]),
        ("exists(ar, e -> e.x > 1)", []),
    ],
)
def test_columns_that_are_not_there(text: str, messages: list[str]) -> None:
    assert [error.message for error in unknown_columns(text, TABLE)] == messages


def test_the_columns_of_a_condition() -> None:
    condition = read("NOT (i > 1 AND b) OR s IS NULL OR i < n OR TRUE")
    assert not isinstance(condition, Declined)
    assert [column.path[0] for column in columns_of(condition)] == ["i", "b", "s", "i", "n"]
