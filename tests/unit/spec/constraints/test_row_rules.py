import pytest
from small_tables import array, field, mapping, schema, struct

from deltactl.spec.constraints.rules import RowRule, RowRules, RuleKind

SCHEMA = schema(
    field("s", struct(field("x", "integer"), field("y", "integer"))),
    field("ar", array(struct(field("y", "integer"), field("z", "integer")))),
    field("m", mapping("string", "integer")),
    field("ms", mapping("string", struct(field("x", "integer")))),
    field("aa", array(array(struct(field("y", "integer"))))),
    field("a.b", "integer"),
    field("a", "integer"),
)


def concerns(expression: str, *column: str) -> bool | None:
    """Whether the rule names the column; None if nobody knows."""
    rules = RowRules([RowRule(RuleKind.CHECK, "c", expression)], SCHEMA)
    found = bool(rules.naming(column))
    assert rules.of(column) == rules.perhaps_naming(column)
    return found if found == bool(rules.perhaps_naming(column)) else None


@pytest.mark.parametrize(
    ("expression", "column", "expected"),
    [
        ("s.x > 0", "s.x", True),
        ("s.x > 0", "s", True),
        ("s.x > 0", "s.y", False),
        ("S.X > 0", "s.x", True),
        ("s IS NOT NULL", "s.y", True),
        # SQL steps through an array without saying so: `ar.y` is the array of every y.
        ("ar.y[0] > 1", "ar.element.y", True),
        ("ar.y[0] > 1", "ar.element", True),
        ("ar.y[0] > 1", "ar", True),
        ("ar.y[0] > 1", "ar.element.z", False),
        ("ar[0].y > 1", "ar.element.y", True),
        ("size(ar) > 0", "ar", True),
        ("size(ar) > 0", "ar.element", True),
        ("size(ar) > 0", "ar.element.y", True),
        ("size(ar) > 0", "m.key", False),
        ("aa[0].y[0] > 1", "aa.element.element.y", True),
        # What stands after a map is one of its keys, so both sides of the map are looked at.
        ("m.k > 0", "m.key", True),
        ("m.k > 0", "m.value", True),
        ("m['k'] > 0", "m.value", True),
        ("m.value > 0", "m.key", True),
        ("ms.k.x > 0", "ms.value.x", True),
        ("m.k > 0", "ms.value.x", False),
        # A lambda's own variable is no column.
        ("exists(ar, e -> e.y > 3)", "ar.element.y", True),
        ("exists(ar, e -> e.y > 3)", "s.y", False),
        ("a > 0", "a", True),
        ("nowhere > 0", "a", False),
    ],
)
def test_a_rule_concerns_the_columns_that_it_speaks_of(
    expression: str, column: str, expected: bool
) -> None:
    assert concerns(expression, *column.split(".")) is expected


def test_a_name_that_holds_a_dot_is_one_name() -> None:
    assert concerns("abs(`a.b`) < 5", "a.b") is True
    assert concerns("abs(`a.b`) < 5", "a") is False


@pytest.mark.parametrize("expression", ["a >", "(a > 1", "SELECT FROM WHERE"])
def test_nobody_knows_what_a_rule_that_does_not_parse_speaks_of(expression: str) -> None:
    assert concerns(expression, "a") is None
    assert concerns(expression, "m", "key") is None
