"""Kills the making of the demo table at every step that its store takes.

Run as a program, `demo_kills.py ROOT` leaves there what `kill_at_each_step` says.
"""

import json
import sys
from pathlib import Path

from kills import kill_at_each_step

from deltactl.operations.demo.writer import write_demo_table


def main(root: Path) -> None:
    """Make the table, which needs nothing to be there, once for each kill."""
    steps = kill_at_each_step(root, lambda _: None, lambda folder: write_demo_table(str(folder)))
    sys.stdout.write(json.dumps(steps))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
