"""Every command that writes, killed: the table is at the old version or at the new one, whole."""

from pathlib import Path

import pytest
from changes import CHANGES, prepare
from deltalake import DeltaTable
from in_process import say
from kills import sides, steps_killed
from whole_log import assert_whole, commit_name, files_of, litter, side_file, versions

pytestmark = pytest.mark.faults

FILE = [
    "makedirs", "open", "stat", "fstat", "write", "fsync", "unlink", "link", "unlink",
    "open", "fsync", "close",
]  # fmt: skip
# A commit with file actions is copied from a file, which is not among the store's own steps.
LONG_FILE = [step for step in FILE if step != "write"]
READ_BACK = ["open", "pread", "pread", "close"]
# What a command does from its first write on: one commit, read back, and its checksum. That of the
# version before was read when the change was planned.
SHAPES = {
    "commit and checksum": [*FILE, *READ_BACK, *FILE],
    "commit": [*FILE, *READ_BACK],  # there is no checksum to build on, or domains are in its way
    "long commit": [*LONG_FILE, *READ_BACK],
}
LONG = {"widen --fix-stats", "protocol enable rowTracking", "protocol drop"}
BARE = {"domain unset", "prune-type-changes"}


@pytest.mark.parametrize("name", CHANGES)
def test_a_command_that_was_killed(name: str, tmp_path: Path) -> None:
    change = CHANGES[name]
    before = files_of(prepare(change, tmp_path / "untouched"))
    steps = steps_killed("change_kills.py", tmp_path, name)
    assert steps == SHAPES[shape_of(name)], "a write that no test fails, or one that is not durable"
    whole = files_of(tmp_path / name / "whole" / "table")
    newest = versions(before)[-1] + 1
    for step in range(len(steps)):
        for when in sides(steps[step]):
            folder = tmp_path / name / f"{step}-{when}"
            landed = "link" in (steps[: step + 1] if when == "after" else steps[:step])
            after = files_of(folder / "table")
            assert assert_whole(before, after, whole) == (newest if landed else newest - 1)
            assert len(litter(after)) <= 1

            shown = say(["show", str(folder / "table"), "-o", "json"])
            assert shown.exit_code == 0
            assert shown.document["version"] == (newest if landed else newest - 1)

            # Whoever is killed types it again: it is said to be done, or it is done now.
            again = say(change.arguments(folder))
            assert again.committed == (None if landed else newest)
            assert again.exit_code == (change.again if landed else 0)
            assert assert_whole(before, files_of(folder / "table"), whole) == newest


def shape_of(name: str) -> str:
    if name in LONG:
        return "long commit"
    return "commit" if name in BARE else "commit and checksum"


def test_deltalake_reads_and_writes_past_what_a_kill_leaves(tmp_path: Path) -> None:
    steps = steps_killed("change_kills.py", tmp_path, "property set")
    folder = tmp_path / "property set" / f"{steps.index('link')}-before" / "table"
    assert len(litter(files_of(folder))) == 1
    table = DeltaTable(folder)
    assert table.version() == 4
    table.alter.set_table_properties({"delta.logRetentionDuration": "interval 9 days"})
    assert versions(files_of(folder)) == [0, 1, 2, 3, 4, 5]
    assert say(["show", str(folder), "-o", "json"]).document["version"] == 5


def test_hadoops_checksum_of_an_older_file_goes_before_the_commit_comes(tmp_path: Path) -> None:
    """With it Spark rejects the commit, so that there is no moment at which both are there."""
    change = CHANGES["table set-name"]
    table = prepare(change, tmp_path / "one")
    stale = table / "_delta_log" / side_file(5)
    checksum = table / "_delta_log" / ".00000000000000000005.crc.crc"
    for file in (stale, checksum):
        file.write_bytes(b"crc\0")
    assert say(change.arguments(tmp_path / "one")).committed == 5
    assert (table / "_delta_log" / commit_name(5)).exists()
    assert not stale.exists()
    assert not checksum.exists()
    order = SHAPES["commit and checksum"]
    assert order.index("unlink") < order.index("link")
