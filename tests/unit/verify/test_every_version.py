"""Every version of a log with gaps: what is known again from a checkpoint, and what is not."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from checkpoints import Action, classic, multipart, parquet
from pruned import add
from small_tables import LEGACY, commit_info, field, metadata, write_log

from deltactl.table.table import open_table
from deltactl.verify.verifier import LogVerifier, Scope

HEAD = [LEGACY, metadata(field("a", "long"))]
COMMITS: list[list[Action]] = [
    [commit_info(), *HEAD, add("x")],
    [commit_info(), add("y")],
    [commit_info(), {"remove": {"path": "x"}}],
    [commit_info(), add("z")],
    [commit_info(), add("w")],
]
AT_3 = [*HEAD, add("y"), add("z")]


def checksum(files: int) -> bytes:
    totals = {"tableSizeBytes": 700 * files, "numFiles": files, "numMetadata": 1, "numProtocol": 1}
    return json.dumps(totals).encode()


def crc(version: int) -> str:
    return f"{version:020d}.crc"


def checked(root: Path, others: dict[str, bytes], *missing: int) -> LogVerifier:
    """The log of these commits and other files, without some of the commits."""
    uri = write_log(root, COMMITS, others=others)
    for version in missing:
        Path(uri, "_delta_log", f"{version:020d}.json").unlink()
    verifier = LogVerifier(open_table(uri).log, Scope(every=True))
    verifier.run()
    return verifier


def found(verifier: LogVerifier) -> list[tuple[str, str, str]]:
    return [(f.code, f.subject, f.found) for _, f in verifier.findings.kept]


def subjects(verifier: LogVerifier) -> dict[str, int]:
    return {name: check.subjects for name, check in verifier.findings.checks.items()}


def test_a_log_without_gaps(tmp_path: Path) -> None:
    sums = {crc(version): checksum(files) for version, files in enumerate([1, 2, 1, 2, 3])}
    verifier = checked(tmp_path, {**sums, **classic(3, AT_3)})
    assert found(verifier) == []
    assert [subjects(verifier)[name] for name in ("commits", "checksums", "checkpoints")] == [
        5, 5, 1,
    ]  # fmt: skip


GAP = ("HISTORY_HAS_GAP", f"{2:020d}.json", "none for 2 to 2")


def test_after_a_gap_a_checkpoint_tells_what_there_is(tmp_path: Path) -> None:
    others = {crc(2): b"{}", crc(3): checksum(2), crc(4): checksum(3), **classic(3, AT_3)}
    # Of version 2 nothing is known, nor whether its checksum is right.
    assert found(checked(tmp_path, others, 2)) == [GAP]


def test_after_a_gap_a_wrong_checksum_is_told(tmp_path: Path) -> None:
    others = {crc(3): checksum(2), crc(4): checksum(4), **classic(3, AT_3)}
    assert found(checked(tmp_path, others, 2)) == [
        GAP,
        ("CHECKSUM_WRONG", f"{crc(4)}: tableSizeBytes", "2800"),
        ("CHECKSUM_WRONG", f"{crc(4)}: numFiles", "4"),
    ]


def test_a_gap_below_everything_is_a_cleanup(tmp_path: Path) -> None:
    others = {crc(4): checksum(3), **classic(3, AT_3)}
    assert found(checked(tmp_path, others, 0, 1, 2)) == []


def test_a_checkpoint_stands_in_for_its_own_commit(tmp_path: Path) -> None:
    others = {crc(3): checksum(2), crc(4): checksum(4), **classic(3, AT_3)}
    verifier = checked(tmp_path, others, 0, 1, 2, 3)
    assert [code for code, _, _ in found(verifier)] == ["CHECKSUM_WRONG", "CHECKSUM_WRONG"]
    assert subjects(verifier)["commits"] == 1


def test_above_an_unreadable_checkpoint_nothing_is_compared(tmp_path: Path) -> None:
    torn = parquet(AT_3)[:-9]
    others = {crc(4): checksum(9), f"{3:020d}.checkpoint.parquet": torn}
    codes = {code for code, _, _ in found(checked(tmp_path, others, 2))}
    assert "CHECKPOINT_UNREADABLE" in codes
    assert "CHECKSUM_WRONG" not in codes


def test_a_wrong_field_is_told_with_the_version_where_it_began(tmp_path: Path) -> None:
    sums = {crc(v): checksum(n) for v, n in enumerate([1, 2, 2, 3, 4])}
    verifier = checked(tmp_path, sums)
    assert {f.since_version for _, f in verifier.findings.kept} == {2}
    sums[crc(3)] = checksum(2)
    (other := tmp_path / "other").mkdir()
    since = {f.subject[:20]: f.since_version for _, f in checked(other, sums).findings.kept}
    assert since == {f"{2:020d}": 2, f"{4:020d}": 4}


@pytest.mark.parametrize("held", [AT_3, [*HEAD, add("y")], [*AT_3, add("x")]], ids=len)
def test_a_checkpoint_is_compared_with_the_commits(tmp_path: Path, held: list[Any]) -> None:
    wrong = {f.code for _, f in checked(tmp_path, classic(3, held)).findings.kept}
    assert bool(wrong) == (held is not AT_3)


def test_an_empty_commit_leaves_what_is_above_it_in_doubt(tmp_path: Path) -> None:
    uri = write_log(tmp_path, COMMITS, others={crc(4): checksum(9)})
    Path(uri, "_delta_log", f"{2:020d}.json").write_bytes(b"")
    verifier = LogVerifier(open_table(uri).log, Scope(every=True))
    verifier.run()
    of_sums = [f for check, f in verifier.findings.kept if check == "checksums"]
    assert len(of_sums) == 2
    assert all(f"{2:020d}.json" in f.expected and not f.repairable for f in of_sums)


def test_what_is_wrong_with_the_schema_of_a_checkpoint_that_stands_in(tmp_path: Path) -> None:
    """Also if a later commit has put that right."""
    change = {"fromType": "integer", "toType": "long"}
    odd = metadata(field("a", "long", **{"delta.typeChanges": [change]}))
    commits = [*COMMITS[:4], [commit_info(), *HEAD[1:], add("w")]]
    others = classic(3, [LEGACY, odd, add("y"), add("z")])
    uri = write_log(tmp_path, commits, others=others)
    for version in range(4):
        Path(uri, "_delta_log", f"{version:020d}.json").unlink()
    verifier = LogVerifier(open_table(uri).log, Scope(every=True))
    verifier.run()
    name = f"{3:020d}.checkpoint.parquet"
    assert [(f.code, f.subject) for _, f in verifier.findings.kept] == [
        ("TYPE_CHANGES_WITHOUT_FEATURE", f"{name}: metaData")
    ]


def compacted(*actions: Action) -> dict[str, bytes]:
    """The commits 3 and 4 in one file."""
    text = "".join(f"{json.dumps(action)}\n" for action in actions)
    return {f"{3:020d}.{4:020d}.compacted.json": text.encode()}


def test_after_a_gap_a_compacted_file_is_read(tmp_path: Path) -> None:
    """Of a type that changed in it without the feature it is told, too."""
    change = {"fromType": "integer", "toType": "long"}
    odd = metadata(field("a", "long", **{"delta.typeChanges": [change]}))
    verifier = checked(tmp_path, compacted(odd, add("z"), add("w")), 2, 3, 4)
    codes = [(code, subject[:20]) for code, subject, _ in found(verifier)]
    assert codes[:2] == [
        ("HISTORY_HAS_GAP", f"{2:020d}"),
        ("TYPE_CHANGES_WITHOUT_FEATURE", f"{3:020d}"),
    ]
    assert found(verifier)[0][2] == "none for 2 to 2"


@pytest.mark.parametrize("head", [HEAD[:1], HEAD[1:]], ids=["no metadata", "no protocol"])
def test_without_protocol_or_metadata_no_checksum_is_compared(
    tmp_path: Path, head: list[Action]
) -> None:
    uri = write_log(tmp_path, [[commit_info(), *head, add("x")]], others={crc(0): checksum(9)})
    verifier = LogVerifier(open_table(uri).log, Scope(every=True))
    verifier.run()
    assert "CHECKSUM_WRONG" not in {f.code for _, f in verifier.findings.kept}
    assert not verifier.is_sound


def test_a_checkpoint_that_lacks_parts_is_none(tmp_path: Path) -> None:
    two_of_three = dict(list(multipart(3, AT_3).items())[:2])
    verifier = checked(tmp_path, two_of_three)
    assert "checkpoints" not in {check for check, _ in verifier.findings.kept}
    assert subjects(verifier).get("checkpoints", 0) == 0


def test_transactions_and_domains_come_from_the_checkpoint_that_stands_in(tmp_path: Path) -> None:
    txn: Action = {"txn": {"appId": "job", "version": 4}}
    domain = {"domain": "own", "configuration": "x", "removed": False}
    right = json.loads(checksum(3)) | {
        "setTransactions": [{"appId": "job", "version": 4}],
        "domainMetadata": [domain],
    }
    held = [*AT_3, txn, {"domainMetadata": domain}]
    others = {crc(4): json.dumps(right).encode(), **classic(3, held)}
    assert found(checked(tmp_path, others, 0, 1, 2)) == []


def test_progress_is_told_for_each_version(tmp_path: Path) -> None:
    uri = write_log(tmp_path, COMMITS)
    counts = []
    for every in (False, True):
        told: list[int] = []
        LogVerifier(open_table(uri).log, Scope(every=every), advance=told.append).run()
        counts.append(sum(told))
    assert counts[1] == counts[0] + len(COMMITS)


def test_checkpoints_below_and_above_a_gap(tmp_path: Path) -> None:
    others = {**classic(1, [*HEAD, add("x"), add("y")]), **classic(3, AT_3)}
    assert found(checked(tmp_path, others, 2)) == [GAP]


DAY = 86_400
REMOVED = 1_760_000_000


def test_a_tombstone_that_one_later_checkpoint_must_have(tmp_path: Path) -> None:
    """Though a still later one, written after it expired, need not."""
    gone: Action = {"remove": {"path": "x", "deletionTimestamp": REMOVED * 1000}}
    commits = [*COMMITS[:2], [commit_info(), gone], *COMMITS[3:]]
    at_2 = [*HEAD, add("y"), {"remove": {"path": "x"}}]
    checkpoints = {**classic(2, at_2), **classic(3, AT_3), **classic(4, [*AT_3, add("w")])}
    uri = write_log(tmp_path, commits, others=checkpoints)
    for file in Path(uri, "_delta_log").iterdir():
        days = {2: 1, 3: 2, 4: 90}.get(int(file.name[:20]), 0)
        os.utime(file, (REMOVED + days * DAY,) * 2)
    verifier = LogVerifier(open_table(uri).log, Scope(every=True))
    verifier.run()
    # The one at version 2 has it, and does not say when it was removed.
    assert sorted(f.subject for _, f in verifier.findings.kept) == [
        f"{version:020d}.checkpoint.parquet: remove" for version in (2, 3)
    ]


@pytest.mark.parametrize(("version", "is_told"), [(1, False), (3, True)])
def test_statistics_of_the_newest_checkpoint_are_compared(
    tmp_path: Path, version: int, is_told: bool
) -> None:
    right, wrong = ('{"numRecords":3}', '{"numRecords":4}')
    commits = [*COMMITS[:1], [commit_info(), add("y", stats=right)], *COMMITS[2:]]
    own = {at: add("y", stats=wrong if at == version else right) for at in (1, 3)}
    others = {**classic(1, [*HEAD, add("x"), own[1]]), **classic(3, [*HEAD, own[3], add("z")])}
    uri = write_log(tmp_path, commits, others=others)
    verifier = LogVerifier(open_table(uri).log, Scope(every=True))
    verifier.run()
    assert bool(verifier.findings.kept) is is_told


def test_a_checkpoint_stands_in_for_one_commit_of_many(tmp_path: Path) -> None:
    others = {crc(2): checksum(1), crc(4): checksum(3), **classic(3, AT_3)}
    assert found(checked(tmp_path, others, 3)) == []
