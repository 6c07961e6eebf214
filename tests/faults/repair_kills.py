"""Kills `deltactl verify-checksum --repair` at every step that its store takes.

Run as a program, `repair_kills.py ROOT NAME` leaves in ROOT/NAME what `kill_at_each_step` says.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from in_process import Said, say
from kills import kill_at_each_step
from small_tables import commit_info, field, metadata, protocol, write_log

GOLDEN = Path(__file__).parent.parent / "golden"


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


CASES: dict[str, Callable[[Path], object]] = {"files": spoilt, "commit": unreadable}


def repaired(table: Path) -> Said:
    """What the command says of the table."""
    return say(["verify-checksum", str(table), "--repair", "-o", "json"])


def main(root: Path, name: str) -> None:
    def repair(folder: Path) -> None:
        os.environ["TMPDIR"] = str(folder)
        said = repaired(folder / "table")
        if said.exit_code:
            raise RuntimeError(f"{name}: {said.document}")

    make = CASES[name]
    steps = kill_at_each_step(root / name, lambda folder: make(folder / "table"), repair)
    sys.stdout.write(json.dumps(steps))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
