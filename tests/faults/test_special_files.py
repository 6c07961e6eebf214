"""Named pipes, sockets and devices in the place of files: said at once, never waited for."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from changes import golden
from in_process import say
from never_waits import SPECIAL, never_waits, replace

from deltactl.log.filenames import checkpoint_name, commit_name

pytestmark = pytest.mark.faults

KITCHEN, GOOD = "tw_kitchen_sink", "crc_good"
Pick = Callable[[Path], Path]
LOG = "_delta_log"
WORDS = {"named pipe": "a named pipe (FIFO)", "socket": "a socket", "device": "a device"}


def only(pattern: str) -> Pick:
    return lambda table: min(table.glob(pattern))


# The file, its table, and what reads it.
OF_THE_LOG: dict[str, tuple[str, Pick, list[str]]] = {
    "first commit": (GOOD, only(f"{LOG}/{commit_name(0)}"), ["show"]),
    "newest commit": (GOOD, only(f"{LOG}/{commit_name(4)}"), ["show"]),
    "next commit": (GOOD, lambda t: t / LOG / commit_name(5), ["property", "set", "*", "a=b"]),
    "hint": (KITCHEN, only(f"{LOG}/_last_checkpoint"), ["show"]),
    "hint, for a change": (
        KITCHEN, only(f"{LOG}/_last_checkpoint"), ["property", "set", "*", "a=b"]
    ),
    "checksum": (GOOD, only(f"{LOG}/{4:020d}.crc"), ["property", "set", "*", "a=b"]),
    "checkpoint": (KITCHEN, only(f"{LOG}/*8.checkpoint.*.json"), ["files"]),
    "checkpoint, verified": (KITCHEN, only(f"{LOG}/*8.checkpoint.*.json"), ["verify-checksum"]),
    "sidecar": (KITCHEN, only(f"{LOG}/_sidecars/*8.checkpoint*"), ["files"]),
    "Hadoop's checksum": (
        GOOD, lambda t: t / LOG / f".{commit_name(4)}.crc", ["verify-checksum", "*", "--all"]
    ),
}  # fmt: skip


def told(arguments: list[str], table: Path) -> list[str]:
    named = [str(table) if word == "*" else word for word in arguments]
    return [*(named if "*" in arguments else [*named, str(table)]), "-o", "json"]


@pytest.mark.parametrize("what", SPECIAL)
@pytest.mark.parametrize("case", OF_THE_LOG)
def test_a_file_of_the_log(case: str, what: str, tmp_path: Path) -> None:
    name, pick, arguments = OF_THE_LOG[case]
    table = tmp_path / "table"
    golden(name)(table)
    path = pick(table)
    replace(path, what)
    before = sorted(p.name for p in (table / LOG).iterdir())
    with never_waits(path):
        said = say(told(arguments, table))
    assert (said.exit_code, said.error["code"]) == (5, "LOG_FILE_NOT_REGULAR")
    assert said.error["message"] == f"{path} is {WORDS[what]}, not a regular file"
    assert sorted(p.name for p in (table / LOG).iterdir()) == before


@pytest.mark.parametrize("what", SPECIAL)
@pytest.mark.parametrize(
    ("pattern", "options", "code"),
    [
        ("part-*", ["--data"], "DATA_FILE_UNREADABLE"),
        ("*/part-*", ["--data"], "DATA_FILE_UNREADABLE"),
        ("deletion_vector_a*", [], "VECTOR_FILE_MISSING"),
    ],
    ids=["data", "data in a folder", "deletion vector"],
)
def test_a_file_beside_the_log_is_a_finding(
    pattern: str, options: list[str], code: str, what: str, tmp_path: Path
) -> None:
    table = tmp_path / "table"
    golden(GOOD if pattern == "part-*" else KITCHEN)(table)
    path = min(p for p in table.glob(pattern))
    replace(path, what)
    with never_waits(path):
        said = say(["verify-checksum", str(table), *options, "-o", "json"])
    assert said.exit_code == 5
    found = {f["code"]: f["found"] for f in said.document["findings"]}
    assert found[code].endswith(f"{WORDS[what]}, not a regular file")


@pytest.mark.parametrize("what", SPECIAL)
def test_a_data_file_whose_footer_is_needed(what: str, tmp_path: Path) -> None:
    table = tmp_path / "table"
    golden(GOOD)(table)
    path = min(table.glob("part-*"))
    replace(path, what)
    with never_waits(path):
        said = say(["files", str(table), "--physical", "id", "-o", "json"])
    assert (said.exit_code, said.error["code"]) == (8, "FILE_NOT_REGULAR")
    assert f"{path} is {WORDS[what]}" in said.error["message"]


@pytest.mark.parametrize("what", SPECIAL)
@pytest.mark.parametrize(
    ("arguments", "exit_code"),
    [
        (["schema", "check", "TABLE", "--against", "FILE"], 8),
        (["column", "apply", "TABLE", "FILE"], 2),
        (["apply", "FILE"], 8),
        (["widen", "TABLE", "id", "long", "--plan-out", "FILE"], 4),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else str(value),
)
def test_a_file_that_is_named(
    arguments: list[str], exit_code: int, what: str, tmp_path: Path
) -> None:
    table, path = tmp_path / "table", tmp_path / "file"
    golden(GOOD)(table)
    replace(path, what)
    words = [{"TABLE": str(table), "FILE": str(path)}.get(word, word) for word in arguments]
    with never_waits(path):
        said = say([*words, "-o", "json"])
    assert said.exit_code == exit_code, said.document
    assert str(path) in said.error["message"]


@pytest.mark.parametrize("what", SPECIAL)
def test_what_no_reader_opens_does_no_harm(what: str, tmp_path: Path) -> None:
    table = tmp_path / "table"
    golden(GOOD)(table)
    for name in ("notes", "_notes.tmp"):
        replace(table / LOG / name, what)
    with never_waits(table / LOG / "notes"):
        assert say(["show", str(table), "-o", "json"]).exit_code == 0
        assert say(["verify-checksum", str(table), "--all", "-o", "json"]).exit_code == 0


def test_a_pipe_of_the_shell_is_read(tmp_path: Path) -> None:
    table = tmp_path / "table"
    golden(GOOD)(table)
    reading, writing = os.pipe()
    os.write(writing, b"add note string\n")
    os.close(writing)
    said = say(["column", "apply", str(table), f"/dev/fd/{reading}", "-o", "json"])
    os.close(reading)
    assert said.committed == 5


@pytest.mark.parametrize("what", SPECIAL)
def test_a_file_of_settings(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, path = tmp_path / "table", tmp_path / "deltactl.toml"
    golden(GOOD)(table)
    replace(path, what)
    monkeypatch.chdir(tmp_path)
    with never_waits(path):
        said = say(["show", "table", "-o", "json"])
    assert (said.exit_code, said.error["code"]) == (2, "CONFIG_UNREADABLE")
    assert said.error["message"] == (f"cannot read {path}: it is {WORDS[what]}, not a regular file")


def test_a_link_to_nothing_for_settings_is_a_file_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    golden(GOOD)(tmp_path / "table")
    (tmp_path / "deltactl.toml").symlink_to(os.devnull)
    monkeypatch.chdir(tmp_path)
    assert say(["show", "table", "-o", "json"]).exit_code == 0


LEASE = """
import fcntl, os, signal, sys, time
file = os.open(sys.argv[1], os.O_RDWR)
signal.signal(signal.SIGIO, lambda *_: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK))
fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="leases are of Linux")
def test_a_file_that_a_server_holds_a_lease_on(tmp_path: Path) -> None:
    table = tmp_path / "table"
    golden(GOOD)(table)
    commit = table / LOG / commit_name(4)
    shutil.copyfile(commit, table / "copy")
    os.replace(table / "copy", commit)
    child = subprocess.Popen(
        [sys.executable, "-c", LEASE, str(commit)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    assert say(["show", str(table), "-o", "json"]).exit_code == 0
    child.communicate("", timeout=10)


def test_the_kitchen_sink_has_what_is_replaced_here(tmp_path: Path) -> None:
    golden(KITCHEN)(tmp_path / "table")
    name = checkpoint_name(only(f"{LOG}/*8.checkpoint.*.json")(tmp_path / "table").name)
    assert name is not None
    assert name.version == 8
