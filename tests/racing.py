"""Writers that race on one table, each a process of its own, and what the log says afterwards.

Run as a program, `racing.py TABLE KIND NUMBER ROUNDS` is one of them: it waits for the others, does
one thing a round, and prints what it was told of each.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import CommitProperties, DeltaTable, write_deltalake
from deltalake.exceptions import CommitFailedError
from in_process import say
from small_tables import LEGACY, commit_info, field, metadata, protocol, write_log

from deltactl.storage.local.local import LocalStorage
from deltactl.table.commit import commit

TESTS = Path(__file__).parent
# Exit codes of a command that wrote nothing, and says so: already so, refused, lost.
NOTHING_WRITTEN = {0, 4, 6}


class Attempt(NamedTuple):
    """What one writer was told: `version` where it was told that its commit was made."""

    label: str
    exit_code: int
    version: int | None
    error: str | None = None


class Commit(NamedTuple):
    """A commit as it stands in the log."""

    version: int
    label: str | None
    engine: str
    actions: Sequence[Mapping[str, Any]]


def widened_table(root: Path, rounds: int) -> Path:
    """A table with type widening, and a short column to widen for each round."""
    root.mkdir()
    features = protocol(reader=["typeWidening"], writer=["invariants", "appendOnly"])
    columns = [field("id", "long"), *(field(f"w{n}", "short") for n in range(rounds))]
    created = metadata(*columns, enableTypeWidening="true")
    return Path(write_log(root, [[commit_info(), features, created]]))


def plain_table(root: Path) -> Path:
    """A table that deltalake writes too."""
    root.mkdir()
    return Path(write_log(root, [[commit_info(), LEGACY, metadata(field("id", "long"))]]))


def race(table: Path, kinds: Sequence[str], rounds: int) -> list[list[Attempt]]:
    """Let one writer of each kind go at the table at once; what each was told, round by round."""
    writers = [
        subprocess.Popen(
            [sys.executable, __file__, str(table), kind, str(number), str(rounds)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join((str(TESTS.parent), str(TESTS)))},
            stdout=subprocess.PIPE,
            text=True,
        )
        for number, kind in enumerate(kinds)
    ]
    try:
        while len(list(table.glob("ready-*"))) < len(writers):
            assert all(writer.poll() is None for writer in writers)
            time.sleep(0.01)
        (table / "go").touch()
        told = [json.loads(writer.communicate(timeout=900)[0]) for writer in writers]
        assert not any(writer.returncode for writer in writers)
    finally:
        for writer in writers:
            writer.kill()
    return [[Attempt(*attempt) for attempt in attempts] for attempts in told]


def log_of(table: Path) -> list[Commit]:
    """Every commit, in order; each is whole, and none is missing."""
    found = []
    names = sorted(path.name for path in (table / "_delta_log").glob("0*.json"))
    for version, name in enumerate(names):
        assert name == f"{version:020d}.json"
        text = (table / "_delta_log" / name).read_text()
        actions = [json.loads(line) for line in text.splitlines()]
        info = next(action["commitInfo"] for action in actions if "commitInfo" in action)
        found.append(Commit(version, info.get("userMetadata"), _engine(info), actions))
    return found


def assert_each_success_once(attempts: Sequence[Attempt], log: Sequence[Commit]) -> None:
    """Assert that what succeeded is in the log once, what failed never, and nothing else is."""
    won = {attempt.label: attempt for attempt in attempts if attempt.version is not None}
    labels = [made.label for made in log[1:]]
    assert sorted(labels) == sorted(won)
    for made in log[1:]:
        assert made.label is not None
        told = won[made.label]
        assert told.exit_code == 0
        assert told.version in (made.version, -1)
    for attempt in attempts:
        if attempt.version is None:
            assert attempt.exit_code in NOTHING_WRITTEN, attempt
            assert (attempt.error is None) == (attempt.exit_code == 0)


def _engine(info: Mapping[str, Any]) -> str:
    return str(info.get("engineInfo", "")).partition("/")[0]


def _main(table: str, kind: str, number: str, rounds: str) -> None:
    (Path(table) / f"ready-{number}").touch()
    while not (Path(table) / "go").exists():
        time.sleep(0.001)
    turn = WRITERS[kind]
    attempts = [turn(table, int(number), n) for n in range(int(rounds))]
    sys.stdout.write(json.dumps(attempts))


def _widen(table: str, number: int, turn: int) -> Attempt:
    # Two of them want the same type, and some want more: who comes later finds it done, or past.
    wanted = ("int", "long")[number % 2]
    return _deltactl(number, turn, "widen", table, f"w{turn}", wanted)


def _add_column(table: str, number: int, turn: int) -> Attempt:
    return _deltactl(number, turn, "column", "add", table, f"c{number}_{turn}", "int")


def _set_own_property(table: str, number: int, turn: int) -> Attempt:
    return _deltactl(number, turn, "property", "set", table, f"owner.{number}={turn}")


def _set_one_property(table: str, number: int, turn: int) -> Attempt:
    return _deltactl(number, turn, "property", "set", table, f"last={number}-{turn}")


def _once(table: str, number: int, turn: int) -> Attempt:
    """All of these want the same, and only one of them is to do it."""
    return _deltactl(
        number, turn, "table", "comment", table, f"{number}-{turn}", "--txn", f"nightly:{turn}"
    )


def _witnessed(table: str, number: int, turn: int) -> Attempt:
    """A change whose commit counts only where it was read back as our own."""
    settle, seen = commit.is_ours, []

    def witness(storage: Any, version: int, *more: Any) -> bool | None:
        ours = settle(storage, version, *more)
        seen.append((version, ours))
        return ours

    commit.is_ours = witness
    try:
        told = _set_own_property(table, number, turn)
    finally:
        commit.is_ours = settle
    if told.version is not None and seen[-1] != (told.version, True):
        raise AssertionError(f"{told}, and read back was {seen}")
    return told


def _deltactl(number: int, turn: int, *words: str) -> Attempt:
    label = f"{number}-{turn}"
    said = say([*words, "-m", label, "-o", "json"])
    return Attempt(label, said.exit_code, said.committed, said.error.get("code"))


def _append(table: str, number: int, turn: int) -> Attempt:
    """Append a row, as the smallest writer would that puts its commits in place whole."""
    label, name = f"{number}-{turn}", f"part-{number}-{turn}.parquet"
    pq.write_table(
        pa.table({"id": pa.array([number * 1000 + turn], pa.int64())}), f"{table}/{name}"
    )
    add = {
        "path": name,
        "partitionValues": {},
        "size": os.path.getsize(f"{table}/{name}"),
        "modificationTime": 1767322800000,
        "dataChange": True,
        "stats": '{"numRecords":1}',
    }
    info = {"operation": "WRITE", "operationParameters": {}, "userMetadata": label}
    text = "".join(f"{json.dumps(a)}\n" for a in ({"commitInfo": info}, {"add": add})).encode()
    version = len(list(Path(table, "_delta_log").glob("0*.json")))
    while LocalStorage(table).put_if_absent(f"_delta_log/{version:020d}.json", text) != "won":
        version += 1
    return Attempt(label, 0, version)


def _deltalake(table: str, number: int, turn: int) -> Attempt:
    """Append a row with deltalake, which gives up where the metadata changed: until it is in."""
    label = f"{number}-{turn}"
    rows = pa.table({"id": pa.array([number * 1000 + turn], pa.int64())})
    properties = CommitProperties(custom_metadata={"userMetadata": label})
    while True:
        with suppress(CommitFailedError):
            write_deltalake(
                DeltaTable(table),
                rows,
                mode="append",
                schema_mode="merge",
                commit_properties=properties,
            )
            # It does not say which version it made.
            return Attempt(label, 0, -1)


WRITERS: Mapping[str, Callable[[str, int, int], Attempt]] = {
    "widen": _widen,
    "add column": _add_column,
    "set own property": _set_own_property,
    "set one property": _set_one_property,
    "once": _once,
    "witnessed": _witnessed,
    "append": _append,
    "deltalake": _deltalake,
}

if __name__ == "__main__":
    _main(*sys.argv[1:])
