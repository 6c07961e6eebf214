"""`verify-checksum --repair`: what the log can give again is good, and nothing is lost."""

import hashlib
import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from planted import FAULTS
from planted.copies import copied, planted
from planted.plant import Plant
from planted.repaired import BY_NAME, REPAIRED

from deltactl.storage.local.local import LocalStorage

pytestmark = pytest.mark.faults

# What depends on the copy, or on what the table is read from and how sound that is.
OF_THE_COPY = {"checkpoint", "health", "warnings", "table", "timestamp"}


def digests(log: Path) -> set[str]:
    return {hashlib.sha256(path.read_bytes()).hexdigest() for path in log.rglob("*.*")}


def shown(root: Path) -> dict[str, Any]:
    """What the table is, without what it is read from."""
    document = run("show", str(root), "--rows", "-o", "json").document
    return {k: v for k, v in document.items() if k not in OF_THE_COPY}


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, Any]]:
    """What a table is before a fault is planted in it."""
    folder = tmp_path_factory.mktemp("sound")
    return cache(lambda name: shown(copied(name, folder / name).root))


@pytest.mark.parametrize("name", REPAIRED)
def test_it_is_put_right(name: str, tmp_path: Path, sound: Callable[[str], dict[str, Any]]) -> None:
    fault = BY_NAME[name]
    plant = planted(fault, tmp_path / "table")
    before = digests(plant.log)
    planned = run("verify-checksum", str(plant.root), *fault.options, "--repair", "--dry-run",
                  "-o", "json")  # fmt: skip
    assert planned.exit_code == 5
    assert planned.document["repair"]["done"] is False
    assert digests(plant.log) == before
    result = run("verify-checksum", str(plant.root), *fault.options, "--repair", "-o", "json")
    assert (result.exit_code, result.document["findings"]) == (0, []), result.stderr
    assert result.document["repair"]["done"] is True
    assert digests(plant.log) >= before, "a file is gone"
    assert run("verify-checksum", str(plant.root), "--all").exit_code == 0
    assert "side" in name or shown(plant.root) == sound(fault.table)
    again = run("verify-checksum", str(plant.root), "--repair", "-o", "json")
    assert (again.exit_code, again.document["repair"]["files"]) == (0, [])


def test_the_repaired_checkpoint_stands_without_its_commits(tmp_path: Path) -> None:
    plant = planted(BY_NAME["checkpoint-bit-in-page"], tmp_path / "table")
    sound = shown(copied("many_ops_history", tmp_path / "sound").root)
    assert run("verify-checksum", str(plant.root), "--repair").exit_code == 0
    for version in range(10):
        plant.commit(version).unlink()
    assert shown(plant.root) == sound


WRITES = ("move", "put_if_absent", "put_file_if_absent", "put")


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", range(6))
def test_a_stop_at_each_step_loses_nothing(
    step: int, after: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant = planted(BY_NAME["checkpoint-bit-in-page"], tmp_path / "table")
    (plant.log / "_last_checkpoint").write_text("{")
    plant.side_file(plant.commit(16)).write_bytes(b"nonsense")
    sound, before = shown(plant.root), digests(plant.log)
    done = 0

    def stopping(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            nonlocal done
            done += 1
            if done == step + 1 and not after:
                raise KeyboardInterrupt
            answer = function(*args)
            if done == step + 1:
                raise KeyboardInterrupt
            return answer

        return call

    with monkeypatch.context() as patch:
        for name in WRITES:
            patch.setattr(LocalStorage, name, stopping(getattr(LocalStorage, name)))
        result = run("verify-checksum", str(plant.root), "--repair")
    assert result.exit_code == (130 if done > step else 0)
    assert digests(plant.log) >= before
    assert shown(plant.root) == sound
    assert run("verify-checksum", str(plant.root), "--repair").exit_code == 0
    assert run("verify-checksum", str(plant.root), "--all").exit_code == 0
    assert digests(plant.log) >= before


@pytest.mark.parametrize("name", ["types-empty", "float-hazard"])
def test_a_commit_puts_it_right(name: str, tmp_path: Path) -> None:
    fault = next(fault for fault in FAULTS if fault.name == name)
    plant = planted(fault, tmp_path / "table")
    before = digests(plant.log)
    result = run("verify-checksum", str(plant.root), "--data", "--repair", "-o", "json")
    document = result.document
    assert len(document["repair"]["commits"]) == 1
    assert document["version"] == 5
    assert digests(plant.log) > before
    assert (result.exit_code, document["findings"]) == (0, [])


def time_in(checksum: Path) -> int:
    time: int = json.loads(checksum.read_text())["inCommitTimestampOpt"]
    return time


@pytest.mark.parametrize("has_commit", [True, False], ids=["of-the-commit", "of-the-checksum"])
def test_a_checksum_keeps_the_time_of_its_commit(has_commit: bool, tmp_path: Path) -> None:
    plant = copied("in_commit_timestamps_skewed", tmp_path / "table")
    time = time_in(plant.checksum(3))
    assert run("checkpoint", str(plant.root)).exit_code == 0
    if not has_commit:
        for version in range(4):
            plant.commit(version).unlink()
    plant.edit_json(plant.checksum(3), lambda value: value.update(numFiles=77))
    result = run("verify-checksum", str(plant.root), "--repair", "-o", "json")
    assert (result.exit_code, result.document["findings"]) == (0, [])
    assert json.loads(plant.checksum(3).read_text())["numFiles"] != 77
    assert time_in(plant.checksum(3)) == time


def test_what_a_later_commit_put_right_needs_no_other(tmp_path: Path) -> None:
    fault = next(fault for fault in FAULTS if fault.name == "types-empty")
    plant = planted(fault, tmp_path / "table")
    args = ("verify-checksum", str(plant.root), "--all", "--repair", "-o", "json")
    first = run(*args).document
    assert (first["version"], len(first["repair"]["commits"])) == (5, 1)
    assert [f["repairable"] for f in first["findings"]] == [False]
    again = run(*args).document
    assert (again["version"], again["repair"]["commits"], again["repair"]["done"]) == (5, [], False)
    assert run("verify-checksum", str(plant.root)).exit_code == 0


def test_nothing_is_called_repairable_where_the_version_is_lost(tmp_path: Path) -> None:
    plant = planted(BY_NAME["sidecar-missing"], tmp_path / "table")
    plant.commit(0).unlink()
    for options in ((), ("--all",)):
        result = run("verify-checksum", str(plant.root), *options, "-o", "json")
        found = {f["code"]: f["repairable"] for f in result.document["findings"]}
        assert found == {"SIDECAR_MISSING": False, "LOG_TRUNCATED": False}


def test_what_nothing_can_stand_in_for_stays(tmp_path: Path) -> None:
    plant = copied("vacuumed_log_only_checkpoint", tmp_path / "table")
    checkpoint = plant.only("_delta_log/*.checkpoint.parquet")
    checkpoint.write_bytes(checkpoint.read_bytes()[:-20])
    before = digests(plant.log)
    result = run("verify-checksum", str(plant.root), "--repair", "-o", "json")
    assert result.exit_code == 5
    assert result.document["warnings"][0]["code"] == "NOT_REPAIRABLE"
    assert digests(plant.log) == before


def lacks_a_line(plant: Plant) -> None:
    lines = plant.commit(3).read_text().splitlines(keepends=True)
    plant.commit(3).write_text("".join(line for line in lines if '"add"' not in line) + "\n")


@pytest.mark.parametrize("options", [(), ("--all",)], ids=["newest", "all"])
@pytest.mark.parametrize(
    "damage",
    [lambda plant: plant.commit(3).write_bytes(b""), lacks_a_line],
    ids=["empty", "blank-line"],
)
def test_the_checksums_above_a_damaged_commit_stay(
    damage: Callable[[Plant], None], options: tuple[str, ...], tmp_path: Path
) -> None:
    plant = copied("crc_good", tmp_path / "table")
    files = json.loads(plant.checksum(4).read_text())["numFiles"]
    damage(plant)
    result = run("verify-checksum", str(plant.root), *options, "--repair", "-o", "json")
    found = {f["subject"]: f for f in result.document["findings"]}
    wrong = found["00000000000000000004.crc: numFiles"]
    assert result.exit_code == 5
    assert not wrong["repairable"]
    assert "unless 00000000000000000003.json is what is wrong" in wrong["expected"]
    assert json.loads(plant.checksum(4).read_text())["numFiles"] == files
    assert not list(plant.log.glob("*.quarantined-*"))


def cut(plant: Plant) -> None:
    plant.commit(3).write_bytes(plant.commit(3).read_bytes()[:-30])


def without_size(plant: Plant) -> None:
    plant.edit(3, "add", lambda body: body.update(size="many"))


@pytest.mark.parametrize("options", [(), ("--all",)], ids=["newest", "all"])
@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda plant: plant.commit(3).write_bytes(b""), "COMMIT_EMPTY"),
        (cut, "COMMIT_NOT_JSON"),
        (without_size, "ADD_INCOMPLETE"),
    ],
    ids=["empty", "cut", "no-size"],
)
def test_a_checkpoint_above_a_damaged_commit_stays(
    damage: Callable[[Plant], None], code: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    plant = copied("crc_good", tmp_path / "table")
    assert run("checkpoint", str(plant.root)).exit_code == 0
    before = shown(plant.root)
    damage(plant)
    (plant.log / "_last_checkpoint").write_text("{")
    held = digests(plant.log)
    result = run("verify-checksum", str(plant.root), *options, "--repair", "-o", "json")
    found = {f["code"]: f for f in result.document["findings"]}
    assert code in found
    assert result.exit_code == 5
    assert not any(f["repairable"] for f in found.values())
    moved = [path.name.partition(".quarantined")[0] for path in plant.log.glob("*.quarantined-*")]
    assert moved == ["_last_checkpoint"]
    assert digests(plant.log) > held
    assert shown(plant.root) == before
    result = run("checkpoint", str(plant.root), "--repair", "-o", "json")
    assert (result.exit_code, result.document["plan"]["files"]) == (0, [])


def test_a_damaged_checkpoint_above_a_damaged_commit_stays(tmp_path: Path) -> None:
    plant = copied("crc_good", tmp_path / "table")
    assert run("checkpoint", str(plant.root)).exit_code == 0
    checkpoint = plant.only("_delta_log/*.checkpoint.parquet")
    checkpoint.write_bytes(checkpoint.read_bytes()[:-20])
    plant.commit(3).write_bytes(b"")
    before = digests(plant.log)
    result = run("verify-checksum", str(plant.root), "--repair", "-o", "json")
    found = {f["code"]: f["repairable"] for f in result.document["findings"]}
    assert found["CHECKPOINT_UNREADABLE"] is False
    assert result.document["warnings"][0]["code"] == "NOT_REPAIRABLE"
    assert digests(plant.log) == before


def test_a_checksum_above_a_sound_checkpoint_is_put_right(tmp_path: Path) -> None:
    plant = copied("crc_good", tmp_path / "table")
    assert run("checkpoint", str(plant.root), "--at", "3").exit_code == 0
    files = json.loads(plant.checksum(4).read_text())["numFiles"]
    plant.commit(2).write_bytes(b"")
    plant.edit_json(plant.checksum(4), lambda value: value.update(numFiles=77))
    run("verify-checksum", str(plant.root), "--repair")
    assert json.loads(plant.checksum(4).read_text())["numFiles"] == files


def test_a_missing_commit_cannot_be_repaired(tmp_path: Path) -> None:
    plant = copied("crc_good", tmp_path / "table")
    plant.commit(3).unlink()
    result = run("verify-checksum", str(plant.root), "--repair", "-o", "json")
    assert result.exit_code == 5
    (warning,) = result.document["warnings"]
    assert warning["code"] == "NOT_REPAIRABLE"
    assert "--at 2 still reads the table" in warning["message"]


def test_no_version_is_promised_that_a_damaged_checkpoint_would_have_to_give(
    tmp_path: Path,
) -> None:
    plant = copied("inv_sidecar_missing", tmp_path / "table")
    result = run("verify-checksum", str(plant.root), "--repair", "-o", "json")
    assert result.exit_code == 5
    (warning,) = result.document["warnings"]
    assert "no version of the table can be put together" in warning["message"]
    assert run("show", str(plant.root), "--at", "4").exit_code != 0


def test_the_version_that_is_promised_is_below_a_torn_commit(tmp_path: Path) -> None:
    plant = copied("many_ops_history", tmp_path / "table")
    for checkpoint in plant.log.glob("*.checkpoint.parquet"):
        checkpoint.unlink()
    plant.commit(7).write_bytes(plant.commit(7).read_bytes()[:-9])
    result = run("verify-checksum", str(plant.root), "--repair", "-o", "json")
    (warning,) = result.document["warnings"]
    assert "--at 6 still reads the table" in warning["message"]
    assert run("show", str(plant.root), "--at", "6").exit_code == 0
    assert run("show", str(plant.root), "--at", "7").exit_code == 5


GONE = "what is lost of a commit comes back from a copy of it only"
WROTE = "a commit is never changed: the engine that wrote it may write another one"
DATA = "the log does not have what is in data files: restore them from a copy, or restore the table"


def torn(plant: Plant) -> None:
    plant.commit(3).write_bytes(b"")


def cut_below_a_checkpoint(plant: Plant) -> None:
    assert run("checkpoint", str(plant.root)).exit_code == 0
    cut(plant)


def of_another_type(plant: Plant) -> None:
    plant.edit(1, "commitInfo", lambda body: body.update(readVersion="x"))


def without_data(plant: Plant) -> None:
    for action in plant.actions(1):
        if "add" in action:
            (plant.root / action["add"]["path"]).unlink()


@pytest.mark.parametrize(
    ("damage", "options", "said"),
    [
        (torn, (), f"{3:020d}.json: {GONE}; --at 2 reads the table as it was before"),
        (
            cut_below_a_checkpoint,
            (),
            f"{3:020d}.json: {GONE}; {4:020d}.checkpoint.parquet may still have it; "
            "--at 2 reads the table as it was before",
        ),
        (of_another_type, (), f"commits: what is found cannot be repaired, for {WROTE}"),
        (
            without_data,
            ("--data",),
            f"data files: what is found cannot be repaired, for {DATA} to a version without them",
        ),
    ],
    ids=["torn", "below-a-checkpoint", "commit", "data"],
)
def test_what_cannot_be_repaired_is_said(
    damage: Callable[[Plant], None], options: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    plant = copied("crc_good", tmp_path / "table")
    for path in plant.log.glob("*.crc"):
        path.unlink()
    damage(plant)
    before = digests(plant.log)
    words = ("verify-checksum", str(plant.root), *options, "--repair")
    result = run(*words, "-o", "json")
    assert result.exit_code == 5
    warnings = [(w["code"], w["message"]) for w in result.document["warnings"]]
    assert warnings == [("NOT_REPAIRABLE", said)]
    assert "Nothing of this can be repaired from the log." in run(*words).stdout
    assert digests(plant.log) == before


def test_the_rest_is_repaired(tmp_path: Path) -> None:
    plant = copied("crc_good", tmp_path / "table")
    of_another_type(plant)
    (plant.log / "_last_checkpoint").write_text("{")
    result = run("verify-checksum", str(plant.root), "--all", "--repair", "-o", "json")
    assert result.document["repair"]["done"] is True
    assert [w["message"].partition(":")[0] for w in result.document["warnings"]] == ["commits"]
    assert [f["code"] for f in result.document["findings"]] == ["FIELD_WRONG_TYPE"]


def test_a_side_file_that_tells_of_a_damaged_commit_stays(tmp_path: Path) -> None:
    plant = copied("crc_good", tmp_path / "table")
    side = plant.side_file(plant.commit(2))
    text = plant.commit(2).read_bytes()
    plant.commit(2).write_bytes(text.replace(b'"size":454', b'"size":NaN'))
    result = run("verify-checksum", str(plant.root), "--repair")
    assert result.exit_code == 5
    assert side.exists()


def test_a_sound_table_is_left_alone(tmp_path: Path) -> None:
    plant = copied("tw_kitchen_sink", tmp_path / "table")
    shutil.copytree(plant.root, tmp_path / "before")
    result = run("verify-checksum", str(plant.root), "--all", "--repair")
    assert result.exit_code == 0
    assert "Nothing to repair." in result.stdout
    assert digests(plant.log) == digests(tmp_path / "before" / "_delta_log")
