"""A group of commands with a table but no command, or with a misspelt command."""

import shutil
from pathlib import Path

import pytest

MEANT = [
    ("log", "list"),
    ("schema", "show"),
    ("protocol", "show"),
    ("property", "list"),
    ("constraint", "list"),
    ("domain", "list"),
    ("column", "list"),
]


@pytest.mark.parametrize(("group", "command"), MEANT)
def test_a_group_alone_shows_the_table(run, golden, group, command) -> None:
    table = golden("tw_kitchen_sink")
    bare, whole = run(group, table, "-o", "json"), run(group, command, table, "-o", "json")
    assert (bare.exit_code, bare.stdout) == (0, whole.stdout)
    before = run(group, "-o", "json", table)
    assert (before.exit_code, before.stdout) == (0, whole.stdout)
    name = "log" if group == "log" else f"{group} {command}"
    assert bare.document["command"] == name
    assert f"{command} (default)" in run(group, "--help").stdout


@pytest.mark.parametrize(("group", "command"), MEANT)
def test_a_table_that_is_named_like_a_command(run, golden, group, command) -> None:
    shutil.move(golden("tw_kitchen_sink"), command)
    expected = run(group, command, command, "-o", "json")
    assert expected.exit_code == 0
    assert run(group, f"./{command}", "-o", "json").stdout == expected.stdout


def test_an_option_of_the_command_that_is_meant(run, golden) -> None:
    table = golden("tw_kitchen_sink")
    expected = run("property", "list", table, "--at", "1", "-o", "json").stdout
    assert run("property", "--at", "1", table, "-o", "json").stdout == expected


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        (["schema", "shwo"], "schema shwo"),
        (["schema", "evolution", "t"], "schema evolution"),
        (["log", "lst", "t"], "log lst"),
    ],
)
def test_a_misspelt_command_is_no_table(run, words, missing) -> None:
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: no such command {missing} [USAGE]\n")


def test_a_table_whose_name_is_near_a_command(run, golden) -> None:
    """A folder, or a name in `[tables]`, is one though it may be a misspelt command."""
    shutil.move(golden("tw_kitchen_sink"), "shown")
    assert run("schema", "shown").exit_code == 0
    Path("deltactl.toml").write_text('[tables]\nshwo = "shown"\n')
    assert run("schema", "shwo").exit_code == 0


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["-q", "--help"], ["-ojson", "-h"]])
def test_help_is_that_of_the_group(run, words) -> None:
    assert "\nCommands:\n" in run("column", *words).stdout


def test_a_table_that_is_missing(run) -> None:
    result = run("schema", "orders")
    assert result.exit_code == 3
    assert result.stderr.startswith("error: ")
    assert "orders" in result.stderr
