import json
from pathlib import Path

import pytest

DROP = """\
Protocol    1/7 → 1/2  - inCommitTimestamp
Properties  ~ delta.enableInCommitTimestamps = true → false
Clients     no known client loses access
Data files  0 of 3 files rewritten
To go back  deltactl protocol enable in_commit_timestamps_skewed inCommitTimestamp

Committed as version 4.
"""


def test_a_drop(run, golden) -> None:
    table = golden("in_commit_timestamps_skewed")
    result = run("protocol", "drop", table, "INcommitTimestamp", "--yes")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.partition("\n\n")[2] == DROP
    text = Path(table, "_delta_log", f"{4:020d}.json").read_text()
    info = json.loads(text.splitlines()[0])["commitInfo"]
    assert "inCommitTimestamp" not in info, "as Delta's commit that switches them off"
    assert info["operationParameters"] == {
        "featureName": "inCommitTimestamp",
        "truncateHistory": "false",
    }
    verified = run("verify-checksum", table, "--all")
    assert verified.exit_code == 0, verified.stdout
    again = run("protocol", "drop", table, "inCommitTimestamp", "--yes")
    assert again.stdout == "Nothing to do: already up to date (version 4).\n"


def test_type_changes_stay_without_column_mapping(run, golden) -> None:
    table = golden("tw_colmap_id")
    assert run("column", "rename", table, "`new, name;`", "n", "--yes").exit_code == 0
    words = ["protocol", "drop", table, "columnMapping", "--dry-run", "-o", "json"]
    changes = {change["path"]: change for change in run(*words).document["plan"]["changes"]}
    columns = ("id", "n", "s", "s.x", "s.z", "p", "gone")
    gone = {key for column in columns for key in changes[column]["before"]}
    assert gone == {"delta.columnMapping.id", "delta.columnMapping.physicalName"}


def test_ids_of_rows_go(run, golden, valid_document) -> None:
    table = golden("row_tracking")
    words = ["protocol", "drop", table, "rowTracking", "--yes", "-o", "json"]
    plan = valid_document("protocol drop", run(*words).stdout)["plan"]
    files = plan["actions"]["fileActions"]
    assert files["count"] == len(files["sample"]) == 1
    assert not {"baseRowId", "defaultRowCommitVersion"} & set(files["sample"][0]["add"])
    shown = json.loads(run("files", table, "-o", "ndjson").stdout.splitlines()[0])
    assert (shown["baseRowId"], shown["defaultRowCommitVersion"]) == (None, None)
    again = run("protocol", "enable", table, "rowTracking", "--yes")
    assert again.exit_code == 0


@pytest.mark.parametrize(
    ("table", "feature", "exit_code", "code", "hint"),
    [
        (
            "row_tracking",
            "domainMetadata",
            4,
            "FEATURE_IN_USE",
            "hint: deltactl protocol drop row_tracking rowTracking",
        ),
        (
            "check_constraints_invariants",
            "checkConstraints",
            4,
            "FEATURE_IN_USE",
            "hint: deltactl constraint drop check_constraints_invariants ",
        ),
        (
            "tw_dropped_checkpoint_protection",
            "checkpointProtection",
            4,
            "DROP_TRUNCATES_HISTORY",
            "drop tw_dropped_checkpoint_protection checkpointProtection --truncate-history",
        ),
        ("many_ops_history", "nope", 3, "FEATURE_NOT_FOUND", ""),
        (
            "many_ops_history",
            "appendOnly",
            4,
            "FEATURE_STAYS",
            "hint: deltactl property set many_ops_history delta.appendOnly=false ",
        ),
    ],
)
def test_what_takes_more(
    run, golden, table: str, feature: str, exit_code: int, code: str, hint: str
) -> None:
    result = run("protocol", "drop", golden(table), feature, "--yes")
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert f"[{code}]\n" in result.stderr
    assert hint in result.stderr


def test_files_with_vectors_are_rewritten_before_delta_drops_the_feature(
    run, golden, valid_document
) -> None:
    table = golden("tw_kitchen_sink")
    words = ["protocol", "drop", table, "deletionVectors", "--dry-run", "-o", "json"]
    plan = valid_document("protocol drop", run(*words).stdout)["plan"]
    rewrites = plan["rewrites"]
    assert (rewrites["files"], rewrites["comeFirst"]) == (1, True)
    assert len(rewrites["sample"]) == 1
    assert (plan["job"]["name"], plan["job"]["files"]) == ("drop_in_parts", 0)
    text = run(*words[:-2]).stdout
    assert "with deletion vectors is rewritten first, on Spark" in text


@pytest.mark.parametrize(
    ("made", "feature", "back"),
    [
        ([], "typeWidening", "deltactl property set ./t delta.enableTypeWidening=true"),
        (
            ["property", "set", "./t", "delta.checkpointPolicy=v2"],
            "v2Checkpoint",
            "deltactl property set ./t delta.checkpointPolicy=v2",
        ),
        (
            ["property", "set", "./t", "delta.columnMapping.mode=name"],
            "columnMapping",
            "deltactl property set ./t delta.columnMapping.mode=name",
        ),
        (
            ["protocol", "enable", "./t", "vacuumProtocolCheck"],
            "vacuumProtocolCheck",
            "deltactl protocol enable ./t vacuumProtocolCheck",
        ),
        (
            ["property", "unset", "./t", "delta.enableTypeWidening"],
            "typeWidening",
            "deltactl protocol enable ./t typeWidening",
        ),
    ],
)
def test_how_to_get_back_what_delta_drops(run, spark_is_there, made, feature, back) -> None:
    assert run("demo", "./t").exit_code == 0
    if made:
        assert run(*made, "--yes").exit_code == 0
    words = ["protocol", "drop", "./t", feature, "--dry-run", "-o", "json"]
    undo = run(*words).document["plan"]["undo"]
    assert undo["commands"] == [back]
    assert undo["note"].startswith("older versions stay")
