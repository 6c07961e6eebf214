"""Which conditions Spark 4.2 surely resolves; what it does not is what it refused."""

import pytest

from deltactl.spec.constraints.parse import parse_expression
from deltactl.spec.constraints.resolvable import surely_resolves
from deltactl.sql.parser import parse_columns

SCHEMA = parse_columns(
    "a INT, b STRING, d DATE, s STRUCT<x: INT>, f DOUBLE, ar ARRAY<INT>, t TIMESTAMP, k BOOLEAN, "
    "n DECIMAL(5,2)"
)


@pytest.mark.parametrize(
    "text",
    [
        "a + 1 > 0 AND b RLIKE 'x'",
        "length(b) > 1",
        "UPPER(b) > 'x'",
        "year(d) > 2000",
        "startswith(b, 'x')",
        "coalesce(a, 0) > -1",
        "s.x % 2 = 0",
        "d <= current_date()",
        "t <= current_timestamp()",
        "NOT k OR abs(n) + f BETWEEN 1 AND 2",
        "b IS NULL OR trim(b) NOT IN ('', 'x')",
    ],
)
def test_what_is_known(text: str) -> None:
    assert surely_resolves(parse_expression(text), SCHEMA)


@pytest.mark.parametrize(
    "text",
    [
        "foo(a) > 1",
        "b(a) > 1",  # b is a column
        "s > 1",
        "ar > 1",
        "a AND true",
        "a = true",
        "d > 5",
        "d > 'x'",
        "year(a) > 2000",
        "size(a) > 1",
        "trim(s) = 'x'",
        "length(b, b) > 1",
        "safe_divide(a, 2) > 1",  # of another dialect
        "a::string > 'x'",
    ],
)
def test_what_is_not(text: str) -> None:
    assert not surely_resolves(parse_expression(text), SCHEMA)
