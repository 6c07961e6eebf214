"""`verify-checksum --repair`, killed: nothing is lost, and run again it finishes."""

from pathlib import Path
from typing import Any

import pytest
from checkpoint_kills import REPAIRS
from in_process import say
from test_checkpoint_killed import PUT, files_of_log, killed

pytestmark = pytest.mark.faults

# Moved aside, and put: checkpoint, hint, checksum and side file; or one commit with its checksum.
MOVED = {"files": 4, "commit": 0}
PUTS = {"files": 3, "commit": 1}


@pytest.mark.parametrize("name", REPAIRS)
def test_a_repair_that_was_killed(name: str, tmp_path: Path) -> None:
    steps = killed(name, tmp_path)
    assert steps.count("link") == MOVED[name] + PUTS[name] - ("replace" in steps)
    assert len(steps) >= PUT * PUTS[name]
    words, make = REPAIRS[name]
    untouched = tmp_path / "untouched" / "table"
    make(untouched)
    before = contents(untouched)
    old, new = seen(untouched), seen(tmp_path / name / "whole" / "table")
    folders = sorted(tmp_path.glob(f"{name}/*-*"))
    assert len(folders) > len(steps)
    for folder in folders:
        table = folder / "table"
        assert contents(table) >= before, folder.name
        assert seen(table) in (old, new), folder.name

        again = say([*words, str(table), "-o", "json"])
        assert (again.exit_code, again.document["findings"]) == (0, []), folder.name
        assert contents(table) >= before, folder.name
        assert seen(table) == new, folder.name


def contents(table: Path) -> set[bytes]:
    """What lies in the log, under whatever names; side files too."""
    side_files = (table / "_delta_log").glob(".*.crc*")
    return {*files_of_log(table).values(), *(file.read_bytes() for file in side_files)}


def seen(table: Path) -> dict[str, Any]:
    """What readers see of the table, whatever they read it from."""
    shown = say(["show", str(table), "-o", "json"])
    assert shown.exit_code == 0, shown.document
    names = ("version", "schema", "protocol", "properties", "files", "domains", "transactions")
    return {name: shown.document[name] for name in names}
