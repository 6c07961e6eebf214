"""Kills the making of the demo table at every step that its store takes.

Run as a program, `demo_kills.py ROOT` leaves one folder for each step, ROOT/NUMBER, and prints the
names of the steps, each once for `before` and once for `after`.
"""

import json
import os
import signal
import sys
from pathlib import Path

from steps import Steps, watching

from deltactl.operations.demo.writer import write_demo_table


def main(root: Path) -> None:
    """Make the table once for each step, in a child that is killed there."""
    names = _watched(root / "whole", -1, "before")
    for step in range(len(names)):
        for when in ("before", "after"):
            _killed(root / f"{step}-{when}", step, when)
    sys.stdout.write(json.dumps(names))


def _killed(folder: Path, step: int, when: str) -> None:
    # A fork, since starting Python and Arrow anew would take most of the time.
    child = os.fork()
    if child == 0:
        _watched(folder, step, when)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise RuntimeError(f"step {step} was not reached")


def _watched(folder: Path, last: int, when: str) -> list[str]:
    def kill(step: int, name: str) -> None:
        if step == last:
            os.kill(os.getpid(), signal.SIGKILL)

    def go_on(step: int, name: str) -> None:
        """Nothing happens at the other side of a step."""

    steps = Steps(*((kill, go_on) if when == "before" else (go_on, kill)))
    with watching(steps):
        write_demo_table(str(folder))
    return steps.taken


if __name__ == "__main__":
    main(Path(sys.argv[1]))
