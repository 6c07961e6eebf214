"""Real tables are sound: what is found in one is true, and said here with its reason."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import shared_tables
from command_line import run

pytestmark = pytest.mark.sweep

# Tables that were made to be broken, each with what is broken about it.
BROKEN: Mapping[str, set[str]] = {
    "delta-rs-err__table_c": {"VERSIONS_NOT_CONTIGUOUS"},
    "generated__crc_bad_metadata": {"CHECKSUM_WRONG"},
    "generated__crc_bad_protocol": {"CHECKSUM_WRONG"},
    "generated__crc_bad_size": {"CHECKSUM_WRONG"},
    "generated__crc_truncated": {"CHECKSUM_UNREADABLE"},
    "generated__inv_bad_schema_json": {"SCHEMA_NOT_JSON"},
    "generated__inv_corrupt_json": {"COMMIT_NOT_JSON"},
    "generated__inv_features_on_old_protocol": {"FEATURES_ON_OLD_PROTOCOL"},
    "generated__inv_gap_in_log": {"VERSIONS_NOT_CONTIGUOUS"},
    "generated__inv_multipart_part_missing": {
        "CHECKPOINT_INCOMPLETE",
        "LAST_CHECKPOINT_TARGET_MISSING",
    },
    "generated__inv_no_metadata": {"NO_METADATA"},
    "generated__inv_no_protocol": {"NO_PROTOCOL"},
    "generated__inv_reader_feature_not_in_writer": {"READER_FEATURE_NOT_IN_WRITER"},
    "generated__inv_sidecar_missing": {"SIDECAR_MISSING", "LOG_TRUNCATED"},
    "generated__inv_tw_chain_broken": {"TYPE_CHANGE_NOT_ALLOWED", "TYPE_CHANGE_NOT_CURRENT"},
    "generated__inv_tw_changes_without_feature": {
        "PROPERTY_WITHOUT_FEATURE",
        "TYPE_CHANGES_WITHOUT_FEATURE",
    },
    "generated__inv_tw_disallowed_change": {"TYPE_CHANGE_NOT_ALLOWED"},
    "golden__corrupted-last-checkpoint-kernel": {"LAST_CHECKPOINT_UNREADABLE"},
    # A row was taken out of the checkpoint, which the hint still counts; and see NO_SCHEMA.
    "golden__deltalog-state-reconstruction-from-checkpoint-missing-metadata": {
        "CHECKPOINT_WRONG",
        "LAST_CHECKPOINT_WRONG",
        "NO_METADATA",
    },
    "golden__deltalog-state-reconstruction-from-checkpoint-missing-protocol": {
        "CHECKPOINT_WRONG",
        "LAST_CHECKPOINT_WRONG",
        "NO_PROTOCOL",
        "SCHEMA_MISSING",
    },
    "golden__deltalog-state-reconstruction-without-metadata": {"NO_METADATA"},
    "golden__versions-not-contiguous": {"VERSIONS_NOT_CONTIGUOUS"},
    "delta-rs__table_failed_last_checkpoint_update": {"LAST_CHECKPOINT_BEHIND"},
}
# Logs written by hand for tests of replay: metaData without a schemaString.
NO_SCHEMA: Mapping[str, set[str]] = {
    name: {"SCHEMA_MISSING"}
    for name in (
        "golden__canonicalized-paths-normal-a",
        "golden__canonicalized-paths-special-a",
        "golden__canonicalized-paths-special-b",
        "golden__update-deleted-directory",
    )
}
# Tables that engines open, though what is found is true.
TRUE: Mapping[str, set[str]] = {
    # `delta.feature.catalogowned` was left among the properties.
    "delta-rs-err__table_d": {"PROTOCOL_KEY_IN_PROPERTIES"},
    "delta-rs-err__table_f": {"PROTOCOL_KEY_IN_PROPERTIES"},
    # And _last_checkpoint names version 10, though there is a checkpoint of 9999.
    "delta-rs-err__table_i": {"PROTOCOL_KEY_IN_PROPERTIES", "LAST_CHECKPOINT_BEHIND"},
    # The property asks for in-commit timestamps, and the second commit has none.
    "kernel-bench__basic_catalog_managed": {"ICT_MISSING"},
    # The checksum was written by hand and speaks of ten files; the commit adds none.
    "kernel-rs__crc-full": {"CHECKSUM_WRONG"},
    # Properties were put into the commit after the checkpoint was made.
    "kernel-rs__parquet_row_group_skipping": {"CHECKPOINT_WRONG"},
    # An empty line stands at the end of the commit.
    "kernel-rs__partition_cm__id": {"COMMIT_HAS_BLANK_LINES"},
    "kernel-rs__partition_cm__name": {"COMMIT_HAS_BLANK_LINES"},
    # The V2 checkpoint was given a classic name after the hint had been written.
    "kernel-rs-tar__v2-classic-checkpoint-json": {"LAST_CHECKPOINT_TARGET_MISSING"},
    # byte to decimal(4,1): the protocol asks for ten digits before the point.
    "kernel-rs__type-widening": {"TYPE_CHANGE_NOT_ALLOWED"},
    # The vectors' files have a prefix that Spark's tests give them and the log does not tell.
    "spark__table-with-dv-large": {"VECTOR_FILE_MISSING"},
    # Its absolute path holds a placeholder, which Spark's test replaces.
    "spark__table-with-dv-special-char": {"VECTOR_FILE_MISSING"},
}
FOUND = {**BROKEN, **NO_SCHEMA, **TRUE}
# Found by `--all` only: below a checkpoint, or where the newest version cannot be had at all.
IN_HISTORY: Mapping[str, set[str]] = {
    "delta-rs-err__table_c": {"HISTORY_HAS_GAP"},
    "delta-rs-err__table_i": {"HISTORY_HAS_GAP"},
    # Its first commit has no schema, and a later one has.
    "delta-rs__delta-live-table": {"SCHEMA_MISSING"},
    "generated__inv_gap_in_log": {"HISTORY_HAS_GAP"},
    "golden__deltalog-state-reconstruction-from-checkpoint-missing-metadata": {"SCHEMA_MISSING"},
    "golden__versions-not-contiguous": {"HISTORY_HAS_GAP", "SCHEMA_MISSING"},
}
# Found by `--data` only, but for tables of which only the log was copied.
IN_DATA: Mapping[str, set[str]] = {
    # Times without a zone under a column of instants, and a lower bound above the least value.
    "delta-rs__issue_1374": {"DATA_FILE_TYPE", "STATISTICS_WRONG"},
    "kernel-rs__parquet_row_group_skipping": {"DATA_FILE_TYPE"},
    "kernel-rs__type-widening": {"DATA_FILE_TYPE", "FLOAT_STATISTICS"},
    # Spark's own widening of a float left its bounds as they were.
    "golden__type-widening": {"FLOAT_STATISTICS"},
}
# No folder of a table, or one without a version.
NO_TABLE = {"generated__inv_empty_log_dir", "generated__inv_not_a_table"}
NAMES = [name for name in shared_tables.names() or [] if name not in NO_TABLE] or ["none"]


def codes(table: Path, *options: str) -> set[str]:
    result = run("verify-checksum", str(table), *options, "-o", "json")
    assert result.exit_code in (0, 5), result.stderr
    found = {finding["code"] for finding in result.document["findings"]}
    assert result.exit_code == (5 if found else 0)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_newest_version(name: str, shared_tables: Path) -> None:
    assert codes(shared_tables / name / "delta") == FOUND.get(name, set())


@pytest.mark.parametrize("name", NAMES)
def test_every_version_and_the_data(name: str, shared_tables: Path) -> None:
    expected = FOUND.get(name, set()) | IN_HISTORY.get(name, set()) | IN_DATA.get(name, set())
    found = codes(shared_tables / name / "delta", "--all", "--data")
    assert found - {"DATA_FILE_MISSING"} == expected


def test_no_table_is_spoken_of_that_is_not_there(shared_tables: Path) -> None:
    spoken = {*FOUND, *IN_HISTORY, *IN_DATA, *NO_TABLE}
    assert {name for name in spoken if not (shared_tables / name).is_dir()} == set()
