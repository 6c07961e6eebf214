"""Bad input on the command line and hostile content in a table: a clear error or a right answer."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command_line import Result, run, run_on_terminal, run_unprivileged, run_within
from malformed.parquet import data_file
from malformed.table import ID_COLUMN, Table, add, commit, schema

GIBIBYTE = 1 << 30
SET_TITLE = "\x1b]0;owned\x07"  # a terminal that is sent this changes its title


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A sound table of three files."""
    return sound_table(tmp_path / "table")


def sound_table(root: Path) -> Path:
    """Write the base table to `root`."""
    Table(root).write()
    return root


def show(target: object, *options: str) -> Result:
    """`show TARGET -o json`."""
    return run("show", str(target), *options, "-o", "json")


def assert_refused(result: Result, exit_code: int, code: str, *words: str) -> None:
    """Assert the error's exit and code, and that these words stand in message or hint."""
    assert result.exit_code == exit_code, result.document
    assert result.error["code"] == code
    assert result.error["exit"] == exit_code
    said = f"{result.error['message']} {result.error['hint']}"
    for word in words:
        assert word in said


# Where there is no table


def test_missing_table_is_named_with_near_misses(root: Path) -> None:
    result = show(root.with_name("tabel"))
    assert_refused(result, 3, "TABLE_NOT_FOUND", str(root.with_name("tabel")), str(root))


def test_missing_table_in_text_mode_says_so_on_stderr(tmp_path: Path) -> None:
    result = run("show", str(tmp_path / "nothing"))
    assert result.exit_code == 3
    assert result.stdout == ""
    assert str(tmp_path / "nothing") in result.stderr


def test_empty_folder(tmp_path: Path) -> None:
    assert_refused(show(tmp_path), 3, "NOT_A_TABLE", str(tmp_path), "_delta_log")


def test_empty_log(tmp_path: Path) -> None:
    (tmp_path / "_delta_log").mkdir()
    assert_refused(show(tmp_path), 3, "NOT_A_TABLE", str(tmp_path))


def test_file_in_place_of_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    path.write_bytes(data_file())
    assert_refused(show(path), 3, "NOT_A_TABLE", str(path))


def test_file_in_place_of_the_log(tmp_path: Path) -> None:
    (tmp_path / "_delta_log").write_text("{}")
    assert_refused(show(tmp_path), 3, "NOT_A_TABLE", "_delta_log")


@pytest.mark.parametrize("below", ["_delta_log", "p=1", "p=1/q=2", "part-1.parquet"])
def test_path_below_a_table_names_the_table(root: Path, below: str) -> None:
    (root / "p=1" / "q=2").mkdir(parents=True)
    (root / "part-1.parquet").write_bytes(data_file())
    assert_refused(show(root / below), 3, "NOT_A_TABLE", str(root / below), f"{root}")
    assert str(root) in show(root / below).error["hint"]


def test_table_inside_a_table(root: Path) -> None:
    inner = Table(root / "inner")
    inner.add_line(4, add("part-4.parquet"))
    inner.write()
    assert show(inner.root).document["version"] == 4
    assert show(root).document["version"] == 3


@pytest.mark.parametrize("target", ["", "\0", "x" * 5000, "a/" * 3000, "ftp://host/table"])
def test_target_that_cannot_be_a_table(target: str) -> None:
    result = show(target)
    assert result.exit_code in (2, 3, 8)
    assert result.error["code"].isupper()


def test_links_that_go_round(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert show(tmp_path / "a").exit_code in (3, 8)


# Where the table lies in an odd place


@pytest.mark.parametrize(
    "name",
    ["with space", "größe-表-🙂", "100%", "a%20b", "what?", "a#b", "new\nline", "[bold]", "-x"],
)
def test_odd_names_of_the_folder(tmp_path: Path, name: str) -> None:
    root = sound_table(tmp_path / name)
    assert show(root).document["version"] == 3
    assert show(root.as_uri()).document["version"] == 3
    assert run("show", str(root)).exit_code == 0


def test_relative_path_and_trailing_slash(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root.parent)
    for target in ("table", "./table", "table/", f"../{root.parent.name}/table//"):
        assert show(target).document["version"] == 3


def test_symlinked_table(root: Path) -> None:
    link = root.with_name("link")
    link.symlink_to(root)
    assert show(link).document["files"]["count"] == 3


# Where reading is not allowed


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter, as pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


@contextmanager
def closed(path: Path) -> Iterator[None]:
    """Nobody but root may read `path` meanwhile."""
    mode = path.stat().st_mode
    path.chmod(0)
    try:
        yield
    finally:
        path.chmod(mode)


@pytest.mark.parametrize("below", ["", "_delta_log", f"_delta_log/{commit(2)}"])
def test_no_permission_to_read(open_folder: Path, below: str) -> None:
    root, readable = sound_table(open_folder / "table"), sound_table(open_folder / "readable")
    with closed(root / below):
        result = run_unprivileged("show", str(root), "-o", "json", readable=readable)
    assert_refused(result, 8, "PERMISSION_DENIED", str(root / below))


@pytest.mark.parametrize(
    ("below", "command"),
    [
        (f"_delta_log/{3:020d}.checkpoint.parquet", ["show"]),
        (f"_delta_log/{3:020d}.checkpoint.parquet", ["verify-checksum"]),
        ("part-1.parquet", ["files", "--physical", "id"]),
    ],
)
def test_a_file_that_may_not_be_read_is_not_called_damaged(
    open_folder: Path, below: str, command: list[str]
) -> None:
    root, readable = sound_table(open_folder / "table"), sound_table(open_folder / "readable")
    for table in (root, readable):
        for number in (1, 2, 3):
            (table / f"part-{number}.parquet").write_bytes(data_file())
        assert run("checkpoint", str(table)).exit_code == 0
    with closed(root / below):
        name, *options = command
        result = run_unprivileged(name, str(root), *options, "-o", "json", readable=readable)
    assert_refused(result, 8, "PERMISSION_DENIED", str(root / below))


def test_no_permission_to_search(open_folder: Path) -> None:
    (open_folder / "lake/closed").mkdir(parents=True)
    lake, readable = open_folder / "lake", sound_table(open_folder / "readable")
    sound_table(lake / "table")
    with closed(lake / "closed"):
        args = ("tables", str(lake), "-o", "json")
        result = run_unprivileged(*args, readable=readable)
        assert (result.exit_code, result.warning_codes) == (0, {"PERMISSION_DENIED"})
        assert [table["name"] for table in result.document["tables"]] == ["table"]
    with closed(lake):
        result = run_unprivileged(*args, readable=readable)
    assert_refused(result, 8, "PERMISSION_DENIED", str(lake))


def test_an_open_table_is_read_without_rights(open_folder: Path) -> None:
    readable = sound_table(open_folder / "readable")
    result = run_unprivileged("show", str(readable), "-o", "json", readable=readable)
    assert result.exit_code == 0
    assert result.document["version"] == 3


# Versions and times


@pytest.mark.parametrize("version", ["4", "9223372036854775807"])
def test_version_above_the_newest(root: Path, version: str) -> None:
    assert_refused(show(root, "--at", version), 3, "VERSION_NOT_FOUND", "3")


@pytest.mark.parametrize(
    "text",
    [
        "-",
        "",
        "yesterday",
        "1e3",
        "3.5",
        "0x3",
        "9223372036854775808",
        "9" * 400,
        "٣",
        "2024-13-01",
        "2024-02-30",
        "2024-01-01T25:00:00Z",
        "2024-01-01T00:00:00+99:00",
        "99999-01-01",
    ],
)
def test_neither_version_nor_time(root: Path, text: str) -> None:
    result = show(root, "--at", text)
    assert result.exit_code == 2, result.document
    assert result.error["exit"] == 2


@pytest.mark.parametrize(
    "time", ["2001-01-01", "0001-01-02T00:00:00+14:00", "1969-12-31T23:59:59Z"]
)
def test_time_before_the_oldest(root: Path, time: str) -> None:
    assert_refused(show(root, "--at", time), 3, "TIMESTAMP_BEFORE_HISTORY")


@pytest.mark.parametrize("time", ["2999-01-01", "9999-12-31T23:59:59Z"])
def test_time_after_the_newest(root: Path, time: str) -> None:
    result = show(root, "--at", time)
    assert result.exit_code == 0
    assert result.document["version"] == 3
    assert "TIMESTAMP_AFTER_HISTORY" in result.warning_codes


# Usage


@pytest.mark.parametrize(
    "args",
    [
        ("shwo", "x"),
        ("show",),
        ("show", "a", "b"),
        ("show", "x", "--no-such-option"),
        ("schema",),
        ("schema", "shwo", "x"),
        ("show", "x", "-o", "yaml"),
    ],
    ids=" ".join,
)
def test_wrong_usage(args: tuple[str, ...]) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr


def test_wrong_usage_in_json(root: Path) -> None:
    result = run("shwo", str(root), "-o", "json")
    assert result.exit_code == 2
    assert result.document["ok"] is False
    assert result.error["exit"] == 2


def test_unknown_command_names_the_near_one() -> None:
    assert "show" in run("shwo", "x").stderr


# Hostile names


def hostile_table(root: Path) -> Path:
    """A table with terminal sequences and markup wherever text can stand."""
    bad = f"[bold]{SET_TITLE}\u202ename"
    table = Table(root)
    table.metadata(
        name=bad,
        description=bad,
        configuration={bad: bad},
        schemaString=schema({**ID_COLUMN, "name": bad, "metadata": {"comment": bad}}),
    )
    table.commits[3][0] = table.commits[3][0].replace(
        '"operation":"WRITE"', f'"operation":{json.dumps(bad)},"userMetadata":{json.dumps(bad)}'
    )
    table.add_line(3, add("%5Bbold%5D%1B%5D0;owned%07.parquet"))
    table.write()
    return root


HOSTILE_COMMANDS = [("show",), ("history",), ("schema", "show"), ("files",), ("log",)]


@pytest.mark.parametrize("command", HOSTILE_COMMANDS, ids=" ".join)
def test_names_are_neither_markup_nor_terminal_sequences(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    root = hostile_table(tmp_path / "table")
    for output in ("text", "json", "ndjson"):
        result = run(*command, str(root), "-o", output)
        assert result.exit_code == 0
        for text in (result.stdout, result.stderr):
            assert "\x1b" not in text
            assert "\x07" not in text
    if command not in (("log",), ("files",)):
        assert "[bold]" in run(*command, str(root)).stdout


@pytest.mark.parametrize("command", HOSTILE_COMMANDS, ids=" ".join)
def test_names_do_not_reach_a_terminal_as_sequences(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    result = run_on_terminal(*command, str(hostile_table(tmp_path / "table")))
    assert result.exit_code == 0
    assert "\x1b]0;" not in result.stdout
    assert "\u202e" not in result.stdout


def test_names_in_json_are_as_the_table_has_them(tmp_path: Path) -> None:
    document = show(hostile_table(tmp_path / "table")).document
    assert document["schema"]["fields"][0]["name"] == "[bold]\x1b]0;owned\x07\u202ename"


def test_hostile_arguments_are_escaped_in_messages() -> None:
    result = run("show", f"/nowhere/[bold]{SET_TITLE}")
    assert result.exit_code == 3
    assert "[bold]" in result.stderr
    assert "\x1b" not in result.stderr


# Large shapes


def nested(kind: str, levels: int) -> str:
    """A schemaString of one column `a` with `levels` types inside each other."""
    opening, closing = {
        "struct": (
            '{"type":"struct","fields":[{"name":"a","type":',
            ',"nullable":true,"metadata":{}}]}',
        ),
        "array": ('{"type":"array","elementType":', ',"containsNull":true}'),
        "map": (
            '{"type":"map","keyType":"string","valueType":',
            ',"valueContainsNull":true}',
        ),
    }[kind]
    start, end = (
        '{"type":"struct","fields":[{"name":"a","type":',
        ',"nullable":true,"metadata":{}}]}',
    )
    return f'{start}{opening * levels}"long"{closing * levels}{end}'


@pytest.mark.parametrize(
    ("kind", "deepest"),
    [("struct", "a"), ("array", "element"), ("map", "value")],
    ids=["struct", "array", "map"],
)
def test_two_hundred_levels(tmp_path: Path, kind: str, deepest: str) -> None:
    table = Table(tmp_path / "table")
    table.metadata(schemaString=nested(kind, 200))
    table.write()
    assert show(table.root).exit_code == 0
    result = run("schema", "show", str(table.root), "-o", "json")
    paths = [column["path"] for column in result.document["columns"]]
    assert ".".join(["a", *[deepest] * 200]) in paths
    for command in (("show",), ("schema", "show"), ("history",)):
        assert run(*command, str(table.root)).exit_code == 0


def test_a_schema_too_deep_to_read(tmp_path: Path) -> None:
    table = Table(tmp_path / "table")
    table.metadata(schemaString=nested("struct", 100_000))
    table.write()
    assert_refused(show(table.root), 5, "SCHEMA_TOO_DEEP")
    for command in ("history", "log"):
        assert run(command, str(table.root), "-o", "json").exit_code == 0


def test_a_line_nested_too_deep_to_read(tmp_path: Path) -> None:
    table = Table(tmp_path / "table")
    table.add_line(3, '{"add":' + "[" * 100_000)
    table.write()
    assert_refused(show(table.root), 5, "COMMIT_NOT_JSON", commit(3))


def test_five_thousand_columns(tmp_path: Path) -> None:
    table = Table(tmp_path / "table")
    columns = [{**ID_COLUMN, "name": f"c{number}"} for number in range(5000)]
    table.metadata(schemaString=schema(*columns))
    table.write()
    assert len(show(table.root).document["schema"]["fields"]) == 5000
    document = run("schema", "show", str(table.root), "-o", "json").document
    assert [column["path"] for column in document["columns"]][-1] == "c4999"
    assert "c4999" in run("schema", "show", str(table.root)).stdout


@pytest.mark.huge
@pytest.mark.parametrize("command", ["show", "files", "history"])
def test_a_commit_line_of_two_gigabytes(root: Path, command: str) -> None:
    with (root / "_delta_log" / commit(4)).open("wb") as file:
        file.write(b'{"add":{"path":"')
        file.seek(2 * GIBIBYTE)  # a hole: it takes no disk, and reads as zeros
        file.write(b'"}}\n')
    result = run_within(3 * GIBIBYTE, command, str(root), "-o", "json")
    if command == "history":
        assert result.exit_code == 0
        assert "COMMIT_LINE_TOO_LONG" in result.warning_codes
    else:
        assert_refused(result, 5, "COMMIT_LINE_TOO_LONG", commit(4), "line 1")
