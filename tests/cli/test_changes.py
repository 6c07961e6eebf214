"""What all commands that change a table have in common, seen on `widen`."""

import json
import os
from pathlib import Path

import pytest
from terminal import at_a_terminal

STREAMS = "streams that read the table stop at the change: restart them"
ENABLING = ("widen", "all_types", "i", "long", "--enable")


def commits(table: str) -> list[str]:
    return sorted(path.name for path in Path(table, "_delta_log").glob("*.json"))


def last_commit(table: str) -> list[dict]:
    text = Path(table, "_delta_log", commits(table)[-1]).read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_the_plan_stands_above_its_outcome(run, golden) -> None:
    table = golden("tw_nested")
    place = Path(table).absolute()
    result = run("widen", table, "s.a", "long", "aa.element.element", "long")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:10] == [
        f"{place}   v18 → v19   CHANGE COLUMNS    2 widened",
        "",
        "    s",
        "  ~   .a             int → long    widened",
        "        typeChanges  + int → long",
        "  ~ aa[][]           int → long    widened",
        "      typeChanges    + int → long",
        "",
        "Data files  0 of 2 files rewritten",
        "Readers     open queries must refresh: s.a, aa[][]",
    ]
    assert lines[10:] == [
        f"To go back  RESTORE TABLE delta.`{place}` TO VERSION AS OF 18",
        "            Spark SQL only; also discards rows written after version 18; "
        "types cannot be narrowed",
        "",
        "Committed as version 19.",
    ]
    assert result.stderr.startswith(f"warning: {STREAMS}")
    assert len(commits(table)) == 20


def test_a_dry_run_shows_the_same_and_writes_nothing(run, golden) -> None:
    table = golden("tw_nested")
    before = commits(table)
    dry = run("widen", table, "s.a", "long", "--dry-run")
    assert (dry.exit_code, commits(table)) == (0, before)
    last = "Dry run: nothing was written; the table is at version 18.\n"
    assert dry.stdout.endswith(f"\n\n{last}")
    done = run("widen", table, "s.a", "long")
    assert done.stdout.removesuffix("Committed as version 19.\n") == dry.stdout.removesuffix(last)


@pytest.mark.parametrize("flags", [("--dry-run", "--exit-code"), ("--exit-code", "--dry-run")])
def test_the_exit_code_of_a_dry_run(run, golden, flags: tuple[str, ...]) -> None:
    table = golden("tw_nested")
    assert run("widen", table, "s.a", "long", *flags).exit_code == 5
    assert run("widen", table, "s.a", "int", *flags).exit_code == 0


def test_what_is_so_already(run, golden) -> None:
    table = golden("tw_nested")
    result = run("widen", table, "s.a", "int")
    said = "Nothing to do: already up to date (version 18).\n"
    assert (result.exit_code, result.stdout, result.stderr) == (0, said, "")


def test_quietly_only_the_outcome_is_printed(run, golden) -> None:
    table = golden("tw_nested")
    result = run("widen", table, "s.a", "long", "-q")
    assert (result.stdout, result.stderr) == ("Committed as version 19.\n", "")
    dry = run("widen", table, "mk.key", "long", "-q", "--dry-run")
    assert "  ~   .key           int → long    widened\n" in dry.stdout
    assert dry.stderr == ""


def test_all_reasons_are_told_at_once(run, golden, valid_document) -> None:
    table = golden("all_types")
    words = ["widen", table, "i", "string", "nope", "long", "dt", "timestamp_ntz"]
    result = run(*words)
    assert (result.exit_code, result.stdout) == (4, "")
    errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) >= 3
    assert any("[ILLEGAL_WIDENING]" in line for line in errors)
    assert any("no column nope" in line for line in errors)
    assert result.stderr.endswith("note: nothing was written; the table is at version 2\n")
    document = valid_document("widen", run(*words, "-o", "json").stdout)
    assert [r["code"] for r in document["plan"]["refusals"]] == [
        line.rpartition(" [")[2].removesuffix("]") for line in errors
    ]
    assert document["error"]["code"] == document["plan"]["refusals"][0]["code"]
    assert f"(and {len(errors) - 1} more, see refusals)" in document["error"]["message"]


def test_one_reason_is_told_once(run, golden) -> None:
    table = golden("tw_nested")
    result = run("widen", table, "nope", "long")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.count("no column nope") == 1


def test_hints_name_the_table_as_it_was_typed(run, golden) -> None:
    os.rename(golden("all_types"), "my table")
    result = run("widen", "my table", "i", "long")
    assert "deltactl protocol enable 'my table' typeWidening" in result.stderr


def test_a_message_and_a_transaction_are_in_the_commit(run, golden) -> None:
    table = golden("tw_nested")
    assert run("widen", table, "s.a", "long", "-m", "für 7", "--once", "a:b:3").exit_code == 0
    actions = last_commit(table)
    assert actions[0]["commitInfo"]["userMetadata"] == "für 7"
    (txn,) = (action["txn"] for action in actions if "txn" in action)
    assert (txn["appId"], txn["version"]) == ("a:b", 3)
    again = run("widen", table, "mk.key", "long", "--once", "a:b:3")
    assert (again.exit_code, again.stdout) == (
        0,
        "Done before, by this transaction; the table stays at version 19.\n",
    )


@pytest.mark.parametrize(
    "option",
    [
        ("--once", "nightly"),
        ("--once", ":3"),
        ("--once", "nightly:-1"),
        ("--once", f"nightly:{'9' * 5000}"),
        ("--once", "\udcff:1"),
        ("-m", "\udcff"),
        ("--expect-version", "-1"),
    ],
)
def test_options_that_make_no_sense(run, golden, option: tuple[str, str]) -> None:
    table = golden("tw_nested")
    result = run("widen", table, "s.a", "long", *option)
    assert result.exit_code == 2
    assert "[USAGE]" in result.stderr
    assert len(commits(table)) == 19


def test_only_at_a_version(run, golden, valid_document) -> None:
    table = golden("tw_nested")
    result = run("widen", table, "s.a", "long", "--expect-version", "17", "-o", "json")
    assert result.exit_code == 6
    document = valid_document("widen", result.stdout)
    assert document["error"]["code"] == "NOT_AT_VERSION"
    assert document["error"]["details"] == {"version": 18, "wanted": 17}
    assert run("widen", table, "s.a", "long", "--expect-version", "18").exit_code == 0


def test_messages_are_wrapped_at_words_on_a_terminal(golden) -> None:
    golden("all_types")
    code, shown = at_a_terminal(b"n\n", "--no-color", *ENABLING, columns=60)
    assert code == 4
    said = shown[shown.index("warning: ") :].split("\n")[:3]
    assert said == [
        "warning: streams that read the table stop at the change:",
        "         restart them; one with a schema tracking log first",
        "         needs allowSourceColumnTypeChange [STREAMS_RESTART]",
    ]


def test_the_exit_code_is_that_of_a_dry_run(run, golden) -> None:
    table = golden("tw_nested")
    result = run("widen", table, "s.a", "long", "--exit-code")
    assert (result.exit_code, len(commits(table))) == (2, 19)
    assert result.stderr.startswith(
        "error: --exit-code goes with --dry-run: without that the change is made [USAGE]\n"
    )


def test_a_version_is_a_whole_number(run, golden) -> None:
    result = run("widen", golden("tw_nested"), "s.a", "long", "--expect-version", "-1")
    assert (result.exit_code, result.stderr) == (
        2,
        "error: invalid value for '--expect-version': '-1' is not a whole number from 0 on "
        "[USAGE]\n"
        "hint: see deltactl widen --help\n",
    )


def test_enable_is_taken_where_it_is_not_needed(run, golden) -> None:
    table = golden("tw_nested")
    assert run("property", "set", table, "a.b=c", "--enable").exit_code == 0
    assert run("constraint", "add", table, "c", "id > -1", "--enable", "--dry-run").exit_code == 0


def test_what_costs_nobody_the_table_asks_nothing(golden) -> None:
    table = golden("tw_nested")
    code, shown = at_a_terminal(b"", "widen", table, "s.a", "long")
    assert code == 0
    assert "[y/N]" not in shown


def test_a_narrow_terminal_folds(on_terminal, golden) -> None:
    table = golden("all_types")
    shown = on_terminal("widen", table, "i", "long", "--enable", "--dry-run")
    assert max(len(line) for line in shown if "/" not in line) <= 80
    assert "Protocol    1/2 → 3/7  + typeWidening" in shown


def test_a_rename_that_switches_mapping_on(run, golden) -> None:
    table = golden("many_ops_history")
    result = run("column", "rename", table, "w", "width", "--enable", "--dry-run")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:] == [
        "",
        "Column mapping switched on (4 columns get ids)",
        "",
        "  ~ w → width  int  renamed",
        "",
        "Protocol    1/2 → 2/7  + columnMapping",
        "Properties  + delta.columnMapping.mode = name",
        "Clients     no known client loses access",
        "Data files  0 of 1 file rewritten",
        "Readers     open queries must refresh: width",
        "To go back  deltactl column rename many_ops_history width w",
        "            the protocol keeps columnMapping",
        "",
        "Dry run: nothing was written; the table is at version 16.",
    ]


def test_a_client_that_had_lost_the_table_before(run, golden) -> None:
    table = golden("many_ops_history")
    enable = ("protocol", "enable", table)
    assert run(*enable, "domainMetadata", "--yes").exit_code == 0
    lines = run(*enable, "allowColumnDefaults", "--dry-run").stdout.splitlines()
    already = "delta-rs (deltalake) 1.6.6 cannot write it already"
    assert f"Clients     no additional client loses access ({already})" in lines
