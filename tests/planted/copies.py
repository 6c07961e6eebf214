"""Copies of sound tables to plant faults in."""

import shutil
from pathlib import Path

from planted.plant import Fault, Plant

GOLDEN = Path(__file__).parents[1] / "golden"
# Cut off behind these versions, where what follows would not fit a changed commit.
CUT = {"marked": ("tw_kitchen_sink", 4), "tw_kitchen_sink_first": ("tw_kitchen_sink", 0)}


def copied(name: str, root: Path) -> Plant:
    """The sound table that a fault is planted in."""
    golden, last = CUT.get(name, (name, None))
    shutil.copytree(GOLDEN / golden / "delta", root)
    plant = Plant(root)
    if last is not None:
        for path in plant.log.glob("*.*"):
            if path.stem[:20].isdecimal() and int(path.stem[:20]) > last:
                path.unlink()
        shutil.rmtree(plant.log / "_sidecars")
        (plant.log / "_last_checkpoint").unlink()
    return plant


def planted(fault: Fault, root: Path) -> Plant:
    """A table with a fault in it."""
    plant = copied(fault.table, root)
    if not fault.keeps_checksums:
        for path in plant.log.glob("*.crc"):
            path.unlink()
    fault.plant(plant)
    return plant
