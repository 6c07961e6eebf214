"""`property set` and `property unset`, from the command line to the log."""

import json
from pathlib import Path
from typing import Any

import pytest

TABLE = "check_constraints_invariants"


def actions(table: str) -> dict[str, Any]:
    """What the newest commit holds, by the kind of action."""
    newest = max(Path(table, "_delta_log").glob("*.json"))
    return {k: v for line in newest.read_text().splitlines() for k, v in json.loads(line).items()}


def test_properties_of_applications_ask_nothing(run, golden) -> None:
    table = golden(TABLE)
    result = run("property", "set", table, "team=a b", "DELTA.checkpointinterval=7")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[2:] == [
        "Properties  + delta.checkpointInterval = 7",
        "            + team = a b",
        "Data files  0 of 1 file rewritten",
        f"To go back  deltactl property unset {table} team delta.checkpointInterval",
        "",
        "Committed as version 6.",
    ]
    done = actions(table)
    assert list(done) == ["commitInfo", "metaData"]
    assert done["commitInfo"]["operation"] == "SET TBLPROPERTIES"
    assert done["commitInfo"]["operationParameters"] == {
        "properties": '{"team":"a b","delta.checkpointInterval":"7"}'
    }
    assert done["metaData"]["configuration"] == {
        "delta.constraints.positive": "v > 0",
        "team": "a b",
        "delta.checkpointInterval": "7",
    }


def test_a_feature_is_asked_for(run, golden) -> None:
    table = golden(TABLE)
    refused = run("property", "set", table, "delta.enableDeletionVectors=true")
    assert (refused.exit_code, "CONSENT_NEEDED" in refused.stderr) == (4, True)
    assert run("property", "set", table, "delta.enableDeletionVectors=true", "-y").exit_code == 0
    done = actions(table)
    assert done["protocol"] == {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["deletionVectors"],
        "writerFeatures": ["appendOnly", "checkConstraints", "deletionVectors", "invariants"],
    }
    assert done["metaData"]["configuration"]["delta.enableDeletionVectors"] == "true"
    again = run("property", "set", table, "delta.enableDeletionVectors=TRUE")
    assert again.stdout == "Nothing to do: already up to date (version 6).\n"


def test_there_and_back(run, golden) -> None:
    table = golden(TABLE)
    assert run("property", "set", table, "team=x", "--once", "deploy:7").exit_code == 0
    assert actions(table)["txn"]["appId"] == "deploy"
    again = run("property", "set", table, "team=y", "--once", "deploy:7")
    assert again.stdout.startswith("Done before")
    older = run("property", "set", table, "team=y", "--once", "deploy:6", "-o", "json")
    assert (older.exit_code, older.document["committed"]) == (0, False)
    assert run("property", "set", table, "team=y", "--once", "deploy:8").exit_code == 0
    assert actions(table)["metaData"]["configuration"]["team"] == "y"
    assert run("property", "unset", table, "team").exit_code == 0
    done = actions(table)
    assert done["commitInfo"]["operation"] == "UNSET TBLPROPERTIES"
    assert done["commitInfo"]["operationParameters"] == {
        "properties": '["team"]',
        "ifExists": "false",
    }
    assert "team" not in done["metaData"]["configuration"]
    missing = run("property", "unset", table, "team")
    assert (missing.exit_code, "[PROPERTY_NOT_FOUND]" in missing.stderr) == (3, True)
    assert run("property", "unset", table, "team", "--if-exists").exit_code == 0


def test_every_reason_is_told(run, golden) -> None:
    table = golden(TABLE)
    result = run(
        "property", "set", table, "delta.apendOnly=1", "delta.feature.rowTracking=supported",
        "delta.constraints.x=v > 1",
    )  # fmt: skip
    assert result.exit_code == 4
    assert result.stderr.splitlines()[1::2] == [
        "hint: did you mean delta.appendOnly?",
        f"hint: deltactl protocol enable {table} rowTracking",
        f"hint: deltactl constraint add {table} x 'v > 1'",
    ]


@pytest.mark.parametrize("words", [["x"], ["=1"], [" =1"], []])
def test_what_is_no_pair(run, golden, words: list[str]) -> None:
    assert run("property", "set", golden(TABLE), *words).exit_code == 2
