"""The overview, `help`, and what both say of commands."""

import re

import pytest

from deltactl.cli.commands import _index
from deltactl.errors import EXIT_CODES

OVERVIEW = """\
Usage: deltactl [OPTIONS] COMMAND [ARGS]...

  Inspect and change Delta Lake tables from the command line, without Spark.

  Inspect: diff, files, history, log, protocol, schema, show, tables
  Change: apply, column, constraint, domain, property, protocol, table, widen
  Maintain: checkpoint, prune-type-changes, verify-checksum
  Set up: completion, config, demo, explain, help, spark

Start with:
  deltactl show TABLE       version, size, schema and properties
  deltactl history TABLE    what each commit did
  deltactl diff TABLE       what the last change of metadata changed
  deltactl COMMAND --help   arguments, options and examples of a command
  deltactl --help           each command in a line, and the options of all
  deltactl help exit-codes  what exit codes mean
  deltactl help settings    where settings come from
"""


def test_the_overview_fits_a_small_terminal(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = run()
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", OVERVIEW)
    assert OVERVIEW.count("\n") < 24
    assert max(map(len, OVERVIEW.splitlines())) < 80


def test_the_exit_codes(run, valid_document) -> None:
    shown = run("help", "exit-codes").stdout.splitlines()
    assert shown[0] == "Exit codes"
    assert shown[-1] == "  130  interrupted; says whether the commit was made"
    rows = valid_document("help", run("help", "exit-codes", "-o", "json").stdout)["rows"]
    assert [row["name"] for row in rows] == [str(code) for code in EXIT_CODES]


def test_the_settings(run, valid_document) -> None:
    result = run("help", "settings")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) < 80
    for text in ("NO_COLOR", "deltactl config trust", "DELTACTL_PROFILE", "~/.config/deltactl"):
        assert text in result.stdout
    document = valid_document("help", run("help", "settings", "-o", "json").stdout)
    assert {"name": "output", "meaning": "DELTACTL_OUTPUT"} in document["rows"]


@pytest.mark.parametrize("words", ["", "schema", "schema diff", "widen", "describe", "verify"])
def test_the_help_of_a_command(run, valid_document, words: str) -> None:
    expected = run(*words.split(), "--help").stdout
    result = run("help", *words.split())
    assert (result.exit_code, result.stdout.rstrip()) == (0, expected.rstrip())
    document = valid_document("help", run("help", *words.split(), "-o", "json").stdout)
    assert (document["topic"], document["text"].rstrip()) == (words, expected.rstrip())


@pytest.mark.parametrize("command", _index.SUMMARIES)
def test_the_help_fits_eighty_columns(run, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = run("help", *command.split()).stdout.splitlines()
    assert [line for line in shown if len(line) > 80] == []


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("shcema", "did you mean deltactl help schema?"),
        ("schema shwo", "did you mean deltactl help schema show?"),
        ("exit-code", "did you mean deltactl help exit-codes?"),
        ("zzz", "see deltactl help"),
    ],
)
def test_the_help_of_nothing(run, words: str, hint: str) -> None:
    result = run("help", *words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: there is no help on {words} [USAGE]\nhint: {hint}\n"


def test_aliases_are_shown_once(run) -> None:
    shown = run("--help").stdout
    assert re.findall(r"^  show, describe +Show", shown, re.MULTILINE)
    assert re.findall(r"^  verify-checksum, verify +Check", shown, re.MULTILINE)
    assert shown.count("describe  ") == 1


def test_commands_are_where_one_looks_for_them(run) -> None:
    shown = run("--help").stdout
    sections = {
        title: re.findall(r"^  (\S.*?)(?:  .*|)$", rows, re.MULTILINE)
        for title, rows in re.findall(r"^(\w[\w ]*):\n((?:  .*\n)+)", shown, re.MULTILINE)
    }
    assert {"tables", "protocol"} <= {*sections["Inspect"]}
    assert {"protocol enable", "protocol upgrade", "protocol drop"} <= {*sections["Change"]}
