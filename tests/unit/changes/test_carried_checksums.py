"""Which tables that Spark wrote get a `.crc` with our commit, and what it says."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.draft import Draft
from deltactl.changes.executor import ChangeExecutor
from deltactl.changes.plan import Plan
from deltactl.table.table import open_table

GOLDEN = Path(__file__).parent.parent.parent / "golden"
NOW = 1795300000000  # later than any of these tables


def renaming(draft: Draft) -> Plan:
    draft.name = "renamed"
    return draft.plan("SET TBLPROPERTIES", {"properties": "{}"})


def looking_at_domains(draft: Draft) -> Plan:
    assert draft.domain("none of this name") is None
    return renaming(draft)


def checksums(name: str, root: Path, planner: Any = renaming) -> tuple[Any, Any]:
    """The checksum before our commit, and the one beside it; None where there is none."""
    table = shutil.copytree(GOLDEN / name / "delta", root / name)
    changer = ChangeExecutor(open_table(str(table)), planner, CommitOptions(), clock=lambda: NOW)
    version = changer.execute(lambda plan: None).version
    assert version is not None
    return _read(table, version - 1), _read(table, version)


def _read(table: Path, version: int) -> Any:
    file = table / "_delta_log" / f"{version:020}.crc"
    return json.loads(file.read_text()) if file.exists() else None


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "time"), [("crc_good", None), ("in_commit_timestamps_skewed", NOW)]
)
def test_a_sound_checksum_is_carried_over(tmp_path: Path, name: str, time: int | None) -> None:
    old, new = checksums(name, tmp_path)
    differing = {key for key in {*old, *new} if old.get(key) != new.get(key)}
    assert differing == {"txnId", "metadata"} | ({"inCommitTimestampOpt"} if time else set())
    assert new["metadata"] == {**old["metadata"], "name": "renamed"}
    assert new.get("inCommitTimestampOpt") == time


def switching_times_off(draft: Draft) -> Plan:
    draft.configuration["delta.enableInCommitTimestamps"] = "false"
    return draft.plan("SET TBLPROPERTIES", {"properties": "{}"})


def test_where_commits_stop_giving_times_the_checksum_has_none(tmp_path: Path) -> None:
    """What Delta 4.4.0 writes: neither its UNSET TBLPROPERTIES nor that version's `.crc` has it."""
    old, new = checksums("in_commit_timestamps_skewed", tmp_path, switching_times_off)
    assert old["inCommitTimestampOpt"] == 1795241779349
    assert {key for key in {*old, *new} if old.get(key) != new.get(key)} == {
        "txnId",
        "metadata",
        "inCommitTimestampOpt",
    }
    assert "inCommitTimestampOpt" not in new


def test_a_checksum_that_lies_is_not_carried_over(tmp_path: Path) -> None:
    old, new = checksums("crc_bad_metadata", tmp_path)
    assert old is not None
    assert new is None


@pytest.mark.parametrize("name", ["clustering", "row_tracking", "tw_kitchen_sink"])
def test_domains_that_nobody_read_are_not_vouched_for(tmp_path: Path, name: str) -> None:
    old, new = checksums(name, tmp_path)
    assert old["domainMetadata"]
    assert new is None


def test_domains_that_were_read_are_carried_over(tmp_path: Path) -> None:
    old, new = checksums("clustering", tmp_path, looking_at_domains)
    assert new["domainMetadata"] == old["domainMetadata"]
    assert new["numFiles"] == old["numFiles"] == 1


def test_where_there_was_none_there_is_none(tmp_path: Path) -> None:
    assert checksums("inv_tw_chain_broken", tmp_path) == (None, None)
