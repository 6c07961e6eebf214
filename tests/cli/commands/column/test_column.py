"""`deltactl column VERB` and `deltactl table VERB`, as people type them."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import spark_parts

STREAMS = (
    "warning: streams that read the table stop once at the new column: restart them "
    "[STREAMS_RESTART]\n"
)


def last(table: str) -> list[dict[str, Any]]:
    text = sorted(Path(table, "_delta_log").glob("*.json"))[-1].read_text()
    return [json.loads(line) for line in text.splitlines()]


def versions(table: str) -> int:
    return len(list(Path(table, "_delta_log").glob("*.json")))


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Any:
    def give(text: bytes) -> None:
        fake = SimpleNamespace(buffer=io.BytesIO(text), isatty=lambda: False)
        monkeypatch.setattr(sys, "stdin", fake)

    return give


class TestAdd:
    def test_it_says_what_it_did(self, run, golden) -> None:
        table = golden("tw_nested")
        uri = Path(table).absolute()
        result = run("column", "add", table, "s.inner.c", "bigint", "--comment", "why", "--first")
        assert (result.exit_code, result.stderr) == (0, STREAMS)
        assert [line.rstrip() for line in result.stdout.splitlines()] == [
            f"{uri}   v18 → v19   ADD COLUMNS    1 added",
            "",
            "    s",
            "      .inner",
            "  +     .c    long  why",
            "",
            "Data files  0 of 2 files rewritten",
            "Readers     open queries continue",
            "To go back  deltactl column drop tw_nested --enable s.inner.c",
            "            --enable switches column mapping on, which only a rewrite of all files "
            f"removes; RESTORE TABLE delta.`{uri}` TO VERSION AS OF 18 in Spark SQL avoids that, "
            "but also discards rows written after version 18",
            "",
            "Committed as version 19.",
        ]
        info, metadata = last(table)
        assert info["commitInfo"]["operation"] == "ADD COLUMNS"
        assert list(metadata) == ["metaData"]

    def test_twice_is_once(self, run, golden) -> None:
        table = golden("tw_nested")
        run("column", "add", table, "n", "int")
        again = run("column", "add", table, "n", "INTEGER")
        assert (again.exit_code, again.stderr) == (0, "")
        assert "Nothing to do" in again.stdout
        assert versions(table) == 20

    def test_a_dry_run_writes_nothing(self, run, golden) -> None:
        table = golden("tw_nested")
        result = run("column", "add", table, "n", "int", "--dry-run", "--exit-code")
        assert (result.exit_code, versions(table)) == (5, 19)

    def test_two_places(self, run, golden) -> None:
        table = golden("tw_nested")
        result = run("column", "add", table, "n", "int", "--first", "--after", "id")
        assert result.exit_code == 2
        assert "--first and --after cannot be given together" in result.stderr

    def test_a_default_speaks_of_old_rows(self, run, golden) -> None:
        table = golden("column_defaults")
        result = run("column", "add", table, "k", "int", "--default", "7")
        assert result.exit_code == 0
        assert "existing rows read NULL in k" in result.stderr


class TestDropAndRename:
    def test_mapping_asks_for_consent(self, run, golden) -> None:
        table = golden("tw_nested")
        refused = run("column", "drop", table, "s.a")
        assert (refused.exit_code, versions(table)) == (4, 19)
        assert "deltactl protocol enable tw_nested columnMapping" in refused.stderr
        unasked = run("column", "drop", table, "s.a", "--enable")
        assert (unasked.exit_code, versions(table)) == (4, 19)
        assert "CONSENT_NEEDED" in unasked.stderr
        done = run("column", "drop", table, "s.a", "--enable", "--yes")
        assert (done.exit_code, versions(table)) == (0, 20)

    def test_a_name_is_given_back(self, run, golden) -> None:
        table = golden("tw_colmap_id")
        before = run("schema", "export", table, "--as", "json").stdout
        plan = run("column", "rename", table, "id", "key", "-o", "json").document["plan"]
        (command,) = plan["undo"]["commands"]
        words = command.split()[1:]
        assert words == ["column", "rename", table, "key", "id"]
        assert run(*words).exit_code == 0
        assert run("schema", "export", table, "--as", "json").stdout == before

    def test_not_found(self, run, golden) -> None:
        table = golden("tw_colmap_id")
        assert run("column", "drop", table, "idd").exit_code == 3
        assert run("column", "rename", table, "idd", "x").exit_code == 3
        assert run("column", "drop", table, "idd", "--if-exists").exit_code == 0
        assert run("column", "drop", table).exit_code == 2

    def test_a_clustering_column(self, run, golden) -> None:
        table = golden("clustering")
        result = run("column", "drop", table, "s.x", "k", "--enable", "--yes", "-o", "json")
        codes = [refusal["code"] for refusal in result.document["plan"]["refusals"]]
        assert result.exit_code == 4
        assert "CLUSTERING_COLUMN" in codes


class TestSettings:
    def test_a_value_that_begins_with_a_dash(self, run, golden) -> None:
        table = golden("column_defaults")
        assert run("column", "set-default", table, "n", "--", "-1").exit_code == 0
        result = run("column", "set-default", table, "n", "2", "-o", "json")
        (undo,) = result.document["plan"]["undo"]["commands"]
        assert undo == f"deltactl column set-default {table} -- n -1"
        assert run(*undo.split()[1:]).exit_code == 0

    def test_comment_and_default_and_back(self, run, golden) -> None:
        table = golden("column_defaults")
        before = json.loads(run("schema", "export", table, "--as", "json").stdout)
        assert run("column", "comment", table, "id", "a key").exit_code == 0
        assert run("column", "drop-default", table, "n").exit_code == 0
        assert run("column", "drop-not-null", table, "id").stdout.startswith("Nothing to do")
        assert run("column", "comment", table, "id", "").exit_code == 0
        assert run("column", "set-default", table, "n", "43").exit_code == 0
        assert json.loads(run("schema", "export", table, "--as", "json").stdout) == before


class TestTable:
    def test_comment_and_rename(self, run, golden) -> None:
        table = golden("tw_nested")
        assert run("table", "comment", table, "for people").exit_code == 0
        assert run("table", "rename", table, "people").exit_code == 0
        metadata = last(table)[1]["metaData"]
        assert (metadata["name"], metadata["description"]) == ("people", "for people")
        assert run("table", "rename", table, "people").stdout.startswith("Nothing to do")
        assert run("table", "comment", table, "").exit_code == 0
        assert "description" not in last(table)[1]["metaData"]


class TestApply:
    def test_from_stdin(self, run, golden, stdin) -> None:
        table = golden("tw_colmap_id")
        stdin(b"\xef\xbb\xbfrename id key  # why\r\n\r\nadd id string --after key\n")
        result = run("column", "apply", table, "-o", "json")
        assert (result.exit_code, result.document["version"]) == (0, versions(table) - 1)
        changes = [(c["kind"], c["path"]) for c in result.document["plan"]["changes"]]
        assert ("renamed", "key") in changes
        assert ("added", "id") in changes

    def test_from_a_file(self, run, golden) -> None:
        table = golden("tw_nested")
        Path("lines").write_text("drop s.a\nadd 'a b' int\n")
        result = run("column", "apply", table, "lines", "--enable", "--yes")
        assert (result.exit_code, versions(table)) == (0, 20)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (b"widen id long\n", "line 1: 'widen' is not one of add, drop,"),
            (b"\n# x\nadd a\n", "line 3: missing argument 'TYPE'"),
            (b"add a int --frist\n", "line 1: no such option '--frist'. Did you mean '--first'?"),
            (b"comment a 'open\n", "line 1: No closing quotation"),
            (b"add a int --dry-run\n", "line 1: no such option '--dry-run'"),
        ],
    )
    def test_lines_that_are_none(self, run, golden, stdin, text: bytes, said: str) -> None:
        table = golden("tw_nested")
        stdin(text)
        result = run("column", "apply", table)
        assert (result.exit_code, versions(table)) == (2, 19)
        assert said in result.stderr

    def test_all_lines_that_are_none(self, run, golden, stdin) -> None:
        stdin(b"drop\nadd x int\nfoo\n")
        result = run("column", "apply", golden("tw_nested"), "-o", "json")
        assert [line[:7] for line in result.document["error"]["details"]["lines"]] == [
            "line 1:",
            "line 3:",
        ]

    def test_all_reasons(self, run, golden, stdin) -> None:
        stdin(b"drop id\nadd s int\ndrop nope\n")
        result = run("column", "apply", golden("tw_nested"), "-o", "json")
        assert result.exit_code == 4
        assert [r["message"][:8] for r in result.document["plan"]["refusals"]] == [
            "line 1: ",
            "line 2: ",
            "line 3: ",
        ]

    def test_no_such_file(self, run, golden) -> None:
        assert run("column", "apply", golden("tw_nested"), "nowhere").exit_code == 2


@pytest.mark.parametrize("text", ["", "\n# nothing but this\n"])
def test_no_change_is_a_mistake(run, golden, text: str) -> None:
    table = golden("tw_nested")
    Path("changes.txt").write_text(text)
    result = run("column", "apply", table, "changes.txt")
    assert (result.exit_code, result.stderr) == (
        2,
        "error: no changes were given: changes.txt has no line with a verb [NO_CHANGES_GIVEN]\n"
        "hint: write one verb a line, such as: rename user_id id\n",
    )


def test_what_is_no_command_and_what_comes_near(run, golden) -> None:
    result = run("column", "set-type", golden("tw_nested"), "id", "long")
    assert (result.exit_code, result.stderr) == (
        2,
        "error: no such command column set-type [USAGE]\n"
        "hint: deltactl widen tw_nested COLUMN TYPE\n",
    )


def test_a_neighbour_that_is_not_there(run, golden) -> None:
    result = run("column", "add", golden("all_types"), "x", "int", "--after", "nix")
    assert result.stderr.startswith("error: no column nix to come after [COLUMN_NOT_FOUND]\n")
    assert "\nhint: the table has " in result.stderr


def test_a_column_that_nothing_is_near(run, golden) -> None:
    result = run("column", "drop", golden("crc_good"), "zzz", "--enable")
    assert result.stderr.splitlines()[1] == "hint: columns: id; --if-exists skips a missing column"


def test_a_column_that_is_gone_already(run, golden) -> None:
    result = run("column", "drop", golden("tw_nested"), "idd", "--enable")
    assert result.stderr.startswith(
        "error: no column idd [COLUMN_NOT_FOUND]\n"
        "hint: did you mean id? --if-exists skips a missing column\n"
    )


BACKFILL = ["region", "string", "--default", "'EU'", "--backfill", "--enable"]


def test_a_backfill_is_planned(run, golden) -> None:
    table = golden("tw_nested")
    result = run("column", "add", table, *BACKFILL, "--dry-run", "-o", "json")
    plan = result.document["plan"]
    assert (result.exit_code, plan["backfill"]) == (
        0,
        {"column": "region", "value": "'EU'", "files": 2, "bytes": plan["backfill"]["bytes"]},
    )
    assert plan["backfill"]["bytes"] == sum(f.stat().st_size for f in Path(table).glob("*.parquet"))
    assert "OLD_ROWS_READ_NULL" not in [warning["code"] for warning in plan["warnings"]]
    text = run("column", "add", table, *BACKFILL, "--dry-run").stdout
    assert "\nData files  2 files (" in text
    assert ") are rewritten after that, by a second commit: an UPDATE on Spark\n" in text


def test_a_backfill_is_agreed_to(run, golden, spark_is_there) -> None:
    table = golden("tw_nested")
    result = run("column", "add", table, *BACKFILL)
    assert (result.exit_code, "[CONSENT_NEEDED]" in result.stderr) == (4, True)
    assert "the change rewrites 2 files (" in result.stderr


def test_a_backfill_without_spark_leaves_the_table_as_it_was(
    run, golden, monkeypatch, tmp_path
) -> None:
    table = golden("tw_nested")
    before = sorted(Path(table, "_delta_log").iterdir())
    result = run("column", "add", table, *BACKFILL, "--yes", "--engine", "local")
    assert (result.exit_code, "[ONLY_ON_SPARK]" in result.stderr) == (4, True)
    spark_parts.install(monkeypatch, tmp_path)
    # Before anybody is asked to agree.
    result = run("column", "add", table, *BACKFILL)
    assert (result.exit_code, "[JARS_MISSING]" in result.stderr) == (9, True)
    assert sorted(Path(table, "_delta_log").iterdir()) == before


def test_what_a_backfill_does_not_go_with(run, golden) -> None:
    table = golden("tw_nested")
    result = run("column", "add", table, "region", "string", "--backfill")
    assert (result.exit_code, "--backfill goes with --default" in result.stderr) == (2, True)
    result = run("column", "add", table, *BACKFILL, "--yes", "--once", "a:1")
    assert (result.exit_code, "[BACKFILL_NOT_ONCE]" in result.stderr) == (4, True)
    assert run("property", "set", table, "delta.appendOnly=true").exit_code == 0
    result = run("column", "add", table, *BACKFILL, "--yes")
    assert (result.exit_code, "[APPEND_ONLY_TABLE]" in result.stderr) == (4, True)


def test_an_empty_table_has_nothing_to_fill(run, golden) -> None:
    result = run("column", "add", golden("empty_table"), *BACKFILL, "--yes", "-o", "json")
    assert (result.exit_code, result.document["committed"]) == (0, True)
    assert result.document["plan"]["backfill"] is None
    assert "backfilled" not in result.document
