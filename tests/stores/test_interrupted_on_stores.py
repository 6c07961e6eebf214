"""Ctrl-C while a store does not answer ends the command at once, and what it says is true."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from http.client import HTTPConnection
from pathlib import Path

import pytest
from fake_faults import Fault
from fake_store import FakeStore
from in_process import say
from store_places import Place

from deltactl.storage.hdfs import name_nodes

GOLDEN = Path(__file__).parent.parent / "golden"
TABLE = "s3://lake/t"
ADD = ("column", "add", TABLE, "note", "string", "--yes")
# What is asked for takes longer than anybody waits for a command that was ended.
STUCK = 600_000
SOON = 60
NEW = f"_delta_log/{3:020d}.json$"
CHECKPOINT = f"_delta_log/{2:020d}.checkpoint.parquet"
NOTHING = "error: interrupted; nothing was written [INTERRUPTED]\n"
LOOK = f"hint: look for it with: deltactl log cat {TABLE} 3\n"


@pytest.fixture
def store(lake: FakeStore) -> FakeStore:
    """A store with a table in it, which the environment leads to."""
    lake.load(GOLDEN / "all_types" / "delta", "t")
    return lake


def stuck(operation: str, key: str = "", times: int | None = None) -> Fault:
    return Fault(kind="slow", ms=STUCK, operation=operation, key=key, times=times)


def interrupted(store: FakeStore, words: Sequence[str]) -> tuple[int, str]:
    """The exit code of the command, and what it says, when Ctrl-C comes as the store is stuck."""
    child = subprocess.Popen(
        [sys.executable, "-m", "deltactl", *words, "--timeout", "10m"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    try:
        until = time.monotonic() + SOON
        while not any(store.faults.hits()):
            assert child.poll() is None, child.communicate()
            assert time.monotonic() < until
            time.sleep(0.01)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=SOON)
    finally:
        child.kill()
    return child.returncode, said


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["show", TABLE], stuck("list")),
        (["show", TABLE], stuck("get", r"0\.json$")),
        (["show", TABLE, "--rows"], stuck("get", r"checkpoint\.parquet$")),
        (["schema", "show", TABLE], stuck("get", r"checkpoint\.parquet$")),
        (["history", TABLE], stuck("get", r"1\.json$")),
        (["files", TABLE, "--physical", "i"], stuck("get", r"t/[^_].*parquet$")),
        (["tables", "s3://lake"], stuck("list")),
        (["verify-checksum", TABLE, "--data"], stuck("get", r"t/[^_].*parquet$")),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value.key or value.operation,
)
def test_reading(store: FakeStore, words: list[str], fault: Fault) -> None:
    if "checkpoint" in fault.key:
        assert say(["checkpoint", TABLE, "-o", "json"]).exit_code == 0
    before = store.data()
    store.plan(fault)
    assert interrupted(store, words) == (130, "error: interrupted [INTERRUPTED]\n")
    assert store.data() == before


@pytest.mark.parametrize(
    "fault",
    [
        stuck("list"),
        stuck("get", r"2\.json$"),
        stuck("put", "probe"),
    ],
    ids=lambda fault: fault.key or fault.operation,
)
def test_before_the_commit(store: FakeStore, fault: Fault) -> None:
    before = store.data()
    store.plan(fault)
    assert interrupted(store, ADD) == (130, NOTHING)
    assert store.data() == before


def test_the_commit_may_land_later(store: FakeStore) -> None:
    store.plan(stuck("put", NEW))
    said = "error: interrupted; whether version 3 was committed is not known [INTERRUPTED]\n"
    assert interrupted(store, ADD) == (130, said + LOOK)


def test_a_lost_answer_and_then_none(store: FakeStore) -> None:
    # The first try is carried out, and its answer lost; the second one is stuck.
    lost = Fault(kind="drop after", operation="put", key=NEW, times=1)
    store.plan(lost, Fault(kind="slow", ms=STUCK, operation="put", key=NEW, skip=1))
    code, said = interrupted(store, ADD)
    assert (code, said) == (130, "error: interrupted; version 3 was committed [INTERRUPTED]\n")


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (1, "error: interrupted; version 3 was committed [INTERRUPTED]\n"),
        (
            None,
            "error: interrupted; whether version 3 was committed is not known [INTERRUPTED]\n"
            + LOOK,
        ),
    ],
    ids=["read back at last", "never"],
)
def test_the_commit_was_made(store: FakeStore, times: int | None, said: str) -> None:
    store.plan(stuck("get", NEW, times))
    assert interrupted(store, ADD) == (130, said)
    assert f"t/_delta_log/{3:020d}.json" in store.data()


def test_a_checkpoint_may_land_later(store: FakeStore) -> None:
    store.plan(stuck("put", CHECKPOINT))
    code, said = interrupted(store, ["checkpoint", TABLE])
    assert code == 130
    assert said.startswith(f"error: interrupted; whether {CHECKPOINT} was written is not known ")
    store.plan()
    assert say(["checkpoint", TABLE, "-o", "json"]).exit_code == 0


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (
            Fault(kind="slow", ms=700, operation="put", key=CHECKPOINT),
            f"error: interrupted; written: {CHECKPOINT} [INTERRUPTED]",
        ),
        (
            Fault(kind="slow", ms=STUCK, operation="put", key="_last_checkpoint"),
            f"error: interrupted; written: {CHECKPOINT} [INTERRUPTED]",
        ),
    ],
    ids=["answered a moment later", "before the hint"],
)
def test_a_checkpoint_was_written(store: FakeStore, fault: Fault, said: str) -> None:
    store.plan(fault)
    code, err = interrupted(store, ["checkpoint", TABLE])
    assert (code, err.splitlines()[0]) == (130, said)
    assert f"t/{CHECKPOINT}" in store.data()


@pytest.mark.parametrize("operation", ["put", "delete.*"])
def test_a_damaged_checkpoint_is_moved_aside(store: FakeStore, operation: str) -> None:
    store.put(f"t/{CHECKPOINT}", b"PAR1")
    key = r"quarantined" if operation == "put" else rf"{CHECKPOINT}$"
    store.plan(Fault(kind="slow", ms=STUCK, operation=operation, key=key))
    code, err = interrupted(store, ["verify-checksum", TABLE, "--repair", "--yes"])
    assert code == 130
    assert re.match(rf"error: interrupted; whether {CHECKPOINT}\S+ was written is not known", err)


def test_between_two_tries(store: FakeStore) -> None:
    busy = Fault(kind="503", operation="put", key=NEW)
    store.plan(busy, stuck("get", NEW))
    code, err = interrupted(store, ADD)
    assert code == 130
    assert (
        err
        == f"error: interrupted; whether version 3 was committed is not known [INTERRUPTED]\n{LOOK}"
    )


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (r"new/_delta_log/0{20}\.json$", "it has no version yet, and one file more may appear"),
        (r"new/_delta_log/0{19}3\.json$", "it is at version 2, and one file more may appear"),
    ],
)
def test_demo(store: FakeStore, key: str, said: str) -> None:
    store.plan(stuck("put", key))
    assert interrupted(store, ["demo", "s3://lake/new"]) == (
        130,
        f"error: interrupted while the table was made in s3://lake/new: {said} [INTERRUPTED]\n"
        "hint: it can be opened as it is, or removed\n",
    )


@pytest.mark.parametrize(
    "words",
    [
        ["constraint", "add", TABLE, "positive", "i > 0"],
        ["column", "set-not-null", TABLE, "i"],
        ["prune-type-changes", "s3://lake/widened"],
    ],
    ids=lambda words: words[0],
)
def test_looking_at_rows(store: FakeStore, words: list[str]) -> None:
    if words[0] == "prune-type-changes":
        store.load(GOLDEN / "tw_integers_floats" / "delta", "widened")
    before = store.data()
    store.plan(stuck("(get|head)", r"(t|widened)/[^_].*parquet$"))
    assert interrupted(store, [*words, "--yes"]) == (130, NOTHING)
    assert store.data() == before


@pytest.mark.servers
@pytest.mark.jvm
@pytest.mark.parametrize("place", ["hdfs"], indirect=True)
@pytest.mark.parametrize(
    ("is_sent", "true"),
    [
        (True, "version 3 was committed"),
        (False, "whether version 3 was committed is not known"),
    ],
    ids=["sent", "not sent"],
)
def test_the_rename_of_a_commit(
    place: Place, is_sent: bool, true: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = place.opened()
    source = GOLDEN / "all_types" / "delta"
    for path in sorted(each for each in source.rglob("*") if each.is_file()):
        storage.put(str(path.relative_to(source)), path.read_bytes())
    for option, value in place.options.items():
        monkeypatch.setenv(option, value)
    request = name_nodes._answer

    def pressed(connection: HTTPConnection, method: str, url: str) -> tuple[int, bytes]:
        if "op=RENAME" in url:
            monkeypatch.undo()
            if is_sent:
                request(connection, method, url)
            raise KeyboardInterrupt
        return request(connection, method, url)

    monkeypatch.setattr(name_nodes, "_answer", pressed)
    said = say(["column", "add", place.uri, "note", "string", "--yes", "-o", "json"])
    assert (said.exit_code, said.error["message"]) == (130, f"interrupted; {true}")
    assert not [file.name for file in storage.list_from("_delta_log") if ".tmp" in file.name]
