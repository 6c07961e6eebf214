"""Defaults: what is a constant, and which type holds it."""

import pytest

from deltactl.errors import RefusedError
from deltactl.spec.schema.defaults import check_default
from deltactl.spec.schema.type_names import parse_typed

TAKEN = [
    ("int", "42"), ("int", "-42"), ("int", "+ 1"), ("int", "NULL"), ("int", "null"),
    ("int", "2147483647"), ("int", "-2147483648"), ("int", "42L"), ("int", "1Y"),
    ("byte", "-128"), ("short", "32767"), ("long", "9223372036854775807"),
    ("float", "1.5"), ("float", "1"), ("double", "1e300"), ("double", ".5"), ("double", "5.D"),
    ("decimal(5,2)", "123.45"), ("decimal(5,2)", "0"), ("decimal(5,2)", "-1.5BD"),
    ("decimal(3,0)", "1e2"), ("decimal(2,2)", "0.99"),
    ("boolean", "TRUE"), ("string", "'it''s'"), ("string", "'it\\'s'"), ("string", '"x"'),
    ("string", "''"), ("string", "'a' 'b'"), ("varchar(3)", "'abc'"), ("char(3)", "'a'"),
    ("binary", "X'1F'"), ("binary", "x''"),
    ("date", "DATE'2024-02-29'"), ("date", "date '2024-02-29'"), ("date", "'2024-02-29'"),
    ("timestamp", "TIMESTAMP'2024-05-31 12:00:00'"), ("timestamp", "DATE'2024-05-31'"),
    ("timestamp", "TIMESTAMP '2024-05-31T12:00:00.123456Z'"),
    ("timestamp", "TIMESTAMP_LTZ'2024-05-31 12:00:00+02:00'"),
    ("timestamp_ntz", "TIMESTAMP_NTZ'2024-05-31 12:00:00'"),
    ("variant", "NULL"),
]  # fmt: skip
FUNCTIONS = [
    ("date", "current_date()"), ("date", "CURRENT_DATE"), ("timestamp", "current_timestamp()"),
    ("timestamp", "now()"), ("timestamp_ntz", "localtimestamp()"), ("string", "current_user()"),
]  # fmt: skip
NO_CONSTANT = [
    ("int", "id"), ("int", "`id`"), ("int", "id + 1"), ("int", "(SELECT 1)"), ("int", "rand()"),
    ("int", "1 + 1"), ("string", "abc"), ("string", "uuid()"), ("string", "'a' || 'b'"),
    ("int", "max(1)"), ("int", ""), ("int", "1; DROP TABLE t"), ("int", "1 -- one"),
    ("string", "'open"), ("int", "1_000"), ("int", "0x1F"), ("timestamp", "now"),
    ("date", "CAST('2024-05-31' AS DATE)"), ("int", "\u0661"),
]  # fmt: skip
WRONG_TYPE = [
    ("int", "5.5"), ("int", "5.0"), ("int", "1e2"), ("int", "2147483648"), ("int", "'1'"),
    ("int", "1D"), ("byte", "128"), ("long", "9223372036854775808"), ("int", "300Y"),
    ("float", "1e39"), ("double", "1e999"), ("decimal(5,2)", "1234"), ("decimal(5,2)", "0.001"),
    ("decimal(5,2)", "'1'"), ("boolean", "1"), ("boolean", "'true'"), ("string", "1"),
    ("string", "true"), ("varchar(3)", "'abcd'"), ("varchar(3)", "current_user()"),
    ("binary", "'a'"), ("binary", "X'1'"), ("date", "DATE'2023-02-29'"), ("date", "'31.5.2024'"),
    ("date", "current_timestamp()"), ("timestamp", "'2024-05-31 12:00:00'"),
    ("timestamp", "TIMESTAMP'2024-05-31 25:00:00'"), ("timestamp", "localtimestamp()"),
    ("timestamp_ntz", "TIMESTAMP_NTZ'2024-05-31 12:00:00Z'"), ("variant", "1"), ("int", "true"),
    ("date", "TIMESTAMP'2024-05-31 12:00:00'"), ("timestamp_ntz", "TIMESTAMP_NTZ'noon'"),
    ("timestamp", "TIMESTAMP_NTZ'2024-05-31 12:00:00'"), ("string", "X'1F'"),
    ("timestamp_ntz", "TIMESTAMP_NTZ'2024-05-31 25:00:00'"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), TAKEN)
def test_a_plain_value(kind: str, text: str) -> None:
    assert check_default(text, parse_typed(kind)) is True


@pytest.mark.parametrize(("kind", "text"), FUNCTIONS)
def test_a_function_that_is_constant(kind: str, text: str) -> None:
    assert check_default(text, parse_typed(kind)) is False


@pytest.mark.parametrize(("kind", "text"), NO_CONSTANT)
def test_no_constant(kind: str, text: str) -> None:
    with pytest.raises(RefusedError) as caught:
        check_default(text, parse_typed(kind))
    assert caught.value.code == "DEFAULT_NOT_CONSTANT"


@pytest.mark.parametrize(("kind", "text"), WRONG_TYPE)
def test_a_value_of_another_type(kind: str, text: str) -> None:
    with pytest.raises(RefusedError) as caught:
        check_default(text, parse_typed(kind))
    assert caught.value.code == "DEFAULT_WRONG_TYPE"


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("int", "'open", "the default 'open cannot be read as SQL"),
        ("int", "(select 1)", "the default (select 1) is a query"),
        (
            "int",
            "b + a.x + 1",
            "the default b + a.x + 1 names a column (a.x, b); string literals need quotes",
        ),
        ("int", "1 + 1", "the default 1 + 1 is computed, and engines take only a constant"),
        ("bigint", "'1'", "the default '1' is not a value of long"),
        ("varchar(3)", "'abcd'", "the default 'abcd' is not a value of varchar(3)"),
    ],
)
def test_the_reason_is_told(kind: str, text: str, message: str) -> None:
    with pytest.raises(RefusedError) as caught:
        check_default(text, parse_typed(kind))
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("kind", "example"),
    [
        ("decimal(5,3)", "1.55 or NULL"),
        ("decimal(5,1)", "1.5 or NULL"),
        ("decimal(5,0)", "1 or NULL"),
        ("byte", "42 or NULL"),
        ("long", "42 or NULL"),
        ("date", "DATE'2024-05-31' or current_date() or NULL; in a shell: \"DATE'2024-05-31'\""),
        ("string", "'text' or current_user() or NULL; in a shell: \"'text'\""),
        ("variant", "NULL"),
    ],
)
def test_the_hint_shows_one_that_fits(kind: str, example: str) -> None:
    with pytest.raises(RefusedError) as caught:
        check_default("x", parse_typed(kind))
    assert caught.value.hint == f"write the value itself, such as {example}"
