"""Kills `deltactl checkpoint` before and after every step of its store, from its first write on.

Run as a program, `checkpoint_kills.py ROOT NAME...` lays out a table in ROOT/NAME/STEP-WHEN for
each of them and leaves there what the killed command left; nobody kills that in ROOT/NAME/whole.
It prints the names of the steps.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from in_process import say
from steps import WRITING, Steps, watching

GOLDEN = Path(__file__).parent.parent / "golden"
CHANGING = WRITING | {"open", "write"}


def damaged(table: Path) -> None:
    """A table with a checkpoint of its newest version that was cut short."""
    shutil.copytree(GOLDEN / "crc_good" / "delta", table)
    if say(["checkpoint", str(table), "-o", "json"]).exit_code:
        raise RuntimeError("no checkpoint to damage")
    (file,) = (table / "_delta_log").glob("*.checkpoint.parquet")
    file.write_bytes(file.read_bytes()[:-20])


def golden(name: str) -> Callable[[Path], object]:
    return lambda table: shutil.copytree(GOLDEN / name / "delta", table)


CASES: dict[str, tuple[list[str], Callable[[Path], object]]] = {
    "classic": ([], golden("crc_good")),
    "multipart": (["--parts", "2"], golden("crc_good")),
    "v2": (["--kind", "v2"], golden("v2_checkpoint_parquet_sidecars")),
    "repair": (["--repair"], damaged),
}


def main(root: Path, names: list[str]) -> None:
    sys.stdout.write(json.dumps({name: _kill(root / name, name) for name in names}))


def _kill(root: Path, name: str) -> list[str]:
    taken = _watched(name, root / "whole", -1, "before")
    first = next(step for step, what in enumerate(taken) if what in WRITING)
    for step in range(first, len(taken)):
        for when in ("before", "after") if taken[step] in CHANGING else ("before",):
            folder = root / f"{step - first}-{when}"
            CASES[name][1](folder / "table")
            child = os.fork()
            if child == 0:
                _watched(name, folder, step, when)
                os._exit(0)
            _, status = os.waitpid(child, 0)
            if not os.WIFSIGNALED(status):
                raise RuntimeError(f"step {step} was not reached")
    return taken[first:]


def _watched(name: str, folder: Path, last: int, when: str) -> list[str]:
    words, make = CASES[name]
    if not (folder / "table").exists():
        make(folder / "table")

    def kill(step: int, _: str) -> None:
        if step == last:
            os.kill(os.getpid(), signal.SIGKILL)

    def go_on(step: int, _: str) -> None:
        """Nothing happens at the other side of a step."""

    steps = Steps(*((kill, go_on) if when == "before" else (go_on, kill)))
    os.environ["TMPDIR"] = str(folder)
    with watching(steps):
        said = say(["checkpoint", str(folder / "table"), *words, "-o", "json"])
    if said.exit_code:
        raise RuntimeError(f"{name}: {said.document}")
    return steps.taken


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
