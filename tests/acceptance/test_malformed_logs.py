"""Reading malformed logs: each of the list's rows is built on disk and asked about."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from command_line import Result, run
from malformed import CASES
from malformed.case import Case, Read, silent
from malformed.table import Table

ROWS_OF_THE_LIST = range(1, 71)
READS = [
    pytest.param(case, read, id=f"{case.row:02d}-{case.name}-{read.args}-{read.code or 'ok'}")
    for case in CASES
    for read in case.reads
]


def named(*readable: str) -> list[Any]:
    """The cases whose snapshot can be read so far, as parameters."""
    return [
        pytest.param(case, id=f"{case.row:02d}-{case.name}")
        for case in CASES
        if case.readable in readable
    ]


def build(case: Case, root: Path) -> Path:
    """Put the case on disk and return its root."""
    table = Table(root / "table")
    case.build(table)
    table.write()
    return table.root


def ask(args: str, root: Path) -> Result:
    """Run a command on the table; the table stays as it is."""
    words = args.split()
    at = 2 if words[0] in ("schema", "protocol") else 1
    before = fingerprint(root)
    result = run(*words[:at], str(root), *words[at:], "-o", "json")
    assert fingerprint(root) == before, "a command that reads changed the table"
    return result


def fingerprint(root: Path) -> dict[str, str]:
    """Every file below `root` with a digest of its content."""
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file()
    }


def assert_within(expected: Any, actual: Any, where: str) -> None:
    """Assert that `actual` holds what is expected; it may hold more, but not in place of {}."""
    if isinstance(expected, Mapping) and expected:
        assert isinstance(actual, Mapping), f"{where} is {actual!r}"
        for key, value in expected.items():
            assert key in actual, f"{where} has no {key!r}"
            assert_within(value, actual[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert isinstance(actual, list), f"{where} is {actual!r}"
        assert len(actual) == len(expected), f"{where} is {actual!r}"
        for index, value in enumerate(expected):
            assert_within(value, actual[index], f"{where}[{index}]")
    else:
        assert actual == expected, f"{where} is {actual!r}"


def assert_answers(result: Result, read: Read) -> None:
    """Assert that the result is what the case expects."""
    document = result.document
    assert result.exit_code == read.exit, document
    assert document["ok"] is (read.exit == 0)
    for name, value in read.document.items():
        assert_within(value, document[name], name)
    if read.exit:
        assert result.error["exit"] == read.exit
        assert result.error["code"] == read.code
        assert read.hint in (result.error["hint"] or "")
        messages = [result.error["message"]]
    else:
        messages = [w["message"] for w in document["warnings"] if w["code"] == read.code]
    if read.silent:
        assert document["warnings"] == []
    if read.code:
        assert messages, f"no {read.code} in {document['warnings']}"
    for word in read.names:
        assert any(word in message for message in messages), f"{word!r} not in {messages}"


@pytest.mark.parametrize(("case", "read"), READS)
def test_reading_answers_as_listed(case: Case, read: Read, tmp_path: Path) -> None:
    assert_answers(ask(read.args, build(case, tmp_path)), read)


@pytest.mark.parametrize("command", ["history", "log", "protocol show"])
@pytest.mark.parametrize("case", named("not by rule"))
def test_the_log_is_shown_where_the_snapshot_is_unreadable(
    case: Case, command: str, tmp_path: Path
) -> None:
    result = ask(command, build(case, tmp_path))
    assert result.exit_code == 0, result.document
    assert "SNAPSHOT_UNREADABLE" in result.warning_codes


@pytest.mark.parametrize("command", ["history", "log"])
@pytest.mark.parametrize("case", named("not at all"))
def test_the_log_is_shown_where_no_protocol_is_found(
    case: Case, command: str, tmp_path: Path
) -> None:
    result = ask(command, build(case, tmp_path))
    assert result.exit_code == 0, result.document
    assert "SNAPSHOT_UNREADABLE" in result.warning_codes


@pytest.mark.parametrize("case", named("not at all"))
def test_protocol_show_fails_as_show_does_where_no_protocol_is_found(
    case: Case, tmp_path: Path
) -> None:
    root = build(case, tmp_path)
    assert ask("protocol show", root).error["code"] == ask("show", root).error["code"]


@pytest.mark.parametrize("command", ["history", "log", "protocol show"])
@pytest.mark.parametrize("case", named("not by files"))
def test_the_log_is_shown_where_only_the_files_are_at_fault(
    case: Case, command: str, tmp_path: Path
) -> None:
    assert ask(command, build(case, tmp_path)).exit_code == 0


@pytest.mark.parametrize("command", ["show", "history", "schema show", "protocol show", "log"])
def test_the_sound_table_gives_no_warning(command: str, tmp_path: Path) -> None:
    table = Table(tmp_path / "table")
    table.write()
    assert_answers(ask(command, table.root), silent(command))


def test_every_row_of_the_list_is_here() -> None:
    assert {case.row for case in CASES} == set(ROWS_OF_THE_LIST)


def test_no_two_cases_have_one_name() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
