"""Links that lead to nothing, and folders, in the place of files: named at once."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from changes import golden
from in_process import Said, say
from never_waits import SPECIAL, replace

from deltactl.log.filenames import commit_name

pytestmark = pytest.mark.faults

LOG = "_delta_log"


def to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def to_nothing(path: Path) -> None:
    path.symlink_to("gone")


def through_a_file(path: Path) -> None:
    path.symlink_to(f"{commit_name(1)}/x")


LINKS: dict[str, Callable[[Path], None]] = {
    "itself": to_itself,
    "nothing": to_nothing,
    "through a file": through_a_file,
}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of five versions, all of them commits."""
    golden("crc_good")(tmp_path / "table")
    return tmp_path / "table"


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_pause(seconds: float) -> None:
        raise AssertionError("no other writer came first")

    monkeypatch.setattr(time, "sleep", no_pause)


def show(table: Path) -> Said:
    return say(["show", str(table), "-o", "json"])


def findings(table: Path) -> list[tuple[str, str]]:
    said = say(["verify-checksum", str(table), "-o", "json"])
    return [(f["code"], f["subject"]) for f in said.document["findings"]]


@pytest.mark.parametrize("name", ["notes", f"{9:020d}.checkpoint.parquet", "_last_checkpoint"])
@pytest.mark.parametrize("link", LINKS)
def test_a_link_that_no_reader_needs(link: str, name: str, table: Path) -> None:
    LINKS[link](table / LOG / name)
    said = show(table)
    assert (said.exit_code, said.document["version"]) == (0, 4)
    expected = [] if name == "notes" else [("LINK_FOR_FILE", name)]
    assert findings(table) == expected


@pytest.mark.parametrize("options", [(), ("--dry-run",)], ids=["carried out", "planned"])
@pytest.mark.parametrize("link", LINKS)
def test_a_link_in_the_place_of_the_next_commit(
    link: str, options: tuple[str, ...], table: Path
) -> None:
    path = table / LOG / commit_name(5)
    LINKS[link](path)
    said = say(["property", "set", str(table), "team=a", *options, "-o", "json"])
    assert (said.exit_code, said.error["code"]) == (5, "LINK_FOR_COMMIT")
    assert said.error["message"] == (
        f"{LOG}/{path.name} is a link to {path.readlink()}, where no file is, "
        "where the commit of version 5 belongs; nothing was written"
    )
    assert findings(table) == [("LINK_FOR_FILE", path.name)]
    path.unlink()
    assert say(["property", "set", str(table), "team=a", "-o", "json"]).committed == 5


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("version", [0, 2])
def test_a_link_in_the_place_of_an_older_commit(version: int, link: str, table: Path) -> None:
    path = table / LOG / commit_name(version)
    path.unlink()
    LINKS[link](path)
    said = show(table)
    assert (said.exit_code, said.error["code"]) == (5, "LINK_FOR_COMMIT")
    assert f"{LOG}/{path.name} is a link to {path.readlink()}" in said.error["message"]


def test_a_folder_in_the_place_of_an_older_commit(table: Path) -> None:
    path = table / LOG / commit_name(2)
    path.unlink()
    path.mkdir()
    said = show(table)
    assert (said.exit_code, said.error["code"]) == (5, "FOLDER_FOR_COMMIT")
    assert f"{LOG}/{path.name} is a folder" in said.error["message"]


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("name", [f"{4:020d}.checkpoint.parquet", "_last_checkpoint"])
def test_a_link_in_the_place_of_what_a_checkpoint_writes(name: str, link: str, table: Path) -> None:
    LINKS[link](table / LOG / name)
    before = sorted(os.listdir(table / LOG))
    said = say(["checkpoint", str(table), "-o", "json"])
    assert (said.exit_code, said.error["code"]) == (4, "LINK_FOR_FILE")
    assert f"{LOG}/{name} is a link to" in said.error["message"]
    assert sorted(os.listdir(table / LOG)) == before


def test_a_folder_in_the_place_of_hadoops_checksum_is_named(table: Path) -> None:
    side_file = table / LOG / f".{commit_name(5)}.crc"
    side_file.mkdir()
    said = say(["property", "set", str(table), "team=a", "-o", "json"])
    assert said.exit_code == 8
    assert str(side_file) in said.error["message"]
    assert not (table / LOG / commit_name(5)).exists()
    assert findings(table) == [("FOLDER_FOR_FILE", side_file.name)]


@pytest.mark.parametrize("link", LINKS)
def test_a_link_in_the_place_of_a_data_file(link: str, table: Path) -> None:
    path = min(table.glob("part-*"))
    path.unlink()
    LINKS[link](path)
    said = say(["verify-checksum", str(table), "--data", "-o", "json"])
    found = {(f["code"], f["subject"]) for f in said.document["findings"]}
    assert (said.exit_code, found) == (5, {("DATA_FILE_MISSING", path.name)})


@pytest.mark.parametrize("link", LINKS)
def test_a_link_in_the_place_of_a_sidecar(link: str, tmp_path: Path) -> None:
    table = tmp_path / "table"
    golden("v2_checkpoint_parquet_sidecars")(table)
    path = min((table / LOG / "_sidecars").iterdir())
    path.unlink()
    LINKS[link](path)
    said = say(["verify-checksum", str(table), "-o", "json"])
    assert said.exit_code == 5
    assert "SIDECAR_MISSING" in {f["code"] for f in said.document["findings"]}


LOGS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a file": (lambda path: path.write_text("{}"), "a file"),
    "a link to itself": (to_itself, "a link to _delta_log, where nothing is"),
    "a link to nothing": (to_nothing, "a link to gone, where nothing is"),
    "a named pipe": (SPECIAL["named pipe"], "a named pipe (FIFO)"),
    "a socket": (SPECIAL["socket"], "a socket"),
}


@pytest.mark.parametrize("case", LOGS)
def test_a_log_that_is_no_folder(case: str, tmp_path: Path) -> None:
    make, what = LOGS[case]
    make(tmp_path / LOG)
    said = show(tmp_path)
    assert (said.exit_code, said.error["code"]) == (3, "NOT_A_TABLE")
    assert said.error["hint"] == f"{tmp_path / LOG} is {what}, not a folder"


@pytest.mark.parametrize("link", ["itself", "nothing"])
def test_a_table_that_is_a_link_to_nothing(link: str, tmp_path: Path) -> None:
    path = tmp_path / "table"
    LINKS[link](path)
    said = show(path)
    assert (said.exit_code, said.error["code"]) == (3, "NOT_A_TABLE")
    assert (
        said.error["hint"]
        == f"it is a link to {path.readlink()}, where nothing is; a table is a folder"
    )


def test_a_saved_plan_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text("{}")
    said = show(path)
    assert (said.exit_code, said.error["code"]) == (3, "NOT_A_TABLE")
    assert said.error["hint"] == (
        f"it is a file; a table is a folder. To see a saved plan: deltactl apply {path} --dry-run"
    )


@pytest.mark.parametrize("what", SPECIAL)
def test_a_named_table_that_is_no_folder(what: str, tmp_path: Path) -> None:
    replace(tmp_path / "table", what)
    said = show(tmp_path / "table")
    assert (said.exit_code, said.error["code"]) == (3, "NOT_A_TABLE")


@pytest.mark.parametrize("name", ["_sidecars", "_staged_commits"])
@pytest.mark.parametrize("link", ["itself", "nothing"])
def test_a_link_for_a_folder_of_the_log_is_no_folder(name: str, link: str, table: Path) -> None:
    LINKS[link](table / LOG / name)
    for command in ("log", "verify-checksum"):
        said = say([command, str(table), "-o", "json"])
        assert said.exit_code == 0, said.document
