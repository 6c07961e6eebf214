"""`--repair` of what can be read, but is another thing than is expected there."""

from pathlib import Path

import pytest
from command_line import run
from planted.actions import ACTIONS
from planted.plant import Fault
from planted.shapes import OF_FILES
from test_verify_repairs import digests, planted

pytestmark = pytest.mark.faults


@pytest.mark.parametrize("fault", OF_FILES, ids=lambda fault: fault.name)
def test_it_is_put_right(fault: Fault, tmp_path: Path) -> None:
    plant = planted(fault, tmp_path / "table")
    before = digests(plant.log)
    result = run("verify-checksum", str(plant.root), "--repair", "-o", "json")
    assert (result.exit_code, result.document["findings"]) == (0, []), result.stderr
    assert digests(plant.log) >= before, "a file is gone"
    assert run("verify-checksum", str(plant.root), "--all").exit_code == 0
    again = run("verify-checksum", str(plant.root), "--repair", "-o", "json")
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
