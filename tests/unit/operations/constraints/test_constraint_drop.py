"""Constraints that go."""

from pathlib import Path

import pytest
from drafts import back, codes, configuration, draft_of
from small_tables import field, metadata, protocol

from deltactl.operations.constraints.drop import plan_drop_constraint
from deltactl.text.hints import text_of

TABLE = [
    protocol(writer=["checkConstraints"]),
    metadata(field("id", "integer"), **{"constraints.Positive": "id > 0", "appendOnly": "false"}),
]


@pytest.mark.parametrize("name", ["Positive", "positive", "POSITIVE"])
def test_a_name_in_any_case(tmp_path: Path, name: str) -> None:
    made = plan_drop_constraint(draft_of(tmp_path, TABLE), name)
    assert configuration(made) == {"delta.appendOnly": "false"}
    assert (made.operation, made.protocol) == ("DROP CONSTRAINT", None)
    assert made.parameters == {"name": name, "expr": "id > 0", "existed": "true"}
    assert back(made) == [f"deltactl constraint add TABLE {name} 'id > 0'"]


def test_one_that_is_not_there(tmp_path: Path) -> None:
    (refusal,) = plan_drop_constraint(draft_of(tmp_path, TABLE), "postive").refusals
    assert (refusal.code, text_of(refusal.hint)) == (
        "CONSTRAINT_NOT_FOUND",
        "did you mean Positive? --if-exists skips a missing constraint",
    )
    assert refusal.is_missing


def test_if_exists(tmp_path: Path) -> None:
    made = plan_drop_constraint(draft_of(tmp_path, TABLE), "nope", if_exists=True)
    assert (codes(made), made.is_empty) == ([], True)
