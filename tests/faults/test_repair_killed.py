"""`verify-checksum --repair`, killed: nothing is lost, and run again it finishes."""

from pathlib import Path

import pytest
from kills import steps_killed
from repair_kills import CASES, repaired
from test_checkpoint_killed import PUT, files_of_log, seen

pytestmark = pytest.mark.faults

# Moved aside, and put: checkpoint, hint, checksum and side file; or one commit with its checksum.
MOVED = {"files": 4, "commit": 0}
PUTS = {"files": 3, "commit": 1}


@pytest.mark.parametrize("name", CASES)
def test_a_repair_that_was_killed(name: str, tmp_path: Path) -> None:
    steps = steps_killed("repair_kills.py", tmp_path, name)
    assert steps.count("link") == MOVED[name] + PUTS[name] - ("replace" in steps)
    assert len(steps) >= PUT * PUTS[name]
    untouched = tmp_path / "untouched" / "table"
    CASES[name](untouched)
    before = contents(untouched)
    old, new = seen(untouched), seen(tmp_path / name / "whole" / "table")
    folders = sorted(tmp_path.glob(f"{name}/*-*"))
    assert len(folders) > len(steps)
    for folder in folders:
        table = folder / "table"
        assert contents(table) >= before, folder.name
        assert seen(table) in (old, new), folder.name

        again = repaired(table)
        assert (again.exit_code, again.document["findings"]) == (0, []), folder.name
        assert contents(table) >= before, folder.name
        assert seen(table) == new, folder.name


def contents(table: Path) -> set[bytes]:
    """What lies in the log, under whatever names; side files too."""
    side_files = (table / "_delta_log").glob(".*.crc*")
    return {*files_of_log(table).values(), *(file.read_bytes() for file in side_files)}
