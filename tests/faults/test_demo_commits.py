"""`deltactl demo`, killed: what it leaves is a table of whole versions, or no table."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from kills import sides, steps_killed

from deltactl.cli.app import main

pytestmark = pytest.mark.faults

PUT = [
    "makedirs", "open", "stat", "fstat", "write", "fsync", "unlink", "link", "unlink",
    "open", "fsync", "close",
]  # fmt: skip
COMMIT = [*PUT, "open", "pread", "pread", "close"]  # it is read back
STEPS = [
    *COMMIT,  # version 0
    *PUT, "stat", *COMMIT,  # a data file, whose time is asked for; version 1
    *COMMIT,  # version 2
    *PUT, "stat", *COMMIT,  # a data file; version 3
    *COMMIT,  # version 4
]  # fmt: skip
# The version of the table when so many of its files have got their names.
VERSIONS = [None, 0, 0, 1, 2, 2, 3, 4]
EACH_STEP = [
    pytest.param(step, when, id=f"{step}-{when}-{name}")
    for step, name in enumerate(STEPS)
    for when in sides(name)
]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what is left of the demo for each step at which it was killed."""
    root = tmp_path_factory.mktemp("killed")
    assert steps_killed("demo_kills.py", root) == STEPS
    return root


@pytest.mark.parametrize(("step", "when"), EACH_STEP)
def test_a_demo_that_was_killed(
    killed: Path, step: int, when: str, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = killed / f"{step}-{when}"
    done = STEPS[: step + 1] if when == "after" else STEPS[:step]
    version = VERSIONS[done.count("link")]

    exit_code = main(["show", str(folder), "-o", "json"])
    document = json.loads(capfd.readouterr().out)
    if version is None:
        assert (exit_code, document["error"]["code"]) == (3, "NOT_A_TABLE")
    else:
        assert (exit_code, document["version"]) == (0, version)
    assert_whole(folder)

    before = sorted(folder.rglob("*"))
    assert main(["demo", str(folder)]) == 4
    said = capfd.readouterr().err
    assert "[FOLDER_EXISTS]\nhint: name another folder, as in `deltactl demo ./another`" in said
    assert sorted(folder.rglob("*")) == before


def assert_whole(folder: Path) -> None:
    """Assert that each file under its own name is whole, and that the log names no other."""
    rows = {path.name: pq.read_table(path).num_rows for path in folder.glob("part-*")}
    named: dict[str, Any] = {}
    for commit in sorted(folder.glob("_delta_log/0*.json")):
        text = commit.read_text(encoding="utf-8")
        assert text.endswith("}\n")
        for action in map(json.loads, text.splitlines()):
            if add := action.get("add"):
                named[add["path"]] = json.loads(add["stats"])["numRecords"]
    assert named.items() <= rows.items()
