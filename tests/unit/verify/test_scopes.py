"""One check, whichever versions are looked at: what both scopes say of one fault."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from planted.copies import copied
from planted.plant import Plant

from deltactl.findings import Finding
from deltactl.table.table import open_table
from deltactl.verify.verifier import LogVerifier, Scope

SCOPES = pytest.mark.parametrize("every", [False, True], ids=["newest", "every"])
NEWEST_SUM = f"{4:020d}.crc"
TENTH = f"{10:020d}.checkpoint.parquet"


def verified(plant: Plant, *, every: bool) -> LogVerifier:
    verifier = LogVerifier(open_table(str(plant.root)).log, Scope(every=every))
    verifier.run()
    return verifier


def found(verifier: LogVerifier) -> list[tuple[str, Finding]]:
    return list(verifier.findings.kept)


def with_a_file_too_many(plant: Plant) -> None:
    plant.edit_json(plant.checksum(4), lambda value: value.update(numFiles=77))


@SCOPES
def test_a_wrong_checksum(tmp_path: Path, every: bool) -> None:
    plant = copied("crc_good", tmp_path / "table")
    right = json.loads(plant.checksum(4).read_text())["numFiles"]
    with_a_file_too_many(plant)
    verifier = verified(plant, every=every)
    ((check, finding),) = found(verifier)
    assert (check, finding.subject) == ("checksums", f"{NEWEST_SUM}: numFiles")
    assert (finding.expected, finding.found, finding.repairable) == (str(right), "77", True)
    assert finding.since_version == (4 if every else None)
    assert json.loads(verifier.findings.good_checksums[NEWEST_SUM])["numFiles"] == right


@SCOPES
def test_a_wrong_checksum_above_a_damaged_commit_may_be_right(tmp_path: Path, every: bool) -> None:
    plant = copied("crc_good", tmp_path / "table")
    with_a_file_too_many(plant)
    plant.edit(1, "add", lambda body: body.update(size="many"))
    verifier = verified(plant, every=every)
    sums = {f.subject: f for check, f in found(verifier) if check == "checksums"}
    finding = sums[f"{NEWEST_SUM}: numFiles"]
    assert finding.expected.endswith(
        f", unless {1:020d}.json is what is wrong: then this may be right"
    )
    assert not finding.repairable
    assert verifier.findings.good_checksums == {}


def without_an_add(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    first = next(place for place, row in enumerate(rows) if row["add"] is not None)
    return rows[:first] + rows[first + 1 :]


@SCOPES
def test_a_checkpoint_that_lacks_a_file(tmp_path: Path, every: bool) -> None:
    plant = copied("many_ops_history", tmp_path / "table")
    plant.edit_checkpoint(TENTH, without_an_add)
    (plant.log / "_last_checkpoint").unlink()
    codes = [(check, f.code, f.subject) for check, f in found(verified(plant, every=every))]
    assert ("checkpoints", "CHECKPOINT_LACKS_FILES", TENTH) in codes


@SCOPES
@pytest.mark.parametrize("damage", [lambda data: data[:-20], lambda _: b""], ids=["cut", "empty"])
def test_the_version_is_read_past_an_unreadable_checkpoint(
    tmp_path: Path, every: bool, damage: Callable[[bytes], bytes]
) -> None:
    plant = copied("many_ops_history", tmp_path / "table")
    path = plant.log / TENTH
    path.write_bytes(damage(path.read_bytes()))
    verifier = verified(plant, every=every)
    of_checkpoints = [f for check, f in found(verifier) if check == "checkpoints"]
    assert [(f.subject, f.repairable) for f in of_checkpoints] == [(TENTH, True)]
    assert (verifier.is_sound, verifier.version) == (True, 16)


@SCOPES
def test_a_compacted_file_that_lies(tmp_path: Path, every: bool) -> None:
    plant = copied("log_compaction", tmp_path / "table")
    path = plant.only("_delta_log/*.compacted.json")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"add"' not in line))
    verifier = verified(plant, every=every)
    ((check, finding),) = found(verifier)
    assert (check, finding.code, finding.found) == (
        "compacted files",
        "COMPACTION_WRONG",
        "no action",
    )
    assert verifier.findings.checks["compacted files"].subjects == 1


@SCOPES
def test_a_checkpoint_above_all_commits(tmp_path: Path, every: bool) -> None:
    plant = copied("many_ops_history", tmp_path / "table")
    for path in sorted(plant.log.glob("*.json"))[10:]:
        path.unlink()
    (plant.log / "_last_checkpoint").unlink()
    found_ones = [
        f for _, f in found(verified(plant, every=every)) if f.code == "CHECKPOINT_ABOVE_COMMITS"
    ]
    assert [(f.subject, f.found, f.since_version) for f in found_ones] == [
        (TENTH, f"no commit after {9:020d}.json", 10)
    ]


def with_odd_statistics(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for row in rows:
        if row["add"] is not None:
            row["add"]["stats"] = "[]"
    return rows


@pytest.mark.parametrize("is_damaged", [False, True])
def test_statistics_of_a_checkpoint_above_a_damaged_commit_may_be_of_it(
    tmp_path: Path, is_damaged: bool
) -> None:
    plant = copied("many_ops_history", tmp_path / "table")
    plant.edit_checkpoint(TENTH, with_odd_statistics)
    if is_damaged:
        plant.edit(3, "add", lambda body: body.update(size="many"))
    verifier = verified(plant, every=True)
    (finding,) = [f for _, f in found(verifier) if f.code == "STATISTICS_NOT_JSON"]
    assert finding.subject == f"{TENTH}: add.stats"
    assert (finding.repairable, f"{3:020d}.json" in finding.expected) == (
        not is_damaged,
        is_damaged,
    )
