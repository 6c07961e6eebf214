"""Rows that others delete while adds are committed again: they stay deleted."""

import json
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from in_process import Said, say
from interloper import Act, interloping
from racing import log_of
from small_tables import Action, commit_info, field, metadata, protocol, write_log

pytestmark = pytest.mark.races

NAMES = "abc"
ROWS = 10
# The bounds 0.1 and 1.1 of a float, as doubles.
WIDENED = {"minValues": {"f": 0.10000000149011612}, "maxValues": {"f": 1.100000023841858}}
VECTOR = {
    "storageType": "u",
    "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^",
    "offset": 4,
    "sizeInBytes": 40,
    "cardinality": 6,
}
DELETED = '{"predicate":"[\\"(f > 1)\\"]"}'


def add(name: str, **more: Any) -> Action:
    stats = {"numRecords": ROWS, "minValues": {"f": 0.1}, "maxValues": {"f": 1.1}}
    return {
        "add": {
            "path": f"{name}.parquet",
            "partitionValues": {},
            "size": 700,
            "modificationTime": 1767322800000,
            "dataChange": True,
            "stats": json.dumps({**stats, "nullCount": {"f": 0}}),
            **more,
        }
    }


def remove(name: str, **more: Any) -> Action:
    times = {"deletionTimestamp": 1767322800000, "dataChange": True}
    return {"remove": {"path": f"{name}.parquet", **times, **more}}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of floats with row tracking that is supported, and not yet enabled."""
    features = protocol(
        reader=["typeWidening", "deletionVectors"],
        writer=["invariants", "appendOnly", "domainMetadata", "rowTracking"],
    )
    settings = {"enableTypeWidening": "true", "enableDeletionVectors": "true"}
    created = [commit_info(), features, metadata(field("f", "float"), **settings)]
    return Path(write_log(tmp_path, [created, [commit_info(), *map(add, NAMES)]]))


def wins(*actions: Action) -> Act:
    def act(target: Path) -> None:
        info = commit_info(operation="DELETE", engineInfo="other/1", timestamp=1767322800000)
        target.write_text("".join(f"{json.dumps(action)}\n" for action in (info, *actions)))

    return act


def live(table: Path) -> dict[tuple[str, str | None], Mapping[str, Any]]:
    """The live files by name and vector, by the rules of the protocol."""
    found: dict[tuple[str, str | None], Mapping[str, Any]] = {}
    for commit in log_of(table):
        for kind in ("remove", "add"):
            for body in (action[kind] for action in commit.actions if kind in action):
                vector = body.get("deletionVector")
                key = (body["path"][0], None if vector is None else vector["pathOrInlineDv"])
                if kind == "remove":
                    found.pop(key, None)
                else:
                    found[key] = body
    return found


MARKED = VECTOR["pathOrInlineDv"]
# What another writer does to the files a, b and c, and which are there afterwards.
WINNERS: Mapping[str, tuple[Sequence[Action], set[tuple[str, Any]]]] = {
    "a file is deleted": ([remove("a")], {("b", None), ("c", None)}),
    "rows are deleted by a vector": (
        [remove("a"), add("a", deletionVector=VECTOR)],
        {("a", MARKED), ("b", None), ("c", None)},
    ),
    "everything is deleted": ([remove(name) for name in NAMES], set()),
    "a file is rewritten": ([remove("a"), add("d")], {("b", None), ("c", None), ("d", None)}),
    "a file is appended": ([add("d")], {(name, None) for name in "abcd"}),
}
COMMANDS = {
    "fix-stats": ["widen", "f", "double", "--fix-stats"],
    "backfill": ["protocol enable", "rowTracking"],
}


CASES = [
    (command, winner)
    for command, winner in product(COMMANDS, WINNERS)
    if (command, winner) != ("backfill", "everything is deleted")  # no backfill: see below
]


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(("command", "winner"), CASES)
def test_what_was_deleted_stays_deleted(command: str, winner: str, times: int, table: Path) -> None:
    actions, expected = WINNERS[winner]
    # The second one to come first changes nothing: what is lost twice is planned twice.
    with interloping(*[wins(*actions), wins()][:times]):
        said = run(command, table)
    found = live(table)
    assert set(found) == expected
    assert (said.exit_code, said.committed) == (0, 2 + times)
    commit = log_of(table)[2 + times]
    again = [action["add"] for action in commit.actions if "add" in action]
    assert len(again) == len(expected)
    assert not [action for action in commit.actions if "remove" in action]
    for body in found.values():
        assert body["dataChange"] is False
    if command == "fix-stats":
        for body in found.values():
            assert json.loads(body["stats"]).items() >= {**WIDENED, "numRecords": ROWS}.items()
    else:
        assert_numbered(table, found.values(), version=2 + times)


def test_a_backfill_of_what_is_gone_by_then(table: Path) -> None:
    actions, _ = WINNERS["everything is deleted"]
    with interloping(wins(*actions)):
        said = run("backfill", table)
    assert (said.exit_code, said.error["code"]) == (6, "LOST_RACE")
    assert live(table) == {}
    assert run("backfill", table).committed == 3


def run(command: str, table: Path) -> Said:
    words, *arguments = COMMANDS[command]
    return say([*words.split(), str(table), *arguments, "--yes", "-o", "json"])


def assert_numbered(table: Path, adds: Any, version: int) -> None:
    firsts = sorted(body["baseRowId"] for body in adds)
    assert firsts == [0, 10, 20, 30][: len(firsts)]
    assert {body["defaultRowCommitVersion"] for body in adds} <= {version}
    marks = [
        json.loads(action["domainMetadata"]["configuration"])["rowIdHighWaterMark"]
        for action in log_of(table)[version].actions
        if "domainMetadata" in action
    ]
    assert marks == [firsts[-1] + ROWS - 1]


def test_a_backfill_that_another_one_was_faster_with(table: Path) -> None:
    def twin(target: Path) -> None:
        assert say(words).committed == 2

    words = ["protocol", "enable", str(table), "rowTracking", "--yes", "-o", "json"]
    with interloping(twin):
        said = say(words)
    assert (said.exit_code, said.committed) == (0, None)
    assert [commit.version for commit in log_of(table)] == [0, 1, 2]
    assert_numbered(table, live(table).values(), version=2)


def test_a_commit_that_is_replaced_before_it_is_read_back(table: Path) -> None:
    """As Spark's own commit does on a local folder: it looks, and then it renames."""
    theirs = commit_info(operation="WRITE", engineInfo="other/1", userMetadata="theirs")

    def replace(target: Path) -> None:
        target.with_suffix(".new").write_text(f"{json.dumps(theirs)}\n{json.dumps(add('d'))}\n")
        target.with_suffix(".new").replace(target)

    words = ["table", "rename", str(table), "orders", "-m", "ours", "-o", "json"]
    with interloping(replace, after=True):
        said = say(words)
    assert (said.exit_code, said.committed) == (0, 3)
    assert [commit.label for commit in log_of(table)] == [None, None, "theirs", "ours"]


def test_a_commit_that_is_replaced_by_one_that_forbids_it(table: Path) -> None:
    theirs = metadata(field("f", "string"))

    def replace(target: Path) -> None:
        info = commit_info(engineInfo="other/1", userMetadata="theirs")
        target.write_text(f"{json.dumps(info)}\n{json.dumps(theirs)}\n")

    with interloping(replace, after=True):
        said = say(["widen", str(table), "f", "double", "-m", "ours", "-o", "json"])
    assert (said.exit_code, said.error["code"], said.committed) == (6, "LOST_RACE", None)
    assert [commit.label for commit in log_of(table)] == [None, None, "theirs"]
