"""Commands that write where there is no room, no permission, or no time left."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from changes import CHANGES, golden, prepare
from in_process import say
from needs import open_to_all
from whole_log import commit_name, files_of, versions

from deltactl.cli import change_command as cli_changes
from deltactl.cli.app import root
from deltactl.cli.command_tree import Folder
from deltactl.cli.requests import ChangeCommand
from deltactl.table import commit_times

pytestmark = pytest.mark.faults

TESTS = Path(__file__).parent.parent
LONG = ["widen --fix-stats", "protocol enable rowTracking", "protocol drop"]


def commands(folder: Folder, above: str = "") -> Iterator[str]:
    """The names of the commands that change a table."""
    ctx = click.Context(folder)
    for name in folder.list_commands(ctx):
        command = folder.get_command(ctx, name)
        if isinstance(command, Folder):
            yield from commands(command, f"{above}{name} ")
        elif isinstance(command, ChangeCommand) or name == "apply":
            yield f"{above}{name}"


def test_every_command_that_writes_is_among_those_that_are_failed() -> None:
    assert set(commands(root())) <= {name.partition(" --")[0] for name in CHANGES}


@pytest.mark.parametrize("options", [(), ("--dry-run",)], ids=["carried out", "planned"])
def test_a_folder_in_the_place_of_the_next_commit(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_pause(seconds: float) -> None:
        raise AssertionError("no other writer came first")

    table = tmp_path / "table"
    golden("crc_good")(table)
    (table / "_delta_log" / commit_name(5)).mkdir()
    before = sorted(path.name for path in (table / "_delta_log").iterdir())
    monkeypatch.setattr(time, "sleep", no_pause)
    done = say(["property", "set", str(table), "team=a", *options, "-o", "json"])
    error = done.document["error"]
    assert (done.exit_code, error["code"]) == (5, "FOLDER_FOR_COMMIT")
    assert f"_delta_log/{commit_name(5)} is a folder" in error["message"]
    assert "nothing was written" in error["message"]
    assert sorted(path.name for path in (table / "_delta_log").iterdir()) == before
    found = say(["verify-checksum", str(table), "-o", "json"])
    assert found.exit_code == 5
    assert [(f["code"], f["subject"]) for f in found.document["findings"]] == [
        ("FOLDER_FOR_FILE", commit_name(5))
    ]
    (table / "_delta_log" / commit_name(5)).rmdir()
    done = say(["property", "set", str(table), "team=a", *options, "-o", "json"])
    assert done.exit_code == 0


# Every command is run before the privileges go: the interpreter may lie where only root can read.
UNPRIVILEGED = """
import json, os, sys
from pathlib import Path
from changes import CHANGES
from in_process import say

root, said = Path(sys.argv[1]), {}
for name, change in CHANGES.items():
    assert say([*change.arguments(root / name), "--dry-run"]).exit_code == 0
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
for name, change in CHANGES.items():
    code, document = say(change.arguments(root / name))
    said[name] = [code, document["error"]["code"], document["error"]["message"]]
print(json.dumps(said))
"""


def test_a_folder_that_one_may_not_write_to_stays_as_it_is(tmp_path: Path) -> None:
    before = {}
    open_to_all(tmp_path)
    for name, change in CHANGES.items():
        table = prepare(change, tmp_path / name)
        before[name] = files_of(table)
        (table / "_delta_log").chmod(0o555)
    child = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(_paths())},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    said = json.loads(child.stdout)
    for name in CHANGES:
        log = tmp_path / name / "table" / "_delta_log"
        log.chmod(0o755)
        code, error, message = said[name]
        assert (name, code, error) == (name, 8, "PERMISSION_DENIED")
        assert message.startswith(f"no permission for {log}/")
        assert files_of(log.parent) == before[name]


def _paths() -> list[str]:
    return [str(path) for path in (TESTS.parent, TESTS, TESTS / "faults")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("name", LONG)
def test_no_room_for_the_draught_of_a_long_commit(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**options: Any) -> Any:
        return open("/dev/full", "wb")

    change = CHANGES[name]
    table = prepare(change, tmp_path / "one")
    before = files_of(table)
    monkeypatch.setattr(tempfile, "NamedTemporaryFile", full)
    said = say(change.arguments(tmp_path / "one"))
    assert (said.exit_code, said.error["code"]) == (8, "DISK_FULL")
    assert said.error["message"].endswith(
        ": No space left on device; nothing was written to the table"
    )
    assert files_of(table) == before


@pytest.mark.parametrize("name", LONG)
def test_no_place_for_the_draught_of_a_long_commit(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = CHANGES[name]
    table = prepare(change, tmp_path / "one")
    before = files_of(table)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    said = say(change.arguments(tmp_path / "one"))
    assert (said.exit_code, said.error["code"]) == (8, "STORAGE_FAILED")
    assert "missing" in said.error["message"]
    assert files_of(table) == before


@pytest.mark.parametrize("name", ["table set-name", "protocol enable rowTracking"])
def test_ctrl_c_while_it_is_said_that_the_commit_is_made(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def show(*args: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    change = CHANGES[name]
    table = prepare(change, tmp_path / "one")
    monkeypatch.setattr(cli_changes, "show", show)
    said = say(change.arguments(tmp_path / "one"))
    assert said.exit_code == 130
    assert said.error["message"] == "interrupted; version 5 was committed"
    assert versions(files_of(table))[-1] == 5


class Clock:
    """Stands for the module `time` of a machine whose clock runs backwards."""

    def __init__(self, now: int) -> None:
        self.now = now

    def time_ns(self) -> int:
        self.now -= 60_000
        return self.now * 1_000_000


STEPS_OF_ICT = [
    "table set-name TABLE a",
    "column add TABLE x int",
    "property set TABLE k=1",
    "protocol enable TABLE rowTracking",
    "widen TABLE id long --enable",
    "constraint add TABLE low id<100000",
    "protocol drop TABLE inCommitTimestamp",
    "protocol enable TABLE inCommitTimestamp",
    "table set-name TABLE b",
]


def test_times_in_commits_grow_though_the_clock_runs_backwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_at = golden("in_commit_timestamps_skewed")
    table = prepare(CHANGES["table set-name"]._replace(make=start_at), tmp_path / "one")
    # A day before the newest commit, and a minute earlier each time that it is looked at.
    newest_time = _own_time(table, 3)
    assert newest_time is not None
    start = newest_time - 86_400_000
    monkeypatch.setattr(commit_times, "time", Clock(start))
    for words in STEPS_OF_ICT:
        change = CHANGES["table set-name"]._replace(words=words)
        assert say(change.arguments(tmp_path / "one")).exit_code == 0, words
    newest = versions(files_of(table))[-1]
    assert newest == 3 + len(STEPS_OF_ICT)
    # As in Delta the commit that drops them has none; the next time is that of its file or later.
    times = {version: _own_time(table, version) for version in range(newest + 1)}
    assert [version for version, time in times.items() if time is None] == [10]
    own = [time for time in times.values() if time is not None]
    assert own == sorted(set(own))


def _own_time(table: Path, version: int) -> int | None:
    text = (table / "_delta_log" / commit_name(version)).read_text()
    own = json.loads(text.splitlines()[0])["commitInfo"].get("inCommitTimestamp")
    assert type(own) in (int, type(None))
    return own


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_transaction_has_done_is_not_done_again(name: str, tmp_path: Path) -> None:
    change, once = CHANGES[name], ["--txn", "nightly:7", "-m", "first"]
    table = prepare(change, tmp_path / "one")
    newest = versions(files_of(table))[-1] + 1
    guarded = [*change.arguments(tmp_path / "one"), *once, "--if-version", str(newest - 1)]
    assert say(guarded).committed == newest
    for arguments in (guarded, [*change.arguments(tmp_path / "one"), "--txn", "nightly:6"]):
        again = say(arguments)
        assert (again.exit_code, again.committed, again.error) == (0, None, {})
    assert versions(files_of(table))[-1] == newest
