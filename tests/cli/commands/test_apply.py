"""Plans that were saved: carried out as reviewed, on the table as it was, or not at all."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from deltactl.changes import saved_plan

TABLE = "tw_nested"
WIDEN = ("widen", TABLE, "s.a", "long")


@pytest.fixture
def saved(run, golden) -> Path:
    """The plan to widen `s.a`, at version 18."""
    golden(TABLE)
    assert run(*WIDEN, "--plan-out", "plan.json").exit_code == 0
    return Path("plan.json")


def commits(table: str = TABLE) -> list[str]:
    return sorted(path.name for path in Path(table, "_delta_log").glob("*.json"))


def actions(version: int, table: str = TABLE) -> dict[str, Any]:
    text = Path(table, "_delta_log", f"{version:020}.json").read_text()
    return {kind: body for line in text.splitlines() for kind, body in json.loads(line).items()}


def commit(version: int, *lines: dict[str, Any], table: str = TABLE) -> None:
    """Another writer's commit."""
    text = "".join(f"{json.dumps(line)}\n" for line in ({"commitInfo": {}}, *lines))
    Path(table, "_delta_log", f"{version:020}.json").write_text(text)


def metadata_of(version: int) -> dict[str, Any]:
    return actions(version)["metaData"]


def test_saving_writes_nothing_to_the_table(run, golden) -> None:
    golden(TABLE)
    result = run(*WIDEN, "--plan-out", "a plan.json", "-y")
    assert result.exit_code == 0
    assert result.stdout.endswith(
        "\nSaved; the table is at version 18. To carry it out: deltactl apply 'a plan.json'\n"
    )
    assert len(commits()) == 19
    assert [path.name for path in Path().iterdir() if path.is_file()] == ["a plan.json"]


def test_what_a_plan_holds(saved: Path) -> None:
    content = json.loads(saved.read_text())
    assert content["deltactlPlan"] == 1
    assert content["table"]["uri"] == str(Path(TABLE).absolute())
    assert content["request"] == ["widen", "--", "s.a", "long"]
    assert content["base"]["version"] == 18
    assert content["base"]["metaData"]["id"] == content["table"]["id"]
    assert content["plan"]["operation"] == "CHANGE COLUMN"
    (change,) = content["plan"]["changes"]
    assert (change["path"], change["before"], change["after"]) == ("s.a", "integer", "long")


def test_applying_commits_what_was_saved(run, valid_document, saved: Path) -> None:
    dry = run("apply", "plan.json", "--dry-run", "--exit-code")
    assert (dry.exit_code, len(commits())) == (5, 19)
    document = valid_document("apply", run("apply", "plan.json", "-m", "ok", "-o", "json").stdout)
    assert (document["committed"], document["version"]) == (True, 19)
    made = actions(19)
    assert made["metaData"] == json.loads(saved.read_text())["plan"]["actions"]["metaData"]
    assert made["commitInfo"]["userMetadata"] == "ok"
    again = run("apply", "plan.json")
    assert (again.exit_code, len(commits())) == (0, 20)
    assert again.stdout == "Nothing to do: already up to date (version 19).\n"


def test_data_that_came_meanwhile_does_not_matter(run, saved: Path) -> None:
    commit(19, {"txn": {"appId": "other", "version": 1}})
    assert run("apply", "plan.json").stdout.endswith("Committed as version 20.\n")
    assert '"toType\\":\\"long\\",\\"tableVersion\\":20' in json.dumps(metadata_of(20))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures":
             ["typeWidening"], "writerFeatures": ["typeWidening", "appendOnly"]}},
            "its protocol is (3,7) appendOnly, typeWidening",
        ),
        ({"metaData": {"name": "orders"}}, "name: not set → orders"),
        (
            {"metaData": {"configuration": {"delta.enableTypeWidening": "true", "x": "y"}}},
            "property x: not set → y",
        ),
    ],
)  # fmt: skip
def test_a_table_that_changed_otherwise(
    run, valid_document, saved: Path, line: dict[str, Any], said: str
) -> None:
    before = json.loads(saved.read_text())["base"]
    commit(19, {kind: {**before[kind], **body} for kind, body in line.items()})
    result = run("apply", "plan.json", "-y", "-o", "json")
    assert result.exit_code == 6
    error = valid_document("apply", result.stdout)["error"]
    assert error["code"] == "PLAN_STALE"
    assert error["message"].startswith("the plan was made on version 18, and the table, now at ")
    assert any(difference.startswith(said) for difference in error["details"]["differences"])
    assert len(commits()) == 20


def test_a_schema_that_changed(run, saved: Path) -> None:
    assert run("widen", TABLE, "mk.key", "long").exit_code == 0
    result = run("apply", "plan.json")
    assert result.exit_code == 6
    assert "has changed since: mk.key int → long; nothing was written [PLAN_STALE]" in result.stderr


def test_another_table_in_its_place(run, golden, saved: Path) -> None:
    shutil.rmtree(TABLE)
    Path(golden("tw_preview_checkpointed")).rename(TABLE)
    result = run("apply", "plan.json")
    assert result.exit_code == 6
    assert "it is another table, with the id " in result.stderr


def test_a_table_that_is_gone(run, saved: Path) -> None:
    shutil.rmtree(TABLE)
    assert run("apply", "plan.json").exit_code == 3


def test_consent_is_asked_for_when_it_is_applied(run, golden) -> None:
    golden("all_types")
    words = ("widen", "all_types", "i", "long", "--enable", "--plan-out", "plan.json")
    assert run(*words).exit_code == 0
    assert "[CONSENT_NEEDED]" in run("apply", "plan.json").stderr
    assert len(commits("all_types")) == 3
    assert run("apply", "plan.json", "--yes").exit_code == 0
    assert actions(3, "all_types")["protocol"]["minReaderVersion"] == 3


def test_the_command_to_apply_it_agrees_to_what_it_costs(run, golden) -> None:
    golden("all_types")
    saved = run("widen", "all_types", "i", "long", "--enable", "--plan-out", "plan.json", "-q")
    assert saved.stdout == (
        "Saved; the table is at version 2. To carry it out: deltactl apply plan.json --yes\n"
    )


def test_a_plan_that_changes_nothing(run, golden) -> None:
    golden(TABLE)
    run(*WIDEN)
    saved = run(*WIDEN, "--plan-out", "plan.json")
    assert (saved.exit_code, saved.stdout) == (
        0,
        "Nothing to do: already up to date (version 19). Saved nevertheless: "
        "deltactl apply plan.json does nothing either.\n",
    )
    applied = run("apply", "plan.json")
    assert (applied.exit_code, applied.stdout) == (
        0,
        "Nothing to do: already up to date (version 19).\n",
    )


def test_a_refused_plan_is_not_saved(run, golden) -> None:
    golden(TABLE)
    assert run("widen", TABLE, "s.a", "string", "--plan-out", "plan.json").exit_code == 4
    assert not Path("plan.json").exists()


def test_a_plan_takes_the_place_of_a_plan_only(run, golden) -> None:
    golden(TABLE)
    Path("notes.txt").write_text("mine")
    result = run(*WIDEN, "--plan-out", "notes.txt")
    assert (result.exit_code, result.stdout) == (4, "")
    assert "[PLAN_FILE_TAKEN]" in result.stderr
    assert Path("notes.txt").read_text() == "mine"
    assert run(*WIDEN, "--plan-out", TABLE).exit_code == 4
    first, second = (run(*WIDEN, "--plan-out", "plan.json") for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0)
    replaced = "note: plan.json held a plan, which this one replaces\n"
    assert replaced not in first.stderr
    assert replaced in second.stderr
    missing = run(*WIDEN, "--plan-out", "no/plan.json")
    assert missing.exit_code == 2
    assert "hint: make it with mkdir -p no, or name another file\n" in missing.stderr
    assert not Path("no").exists()


@pytest.mark.parametrize(
    ("text", "exit_code", "code"),
    [
        ("", 2, "NOT_A_PLAN"),
        ("[]", 2, "NOT_A_PLAN"),
        ('{"commitInfo":{}}', 2, "NOT_A_PLAN"),
        ("\0\udcff", 2, "NOT_A_PLAN"),
        ('{"deltactlPlan":2,"deltactl":"9.9"}', 2, "PLAN_OF_OTHER_FORMAT"),
        ('{"deltactlPlan":1}', 4, "PLAN_EDITED"),
        (None, 2, "NOT_A_PLAN"),
    ],
)
def test_what_is_no_plan(run, valid_document, text: str | None, exit_code: int, code: str) -> None:
    if text is not None:
        Path("plan.json").write_bytes(text.encode(errors="surrogateescape"))
    result = run("apply", "plan.json", "-o", "json")
    assert result.exit_code == exit_code
    assert valid_document("apply", result.stdout)["error"]["code"] == code


def test_a_plan_that_was_edited(run, saved: Path) -> None:
    text = saved.read_text()
    saved.write_text(text.replace('"long"\n', '"double"\n', 1))
    assert saved.read_text() != text
    result = run("apply", "plan.json")
    assert result.exit_code == 4
    assert "[PLAN_EDITED]" in result.stderr
    saved.write_text(text[: len(text) // 2])
    assert "[NOT_A_PLAN]" in run("apply", "plan.json").stderr
    saved.write_text(json.dumps(json.loads(text)))
    assert run("apply", "plan.json").exit_code == 0, "its layout is not its content"


@pytest.mark.parametrize(
    "request_words",
    [
        ["demo", "--"], ["apply", "--"], ["widen", "--shrink", "--", "a", "b"], ["widen"], [],
        ["widen", "--help", "--", "a", "long"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_request_that_is_not_understood(
    run, saved: Path, monkeypatch: pytest.MonkeyPatch, request_words: list[str]
) -> None:
    content = json.loads(saved.read_text())
    del content["call"]  # what programs ask again
    monkeypatch.setattr("deltactl.changes.saved_plan._digest", lambda content: "same")
    saved.write_text(json.dumps({**content, "request": request_words, "sha256": "same"}))
    result = run("apply", "plan.json")
    assert result.exit_code == 2, result.stderr
    assert "[REQUEST_NOT_UNDERSTOOD]" in result.stderr
    assert len(commits()) == 19


def test_a_plan_that_would_come_out_differently(
    run, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = json.loads(saved.read_text())
    monkeypatch.setattr("deltactl.changes.saved_plan._digest", lambda content: "same")
    content["request"][-1] = "decimal(20,0)"
    saved.write_text(json.dumps({**content, "deltactl": "0.0.9", "sha256": "same"}))
    result = run("apply", "plan.json")
    assert result.exit_code == 6
    assert "the plan that was saved by deltactl 0.0.9 is not the one that" in result.stderr
    assert len(commits()) == 19


def test_what_was_read_from_a_file_is_in_the_plan(run, golden) -> None:
    golden("tw_colmap_id")
    Path("verbs.txt").write_text("add one string\nadd two long\n")
    words = ("column", "apply", "tw_colmap_id", "verbs.txt", "--plan-out", "plan.json")
    assert run(*words).exit_code == 0
    Path("verbs.txt").unlink()
    result = run("apply", "plan.json", "-y")
    assert result.exit_code == 0, result.stderr
    shown = run("schema", "show", "tw_colmap_id").stdout
    assert "one string" in shown
    assert "two long" in shown


def test_names_that_were_made_up_are_those_of_the_plan(run, golden) -> None:
    golden("tw_colmap_id")
    words = ("column", "add", "tw_colmap_id", "extra", "string", "--plan-out", "plan.json")
    assert run(*words).exit_code == 0
    content = json.loads(Path("plan.json").read_text())
    ((prefix, _, name),) = content["names"]
    assert prefix == "col-"
    assert name.startswith("col-")
    version = content["base"]["version"] + 1
    assert run("apply", "plan.json").exit_code == 0
    assert f'"delta.columnMapping.physicalName\\":\\"{name}' in json.dumps(
        actions(version, "tw_colmap_id")["metaData"]
    )


def test_a_host_that_only_the_plan_names(run, golden) -> None:
    table = golden("tw_nested")
    run("property", "set", table, "owner.x=1", "--plan-out", "plan.json")
    plan = json.loads(Path("plan.json").read_text())
    del plan["sha256"]
    plan["table"]["uri"] = "hdfs://h/t"
    digest = saved_plan._digest(plan)
    Path("plan.json").write_text(json.dumps({**plan, "sha256": digest}))
    Path("deltactl.toml").write_text("[profiles.lake]\n")
    result = run("apply", "plan.json", "--yes", "--profile", "lake")
    assert result.exit_code == 4
    assert result.stderr.splitlines()[-1] == (
        "hint: deltactl apply plan.json --profile lake --table hdfs://h/t"
    )
