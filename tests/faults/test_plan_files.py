"""Plan files that a program made wrong: refused with what is wrong and where, never a bug."""

import copy
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from changes import CHANGES, prepare
from in_process import say

from deltactl.changes import saved_plan
from deltactl.errors import InvalidUsageError

pytestmark = pytest.mark.faults

REMOVED = object()
VALUES: list[Any] = [
    REMOVED, None, True, 7, -1, 1.5, 2**70, -(2**70), "", "x", "\0", "../x", [], {}, [None], [[]],
    {"": None}, {"type": "struct"}, "[" * 3000, "\u202e",
]  # fmt: skip
SAVED = [name for name, change in CHANGES.items() if change.saved is None]
# How many of the mutated files that still have the structure of a plan are applied, for each kind.
APPLIED = int(os.environ.get("DELTACTL_MUTATED_PLANS", "15"))


def paths(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value, but for the value itself."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        yield (*above, key)
        if isinstance(member, dict | list):
            yield from paths(member, (*above, key))


def mutated(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    found = copy.deepcopy(content)
    place = found
    for key in path[:-1]:
        place = place[key]
    if value is REMOVED:
        del place[path[-1]]
    else:
        place[path[-1]] = copy.deepcopy(value)
    return found


def text_of(content: dict[str, Any]) -> bytes:
    """The file with the digest that fits it."""
    body = {key: value for key, value in content.items() if key != "sha256"}
    return json.dumps({**body, "sha256": saved_plan._digest(body)}).encode()


@pytest.mark.parametrize("name", SAVED)
def test_each_member_of_each_kind_of_plan(name: str, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    table, content = plan_of(name, tmp_path)
    log = sorted(os.listdir(table / "_delta_log"))
    sound = []
    for path in paths(content):
        for value in VALUES:
            text = text_of(mutated(content, path, value))
            try:
                saved_plan.parse(text, "plan.json")
            except InvalidUsageError:
                continue
            sound.append((path, text))
    rng = random.Random(name)
    for path, text in rng.sample(sound, min(APPLIED, len(sound))):
        file.write_bytes(text)
        said = say(["apply", str(file), "--dry-run", "-o", "json"])
        assert said.exit_code in (0, 2, 3, 4, 6), (path, said.document)
    assert sorted(os.listdir(table / "_delta_log")) == log


def plan_of(name: str, folder: Path) -> tuple[Path, dict[str, Any]]:
    """The table of a change, and its plan, which is also saved in `folder`."""
    change, file = CHANGES[name], folder / "plan.json"
    table = prepare(change, folder / "f")
    said = say([*change.arguments(folder / "f"), "--plan-out", str(file)])
    assert said.exit_code == 0, said.document
    content: dict[str, Any] = json.loads(file.read_bytes())
    return table, content


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        (("table",), REMOVED, "table is missing"),
        (("table", "uri"), 7, "table.uri is not a path or a URL"),
        (("request",), "widen", "request is not a list"),
        (("request", 0), None, "request[0] is not text"),
        (("base", "version"), True, "base.version is not a version or a number from 0 on"),
        (("base", "metaData", "configuration"), None, "base.metaData.configuration is not an"),
        (("plan", "actions", "fileActions"), REMOVED, "plan.actions.fileActions is missing"),
        (("plan", "changes", 0, "path"), {}, "plan.changes[0].path is not text"),
        (("names",), [["col-", "column 1", "id"]], "names[0] is not a name with its prefix"),
        (("inputs",), {"a": 1}, "inputs.a is not text"),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_what_is_wrong_is_said(
    path: tuple[Any, ...], value: Any, fault: str, tmp_path: Path
) -> None:
    _, content = plan_of("widen", tmp_path)
    (tmp_path / "plan.json").write_bytes(text_of(mutated(content, path, value)))
    said = say(["apply", str(tmp_path / "plan.json"), "-o", "json"])
    assert (said.exit_code, said.error["code"]) == (2, "PLAN_MALFORMED")
    message = f"{tmp_path}/plan.json is not a plan as deltactl saves it: {fault}"
    assert said.error["message"].startswith(message)


def test_work_on_data_that_the_plan_does_not_show(tmp_path: Path) -> None:
    """The same commit, followed by a backfill that nobody reviewed."""
    _, content = plan_of("column add --default", tmp_path)
    content["request"].insert(content["request"].index("--"), "--backfill")
    (tmp_path / "plan.json").write_bytes(text_of(content))
    said = say(["apply", str(tmp_path / "plan.json"), "--dry-run", "-o", "json"])
    assert (said.exit_code, said.error["code"]) == (6, "PLAN_STALE")
