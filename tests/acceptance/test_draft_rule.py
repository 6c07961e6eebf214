"""What the draft's rule of pruning says of recorded tables, as `prune-type-changes` tells it."""

import json
from pathlib import Path
from typing import Any

import pytest
from in_process import say

from deltactl.spec.schema.schema import parse_path

# Each table whose recorded answer has type changes, with the exit code: it is 4 where files hold
# an old type, whatever the rule says.
TABLES = {
    "generated__inv_tw_chain_broken": 4,
    "generated__inv_tw_disallowed_change": 4,
    "generated__tw_both_features": 4,
    "generated__tw_colmap_id": 4,
    "generated__tw_disabled_after_use": 4,
    "generated__tw_integers_floats": 4,
    "generated__tw_kitchen_sink": 4,
    "generated__tw_nested": 4,
    "generated__tw_partitioned": 4,
    "generated__tw_preview_checkpointed": 4,
    "generated__tw_rowtracking_prunable": 0,
    "golden__type-widening": 4,
    "golden__type-widening-nested": 4,
    "kernel-rs__type-widening": 4,
}


def recorded(folder: Path, name: str) -> dict[str, Any] | None:
    """The recorded answer, None for a table without type changes."""
    answer = json.loads((folder / name / "expected.json").read_text())["prune_type_changes"]
    assert answer is None or isinstance(answer, dict)
    return answer


def told(entry: dict[str, Any]) -> dict[str, Any]:
    """A type change as the recorded answers have it."""
    rule = entry["draftRule"]
    return {
        "fieldPath": entry["fieldPath"],
        "fromType": entry["fromType"],
        "toType": entry["toType"],
        "tableVersion": entry["tableVersion"],
        "first_seen_in_commit": entry["sinceVersion"],
        "prunable_by_tableVersion": rule["byTableVersion"],
        "prunable_by_first_seen": rule["bySinceVersion"],
    }


@pytest.mark.parametrize("name", TABLES)
def test_the_rule_of_the_draft(shared_tables: Path, name: str) -> None:
    expected = recorded(shared_tables, name)
    assert expected is not None
    table = str(shared_tables / name / "delta")
    said = say(["prune-type-changes", table, "--dry-run", "-o", "json"])
    found = [
        {"column": list(parse_path(column["field"])), **told(entry)}
        for column in said.document["columns"]
        for entry in column["typeChanges"]
    ]
    assert sorted(found, key=_name) == sorted(expected["entries"], key=_name)
    assert said.exit_code == TABLES[name]


def _name(entry: dict[str, Any]) -> str:
    return json.dumps([entry[key] for key in ("column", "fieldPath", "fromType")])


def test_no_other_table_has_type_changes(shared_tables: Path) -> None:
    folders = (path.parent.name for path in shared_tables.glob("*/expected.json"))
    assert sorted(n for n in folders if recorded(shared_tables, n)) == sorted(TABLES)
