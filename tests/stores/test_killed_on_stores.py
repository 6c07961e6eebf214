"""Killed at any request that it makes, a command leaves a sound table, and can be run again."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from fake_faults import Fault
from fake_store import FakeStore
from in_process import say
from store_places import s3

GOLDEN = Path(__file__).parent.parent / "golden" / "all_types" / "delta"
TABLE = "s3://lake/t"
# The table is at version 2.
NEW = f"t/_delta_log/{3:020d}.json"
CHECKPOINT = f"t/_delta_log/{2:020d}.checkpoint.parquet"
TORN = b"PAR1"
SOON = 60
STUCK = 600_000


def environment(store: FakeStore, cache: Path) -> dict[str, str]:
    """The variables that lead to the store."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "XDG_CACHE_HOME": str(cache),
        **s3(store.url, "").options,
    }


def ended_at(number: int, store: FakeStore, words: Sequence[str], variables: Any) -> bool:
    """Run the command, and kill it as its request of that number arrives; False: it had fewer."""
    store.plan(Fault(kind="slow", ms=STUCK, skip=number))
    child = subprocess.Popen(
        [sys.executable, "-m", "deltactl", *words, "--timeout", "10m"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=variables,
    )
    until = time.monotonic() + SOON
    try:
        while child.poll() is None and not any(store.faults.hits()):
            assert time.monotonic() < until
            time.sleep(0.01)
    finally:
        child.kill()
        _, said = child.communicate()
    assert child.returncode in (0, -9), said
    return child.returncode != 0


@pytest.mark.parametrize(
    ("words", "is_done"),
    [
        (
            ["column", "add", TABLE, "note", "string", "--if-not-exists", "--yes"],
            lambda store: NEW in store.data(),
        ),
        (["checkpoint", TABLE], lambda store: CHECKPOINT in store.data()),
        (
            ["verify-checksum", TABLE, "--repair", "--yes"],
            lambda store: store.data().get(CHECKPOINT) != TORN,
        ),
    ],
    ids=["commit", "checkpoint", "repair"],
)
def test_killed_at_each_request(
    words: list[str],
    is_done: Callable[[FakeStore], bool],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kills = done = 0
    while True:
        with FakeStore() as store:
            store.load(GOLDEN, "t")
            if "--repair" in words:
                store.put(CHECKPOINT, TORN)
            variables = environment(store, tmp_path / str(kills))
            if not ended_at(kills, store, words, variables):
                break
            kills += 1
            done += is_done(store)
            store.plan()
            for name, value in variables.items():
                monkeypatch.setenv(name, value)
            # Whatever it came to: the table can be read, and the command can be run again.
            shown = say(["show", TABLE, "-o", "json"])
            assert (shown.exit_code, shown.document["files"]["count"]) == (0, 2)
            assert say([*words, "-o", "json"]).exit_code == 0
            assert is_done(store)
            assert f"t/_delta_log/{4:020d}.json" not in store.data()
            checked = say(["verify-checksum", TABLE, "--all", "--data", "-o", "json"])
            assert (checked.exit_code, checked.document["findings"]) == (0, [])
    # It was killed before what it makes was there, and after.
    assert 0 < done < kills
