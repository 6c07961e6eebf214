"""The structure of saved plans: each fault is named with its place, and sound plans have none."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from small_tables import LEGACY, field, metadata, write_log

from deltactl.changes import saved_plan
from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.draft import Draft
from deltactl.changes.executor import ChangeExecutor
from deltactl.changes.plan import Plan
from deltactl.changes.plan_shape import faults
from deltactl.table.table import open_table


def naming(draft: Draft) -> Plan:
    draft.name = draft.fresh("col-", "name")
    return draft.plan("SET TBLPROPERTIES", {"properties": "{}"})


@pytest.fixture
def sound(tmp_path: Path) -> dict[str, Any]:
    """A saved plan, with one name that was generated for it."""
    uri = write_log(tmp_path, [[LEGACY, metadata(field("a", "integer"))]])
    executor = ChangeExecutor(open_table(uri), naming, CommitOptions(dry_run=True))
    content: dict[str, Any] = json.loads(saved_plan.to_text(executor.execute(), ["x"], {}))

    return content


UUID = "80a083e8-7026-4e79-81be-64bd76c43a11"
SOUND: list[tuple[str, Any]] = [
    ("base.version", 0),
    ("base.version", 9223372036854775807),
    ("base.protocol.writerFeatures", None),
    ("base.protocol.writerFeatures", ["appendOnly"]),
    ("base.metaData.createdTime", -1),
    ("plan.actions.metaData", None),
    ("plan.job", {"name": "rewrite", "files": 1, "bytes": 2}),
    ("call", {"method": "widen", "arguments": {"columns": None}}),
    ("names", []),
    ("something", "that a newer version knows"),
]
FAULTY: list[tuple[str, Any, list[str]]] = [
    *(
        ("base.version", wrong, ["base.version is not a version or a number from 0 on"])
        for wrong in (-1, 9223372036854775808, True, 1.0, "1", None)
    ),
    ("base", [], ["base is not an object"]),
    ("base", {"version": 1}, ["base.metaData is missing", "base.protocol is missing"]),
    ("request", "x", ["request is not a list"]),
    ("request", ["x", 5, None], ["request[1] is not text", "request[2] is not text"]),
    ("inputs", [], ["inputs is not an object"]),
    ("inputs", {"a": "b", "c": 5}, ["inputs.c is not text"]),
    *(
        ("table.uri", wrong, ["table.uri is not a path or a URL"])
        for wrong in ("", " ", "a\0b", None)
    ),
    ("base.protocol.writerFeatures", {}, ["base.protocol.writerFeatures is not a list"]),
    ("base.metaData.createdTime", True, ["base.metaData.createdTime is not a time"]),
    ("base.metaData.configuration", {"k": 1}, ["base.metaData.configuration.k is not text"]),
    ("plan.warnings", [{"code": "X"}], ["plan.warnings[0].message is missing"]),
    ("plan.job", {"name": "x", "files": 1}, ["plan.job.bytes is missing"]),
    ("call", {"method": 1, "arguments": {}}, ["call.method is not text"]),
    *(
        ("names", [wrong], ["names[0] is not a name with its prefix"])
        for wrong in (
            ["col-", "a", "col-x"],
            ["col-", "a", UUID],
            ["col-", "a", f"col-{UUID.upper()}"],
            ["col-", "a"],
            ["col-", "a", f"col-{UUID}", ""],
            ["col-", None, f"col-{UUID}"],
            "abc",
        )
    ),
    ("names", [["", n, UUID] for n in "ab"], ["names has a name twice"]),
]


def put(content: dict[str, Any], place: str, value: Any) -> dict[str, Any]:
    """The content with another value at the place."""
    content = copy.deepcopy(content)
    *above, last = place.split(".")
    inner = content
    for key in above:
        inner = inner[key]
    inner[last] = value
    return content


def test_a_plan_as_it_was_saved(sound: dict[str, Any]) -> None:
    assert len(sound["names"]) == 1
    assert list(faults(sound)) == []


@pytest.mark.parametrize(("place", "value"), SOUND)
def test_values_that_a_plan_may_have(sound: dict[str, Any], place: str, value: Any) -> None:
    assert list(faults(put(sound, place, value))) == []


@pytest.mark.parametrize(("place", "value", "said"), FAULTY)
def test_each_fault_is_named(
    sound: dict[str, Any], place: str, value: Any, said: list[str]
) -> None:
    assert list(faults(put(sound, place, value))) == said


@pytest.mark.parametrize("content", [None, [], "x", 5])
def test_what_is_no_object(content: Any) -> None:
    assert list(faults(content)) == ["the file is not an object"]
