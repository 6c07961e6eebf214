"""Kills a command at every step that its store takes from the first one on that writes.

Run as a program, `change_kills.py ROOT NAME...` carries out each change on a table below ROOT/NAME
for each step, ROOT/NAME/STEP-before and ROOT/NAME/STEP-after, and on one that nobody kills,
ROOT/NAME/whole; it prints the names of these steps. Reading leaves nothing behind: a kill while a
command still reads is a kill before the first of these steps.
"""

import json
import os
import signal
import sys
from pathlib import Path

from changes import CHANGES, Change, prepare
from in_process import say
from steps import WRITING, Steps, watching

CREATING = WRITING | {"open", "write"}


def main(root: Path, names: list[str]) -> None:
    """Kill each of the changes."""
    sys.stdout.write(json.dumps({name: _kill(root / name, CHANGES[name]) for name in names}))


def _kill(root: Path, change: Change) -> list[str]:
    prepare(change, root / "whole")
    taken = _watched(change, root / "whole", -1, "before")
    first = next(step for step, name in enumerate(taken) if name in WRITING)
    for step in range(first, len(taken)):
        # After a look at the disk it is as it was before.
        for when in ("before", "after") if taken[step] in CREATING else ("before",):
            folder = root / f"{step - first}-{when}"
            prepare(change, folder)
            _killed(change, folder, step, when)
    return taken[first:]


def _killed(change: Change, folder: Path, step: int, when: str) -> None:
    # A fork, since starting Python and Arrow anew would take most of the time.
    child = os.fork()
    if child == 0:
        _watched(change, folder, step, when)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise RuntimeError(f"step {step} was not reached")


def _watched(change: Change, folder: Path, last: int, when: str) -> list[str]:
    def kill(step: int, name: str) -> None:
        if step == last:
            os.kill(os.getpid(), signal.SIGKILL)

    def go_on(step: int, name: str) -> None:
        """Nothing happens at the other side of a step."""

    steps = Steps(*((kill, go_on) if when == "before" else (go_on, kill)))
    with watching(steps):
        said = say(change.arguments(folder))
    if said.exit_code:
        raise RuntimeError(f"{change.words}: {said.document}")
    return steps.taken


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
