"""`deltactl checkpoint`, killed: nothing is lost, readers see the same, and it can be run again."""

import json
from pathlib import Path

import pytest
from checkpoint_kills import CASES
from deltalake import DeltaTable
from in_process import say
from kills import steps_killed

pytestmark = pytest.mark.faults

PUT = 12  # steps that putting one file takes at least


@pytest.mark.parametrize("name", CASES)
def test_a_checkpoint_that_was_killed(name: str, tmp_path: Path) -> None:
    steps = steps_killed("checkpoint_kills.py", tmp_path, name)
    assert len(steps) >= 2 * PUT, "a file and the hint at least"
    untouched = tmp_path / "untouched" / "table"
    CASES[name][1](untouched)
    before, expected = files_of_log(untouched), seen(untouched)
    others = seen_by_deltalake(tmp_path / name / "whole" / "table")
    folders = sorted(tmp_path.glob(f"{name}/*-*"))
    assert len(folders) > len(steps)
    for folder in folders:
        table = folder / "table"
        after = files_of_log(table)
        # What was there is there, to the last byte, if under another name; but for the hint.
        contents = list(after.values())
        for kept, content in before.items():
            assert kept == "_last_checkpoint" or content in contents, (folder.name, kept)
        assert seen(table) == expected, folder.name
        if name != "repair":  # A damaged checkpoint is more than deltalake can take.
            assert seen_by_deltalake(table) == others, folder.name

        # Parts of a checkpoint that lacks others are of no harm, and another run adds these.
        if name == "multipart":
            verified = say(["verify-checksum", str(table), "--all", "-o", "json"])
            assert verified.document["findings"] == [], folder.name
        again = say(["checkpoint", str(table), *CASES[name][0], "-o", "json"])
        assert again.exit_code == 0, again.document
        assert again.document["checkpoint"]["kind"] == {"repair": "classic"}.get(name, name)
        assert seen(table) == expected, folder.name
        assert seen_by_deltalake(table) == others, folder.name
        hint = json.loads((table / "_delta_log" / "_last_checkpoint").read_text())
        assert hint["version"] == again.document["checkpoint"]["version"]


def files_of_log(table: Path) -> dict[str, bytes]:
    """The log's own files by name, without what a killed writer left unfinished."""
    plain = table / "_delta_log"
    found = {path.name: path.read_bytes() for path in plain.iterdir() if path.is_file()}
    return {name: content for name, content in found.items() if not name.startswith(".")}


def seen(table: Path) -> object:
    """What readers see of the table."""
    shown = say(["show", str(table), "-o", "json"])
    assert shown.exit_code == 0, shown.document
    document = shown.document
    names = ("version", "schema", "protocol", "properties", "files", "domains", "transactions")
    return {name: document[name] for name in names}


def seen_by_deltalake(table: Path) -> object:
    """What deltalake sees of the table."""
    opened = DeltaTable(table)
    files = sorted(uri.removeprefix(str(table)) for uri in opened.file_uris())
    return opened.version(), opened.schema(), files
