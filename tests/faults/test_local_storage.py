"""The local store at its worst moments: killed, refused, out of space, raced."""

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import steps
from needs import open_to_all
from steps import ASIDE, NAME, NEW, OLD, SIDE_FILE

from deltactl.errors import StorageError
from deltactl.storage.local.local import LocalStorage

pytestmark = pytest.mark.faults

REPOSITORY = Path(__file__).parent.parent.parent
NOBODY = 65534
# What each operation does, step by step; the tests below fail each of these in turn.
STEPS = {
    "put_if_absent": [
        "makedirs", "open", "stat", "fstat", "write", "fsync", "unlink", "link", "unlink",
        "open", "fsync", "close",
    ],
    "put_file_if_absent": [
        "makedirs", "open", "stat", "fstat", "fsync", "unlink", "link", "unlink",
        "open", "fsync", "close",
    ],
    "put": [
        "makedirs", "open", "stat", "fstat", "write", "fsync", "unlink", "replace", "unlink",
        "open", "fsync", "close",
    ],
    "move": ["link", "unlink", "open", "fsync", "close"],
}  # fmt: skip
EACH_STEP = [
    pytest.param(operation, step, id=f"{operation}-{step}-{name}")
    for operation, names in STEPS.items()
    for step, name in enumerate(names)
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "table"


def run_child(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *args],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def content(root: Path, name: str = NAME) -> bytes | None:
    path = root / name
    return path.read_bytes() if path.exists() else None


def temporary(root: Path) -> list[str]:
    return sorted(path.name for path in (root / "_delta_log").iterdir() if ".tmp" in path.name)


def claimed_at(operation: str) -> int:
    """The step that gives the file its name."""
    names = STEPS[operation]
    return names.index("replace" if operation == "put" else "link")


def assert_whole(operation: str, root: Path) -> None:
    """Assert that no reader can see a half file, and nothing that was there is lost."""
    match operation:
        case "put":
            assert content(root) in (OLD, NEW)
        case "move":
            assert OLD in (content(root), content(root, ASIDE))
            assert {content(root), content(root, ASIDE)} <= {OLD, None}
        case _:
            assert content(root) in (None, NEW)


@pytest.mark.parametrize("operation", STEPS)
def test_the_steps_are_those_that_are_failed_here(operation: str, root: Path) -> None:
    assert steps.steps_of(operation, root) == STEPS[operation]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("operation", "step"), EACH_STEP)
def test_a_killed_process_leaves_a_whole_file_or_none(
    operation: str, step: int, when: str, root: Path
) -> None:
    steps.prepare(operation, root)
    child = run_child(str(Path(steps.__file__)), operation, str(root), str(step), when)
    assert child.returncode == -signal.SIGKILL, child.stderr
    assert_whole(operation, root)
    done = step > claimed_at(operation) or (step == claimed_at(operation) and when == "after")
    expected = {"put": OLD, "move": None}.get(operation)
    after = {"put": NEW, "move": OLD}.get(operation, NEW)
    assert content(root, ASIDE if operation == "move" else NAME) == (after if done else expected)
    # Whoever comes next can do it all again.
    again = steps.carry_out(operation, root) if operation != "move" or not done else "exists"
    assert again == {"put": None}.get(operation, "exists" if done else "won")
    assert_whole(operation, root)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES], ids=errno.errorcode.get)
@pytest.mark.parametrize(("operation", "step"), EACH_STEP)
def test_an_error_at_any_step_is_told_and_leaves_no_litter(
    operation: str, step: int, number: int, root: Path
) -> None:
    steps.prepare(operation, root)
    claim, name = claimed_at(operation), STEPS[operation][step]
    code = {errno.ENOSPC: "DISK_FULL", errno.EACCES: "PERMISSION_DENIED"}.get(
        number, "STORAGE_FAILED"
    )
    removes_temporary = name == "unlink" and step == claim + 1 and operation != "move"
    creates = operation not in ("put", "move")
    if removes_temporary or (name != "unlink" and step > claim and operation != "put"):
        # The file is there; only a folder that is surely on disk makes that certain.
        outcome = steps.fail_at(operation, root, step, number)
        settled = None if operation == "put" else "won"
        assert outcome == (settled if removes_temporary else "unknown")
        assert content(root, NAME if creates or operation == "put" else ASIDE) in (NEW, OLD)
    else:
        with pytest.raises(StorageError) as caught:
            steps.fail_at(operation, root, step, number)
        assert caught.value.code == code
        assert str(root) in caught.value.message
        if step <= claim:
            assert content(root) == (None if creates else OLD)
    assert_whole(operation, root)
    litter = temporary(root)
    if removes_temporary and operation != "put":
        assert len(litter) == 1
    else:
        assert litter == []


RACE = """
import json, sys, time
from pathlib import Path
from deltactl.storage.local.local import LocalStorage

root, me, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
store, outcomes = LocalStorage(root), []
(Path(root) / f"ready-{me}").touch()
while not (Path(root) / "go").exists():
    time.sleep(0.001)
for version in range(rounds):
    name = f"_delta_log/{version:020d}.json"
    outcomes.append(store.put_if_absent(name, (me + "\\n").encode() * 5000))
print(json.dumps(outcomes))
"""


def test_of_sixteen_writers_one_wins_each_version(root: Path) -> None:
    writers, rounds = 16, 60
    root.mkdir()
    children = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, str(root), str(me), str(rounds)],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for me in range(writers)
    ]
    while len(list(root.glob("ready-*"))) < writers:
        assert all(child.poll() is None for child in children)
    (root / "go").touch()
    outcomes = [json.loads(child.communicate(timeout=60)[0]) for child in children]
    for version in range(rounds):
        said = [outcome[version] for outcome in outcomes]
        assert sorted(said) == ["exists"] * (writers - 1) + ["won"]
        winner = str(said.index("won"))
        assert (root / f"_delta_log/{version:020d}.json").read_text() == (winner + "\n") * 5000
    assert temporary(root) == []


@pytest.fixture
def masked(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.mark.parametrize("operation", ["put_if_absent", "put_file_if_absent", "put"])
@pytest.mark.parametrize(
    ("masked", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)], indirect=["masked"]
)
def test_a_new_file_has_the_mode_that_the_umask_leaves(
    operation: str, masked: int, mode: int, root: Path
) -> None:
    steps.prepare(operation, root)
    steps.carry_out(operation, root)
    assert (root / NAME).stat().st_mode & 0o7777 == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a folder to any group")
def test_a_new_file_belongs_to_the_folders_group(root: Path) -> None:
    steps.prepare("put_if_absent", root)
    os.chown(root / "_delta_log", -1, NOBODY)
    steps.carry_out("put_if_absent", root)
    assert (root / NAME).stat().st_gid == NOBODY


def test_a_group_that_cannot_be_given_is_done_without(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int, user: int, group: int) -> None:
        raise OSError(errno.ENOTSUP, "not here")

    steps.prepare("put_if_absent", root)
    monkeypatch.setattr(os, "fchown", refuse)
    monkeypatch.setattr(os, "fstat", lambda descriptor: os.stat_result([NOBODY] * 10))
    outcome = steps.carry_out("put_if_absent", root)
    monkeypatch.undo()
    assert (outcome, content(root)) == ("won", NEW)


@pytest.mark.parametrize("operation", ["put_if_absent", "put_file_if_absent", "put"])
def test_hadoops_checksum_of_an_older_file_of_that_name_is_gone(operation: str, root: Path) -> None:
    steps.prepare(operation, root)
    steps.carry_out(operation, root)
    assert content(root) == NEW
    assert not (root / SIDE_FILE).exists()


def test_a_lost_race_leaves_the_winners_file_and_its_checksum(root: Path) -> None:
    steps.prepare("put", root)
    assert LocalStorage(str(root)).put_if_absent(NAME, NEW) == "exists"
    assert (content(root), content(root, SIDE_FILE)) == (OLD, b"crc\0")
    assert temporary(root) == []


def no_links(monkeypatch: pytest.MonkeyPatch, number: int = errno.EPERM) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", refuse)


@pytest.mark.skipif(sys.platform != "linux", reason="renameat2 is of Linux")
@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOTSUP], ids=errno.errorcode.get)
def test_without_links_an_exclusive_rename_does_it(
    number: int, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps.prepare("put_if_absent", root)
    no_links(monkeypatch, number)
    store = LocalStorage(str(root))
    assert store.put_if_absent(NAME, NEW) == "won"
    assert store.put_if_absent(NAME, OLD) == "exists"
    assert store.move(NAME, ASIDE) == "won"
    assert (content(root), content(root, ASIDE)) == (None, NEW)
    (root / NAME).write_bytes(OLD)
    assert store.move(NAME, ASIDE) == "exists"
    assert (content(root), content(root, ASIDE)) == (OLD, NEW)
    assert temporary(root) == []


@pytest.mark.skipif(sys.platform != "linux", reason="renameat2 is of Linux")
def test_the_exclusive_rename_does_not_replace_a_file_that_came_meanwhile(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps.prepare("put", root)
    no_links(monkeypatch)
    monkeypatch.setattr(os.path, "lexists", lambda path: False)
    assert LocalStorage(str(root)).put_if_absent(NAME, NEW) == "exists"
    assert content(root) == OLD
    assert temporary(root) == []


def test_with_neither_links_nor_exclusive_rename_nothing_is_written(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps.prepare("put_if_absent", root)
    no_links(monkeypatch)
    monkeypatch.setattr(sys, "platform", "other")
    with pytest.raises(StorageError) as caught:
        steps.carry_out("put_if_absent", root)
    assert caught.value.code == "NO_ATOMIC_CREATE"
    assert content(root) is None
    assert temporary(root) == []


# What may be loaded later is loaded first: the interpreter may lie where only root can read.
UNPRIVILEGED = f"""
import ctypes, os, sys
from pathlib import Path
import steps
from deltactl.errors import StorageError

if os.geteuid() == 0:
    os.setgroups([])
    os.setgid({NOBODY})
    os.setuid({NOBODY})
try:
    steps.carry_out(sys.argv[1], Path(sys.argv[2]))
except StorageError as error:
    print(error.code)
"""


@pytest.mark.parametrize("operation", STEPS)
def test_a_folder_that_one_may_not_write_to_stays_as_it_is(operation: str, root: Path) -> None:
    steps.prepare(operation, root)
    log = root / "_delta_log"
    open_to_all(root)
    log.chmod(0o555)
    before = sorted(log.iterdir())
    beside = str(Path(steps.__file__).parent)
    child = run_child("-c", f"import sys; sys.path.insert(0, {beside!r})\n" + UNPRIVILEGED,
                      operation, str(root))  # fmt: skip
    log.chmod(0o755)
    assert child.stdout.split() == ["PERMISSION_DENIED"], child.stderr
    assert sorted(log.iterdir()) == before


def test_many_files_are_read_as_each_alone(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    folder.mkdir()
    (folder / "1").write_bytes(b"one two")
    (folder / "inner").mkdir()
    with LocalStorage(str(tmp_path)).opened("log") as read:
        assert (read("1", 0, 7), read("1", 4, 100), read("1", 0, 3)) == (b"one two", b"two", b"one")
        for name in ("2", "inner"):
            with pytest.raises(FileNotFoundError):
                read(name, 0, 10)
        (folder / "1").unlink()
        with pytest.raises(FileNotFoundError):
            read("1", 0, 7)


def test_many_files_of_a_folder_that_is_missing(tmp_path: Path) -> None:
    with LocalStorage(str(tmp_path)).opened("log") as read, pytest.raises(FileNotFoundError):
        read("1", 0, 7)


def test_a_name_that_no_system_can_have_is_not_there(tmp_path: Path) -> None:
    """A log can name a file so."""
    store = LocalStorage(str(tmp_path))
    for look in (store.read, store.head, store.source):
        with pytest.raises(FileNotFoundError):
            look("a\0b.parquet")
