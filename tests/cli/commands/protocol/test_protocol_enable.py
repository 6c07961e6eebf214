import json
import re
from pathlib import Path

import pytest

ROW_TRACKING = """\
/many_ops_history  v16 → v17  ROW TRACKING BACKFILL

Protocol  1/2 → 1/7  + domainMetadata  + rowTracking
Properties  + delta.enableRowTracking = true
            + delta.rowTracking.materializedRowCommitVersionColumnName = _row-commit-version-col-
            + delta.rowTracking.materializedRowIdColumnName = _row-id-col-
Domains  + delta.rowTracking = {"rowIdHighWaterMark":0,"domainName":"delta.rowTracking"}
Clients  delta-rs (deltalake) 1.6.6 can no longer write it: domainMetadata: it refuses to \
write; rowTracking: it refuses to write
Data files  1 file committed again with ids of rows, none rewritten
To go back  deltactl protocol drop many_ops_history rowTracking
            the protocol keeps domainMetadata

Dry run: nothing was written; the table is at version 16.
"""


def last_commit(table: str) -> list[dict]:
    newest = max(Path(table, "_delta_log").glob("0*.json"))
    return [json.loads(line) for line in newest.read_text().splitlines()]


def plain(text: str) -> list[str]:
    """The lines without what differs from run to run, each gap two spaces wide."""
    kept = re.sub(r"\S*(?=/many_ops)|(?<=-col-)\S+", "", text)
    return [re.sub(r"(?<=\S) {2,}", "  ", line) for line in kept.splitlines()]


def test_a_plan(run, golden) -> None:
    result = run("protocol", "enable", golden("many_ops_history"), "rowTracking", "--dry-run")
    assert (result.exit_code, result.stderr) == (0, "")
    assert plain(result.stdout) == ROW_TRACKING.splitlines()


def test_a_commit(run, golden) -> None:
    table = golden("many_ops_history")
    result = run("protocol", "enable", table, "rowtracking", "--yes", "-m", "for the audit")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "Committed as version 17."
    kinds = [kind for action in last_commit(table) for kind in action]
    assert kinds == ["commitInfo", "protocol", "metaData", "domainMetadata", "add"]
    info = last_commit(table)[0]["commitInfo"]
    assert info["operationParameters"] == {"batchId": "0"}
    assert info["userMetadata"] == "for the audit"
    again = run("protocol", "enable", table, "rowTracking", "--yes")
    said = "Nothing to do: already up to date (version 17).\n"
    assert (again.exit_code, again.stdout, again.stderr) == (0, said, "")


@pytest.mark.parametrize(
    "feature",
    [
        "appendOnly", "checkConstraints", "changeDataFeed", "generatedColumns", "columnMapping",
        "identityColumns", "deletionVectors", "timestampNtz", "domainMetadata", "v2Checkpoint",
        "typeWidening", "typeWidening-preview", "inCommitTimestamp", "vacuumProtocolCheck",
        "allowColumnDefaults", "icebergCompatV1", "icebergCompatV2", "icebergCompatV3",
        "variantType", "variantType-preview", "variantShredding", "variantShredding-preview",
        "materializePartitionColumns",
    ],
)  # fmt: skip
def test_once_is_enough(run, golden, valid_document, feature: str) -> None:
    table = golden("many_ops_history")
    words = ["protocol", "enable", table, feature, "--yes", "-o", "json"]
    first = valid_document("protocol enable", run(*words).stdout)
    assert (first["committed"], first["version"]) == (True, 17)
    second = valid_document("protocol enable", run(*words).stdout)
    assert (second["committed"], second["plan"]["changes"]) == (False, [])
    assert run("show", table).exit_code == 0


def test_who_loses_the_table_is_told_before_it_asks(run, golden) -> None:
    result = run("protocol", "enable", golden("many_ops_history"), "typeWidening")
    assert result.exit_code == 4
    assert "delta-rs (deltalake) 1.6.6 can no longer read and write it" in result.stdout
    assert "[CONSENT_NEEDED]" in result.stderr


def test_columns_to_cluster_by(run, golden) -> None:
    table = golden("clustering")
    result = run("protocol", "enable", table, "clustering", "--columns", "id, s.x")
    assert result.exit_code == 0, "no client loses the table: nothing is asked"
    assert last_commit(table)[0]["commitInfo"]["operationParameters"] == {
        "oldClusteringColumns": "s.x",
        "newClusteringColumns": "id,s.x",
    }
    assert "deltactl protocol enable clustering clustering --columns s.x\n" in result.stdout


def test_all_reasons(run, golden) -> None:
    result = run(
        "protocol", "enable", golden("tw_partitioned"), "clustering", "nope", "catalogManaged",
        "--columns", "p",
    )  # fmt: skip
    assert (result.exit_code, result.stdout) == (4, "")
    for code in ("FEATURE_NOT_FOUND", "PARTITIONED_TABLE", "FEATURE_NOT_OFFERED"):
        assert result.stderr.count(f"[{code}]") == 1


@pytest.mark.parametrize(
    ("words", "exit_code", "code"),
    [
        ([], 2, "USAGE"),
        (["deletionVectors", "--columns", "id"], 2, "USAGE"),
        (["clustering", "--columns", "id,,v"], 2, "BAD_COLUMN_LIST"),
        (["clustering"], 4, "CLUSTERING_COLUMNS_NEEDED"),
        (["clustering", "--columns", "nope"], 3, "COLUMN_NOT_FOUND"),
        (["rowTrackin"], 3, "FEATURE_NOT_FOUND"),
        (["rowIds"], 3, "FEATURE_NOT_FOUND"),
        (["checkpointProtection"], 4, "FEATURE_NOT_OFFERED"),
    ],
)
def test_mistakes(run, golden, words: list[str], exit_code: int, code: str) -> None:
    result = run("protocol", "enable", golden("many_ops_history"), *words, "--yes")
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert f"[{code}]\n" in result.stderr
