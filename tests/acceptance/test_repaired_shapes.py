"""`--repair` of what can be read, but is another thing than is expected there, or too much."""

import shutil
from collections.abc import Collection
from pathlib import Path

import pytest
from command_line import run
from planted.actions import ACTIONS
from planted.copies import copied, planted
from planted.plant import Fault
from planted.shapes import OF_FILES
from test_verify_repairs import digests

pytestmark = pytest.mark.faults


@pytest.mark.parametrize("fault", OF_FILES, ids=lambda fault: fault.name)
def test_it_is_put_right(fault: Fault, tmp_path: Path) -> None:
    plant = planted(fault, tmp_path / "table")
    before = digests(plant.log)
    words = ("verify-checksum", str(plant.root), *fault.options, "--repair", "-o", "json")
    result = run(*words)
    assert (result.exit_code, result.document["findings"]) == (0, []), result.stderr
    assert digests(plant.log) >= before, "a file is gone"
    assert run("verify-checksum", str(plant.root), "--all").exit_code == 0
    again = run(*words)
    assert (again.exit_code, again.document["repair"]["files"]) == (0, [])


@pytest.mark.parametrize(
    "fault",
    [fault for fault in OF_FILES if fault.name.startswith(("crc-", "hint-", "checkpoint-plain-"))],
    ids=lambda fault: fault.name,
)
def test_show_bears_it(fault: Fault, tmp_path: Path) -> None:
    assert run("show", str(planted(fault, tmp_path / "table").root)).exit_code == 0


def test_the_newest_version_is_not_offered_as_an_older_one(tmp_path: Path) -> None:
    (fault,) = (fault for fault in ACTIONS if fault.name == "add-row-id-text")
    plant = planted(fault, tmp_path / "table")
    result = run("verify-checksum", str(plant.root), "--repair", "-o", "json")
    assert result.exit_code == 5
    (warning,) = result.document["warnings"]
    assert "--at 4" not in warning["message"]
    assert warning["message"].endswith(
        "a commit is not as the protocol wants it, and engines may differ on it"
    )


@pytest.mark.parametrize("version", [17, 40])
def test_a_log_with_a_checkpoint_above_its_commits_stays(version: int, tmp_path: Path) -> None:
    plant = copied("many_ops_history", tmp_path / "table")
    name = f"{version:020d}.checkpoint.parquet"
    shutil.copy(plant.log / f"{10:020d}.checkpoint.parquet", plant.log / name)
    (plant.log / "_last_checkpoint").write_text("{")
    before = digests(plant.log)
    result = run("verify-checksum", str(plant.root), "--repair", "-o", "json")
    assert result.exit_code == 5
    found = {(f["code"], f["subject"], f["repairable"]) for f in result.document["findings"]}
    assert ("CHECKPOINT_ABOVE_COMMITS", name, False) in found
    assert ("LAST_CHECKPOINT_UNREADABLE", "_last_checkpoint", False) in found
    (warning,) = result.document["warnings"]
    assert warning["code"] == "NOT_REPAIRABLE"
    assert f"{name} may be all that is left of the versions above 16" in warning["message"]
    assert "--at 16 reads the table by its commits" in warning["message"]
    assert digests(plant.log) == before


@pytest.mark.parametrize("kept", [(), range(10, 17)], ids=["no-commit", "its-own-and-later-ones"])
def test_a_checkpoint_of_a_cleaned_log_is_not_above_its_commits(
    kept: Collection[int], tmp_path: Path
) -> None:
    plant = copied("many_ops_history", tmp_path / "table")
    for version in set(range(17)) - set(kept):
        plant.commit(version).unlink()
        plant.checksum(version).unlink(missing_ok=True)
    result = run("verify-checksum", str(plant.root), "--all", "-o", "json")
    assert (result.exit_code, result.document["findings"]) == (0, [])
