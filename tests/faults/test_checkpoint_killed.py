"""`deltactl checkpoint`, killed: nothing is lost, readers see the same, and it can be run again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from checkpoint_kills import CHECKPOINTS
from in_process import say

pytestmark = pytest.mark.faults

TESTS = Path(__file__).parent.parent
PUT = 12  # steps that putting one file takes at least


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_a_checkpoint_that_was_killed(name: str, tmp_path: Path) -> None:
    steps = killed(name, tmp_path)
    assert len(steps) >= 2 * PUT, "a file and the hint at least"
    untouched = tmp_path / "untouched" / "table"
    CHECKPOINTS[name][1](untouched)
    before, expected = files_of_log(untouched), seen(untouched)
    folders = sorted(tmp_path.glob(f"{name}/*-*"))
    assert len(folders) > len(steps)
    for folder in folders:
        table = folder / "table"
        after = files_of_log(table)
        # What was there is there, to the last byte, if under another name; but for the hint.
        contents = list(after.values())
        for kept, content in before.items():
            assert kept == "_last_checkpoint" or content in contents, (folder.name, kept)
        assert seen(table) == expected, folder.name

        again = say([*CHECKPOINTS[name][0], str(table), "--repair", "-o", "json"])
        assert again.exit_code == 0, again.document
        assert again.document["checkpoint"]["kind"] == {"repair": "classic"}.get(name, name)
        assert seen(table) == expected, folder.name
        hint = json.loads((table / "_delta_log" / "_last_checkpoint").read_text())
        assert hint["version"] == again.document["checkpoint"]["version"]


def files_of_log(table: Path) -> dict[str, bytes]:
    """The log's own files by name, without what a killed writer left unfinished."""
    plain = table / "_delta_log"
    found = {path.name: path.read_bytes() for path in plain.iterdir() if path.is_file()}
    return {name: content for name, content in found.items() if not name.startswith(".")}


def seen(table: Path) -> object:
    """What readers see of the table."""
    shown = say(["show", str(table), "-o", "json"])
    assert shown.exit_code == 0, shown.document
    document = shown.document
    names = ("version", "schema", "protocol", "properties", "files", "domains", "transactions")
    return {name: document[name] for name in names}


def killed(name: str, root: Path) -> list[str]:
    """Kill the command at each step; the names of the steps."""
    child = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("checkpoint_kills.py")), str(root), name],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(TESTS.parent), str(TESTS)))},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    steps = json.loads(child.stdout)[name]
    assert isinstance(steps, list)
    return steps
