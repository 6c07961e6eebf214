"""Checkpoints that a version has already: whole, damaged, unfinished, or misleading."""

import json
from pathlib import Path

import pytest
from checkpoints import Action, Files, classic, multipart, parquet
from pruned import add
from small_tables import LEGACY, commit_info, field, metadata, write_log

from deltactl.changes.draft import Draft
from deltactl.errors import StorageError
from deltactl.log.filenames import CheckpointKind
from deltactl.operations.checkpoint import health
from deltactl.operations.checkpoint.health import ExistingCheckpoints
from deltactl.table.table import open_table

OWN = metadata(field("a", "long"))
KEEPS_NO_TRANSACTIONS = metadata(field("a", "long"), setTransactionRetentionDuration="1 day")
TXN: Action = {"txn": {"appId": "job", "version": 4}}
FIRST: list[Action] = [LEGACY, OWN, TXN, add("x")]
ALL = [*FIRST, add("y")]
NAME = f"{1:020d}.checkpoint.parquet"


def found(
    root: Path, files: Files, *, repair: bool = False, head: Action = OWN, commits: int = 2
) -> ExistingCheckpoints:
    """What is found of a table of two versions, the second of which has these checkpoints."""
    first = [head if action is OWN else action for action in FIRST]
    uri = write_log(root, [[commit_info(), *first], [commit_info(), add("y")]], others=files)
    for version in range(2 - commits):
        Path(uri, "_delta_log", f"{version:020d}.json").unlink()
    snapshot = open_table(uri).snapshot()
    assert snapshot.version == 1
    draft = Draft(snapshot, now=5, fresh=lambda prefix, what: prefix + what)
    return ExistingCheckpoints(draft, repair=repair)


def damages(health: ExistingCheckpoints) -> list[str]:
    return [why for _, why in health.damaged]


def test_one_that_is_whole(tmp_path: Path) -> None:
    health = found(tmp_path, classic(1, ALL))
    assert (health.damaged, health.unfinished, health.mislead) == ([], [], False)
    healthy = health.healthy(None)
    assert healthy is not None
    facts, adds = healthy
    assert (facts.version, facts.kind, adds) == (1, CheckpointKind.CLASSIC, 2)
    assert [(part.path, part.rows) for part in facts.parts] == [(f"_delta_log/{NAME}", 5)]
    assert health.healthy(CheckpointKind.CLASSIC) == healthy
    assert health.healthy(CheckpointKind.MULTIPART) is None


def test_each_kind_by_itself(tmp_path: Path) -> None:
    health = found(tmp_path, {**classic(1, ALL), **multipart(1, ALL)})
    for kind in (CheckpointKind.CLASSIC, CheckpointKind.MULTIPART):
        healthy = health.healthy(kind)
        assert healthy is not None
        assert healthy[0].kind is kind


def test_those_of_other_versions_are_not_looked_at(tmp_path: Path) -> None:
    health = found(tmp_path, classic(0, FIRST[:3]))
    assert (health.damaged, health.unfinished, health.healthy(None)) == ([], [], None)
    assert health.mislead is False


@pytest.mark.parametrize(
    ("actions", "why"),
    [
        (FIRST, "the number of files is 1 instead of 2"),
        ([*ALL, add("z")], "the number of files is 3 instead of 2"),
        ([LEGACY, OWN, *ALL[3:]], "the number of transactions is 0 instead of 1"),
    ],
    ids=["one less", "one more", "no transaction"],
)
def test_one_that_says_something_else(tmp_path: Path, actions: list[Action], why: str) -> None:
    health = found(tmp_path, classic(1, actions))
    assert health.healthy(None) is None
    assert (damages(health), health.mislead) == ([why], False)


def test_one_with_another_schema_misleads(tmp_path: Path) -> None:
    other = metadata(field("b", "long"))
    health = found(tmp_path, classic(1, [LEGACY, other, *ALL[2:]]))
    assert (len(health.damaged), health.mislead, health.healthy(None)) == (1, True, None)


def test_transactions_that_may_have_expired_are_no_damage(tmp_path: Path) -> None:
    forgetful = [LEGACY, KEEPS_NO_TRANSACTIONS, *ALL[3:]]
    health = found(tmp_path, classic(1, forgetful), head=KEEPS_NO_TRANSACTIONS)
    assert damages(health) == []
    assert health.healthy(None) is not None


def test_one_that_cannot_be_read(tmp_path: Path) -> None:
    health = found(tmp_path, {NAME: parquet(ALL)[:-9]})
    (why,) = damages(health)
    assert why.startswith(f"checkpoint {NAME} cannot be read")
    assert health.healthy(None) is None


@pytest.mark.parametrize("repair", [False, True])
def test_one_of_which_parts_are_missing(tmp_path: Path, repair: bool) -> None:
    some = dict(list(multipart(1, ALL).items())[:2])
    health = found(tmp_path, some, repair=repair)
    assert (len(health.unfinished), len(health.damaged)) == ((0, 1) if repair else (1, 0))
    assert health.healthy(None) is None


def test_one_that_alone_still_tells_is_believed(tmp_path: Path) -> None:
    """Its commits were cleaned up, as they may be."""
    health = found(tmp_path, classic(1, ALL), commits=1)
    assert (health.damaged, health.mislead) == ([], False)
    assert health.healthy(None) is not None


@pytest.mark.parametrize("gone", [LEGACY, OWN], ids=["protocol", "metadata"])
def test_one_without_protocol_or_metadata_beside_a_whole_one(tmp_path: Path, gone: Action) -> None:
    rest = [action for action in ALL if action is not gone]
    health = found(tmp_path, {**classic(1, rest), **multipart(1, ALL)})
    assert damages(health) == ["it has no protocol, or no metadata"]
    healthy = health.healthy(None)
    assert healthy is not None
    assert healthy[0].kind is CheckpointKind.MULTIPART


@pytest.mark.parametrize("held", [FIRST, ALL], ids=["without", "with"])
def test_where_engines_disagree_on_a_commit_its_checkpoint_is_believed(
    tmp_path: Path, held: list[Action]
) -> None:
    """Whether a file that was added and removed in one commit is live, nothing else tells."""
    both: list[Action] = [commit_info(), add("y"), {"remove": {"path": "y"}}]
    uri = write_log(tmp_path, [[commit_info(), *FIRST], both], others=classic(1, held))
    draft = Draft(open_table(uri).snapshot(), now=5, fresh=lambda prefix, what: prefix + what)
    health = ExistingCheckpoints(draft)
    assert damages(health) == []
    assert health.healthy(None) is not None


def test_only_a_hint_to_parts_counts_them(tmp_path: Path) -> None:
    health = found(tmp_path, {**classic(1, ALL), **multipart(1, ALL)})
    hints = {}
    for kind in (CheckpointKind.CLASSIC, CheckpointKind.MULTIPART):
        healthy = health.healthy(kind)
        assert healthy is not None
        hints[kind] = json.loads(healthy[0].hint(healthy[1]))
    assert "parts" not in hints[CheckpointKind.CLASSIC]
    assert hints[CheckpointKind.MULTIPART]["parts"] == 3
    assert [hint["size"] for hint in hints.values()] == [5, 5]
    assert [hint["numOfAddFiles"] for hint in hints.values()] == [2, 2]


def test_a_store_that_fails_says_nothing_of_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise StorageError("STORAGE_FAILED", "no answer")

    monkeypatch.setattr(health, "read_state", fails)
    with pytest.raises(StorageError):
        found(tmp_path, classic(1, ALL))
