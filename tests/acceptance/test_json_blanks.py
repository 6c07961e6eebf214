"""Blanks round a line of the log: JSON has four, and every reader keeps to these."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from in_process import Said, say
from small_tables import LEGACY, commit_info, field, metadata, write_log

from deltactl.log.checkpoint import last_checkpoint

OWN = {"space": " ", "tab": "\t", "CR": "\r"}
# Python's strip takes all but the last for blanks; no engine's reader of JSON takes one.
OTHERS = {
    "vertical tab": "\x0b",
    "form feed": "\x0c",
    "file separator": "\x1c",
    "next line": "\x85",
    "no-break space": "\xa0",
    "ideographic space": "\u3000",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "byte order mark": "\ufeff",
}
ADD = {"path": "a", "partitionValues": {}, "size": 1, "modificationTime": 1, "dataChange": True}
LINES = [commit_info(), LEGACY, metadata(field("id", "integer")), {"add": ADD}]
KINDS = ["commitInfo", "protocol", "metaData", "add"]
READS = [
    ["show"], ["history"], ["history", "--limit", "1"], ["files"], ["schema", "show"],
    ["schema", "diff", "*", "0", "1"], ["protocol", "show"], ["property", "list"], ["log"],
    ["log", "cat", "*", "0"],
]  # fmt: skip
CHANGES = [
    ["property", "set", "*", "team=a"], ["widen", "*", "id", "long", "--enable", "--yes"],
    ["checkpoint"], ["column", "comment", "*", "id", "x"],
]  # fmt: skip


def run(table: str, command: Sequence[str]) -> Said:
    words = [table if word == "*" else word for word in command]
    return say([*(words if "*" in command else [*words, table]), "-o", "json"])


def table(root: Path, version: int, kind: str, padded: str, *, others: int = 1) -> str:
    """Write a table, one line of one commit of which is padded: `{}` is its text."""
    commits = [
        list(LINES),
        *([[commit_info(), {"add": ADD | {"path": f"b{n}"}}] for n in range(others)]),
    ]
    text = ""
    for action in commits[version]:
        line = json.dumps(action)
        text += (padded.format(line) if kind in action else line) + "\n"
    whole = ["".join(f"{json.dumps(a)}\n" for a in commit) for commit in commits]
    whole[version] = text
    return write_log(root, whole)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("blank", OWN)
def test_blanks_of_json_are_none(blank: str, kind: str, tmp_path: Path) -> None:
    padded = f"{OWN[blank]}{{}}{OWN[blank]}"
    at = table(tmp_path, 0, kind, padded)
    for command in READS:
        assert run(at, command).exit_code == 0, command
    checked = run(at, ["verify-checksum", "*", "--all"])
    assert (checked.exit_code, checked.document["findings"]) == (0, [])
    assert run(at, CHANGES[0]).committed == 2


@pytest.mark.parametrize("padded", ["{0}{{}}", "{{}}{0} "], ids=["before", "after"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("blank", OTHERS)
def test_no_reader_takes_another_blank(blank: str, kind: str, padded: str, tmp_path: Path) -> None:
    if (blank, kind, padded) == ("byte order mark", "commitInfo", "{0}{{}}"):
        kind = "protocol"  # The file's first letter may be one.
    at = table(tmp_path, 0, kind, padded.format(OTHERS[blank]), others=0)
    for command in (["show"], ["property", "set", "*", "team=a"]):
        said = run(at, command)
        assert (said.exit_code, said.error["code"]) == (5, "COMMIT_NOT_JSON")
    checked = run(at, ["verify-checksum", "*", "--all"])
    assert checked.exit_code == 5
    assert "COMMIT_NOT_JSON" in {f["code"] for f in checked.document["findings"]}


@pytest.mark.parametrize("kind", KINDS)
def test_no_command_fails_in_another_way(kind: str, tmp_path: Path) -> None:
    at = table(tmp_path, 0, kind, "\u2028{}", others=0)
    for command in [*READS, *CHANGES]:
        assert run(at, command).exit_code in (0, 3, 5), command
    assert len(list((tmp_path / "_delta_log").iterdir())) == 1


@pytest.mark.parametrize("kind", ["protocol", "metaData"])
@pytest.mark.parametrize("blank", OTHERS)
def test_nor_in_an_older_commit(blank: str, kind: str, tmp_path: Path) -> None:
    at = table(tmp_path, 0, kind, f"{OTHERS[blank]}{{}}", others=3)
    for command in (["show"], CHANGES[0]):
        said = run(at, command)
        assert (said.exit_code, said.error["code"]) == (5, "COMMIT_NOT_JSON"), command
    assert len(list((tmp_path / "_delta_log").iterdir())) == 4


@pytest.mark.parametrize("blank", [*OWN, *OTHERS])
def test_the_checksum_file_has_one_reader_too(blank: str, tmp_path: Path) -> None:
    at = table(tmp_path, 0, "add", "{}")
    assert run(at, CHANGES[0]).committed == 2
    assert run(at, ["verify-checksum", "*", "--repair", "--yes"]).exit_code == 0
    body = {"tableSizeBytes": 2, "numFiles": 2, "numMetadata": 1, "numProtocol": 1}
    configured = metadata(field("id", "integer"))["metaData"] | {"configuration": {"team": "a"}}
    body |= {"metadata": configured, **LEGACY, "setTransactions": [], "domainMetadata": []}
    text = (OWN | OTHERS)[blank] + json.dumps(body)
    (tmp_path / "_delta_log" / f"{2:020d}.crc").write_text(text)
    found = [f["code"] for f in run(at, ["verify-checksum"]).document["findings"]]
    assert found == ([] if blank in OWN else ["CHECKSUM_UNREADABLE"])
    assert run(at, ["property", "set", "*", "team=b"]).committed == 3
    # The next one is made of it only if it is a checksum.
    assert (tmp_path / "_delta_log" / f"{3:020d}.crc").exists() == (blank in OWN)


@pytest.mark.parametrize("blank", [*OWN, *OTHERS])
def test_the_hint_has_one_reader_too(blank: str) -> None:
    said = last_checkpoint.read(((OWN | OTHERS)[blank] + '{"version":1,"size":1}').encode())
    assert isinstance(said, last_checkpoint.LastCheckpoint) == (blank in OWN)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-8-sig"])
def test_the_hint_is_utf_8(encoding: str) -> None:
    said = last_checkpoint.read('{"version":1,"size":1}'.encode(encoding))
    assert not isinstance(said, last_checkpoint.LastCheckpoint)


@pytest.mark.parametrize("blank", [*OWN, *OTHERS])
def test_the_schema_has_one_reader_too(blank: str, tmp_path: Path) -> None:
    action = metadata(field("id", "integer"))
    action["metaData"]["schemaString"] = (OWN | OTHERS)[blank] + action["metaData"]["schemaString"]
    at = write_log(tmp_path, [[commit_info(), LEGACY, action]])
    assert run(at, ["show"]).exit_code == (0 if blank in OWN else 5)
    found = run(at, ["verify-checksum"]).document["findings"]
    assert bool(found) == (blank in OTHERS)


def test_a_line_to_apply_may_hold_any_letter(tmp_path: Path) -> None:
    at = table(tmp_path, 0, "add", "{}")
    (tmp_path / "steps").write_text("comment id 'a\u2028b\x85c'\r\nadd note string\n")
    assert run(at, ["column", "apply", "*", str(tmp_path / "steps")]).committed == 2
    shown = run(at, ["schema", "show"]).document["schema"]["fields"]
    assert [(f["name"], f["metadata"].get("comment")) for f in shown] == [
        ("id", "a\u2028b\x85c"), ("note", None)
    ]  # fmt: skip
