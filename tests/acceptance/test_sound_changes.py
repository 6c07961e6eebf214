"""Sound tables that were changed in a way that is sound, too: nothing is found."""

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import run
from planted.copies import copied
from planted.plant import Plant


def checkpointed(*options: str) -> Callable[[Plant], None]:
    def change(p: Plant) -> None:
        assert run("checkpoint", str(p.root), *options).exit_code == 0

    return change


def with_two_checkpoints(first: str, second: str) -> Callable[[Plant], None]:
    """Two checkpoints of the newest version, of these kinds; the hint is of the second."""

    def change(p: Plant) -> None:
        checkpointed("--kind", first)(p)
        checkpointed("--kind", second)(p)

    return change


def beside_the_named(p: Plant) -> None:
    """Another checkpoint of the version, while the hint names the file of the first."""
    hint = p.log / "_last_checkpoint"
    text = hint.read_bytes()
    checkpointed("--kind", "classic", "--at", "2")(p)
    hint.write_bytes(text)


def with_empty_file(base: int) -> Callable[[Plant], None]:
    """A file of no rows, whose first row id is `base`."""

    def change(p: Plant) -> None:
        info, add = p.actions(5)[0], next(a["add"] for a in p.actions(5) if "add" in a)
        empty = {"path": "empty.parquet", "baseRowId": base, "stats": '{"numRecords":0}'}
        p.write(6, [info, {"add": {**add, **empty}}])

    return change


V2 = "v2_checkpoint_parquet_sidecars"
CHANGES: dict[str, tuple[str, Callable[[Plant], None]]] = {
    "time-of-the-checkpoint": ("in_commit_timestamps_skewed", checkpointed()),
    "time-and-vectors": ("tw_kitchen_sink", checkpointed()),
    "classic-beside-v2": (V2, with_two_checkpoints("v2", "classic")),
    "v2-beside-classic": (V2, with_two_checkpoints("classic", "v2")),
    "beside-the-named": (V2, beside_the_named),
    "no-rows-behind-the-mark": ("row_tracking", with_empty_file(12)),
    "no-rows-where-others-begin": ("row_tracking", with_empty_file(9)),
}


@pytest.mark.parametrize("options", [(), ("--all",)], ids=["newest", "all"])
@pytest.mark.parametrize("name", CHANGES)
def test_nothing_is_found(name: str, options: tuple[str, ...], tmp_path: Path) -> None:
    table, change = CHANGES[name]
    plant = copied(table, tmp_path / "table")
    change(plant)
    result = run("verify-checksum", str(plant.root), *options, "-o", "json")
    assert (result.exit_code, result.document["findings"]) == (0, [])
