"""A checkpoint in parts that was not finished: ignored, finished by another run, never mixed."""

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from checkpoint_kills import golden
from in_process import Said, say
from steps import WRITING, Steps, watching

from deltactl.changes.log_file_executor import LogFileExecutor
from deltactl.storage.local.local import LocalStorage

pytestmark = pytest.mark.faults

LOG = "_delta_log"
DAY = 86_400


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of five versions, all of them commits."""
    golden("crc_good")(tmp_path / "table")
    return tmp_path / "table"


def checkpoint(table: Path, *options: str) -> Said:
    return say(["checkpoint", str(table), "--kind", "multipart", *options, "-o", "json"])


def part(table: Path, number: int, of: int = 3) -> Path:
    return table / LOG / f"{4:020d}.checkpoint.{number:010d}.{of:010d}.parquet"


def parts(table: Path) -> list[str]:
    return sorted(path.name for path in (table / LOG).glob("*.checkpoint.*"))


def findings(table: Path, *options: str) -> list[str]:
    said = say(["verify-checksum", str(table), *options, "-o", "json"])
    assert said.exit_code == (5 if said.document["findings"] else 0)
    return [finding["code"] for finding in said.document["findings"]]


def reversed_rows(path: Path) -> pa.Table:
    held = pq.read_table(path)
    return held.take(list(range(held.num_rows))[::-1])


def nothing(step: int, name: str) -> None:
    pass


def failing(number: int) -> Callable[[int, str], None]:
    def fail(step: int, name: str) -> None:
        if step == number:
            raise OSError(errno.EIO, os.strerror(errno.EIO), name)

    return fail


def test_an_error_at_any_step_takes_its_own_parts_away(table: Path, tmp_path: Path) -> None:
    steps = Steps(nothing, nothing)
    with watching(steps):
        assert checkpoint(table, "--parts", "3").exit_code == 0
    whole = parts(table)
    assert len(whole) == 3
    before = sorted(os.listdir(table / LOG))
    first = next(step for step, name in enumerate(steps.taken) if name in WRITING)
    claims = [step for step, name in enumerate(steps.taken) if name == "link"]
    assert len(claims) == 3
    for step in range(first, len(steps.taken)):
        fresh = tmp_path / str(step) / "table"
        golden("crc_good")(fresh)
        with watching(Steps(failing(step), nothing)):
            said = checkpoint(fresh, "--parts", "3")
        assert said.exit_code in (0, 8), (step, said.document)
        if said.exit_code and step <= claims[-1]:
            assert parts(fresh) == [], steps.taken[step]
        assert findings(fresh) == []
        assert checkpoint(fresh, "--parts", "3").exit_code == 0
        names = [name for name in os.listdir(fresh / LOG) if not name.endswith(".tmp")]
        assert sorted(names) == before


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_a_part_that_was_not_put_is_put_by_another_run(missing: int, table: Path) -> None:
    assert checkpoint(table, "--parts", "3").exit_code == 0
    expected = {name: (table / LOG / name).read_bytes() for name in parts(table)}
    part(table, missing).unlink()
    (table / LOG / "_last_checkpoint").unlink()
    kept = {p.name: p.stat().st_ino for p in (table / LOG).glob("*.checkpoint.*")}
    for scope in ((), ("--all",)):
        assert findings(table, *scope) == []
    shown = say(["show", str(table), "-o", "json"])
    assert [w["code"] for w in shown.document["warnings"]] == ["CHECKPOINT_INCOMPLETE"]
    verified = say(["verify-checksum", str(table), "-o", "json"])
    assert [w["code"] for w in verified.document["warnings"]] == ["CHECKPOINT_INCOMPLETE"]
    said = checkpoint(table, "--parts", "3")
    assert (said.exit_code, said.document["checkpoint"]["kind"]) == (0, "multipart")
    assert {name: (table / LOG / name).read_bytes() for name in parts(table)} == expected
    # What was there was left alone.
    assert {name: (table / LOG / name).stat().st_ino for name in kept} == kept
    assert say(["show", str(table), "-o", "json"]).document["checkpoint"]["parts"] == 3


def test_a_rerun_that_makes_other_bytes_finishes_it(table: Path) -> None:
    # Rows come in another order where an older checkpoint was written meanwhile, or on Spark.
    assert checkpoint(table, "--parts", "3").exit_code == 0
    for path in (part(table, 3), table / LOG / "_last_checkpoint"):
        path.unlink()
    before = {name: (table / LOG / name).read_bytes() for name in parts(table)}
    pq.write_table(reversed_rows(part(table, 2)), part(table, 2))
    changed = part(table, 2).read_bytes()
    assert changed != before[part(table, 2).name]
    said = checkpoint(table, "--parts", "3")
    assert (said.exit_code, said.document["checkpoint"]["kind"]) == (0, "multipart"), said.document
    shown = {p["path"]: p["size"] for p in said.document["checkpoint"]["parts"]}
    assert shown[f"{LOG}/{part(table, 2).name}"] == len(changed)
    assert part(table, 2).read_bytes() == changed
    assert findings(table, "--all") == []


def test_a_rerun_after_tombstones_expired_finishes_it(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert checkpoint(table, "--parts", "3").exit_code == 0
    for path in (part(table, 3), table / LOG / "_last_checkpoint"):
        path.unlink()
    held = {name: (table / LOG / name).read_bytes() for name in parts(table)}
    later = int(time.time() * 1000) + 8 * DAY * 1000
    for name in held:
        os.utime(table / LOG / name, (later / 1000, later / 1000))
    monkeypatch.setattr(
        LogFileExecutor.__init__, "__kwdefaults__", {"at": None, "clock": lambda: later}
    )
    assert checkpoint(table, "--parts", "3").exit_code == 0
    assert {name: (table / LOG / name).read_bytes() for name in held} == held
    assert findings(table, "--all") == []


def test_a_part_with_other_files_is_not_completed(table: Path, tmp_path: Path) -> None:
    golden("crc_good")(tmp_path / "other")
    assert checkpoint(tmp_path / "other", "--parts", "3", "--at", "3").exit_code == 0
    (older,) = (tmp_path / "other" / LOG).glob("*.checkpoint.0000000001.*")
    part(table, 1).write_bytes(older.read_bytes())
    said = checkpoint(table, "--parts", "3")
    assert (said.exit_code, said.error["code"]) == (6, "LOG_FILE_APPEARED")
    assert parts(table) == [part(table, 1).name]


def test_a_hint_that_names_it_is_a_finding(table: Path) -> None:
    assert checkpoint(table, "--parts", "3").exit_code == 0
    part(table, 2).unlink()
    assert findings(table) == ["LAST_CHECKPOINT_TARGET_MISSING"]


def test_without_the_commits_below_it_is_a_finding(table: Path) -> None:
    assert checkpoint(table, "--parts", "3").exit_code == 0
    part(table, 2).unlink()
    (table / LOG / f"{0:020d}.json").unlink()
    assert "CHECKPOINT_INCOMPLETE" in findings(table)


@pytest.mark.parametrize("other", [("--parts", "2"), ("--parts", "1")])
def test_another_number_of_parts_leaves_those_alone(other: tuple[str, str], table: Path) -> None:
    part(table, 2).write_bytes(b"of another writer")
    assert checkpoint(table, *other).exit_code == 0
    assert part(table, 2).read_bytes() == b"of another writer"
    assert findings(table) == []


def test_a_part_of_another_writer_who_may_be_at_it_is_not_mixed_with_ours(table: Path) -> None:
    part(table, 2).write_bytes(b"of another writer")
    said = checkpoint(table, "--parts", "3")
    assert (said.exit_code, said.error["code"]) == (6, "LOG_FILE_APPEARED")
    assert part(table, 2).name in said.error["message"]
    assert parts(table) == [part(table, 2).name]
    assert part(table, 2).read_bytes() == b"of another writer"
    assert checkpoint(table, "--parts", "3", "--repair").exit_code == 0
    assert findings(table) == []


def test_a_part_that_was_left_a_day_ago_makes_room(table: Path) -> None:
    part(table, 2).write_bytes(b"of another writer")
    yesterday = time.time() - DAY - 60
    os.utime(part(table, 2), (yesterday, yesterday))
    planned = checkpoint(table, "--parts", "3", "--dry-run")
    assert [f["how"] for f in planned.document["plan"]["files"]][:2] == [
        "move-aside",
        "put-if-absent",
    ]
    assert checkpoint(table, "--parts", "3").exit_code == 0
    (aside,) = (table / LOG).glob("*.quarantined-*")
    assert aside.read_bytes() == b"of another writer"
    assert findings(table) == []


def test_parts_that_another_writer_puts_alike_meanwhile_are_as_good(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    golden("crc_good")(tmp_path / "other")
    assert checkpoint(tmp_path / "other", "--parts", "3").exit_code == 0
    real = LocalStorage.put_file_if_absent

    def put(self: LocalStorage, path: str, local_file: str) -> Any:
        if path.endswith(part(table, 2).name):
            # Another one puts all that is missing, and then the disk fails.
            for number in (2, 3):
                part(table, number).write_bytes(part(tmp_path / "other", number).read_bytes())
            monkeypatch.setattr(LocalStorage, "put_file_if_absent", real)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(self, path, local_file)

    def put_and_tell(self: LocalStorage, path: str, local_file: str) -> Any:
        with self._failures(path):
            return put(self, path, local_file)

    monkeypatch.setattr(LocalStorage, "put_file_if_absent", put_and_tell)
    said = checkpoint(table, "--parts", "3")
    assert said.exit_code == 0, said.document
    assert len(parts(table)) == 3
    assert findings(table) == []
