"""Kills a command that changes a table at every step that its store takes.

Run as a program, `change_kills.py ROOT NAME` leaves in ROOT/NAME what `kill_at_each_step` says.
"""

import json
import sys
from functools import partial
from pathlib import Path

from changes import CHANGES, Change, prepare
from in_process import say
from kills import kill_at_each_step


def main(root: Path, name: str) -> None:
    """Kill the change of that name."""
    change = CHANGES[name]
    steps = kill_at_each_step(root / name, partial(prepare, change), partial(_carry_out, change))
    sys.stdout.write(json.dumps(steps))


def _carry_out(change: Change, folder: Path) -> None:
    said = say(change.arguments(folder))
    if said.exit_code:
        raise RuntimeError(f"{change.words}: {said.document}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
