"""PROTOCOL.md, "Type Widening": what may become what, and who else allows it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltactl.spec.schema.types import PRIMITIVES, DataType, Decimal, parse_type
from deltactl.spec.schema.widening import targets, widening_rule

# Each change that is allowed between primitive types: whether the draft has it, and Iceberg.
ALLOWED = {
    ("byte", "short"): (True, True),
    ("byte", "integer"): (True, True),
    ("byte", "long"): (True, True),
    ("byte", "double"): (False, False),
    ("short", "integer"): (True, True),
    ("short", "long"): (True, True),
    ("short", "double"): (False, False),
    ("integer", "long"): (True, True),
    ("integer", "double"): (False, False),
    ("float", "double"): (True, True),
    ("date", "timestamp_ntz"): (True, False),
}
PAIRS = [(old, new) for old in PRIMITIVES for new in PRIMITIVES]


def rule_of(old: str, new: str) -> tuple[bool, bool] | None:
    """The flags (draft, Iceberg) of the rule between two types, by their names."""
    rule = widening_rule(parse_type(old), parse_type(new))
    return None if rule is None else (rule.draft, rule.iceberg)


@pytest.mark.parametrize(("old", "new"), PAIRS, ids=lambda name: name)
def test_primitive_types_widen_as_listed_and_in_no_other_way(old: str, new: str) -> None:
    assert rule_of(old, new) == ALLOWED.get((old, new))


@pytest.mark.parametrize(
    ("old", "new", "flags"),
    [
        ("byte", "decimal(10,0)", (False, False)),
        ("byte", "decimal(3,0)", None),  # it would hold a byte; the protocol asks for ten digits
        ("byte", "decimal(9,0)", None),
        ("short", "decimal(10,0)", (False, False)),
        ("short", "decimal(12,2)", (False, False)),
        ("integer", "decimal(10,0)", (False, False)),  # k1 = k2 = 0
        ("integer", "decimal(12,2)", (False, False)),
        ("integer", "decimal(38,28)", (False, False)),
        ("integer", "decimal(9,0)", None),
        ("integer", "decimal(10,2)", None),  # k1 = 0 < k2 = 2
        ("integer", "decimal(12,3)", None),  # k1 = 2 < k2 = 3
        ("integer", "decimal(38,29)", None),
        ("long", "decimal(20,0)", (False, False)),
        ("long", "decimal(38,18)", (False, False)),
        ("long", "decimal(19,0)", None),
        ("long", "decimal(20,1)", None),
        ("float", "decimal(38,0)", None),
        ("double", "decimal(38,0)", None),
        ("boolean", "decimal(10,0)", None),
        ("string", "decimal(10,0)", None),
        ("void", "decimal(10,0)", None),  # no widening: a void column takes any type
        ("decimal(5,2)", "decimal(5,2)", None),  # nothing changes
        ("decimal(5,2)", "decimal(7,2)", (True, True)),
        ("decimal(5,0)", "decimal(38,0)", (True, True)),
        ("decimal(6,2)", "decimal(10,4)", (True, False)),
        ("decimal(5,2)", "decimal(6,3)", (True, False)),  # k1 = k2 = 1
        ("decimal(5,2)", "decimal(6,4)", None),  # k1 = 1 < k2 = 2
        ("decimal(9,2)", "decimal(9,7)", None),  # scale grows, precision does not
        ("decimal(5,2)", "decimal(10,1)", None),  # scale shrinks
        ("decimal(10,2)", "decimal(9,2)", None),
        ("decimal(38,10)", "decimal(38,11)", None),
        ("decimal(10,0)", "long", None),
        ("decimal(5,0)", "double", None),
        ("decimal(5,0)", "string", None),
    ],
    ids=str,
)
def test_decimals_widen_by_the_formula(old: str, new: str, flags: tuple[bool, bool] | None) -> None:
    assert rule_of(old, new) == flags


@pytest.mark.parametrize(
    ("old", "expected"),
    [
        ("byte", ["short", "integer", "long", "double", "decimal(p,s) with p - s >= 10"]),
        ("short", ["integer", "long", "double", "decimal(p,s) with p - s >= 10"]),
        ("integer", ["long", "double", "decimal(p,s) with p - s >= 10"]),
        ("long", ["decimal(p,s) with p - s >= 20"]),
        ("float", ["double"]),
        ("date", ["timestamp_ntz"]),
        (
            "decimal(10,2)",
            ["decimal(p,2) with p > 10", "decimal(p,s) with s > 2 and p - s >= 8"],
        ),
        ("decimal(38,2)", []),
        ("double", []),
        ("string", []),
        ("timestamp", []),
        ("void", []),
    ],
)
def test_targets_are_listed_nearest_first(old: str, expected: list[str]) -> None:
    assert [target.type for target in targets(parse_type(old))] == expected


any_decimal = st.integers(1, 38).flatmap(
    lambda precision: st.builds(Decimal, st.just(precision), st.integers(0, precision))
)
any_type: st.SearchStrategy[DataType] = st.sampled_from(list(PRIMITIVES.values())) | any_decimal


@given(any_type)
def test_each_target_names_a_type_that_the_rules_allow(old: DataType) -> None:
    found = [(target.rule, widening_rule(old, target.example)) for target in targets(old)]
    assert [pair for pair in found if pair[0] != pair[1]] == []


@pytest.mark.parametrize(
    ("old", "examples"),
    [
        ("integer", ["long", "double", "decimal(10,0)"]),
        ("decimal(10,2)", ["decimal(11,2)", "decimal(11,3)"]),
        ("decimal(37,0)", ["decimal(38,0)", "decimal(38,1)"]),
    ],
)
def test_the_nearest_type_of_each_family(old: str, examples: list[str]) -> None:
    assert [str(target.example) for target in targets(parse_type(old))] == examples


def test_widening_is_transitive() -> None:
    kinds: list[DataType] = [*PRIMITIVES.values()]
    kinds += [Decimal(p, s) for p in (1, 9, 10, 11, 20, 21, 38) for s in (0, 1, 2, 10) if s <= p]
    steps = {(a, b) for a in kinds for b in kinds if widening_rule(a, b)}
    chains = [(a, b, c) for a, b in steps for c in kinds if (b, c) in steps]
    assert len(chains) > 100
    # Integers widen to double, and long does not: nothing is lost, for double widens to nothing.
    assert [chain for chain in chains if (chain[0], chain[2]) not in steps] == []


@given(any_type, any_type, any_type)
def test_no_chain_of_changes_leads_where_one_change_may_not(
    first: DataType, second: DataType, third: DataType
) -> None:
    is_chain = widening_rule(first, second) and widening_rule(second, third)
    assert not is_chain or widening_rule(first, third)


@given(any_type, any_type)
def test_no_change_can_be_taken_back(one: DataType, other: DataType) -> None:
    assert not (widening_rule(one, other) and widening_rule(other, one))
