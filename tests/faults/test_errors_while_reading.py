"""One error of the disk while files are read: said as such, and no file is called damaged."""

import errno
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checkpoint_kills import damaged, golden
from in_process import say
from steps import Steps, watching

pytestmark = pytest.mark.faults


def worse(table: Path) -> None:
    """A table with a damaged checkpoint and a wrong checksum of its newest version."""
    damaged(table)
    wrong = table / "_delta_log" / f"{4:020d}.crc"
    wrong.write_bytes(wrong.read_bytes().replace(b'"numFiles":', b'"numFiles":1'))


def checkpointed(table: Path) -> None:
    golden("crc_good")(table)
    assert say(["checkpoint", str(table), "--parts", "2", "-o", "json"]).exit_code == 0


Make = Callable[[Path], object]
COMMANDS: dict[str, tuple[list[str], Make]] = {
    "repair": (["verify-checksum", "*", "--data", "--repair", "--yes"], worse),
    "parts": (["checkpoint", "*", "--kind", "multipart", "--parts", "2"], golden("crc_good")),
    "checkpoint again": (["checkpoint", "*"], checkpointed),
    "history": (["history", "*"], golden("crc_good")),
    "files": (["files", "*"], golden("tw_kitchen_sink")),
}


def nothing(step: int, name: str) -> None:
    pass


def run(case: str, table: Path, steps: Steps) -> Any:
    words, make = COMMANDS[case]
    shutil.rmtree(table, ignore_errors=True)
    make(table)
    with watching(steps):
        return say([*(str(table) if word == "*" else word for word in words), "-o", "json"])


def failing(number: int, with_error: int) -> Steps:
    def fail(step: int, name: str) -> None:
        if step == number:
            raise OSError(with_error, os.strerror(with_error), name)

    return Steps(fail, nothing)


@pytest.mark.parametrize("case", COMMANDS)
def test_an_error_at_any_step_is_no_bug(case: str, tmp_path: Path) -> None:
    table, steps = tmp_path / "table", Steps(nothing, nothing)
    assert run(case, table, steps).exit_code == 0
    kept = {p.name for p in (table / "_delta_log").iterdir()}
    for step, name in enumerate(steps.taken):
        said = run(case, table, failing(step, errno.EIO))
        assert said.exit_code in ((0, 5, 8) if "repair" in case else (0, 8)), (step, name, said)
        if case == "checkpoint again":
            # A checkpoint that could not be read is not therefore damaged.
            assert {p.name for p in (table / "_delta_log").iterdir()} == kept


@pytest.mark.parametrize("case", ["history", "files", "checkpoint again"])
def test_a_close_that_is_interrupted_is_no_error(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ignored: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    table, steps = tmp_path / "table", Steps(nothing, nothing)
    assert run(case, table, steps).exit_code == 0
    closes = [step for step, name in enumerate(steps.taken) if name == "close"]
    assert closes
    for step in closes:
        assert run(case, table, failing(step, errno.EINTR)).exit_code == 0, step
    assert ignored == []
