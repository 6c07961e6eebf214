"""Kills a change of a log's files at every step of its store, from its first write on.

Run as a program, `checkpoint_kills.py ROOT NAME...` lays out a table in ROOT/NAME/STEP-WHEN for
each of them, before and after the step, and leaves there what the killed command left; nobody kills
that in ROOT/NAME/whole. It prints the names of the steps.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from in_process import say
from small_tables import commit_info, field, metadata, protocol, write_log
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


def spoilt(table: Path) -> None:
    """A table with a checkpoint that was cut short, a wrong hint, checksum and side file."""
    shutil.copytree(GOLDEN / "many_ops_history" / "delta", table)
    log = table / "_delta_log"
    checkpoint = log / "00000000000000000010.checkpoint.parquet"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-20])
    (log / "_last_checkpoint").write_text("{")
    checksum = log / "00000000000000000016.crc"
    checksum.write_text(checksum.read_text().replace('"numFiles":', '"numFiles":7', 1))
    (log / ".00000000000000000016.json.crc").write_bytes(b"nonsense")


def unreadable(table: Path) -> None:
    """A table with an empty list of type changes, which no reader of Spark gets past."""
    table.mkdir(parents=True)
    features = protocol(reader=["typeWidening"], writer=["invariants", "appendOnly"])
    column = field("id", "long", **{"delta.typeChanges": []})
    write_log(table, [[commit_info(), features, metadata(column, enableTypeWidening="true")]])


def golden(name: str) -> Callable[[Path], object]:
    return lambda table: shutil.copytree(GOLDEN / name / "delta", table)


CHECKPOINTS: dict[str, tuple[list[str], Callable[[Path], object]]] = {
    "classic": (["checkpoint"], golden("crc_good")),
    "multipart": (["checkpoint", "--parts", "2"], golden("crc_good")),
    "v2": (["checkpoint", "--kind", "v2"], golden("v2_checkpoint_parquet_sidecars")),
    "repair": (["checkpoint", "--repair"], damaged),
}
REPAIRS: dict[str, tuple[list[str], Callable[[Path], object]]] = {
    "files": (["verify-checksum", "--repair"], spoilt),
    "commit": (["verify-checksum", "--repair"], unreadable),
}
CASES = {**CHECKPOINTS, **REPAIRS}


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
        said = say([*words, str(folder / "table"), "-o", "json"])
    if said.exit_code:
        raise RuntimeError(f"{name}: {said.document}")
    return steps.taken


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
