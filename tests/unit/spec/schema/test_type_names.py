"""The names of types that people type: Delta's, SQL's and DuckLake's."""

import pytest

from deltactl.errors import InvalidUsageError, RefusedError
from deltactl.spec.schema.type_names import Typed, parse_typed
from deltactl.spec.schema.types import (
    BYTE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP_NTZ,
    Decimal,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int16", SHORT), ("int32", INTEGER), ("int64", LONG), ("float32", FLOAT),
        ("float64", DOUBLE), ("BIGINT", LONG), ("Long", LONG), ("tinyint", BYTE), ("int", INTEGER),
        ("real", FLOAT), (" double ", DOUBLE), ("timestamp_ntz", TIMESTAMP_NTZ),
        ("dec(10, 2)", Decimal(10, 2)), ("numeric(5)", Decimal(5, 0)), ("decimal", Decimal(10, 0)),
    ],
)  # fmt: skip
def test_names_of_types(text: str, expected: object) -> None:
    assert parse_typed(text) == Typed(expected)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "limit"),
    [("varchar(5)", "varchar(5)"), ("CHAR ( 3 )", "char(3)"), ("character(3)", "char(3)")],
)
def test_a_length_is_kept_beside_the_type(text: str, limit: str) -> None:
    assert parse_typed(text) == Typed(STRING, limit)


@pytest.mark.parametrize(
    "text", ["uint8", "UINT64", "ubigint", "utinyint", "usmallint", "uinteger"]
)
def test_unsigned_numbers(text: str) -> None:
    with pytest.raises(RefusedError) as refused:
        parse_typed(text)
    assert refused.value.code == "UNSIGNED_TYPE"


def test_a_name_that_means_two_things() -> None:
    with pytest.raises(RefusedError) as refused:
        parse_typed("INT8")
    assert (refused.value.code, refused.value.hint) == (
        "AMBIGUOUS_TYPE",
        "write byte for 1 byte, long for 8",
    )


@pytest.mark.parametrize("text", ["", "frob", "decimal(39,0)", "decimal(2,3)", "array<int>"])
def test_what_is_no_type(text: str) -> None:
    with pytest.raises(InvalidUsageError):
        parse_typed(text)
