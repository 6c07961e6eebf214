"""Real tables: what the commands say equals what an engine said of the same table."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import shared_tables
from command_line import Result, run

GOLDEN_FOLDER = Path(__file__).parent.parent / "golden"
GOLDEN = sorted(path.parent.name for path in GOLDEN_FOLDER.glob("*/expected.json"))
OWN = "generated__"

# What `show` answers for the tables that no engine can open, or that deltactl must not.
REFUSED: Mapping[str, tuple[int, str]] = {
    "delta-rs-err__table_c": (5, "VERSIONS_NOT_CONTIGUOUS"),
    "delta-rs-err__table_d": (4, "UNSUPPORTED_READER_FEATURE"),
    "delta-rs-err__table_f": (4, "UNSUPPORTED_READER_FEATURE"),
    "delta-rs-err__table_i": (4, "UNSUPPORTED_READER_FEATURE"),
    "delta-rs__simple_table_features": (4, "UNSUPPORTED_PROTOCOL_VERSION"),
    "generated__inv_bad_schema_json": (5, "SCHEMA_NOT_JSON"),
    "generated__inv_corrupt_json": (5, "COMMIT_NOT_JSON"),
    "generated__inv_empty_log_dir": (3, "NOT_A_TABLE"),
    "generated__inv_features_on_old_protocol": (5, "FEATURES_ON_OLD_PROTOCOL"),
    "generated__inv_gap_in_log": (5, "VERSIONS_NOT_CONTIGUOUS"),
    "generated__inv_multipart_part_missing": (5, "CHECKPOINT_INCOMPLETE"),
    "generated__inv_no_metadata": (5, "NO_METADATA"),
    "generated__inv_no_protocol": (5, "NO_PROTOCOL"),
    "generated__inv_not_a_table": (3, "NOT_A_TABLE"),
    "generated__inv_sidecar_missing": (5, "SIDECAR_MISSING"),
    "generated__inv_unknown_reader_feature": (4, "UNSUPPORTED_READER_FEATURE"),
    "golden__deltalog-invalid-protocol-version": (4, "UNSUPPORTED_PROTOCOL_VERSION"),
    "golden__deltalog-state-reconstruction-from-checkpoint-missing-metadata": (5, "NO_METADATA"),
    "golden__deltalog-state-reconstruction-from-checkpoint-missing-protocol": (5, "NO_PROTOCOL"),
    "golden__deltalog-state-reconstruction-without-metadata": (5, "NO_METADATA"),
    "golden__versions-not-contiguous": (5, "VERSIONS_NOT_CONTIGUOUS"),
    "kernel-bench__basic_catalog_managed": (4, "UNSUPPORTED_READER_FEATURE"),
    "kernel-defaults__catalog-owned-preview": (4, "UNSUPPORTED_READER_FEATURE"),
    "kernel-rs__table-with-geo": (4, "UNSUPPORTED_READER_FEATURE"),
}
# These open, though something is wrong with them, and no engine's answer is recorded.
OPEN_WITHOUT_TRUTH = {"generated__inv_tw_changes_without_feature"}
# Its 300,000 files take as long as all other tables together.
LARGE = "kernel-rs-tar__300k-add-files-100-col-partitioned"

# Catalogs or newer clients own these; the log is still shown.
STILL_ANSWERED = [
    "generated__inv_unknown_reader_feature",
    "golden__deltalog-invalid-protocol-version",
    "kernel-bench__basic_catalog_managed",
    "kernel-defaults__catalog-owned-preview",
    "kernel-rs__table-with-geo",
]

# Engines believed the wrong .crc of these tables; this is what their commits say.
BY_THE_LOG: Mapping[str, Mapping[str, Any]] = {
    "generated__crc_bad_metadata": {
        "schema": {
            "type": "struct",
            "fields": [{"name": "id", "type": "integer", "nullable": True, "metadata": {}}],
        }
    },
    "generated__crc_bad_protocol": {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
}


def in_golden(name: str) -> str:
    """What a shared table would be called in the golden folder."""
    return name.removeprefix(OWN)


def each_table(test: Callable[..., None]) -> Callable[..., None]:
    """Run `test` for each golden table and each shared one; without these, for a stand-in."""
    shared = shared_tables.names() or ["none"]
    places = [("golden", OWN + name) for name in GOLDEN] + [("shared", name) for name in shared]
    cases = [
        pytest.param(
            *case,
            id=f"{case[0]}-{in_golden(case[1])}",
            marks=[pytest.mark.sweep] if case[1] == LARGE else [],
        )
        for case in places
    ]
    marked: Callable[..., None] = pytest.mark.parametrize(("where", "name"), cases)(test)
    return marked


def place(request: pytest.FixtureRequest, where: str, name: str) -> Path:
    """The folder of a table and its expected answer."""
    if where == "golden":
        return GOLDEN_FOLDER / in_golden(name)
    tables: Path = request.getfixturevalue("shared_tables")
    return tables / name


def show(root: Path) -> Result:
    return run("show", str(root / "delta"), "--rows", "-o", "json")


def history(root: Path) -> list[dict[str, Any]]:
    """The version and operation of each commit, oldest first."""
    commits = run("history", str(root / "delta"), "-n", "0", "-o", "json").document["commits"]
    return [{"version": c["version"], "operation": c["operation"]} for c in reversed(commits)]


def features(protocol: Mapping[str, Any]) -> dict[str, Any]:
    """A protocol with its feature lists as sets: their order means nothing."""
    lists = {key: set(protocol.get(key) or ()) for key in ("readerFeatures", "writerFeatures")}
    versions = {key: protocol[key] for key in ("minReaderVersion", "minWriterVersion")}
    return versions | lists


def answer(document: Mapping[str, Any]) -> dict[str, Any]:
    """What `show` says, in the words of the recorded answers."""
    files = document["files"]
    return {
        "version": document["version"],
        "protocol": features(document["protocol"]),
        "schema": document["schema"],
        "partition_columns": document["partitionColumns"],
        "properties": document["properties"],
        "num_files": files["count"],
        "size_bytes": files["bytes"],
        "num_records_stats": files["records"],
        "dv_cardinality": files["deletedRows"],
        "domain_metadata": {d["domain"]: d["configuration"] for d in document["domains"]},
        "transactions": {t["appId"]: t["version"] for t in document["transactions"]},
    }


def recorded(truth: Mapping[str, Any]) -> dict[str, Any]:
    """What the engine answered; a null is no answer, but for the rows and the schema."""
    domains, transactions = truth["domain_metadata"], truth["transactions"]
    found = {
        **{key: truth[key] for key in ("version", "partition_columns", "properties")},
        **{key: truth[key] for key in ("num_files", "size_bytes", "dv_cardinality")},
        "protocol": features(truth["protocol"]),
        "domain_metadata": domains and {d["domain"]: d["configuration"] for d in domains},
        "transactions": transactions and {t["appId"]: t["version"] for t in transactions},
    }
    answered = {key: value for key, value in found.items() if value is not None}
    for key in ("domain_metadata", "transactions"):
        if answered.get(key) == []:
            answered[key] = {}
    unknown_rows = truth["num_records_stats"] is None and truth["num_files"] == 0
    rows = 0 if unknown_rows else truth["num_records_stats"]
    return {**answered, "schema": truth["schema"], "num_records_stats": rows}


@each_table
def test_a_table_is_shown_as_recorded(
    where: str, name: str, request: pytest.FixtureRequest
) -> None:
    root = place(request, where, name)
    truth = json.loads((root / "expected.json").read_text())["truth"]
    result = show(root)
    if name in REFUSED:
        assert truth is None
        assert (result.exit_code, result.error["code"]) == REFUSED[name]
        assert result.error["message"]
        return
    assert result.exit_code == 0, result.document
    if truth is None:
        assert name in OPEN_WITHOUT_TRUTH
        return
    expected = recorded(truth | BY_THE_LOG.get(name, {}))
    actual = answer(result.document)
    assert {key: actual[key] for key in expected} == expected
    if truth["history"] is not None:
        assert history(root) == truth["history"]


@pytest.mark.parametrize("command", [["protocol", "show"], ["history"], ["log"]], ids=" ".join)
@pytest.mark.parametrize("name", STILL_ANSWERED)
def test_the_log_is_shown_where_the_table_is_refused(
    name: str, command: list[str], shared_tables: Path
) -> None:
    result = run(*command, str(shared_tables / name / "delta"), "-o", "json")
    assert result.exit_code == 0, result.document
    assert "SNAPSHOT_UNREADABLE" in result.warning_codes


def test_golden_tables_are_present() -> None:
    assert GOLDEN, "an empty glob must not pass"


def test_the_catalogue_names_each_golden_table() -> None:
    rows = (GOLDEN_FOLDER / "README.md").read_text().splitlines()
    assert sorted(row.split("`")[1] for row in rows if row.startswith("| `")) == GOLDEN


def test_each_refusal_is_of_a_table_that_is_there(shared_folder: Path) -> None:
    assert set(shared_tables.names()) >= {*REFUSED, *OPEN_WITHOUT_TRUTH, *BY_THE_LOG}
