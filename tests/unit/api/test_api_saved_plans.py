"""Plans in files: a program or a command plans, and another one applies, with the same checks."""

import errno
import json
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest.mock import Mock

import pytest
from in_process import say
from small_tables import LEGACY, commit_info, field, metadata, write_log

import deltactl
from deltactl.api import values
from deltactl.api.groups import EveryChange
from deltactl.api.saved import files
from deltactl.api.verbs.verbs import CALLS
from deltactl.changes import saved_plan


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> deltactl.DeltaTable:
    """A table of one version, without files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t").mkdir()
    columns = field("id", "integer"), {**field("name", "string"), "nullable": False}
    write_log(tmp_path / "t", [[commit_info(), LEGACY, metadata(*columns)]])
    return deltactl.open("t")


Plans = Callable[[EveryChange[values.Plan]], values.Plan]
PLANS: dict[str, Plans] = {
    "widen": lambda p: p.widen([("id", "long")], enable=True),
    "widen a mapping": lambda p: p.widen(MappingProxyType({"id": "long"}), enable=True),
    "prune_type_changes": lambda p: p.prune_type_changes(["id"]),
    "columns.add": lambda p: p.columns.add("a", "int", comment="c", first=True),
    "columns.drop": lambda p: p.columns.drop("name", "x", if_exists=True, enable=True),
    "columns.rename": lambda p: p.columns.rename("name", "n", enable=True),
    "columns.comment": lambda p: p.columns.comment("id", "in cents"),
    "columns.set_default": lambda p: p.columns.set_default("id", "1", enable=True),
    "columns.drop_default": lambda p: p.columns.drop_default("id"),
    "columns.set_not_null": lambda p: p.columns.set_not_null("id"),
    "columns.drop_not_null": lambda p: p.columns.drop_not_null("name"),
    "properties.set": lambda p: p.properties.set({"a": "1", "b": "2"}),
    "properties.unset": lambda p: p.properties.unset(
        "delta.enableTypeWidening", "x", if_exists=True
    ),
    "properties.set_description": lambda p: p.properties.set_description("d"),
    "properties.set_name": lambda p: p.properties.set_name("n"),
    "constraints.add": lambda p: p.constraints.add("positive", "id > 1"),
    "constraints.drop": lambda p: p.constraints.drop("c", if_exists=True),
    "domains.set": lambda p: p.domains.set("app", "{}", enable=True),
    "domains.unset": lambda p: p.domains.unset("app", if_exists=True),
    "features.enable": lambda p: p.features.enable("v2Checkpoint", "deletionVectors"),
    "features.drop": lambda p: p.features.drop("invariants"),
    "features.upgrade": lambda p: p.features.upgrade(writer=4),
}


def commits(table: deltactl.DeltaTable) -> list[Any]:
    """What the newest version has, without what each run makes up."""
    lines = (Path(table.uri) / f"_delta_log/{table.version:020d}.json").read_text().splitlines()
    actions = [json.loads(line) for line in lines]
    return [action for action in actions if "commitInfo" not in action]


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_is_applied_as_it_was_saved(name: str, table: deltactl.DeltaTable) -> None:
    plan = PLANS[name](table.plan)
    if plan.refusals:
        with pytest.raises(deltactl.DeltactlError) as refused:
            plan.save("plan.json")
        assert refused.value.code == plan.refusals[0].code
        assert not Path("plan.json").exists()
        return
    plan.save("plan.json")
    assert json.loads(Path("plan.json").read_text())["call"]["method"] == name.split()[0]
    loaded = deltactl.load_plan("plan.json")
    assert (loaded.changes, loaded.operation, loaded.read_version) == (
        plan.changes,
        plan.operation,
        0,
    )
    # Another object of another program.
    result = deltactl.open("t").apply(loaded, if_version=0)
    assert result.version == (None if plan.is_empty else 1)
    assert result.plan.changes == plan.changes


def test_every_change_can_be_saved() -> None:
    tried = {name.split()[0].rpartition(".")[2] for name in PLANS}
    assert {call.__name__ for call in CALLS} == tried


def test_a_command_applies_the_plan_of_a_program(table: deltactl.DeltaTable) -> None:
    table.plan.columns.add("a", "int").save("plan.json")
    assert say(["apply", "plan.json", "-o", "json"]).exit_code == 0
    assert [column.path for column in table.columns.list()] == ["id", "name", "a"]


WORDS = {
    "columns.comment": ("column", "comment", "t", "id", "x"),
    "columns.drop": ("column", "drop", "t", "id", "--enable"),
    "columns.set_not_null": ("column", "set-not-null", "t", "id"),
    "features.upgrade": ("protocol", "upgrade", "t", "--writer", "4"),
    "properties.set": ("property", "set", "t", "a=1"),
    "widen": ("widen", "t", "id", "long", "--enable"),
}


@pytest.mark.parametrize("method", WORDS)
def test_a_program_applies_the_plan_of_a_command(method: str, table: deltactl.DeltaTable) -> None:
    said = say([*WORDS[method], "--plan-out", "plan.json", "-o", "json"])
    assert said.exit_code == 0, said.error
    assert json.loads(Path("plan.json").read_text())["call"]["method"] == method
    assert table.apply(deltactl.load_plan("plan.json")).version == 1


def test_what_only_a_command_asks_for_is_not_guessed(table: deltactl.DeltaTable) -> None:
    Path("lines").write_text("comment id x\n")
    assert (
        say(["column", "apply", "t", "lines", "--plan-out", "plan.json", "-o", "json"]).exit_code
        == 0
    )
    with pytest.raises(deltactl.UsageError, match="only deltactl apply") as wrong:
        table.apply(deltactl.load_plan("plan.json"))
    assert wrong.value.code == "REQUEST_NOT_UNDERSTOOD"


def test_a_plan_of_a_table_that_changed_is_stale(table: deltactl.DeltaTable) -> None:
    table.plan.widen({"id": "long"}, enable=True).save("plan.json")
    table.columns.comment("id", "x")
    with pytest.raises(deltactl.ConflictError) as stale:
        table.apply(deltactl.load_plan("plan.json"))
    assert (stale.value.code, table.version) == ("PLAN_STALE", 1)


def test_a_plan_of_another_table_is_refused(table: deltactl.DeltaTable, tmp_path: Path) -> None:
    table.plan.columns.comment("id", "x").save("plan.json")
    (tmp_path / "other").mkdir()
    write_log(tmp_path / "other", [[commit_info(), LEGACY, metadata(field("id", "integer"))]])
    with pytest.raises(deltactl.RefusedError) as refused:
        deltactl.open("other").apply(deltactl.load_plan("plan.json"))
    assert refused.value.code == "PLAN_OF_OTHER_TABLE"


def test_a_file_that_is_no_plan_stays_and_is_not_read(table: deltactl.DeltaTable) -> None:
    plan = table.plan.columns.comment("id", "x")
    Path("notes").write_text("mine")
    with pytest.raises(deltactl.RefusedError) as taken:
        plan.save("notes")
    assert (taken.value.code, Path("notes").read_text()) == ("PLAN_FILE_TAKEN", "mine")
    with pytest.raises(deltactl.UsageError) as missing:
        plan.save("no/plan.json")
    assert missing.value.code == "PLAN_FOLDER_NOT_FOUND"
    for file in ("notes", "nothing"):
        with pytest.raises(deltactl.UsageError) as no_plan:
            deltactl.load_plan(Path(file))
        assert no_plan.value.code == "NOT_A_PLAN"
    plan.save(Path("plan.json"))
    plan.save("plan.json")  # a plan may be replaced
    text = Path("plan.json").read_text()
    Path("plan.json").write_text(text.replace('"x"', '"y"'))
    with pytest.raises(deltactl.RefusedError) as edited:
        deltactl.load_plan("plan.json")
    assert edited.value.code == "PLAN_EDITED"


@pytest.mark.parametrize(
    "call",
    [
        {"method": "columns.destroy", "arguments": {}},
        {"method": "columns._step", "arguments": {"verb": 5}},
        {"method": "__init__", "arguments": {}},
        {"method": "columns.list", "arguments": {}},
        {"method": "columns.comment.__func__", "arguments": {}},
        {"method": "columns.comment", "arguments": {"column": "id", "text": 5}},
        {"method": "columns.comment", "arguments": {"column": "id", "text": "x", "more": 1}},
        {"method": "columns.drop", "arguments": {"columns": {"a": 1}}},
        {"method": "columns.drop", "arguments": {"columns": 5}},
        {"method": "", "arguments": {}},
    ],
    ids=lambda call: f"{call['method']}-{len(str(call))}",
)
def test_a_call_that_is_not_known_is_refused(
    call: dict[str, Any], table: deltactl.DeltaTable
) -> None:
    table.plan.columns.comment("id", "x").save("plan.json")
    content = {**json.loads(Path("plan.json").read_text()), "call": call}
    del content["sha256"]
    digest = saved_plan._digest(content)
    Path("plan.json").write_text(json.dumps({**content, "sha256": digest}))
    with pytest.raises(deltactl.UsageError) as wrong:
        table.apply(deltactl.load_plan("plan.json"))
    assert wrong.value.code == "REQUEST_NOT_UNDERSTOOD"
    assert table.version == 0


def test_a_file_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    failing = PermissionError(errno.EACCES, "Permission denied", "plan.json")
    monkeypatch.setattr(files, "open_named", Mock(side_effect=failing))
    with pytest.raises(deltactl.StorageError, match=r"^plan.json: Permission denied$") as caught:
        deltactl.load_plan("plan.json")
    assert caught.value.code == "IO_FAILED"


def test_a_plan_keeps_its_arguments_as_they_were(table: deltactl.DeltaTable) -> None:
    wanted = {"a": "b"}
    plan = table.plan.properties.set(wanted)
    wanted["c"] = "d"
    plan.save("plan.json")
    assert table.apply(deltactl.load_plan("plan.json")).committed
    assert [found.key for found in table.properties.list()] == ["a"]
