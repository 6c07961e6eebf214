"""Kills a command at every step that its store takes from the first one on that writes.

Reading leaves nothing behind: a kill while a command still reads is a kill before the first of
these steps. Nor does a look at the disk, after which it is as it was before.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from steps import NEVER, WRITING, killing, watching

# Steps after which the disk is not as it was before them.
CHANGING = WRITING | {"open", "write"}
TESTS = Path(__file__).parent.parent

InFolder = Callable[[Path], object]


def sides(name: str) -> tuple[str, ...]:
    """On which sides of a step of that name a kill can leave what no other kill leaves."""
    return ("before", "after") if name in CHANGING else ("before",)


def kill_at_each_step(root: Path, prepare: InFolder, command: InFolder) -> list[str]:
    """Carry the command out in ROOT/whole, and killed in ROOT/STEP-before and ROOT/STEP-after.

    Each folder is prepared first. Returns the names of the steps.
    """
    prepare(root / "whole")
    taken = _watched(command, root / "whole", NEVER, "before")
    first = next(step for step, name in enumerate(taken) if name in WRITING)
    for step in range(first, len(taken)):
        for when in sides(taken[step]):
            folder = root / f"{step - first}-{when}"
            prepare(folder)
            _killed(command, folder, step, when)
    return taken[first:]


def steps_killed(program: str, root: Path, *names: str) -> list[str]:
    """Run a program of this folder, which kills a command below `root`; the steps it prints."""
    child = subprocess.run(
        [sys.executable, str(Path(__file__).with_name(program)), str(root), *names],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(TESTS.parent), str(TESTS)))},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    steps = json.loads(child.stdout)
    assert isinstance(steps, list)
    return steps


def _killed(command: InFolder, folder: Path, step: int, when: str) -> None:
    # A fork, since starting Python and Arrow again would take most of the time.
    child = os.fork()
    if child == 0:
        _watched(command, folder, step, when)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise RuntimeError(f"step {step} was not reached")


def _watched(command: InFolder, folder: Path, last: int, when: str) -> list[str]:
    steps = killing(last, when)
    with watching(steps):
        command(folder)
    return steps.taken
