"""Kills `deltactl checkpoint` at every step that its store takes.

Run as a program, `checkpoint_kills.py ROOT NAME` leaves in ROOT/NAME what `kill_at_each_step` says.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from in_process import say
from kills import kill_at_each_step

GOLDEN = Path(__file__).parent.parent / "golden"


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


def main(root: Path, name: str) -> None:
    words, make = CASES[name]

    def checkpoint(folder: Path) -> None:
        os.environ["TMPDIR"] = str(folder)
        said = say(["checkpoint", str(folder / "table"), *words, "-o", "json"])
        if said.exit_code:
            raise RuntimeError(f"{name}: {said.document}")

    steps = kill_at_each_step(root / name, lambda folder: make(folder / "table"), checkpoint)
    sys.stdout.write(json.dumps(steps))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
