import json
from typing import Any

import pytest

from deltactl.errors import BrokenLogError
from deltactl.log.replay import Replay

NAME = "00000000000000000003.json"


def block(*actions: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(action).encode() + b"\n" for action in actions)


def add(path: str, **fields: Any) -> dict[str, Any]:
    return {"add": {"path": path, "partitionValues": {}, "size": 1, "dataChange": True, **fields}}


def remove(path: str, **fields: Any) -> dict[str, Any]:
    return {"remove": {"path": path, "dataChange": True, **fields}}


def vector(name: str, offset: int | None = 1) -> dict[str, Any]:
    held = {} if offset is None else {"offset": offset}
    return {
        "deletionVector": {
            "storageType": "u",
            "pathOrInlineDv": name,
            "sizeInBytes": 10,
            "cardinality": 2,
            **held,
        }
    }


def txn(app: str, version: int) -> dict[str, Any]:
    return {"txn": {"appId": app, "version": version}}


def domain(name: str, configuration: str, *, removed: bool = False) -> dict[str, Any]:
    body = {"domain": name, "configuration": configuration, "removed": removed}
    return {"domainMetadata": body}


def replay(*commits: list[dict[str, Any]]) -> Replay:
    result = Replay()
    for version, actions in enumerate(commits):
        result.apply(block(*actions), f"{version:020d}.json")
    return result


def live(found: Replay) -> list[str]:
    return sorted(file.path for file in found.live())


@pytest.mark.parametrize(
    ("commits", "expected"),
    [
        ([[add("a"), add("b")]], ["a", "b"]),
        ([[add("a")], [remove("a")]], []),
        ([[add("a")], [remove("a")], [add("a")]], ["a"]),
        ([[remove("a")], [add("b")]], ["b"]),  # a tombstone of a file that nobody added
        ([[add("a b%25")]], ["a b%25"]),
        # One file under several spellings.
        ([[add("a%20b")], [remove("a b")]], []),
        ([[add("file:///t/x")], [remove("/t/x")]], []),
        ([[add("/t/x")], [remove("file:/t/x")]], []),
        ([[add("a%2520b")], [remove("a%20b")]], ["a%2520b"]),
        ([[add("a%FF")], [remove("a%FE")]], ["a%FF"]),
        # A file with another vector is another logical file.
        ([[add("a")], [remove("a"), add("a", **vector("v"))]], ["a"]),
        ([[add("a", **vector("v"))], [remove("a")]], ["a"]),
        ([[add("a", **vector("v"))], [remove("a", **vector("v"))]], []),
        ([[add("a", **vector("v"))], [remove("a", **vector("v", 2))]], ["a"]),
        ([[add("a", **vector("v", None))], [remove("a", **vector("v"))]], ["a"]),
    ],
)
def test_the_newest_word_on_each_file_counts(
    commits: list[list[dict[str, Any]]], expected: list[str]
) -> None:
    assert live(replay(*commits)) == expected


def test_an_add_again_replaces_what_was_known_of_the_file() -> None:
    found = replay([add("a", stats="{}")], [add("a", size=7, baseRowId=4)])
    assert [(f.size, f.stats, f.base_row_id) for f in found.live()] == [(7, None, 4)]


def test_removed_files_are_remembered_for_the_checkpoint_below() -> None:
    found = replay([add("a"), remove("b%20c", **vector("v"))])
    assert {key: add and add.path for key, add in found.files.items()} == {
        ("a", None): "a",
        ("b c", "uv@1"): None,
    }


def test_the_newest_word_of_each_application_and_domain_counts() -> None:
    found = replay(
        [txn("x", 1), txn("y", 5), domain("d", "1"), domain("e", "1")],
        [txn("x", 0), domain("d", "2"), domain("e", "1", removed=True)],
    )
    assert {app: t.version for app, t in found.transactions.items()} == {"x": 0, "y": 5}
    assert {name: (d.configuration, d.removed) for name, d in found.domains.items()} == {
        "d": ("2", False),
        "e": ("1", True),
    }


def test_change_files_are_counted_and_are_no_part_of_the_table() -> None:
    found = replay([{"cdc": {"path": "c", "size": 7}}], [{"cdc": {"path": "d", "size": "7"}}])
    assert (found.change_files, found.change_bytes, live(found)) == (2, 7, [])


@pytest.mark.parametrize(
    ("actions", "expected", "codes"),
    [
        ([add("a"), remove("b")], ["a"], []),
        ([add("a"), add("a", size=2)], ["a"], ["DUPLICATE_ADD"]),
        ([add("a b"), add("a%20b")], ["a%20b"], ["DUPLICATE_ADD"]),
        ([remove("a"), remove("a")], [], ["DUPLICATE_REMOVE"]),
        ([remove("a"), add("a")], ["a"], ["ADD_AND_REMOVE_IN_ONE_COMMIT"]),
        ([add("a"), remove("a")], [], ["ADD_AND_REMOVE_IN_ONE_COMMIT"]),
        ([remove("a"), add("a", **vector("v"))], ["a"], []),
        ([txn("x", 1), txn("x", 2)], [], ["DUPLICATE_TXN"]),
        ([{"rowIdHighWaterMark": {"highWaterMark": 4}}], [], ["DRAFT_ACTION"]),
        ([{"wibble": {}}], [], ["UNKNOWN_ACTION"]),
        ([{"commitInfo": {}}, {"sidecar": {}}, {"checkpointMetadata": {}}], [], []),
    ],
)
def test_what_is_odd_about_a_commit_is_remarked_and_the_last_line_counts(
    actions: list[dict[str, Any]], expected: list[str], codes: list[str]
) -> None:
    found = replay(actions)
    assert live(found) == expected
    assert [notice.code for notice in found.notices] == codes
    assert all(n.message.startswith("00000000000000000000.json: ") for n in found.notices)


def test_the_same_in_two_commits_is_not_odd() -> None:
    assert not replay([add("a"), txn("x", 1)], [add("a"), txn("x", 2)]).notices


def test_a_commit_may_come_in_blocks() -> None:
    found = Replay()
    found.apply(block(add("a")), NAME)
    found.apply(block(add("a")), NAME, 2)
    assert [notice.code for notice in found.notices] == ["DUPLICATE_ADD"]
    with pytest.raises(BrokenLogError, match=f"{NAME}, line 44"):
        found.apply(b"{}\n{}\n{", NAME, 42)


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ({"add": {"path": ""}}, "EMPTY_PATH"),
        ({"remove": {}}, "EMPTY_PATH"),
        ({"add": {"path": "a", "size": 2**64}}, "ACTION_MALFORMED"),
        ({"txn": {"appId": "x"}}, "ACTION_MALFORMED"),
        ({"domainMetadata": {"domain": 1}}, "ACTION_MALFORMED"),
    ],
)
def test_a_malformed_action_is_named_with_its_line(action: dict[str, Any], code: str) -> None:
    found = Replay()
    with pytest.raises(BrokenLogError) as caught:
        found.apply(block(add("a"), action), NAME)
    assert caught.value.code == code
    assert caught.value.message.startswith(f"{NAME}, line 2: ")
    assert caught.value.details == {"file": NAME, "line": 2}
    compacted = "00000000000000000001.00000000000000000003.compacted.json"
    with pytest.raises(BrokenLogError, match=compacted):
        Replay().apply_compacted(block(add("a"), action), compacted)


def test_statistics_may_be_left_out() -> None:
    found = Replay(keep_stats=False)
    found.apply(block(add("a", stats='{"numRecords":1}')), NAME)
    assert [file.stats for file in found.live()] == [None]


def test_of_several_actions_in_a_compacted_file_the_first_is_the_newest() -> None:
    found = replay([add("old"), add("b")])
    newest_first = [txn("x", 9), add("a", size=3), remove("a"), add("a", size=1), txn("x", 1)]
    found.apply_compacted(block(remove("b"), *newest_first), NAME)
    assert sorted((file.path, file.size) for file in found.live()) == [("a", 3), ("old", 1)]
    assert found.transactions["x"].version == 9
    assert not found.notices


@pytest.mark.parametrize(
    ("actions", "codes"),
    [
        ([add("a b", modificationTime=5)], ["PATH_NOT_ENCODED"]),
        ([add("a", modificationTime="5")], ["ADD_INCOMPLETE"]),
        ([remove("a", deletionTimestamp="5")], ["ACTION_MALFORMED"]),
        ([add("a", modificationTime=5), remove("a")], ["ADD_AND_REMOVE_IN_ONE_COMMIT"]),
        ([add("a", modificationTime=5), add("a", modificationTime=5)], []),
    ],
)
def test_faults_are_kept_for_those_who_write_the_actions_down(
    actions: list[dict[str, Any]], codes: list[str]
) -> None:
    found = Replay(keep_faults=True)
    found.apply(block(*actions), NAME)
    assert [fault.code for fault in found.faults.values()] == codes
    # A newer action without one replaces it, from a compacted file as well.
    compacted = Replay(keep_faults=True)
    for newer, path in ((found.apply, "a"), (found.apply, "a b")):
        newer(block(remove(path)), "00000000000000000004.json")
    compacted.apply(block(*actions), NAME)
    compacted.apply_compacted(block(remove("a"), remove("a b")), "compacted.json")
    assert (found.faults, compacted.faults) == ({}, {})
    # Readers keep none.
    reader = Replay()
    reader.apply(block(*actions), NAME)
    assert reader.faults == {}


def test_tombstones_are_kept_on_demand_until_the_file_is_added_again() -> None:
    found = Replay(keep_removes=True)
    found.apply(block(remove("a"), remove("b"), remove("c")), NAME)
    found.apply(block(add("a")), "00000000000000000004.json")
    found.apply_compacted(block(add("b"), remove("d")), "compacted.json")
    assert [remove.path for remove in found.removes.values()] == ["c", "d"]
    without = Replay()
    without.apply(block(remove("a")), NAME)
    assert without.removes == {}
