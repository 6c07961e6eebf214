"""Rules that use a column to be widened, and what to do about each."""

import pytest
from small_tables import field, schema

from deltactl.operations.widen.obstacles import row_rule_obstacles, workarounds_for_rules
from deltactl.spec.constraints.rules import RowRule, RowRules, RuleKind
from deltactl.spec.schema.schema import find

CHECK = RowRule(RuleKind.CHECK, "a positive", "a > 0")
OWN_NAME = RowRule(RuleKind.CHECK, "a", "a > 0")
MADE = RowRule(RuleKind.GENERATED, "twice", "a * 2")
OWN = RowRule(RuleKind.GENERATED, "a", "b + 1")
INVARIANT = RowRule(RuleKind.INVARIANT, "b", "a < b")
OTHER = RowRule(RuleKind.CHECK, "b positive", "b > 0")


@pytest.mark.parametrize(
    ("rule", "code", "said", "way"),
    [
        (
            CHECK,
            "CHECK_DEPENDS_ON_COLUMN",
            "it is used by the CHECK constraint a positive: a > 0",
            "deltactl constraint drop TABLE 'a positive' && deltactl widen TABLE a long && "
            "deltactl constraint add TABLE 'a positive' 'a > 0'",
        ),
        # A constraint may have the name of the column: it can be dropped all the same.
        (
            OWN_NAME,
            "CHECK_DEPENDS_ON_COLUMN",
            "it is used by the CHECK constraint a: a > 0",
            "deltactl constraint drop TABLE a && deltactl widen TABLE a long && "
            "deltactl constraint add TABLE a 'a > 0'",
        ),
        (
            MADE,
            "GENERATED_DEPENDS_ON_COLUMN",
            "it is used by the generated column twice: a * 2",
            "deltactl column drop TABLE twice",
        ),
        (
            OWN,
            "GENERATED_DEPENDS_ON_COLUMN",
            "a itself is a generated column: b + 1",
            "only a rewrite of the table",
        ),
        (INVARIANT, "INVARIANT_DEPENDS_ON_COLUMN", "invariant of column b: a < b", None),
        (OTHER, None, None, None),
    ],
)
def test_each_rule_that_uses_the_column_is_in_the_way(
    rule: RowRule, code: str | None, said: str | None, way: str | None
) -> None:
    columns = schema(field("a", "integer"), field("b", "integer"), field("twice", "integer"))
    node = find(columns, ("a",))
    rules = RowRules([rule], columns)
    notices = list(row_rule_obstacles(rules, node))
    assert [notice.code for notice in notices] == ([] if code is None else [code])
    assert said is None or said in notices[0].message
    ways = list(workarounds_for_rules(rules, node, ["long"]).values())
    assert len(ways) == (0 if way is None else 1)
    assert way is None or way in str(ways[0])
