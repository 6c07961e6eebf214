"""Names of `[tables]`: opened by commands, and listed by `deltactl tables`."""

import sys
from pathlib import Path

import pytest
from lakes import table

from deltactl.cli.global_options import Invocation
from deltactl.cli.process import output
from deltactl.cli.session import Session
from deltactl.cli.tables import open_named
from deltactl.errors import NotFoundError


def hint(text: str) -> str | None:
    with pytest.raises(NotFoundError) as caught:
        open_named(Session(Invocation([])), text)
    return caught.value.hint


def test_a_missing_table_names_those_of_the_file() -> None:
    Path("deltactl.toml").write_text('[tables]\nevents = "lake/events"\n')
    assert hint("evnts") == "did you mean events, of [tables] in deltactl.toml?"
    assert "[tables]" not in (hint("zzz") or "")
    assert "[tables]" not in (hint("events") or "")  # the name is known, its table is missing


NAMES = """\
[tables]
orders = { uri = "lake/orders", profile = "prod" }
"Łódź 数" = "lake/events"
gone = { uri = "lake/gone", profile = "prd" }
[profiles.prod]
timeout = "3s"
"""


def test_names(run, valid_document) -> None:
    Path("deltactl.toml").write_text(NAMES)
    table("lake/orders", 2048)
    here = Path.cwd()
    result = run("tables")
    assert result.exit_code == 0
    assert result.stdout == (
        "TABLE    VERSION  FILES     SIZE  PROFILE  PROBLEM          PATH\n"
        f"gone           -      -        -  prd      PROFILE_UNKNOWN  {here}/lake/gone\n"
        f"orders         1      1  2.0 KiB  prod     -                {here}/lake/orders\n"
        f"Łódź 数        -      -        -  -        TABLE_NOT_FOUND  {here}/lake/events\n"
    )
    assert result.stderr.splitlines() == [
        f"warning: gone: {here}/deltactl.toml:4: the table 'gone' has the profile 'prd',"
        " which is in no file; did you mean prod? [PROFILE_UNKNOWN]",
        f"warning: Łódź 数: no table at {here}/lake/events: {here}/lake/events does not exist;"
        f" {here}/lake exists, but has nothing named events [TABLE_NOT_FOUND]",
    ]
    document = valid_document("tables", run("tables", "-o", "json").stdout)
    assert document["prefix"] is None
    assert document["tables"][1] == {
        "name": "orders",
        "uri": f"{here}/lake/orders",
        "profile": "prod",
        "version": 1,
        "files": 1,
        "bytes": 2048,
        "error": None,
    }
    assert document["tables"][0]["error"]["hint"] == "did you mean prod?"


def test_a_name_can_stand_for_a_folder(run) -> None:
    Path("deltactl.toml").write_text('[tables]\nlake = "data/lake"\n')
    table("data/lake/t", 1)
    assert run("tables", "lake").stdout.splitlines()[-1] == (
        f"      1      1   1 B  {Path.cwd()}/data/lake/t"
    )


def test_a_folder_that_is_missing_names_those_of_the_file(run) -> None:
    Path("deltactl.toml").write_text('[tables]\nlake = "data/lake"\n')
    assert run("tables", "lke").stderr.splitlines()[1] == (
        "hint: did you mean lake, of [tables] in deltactl.toml?"
    )


def test_without_names(run) -> None:
    result = run("tables")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "No table has a name: there is no [tables] in deltactl.toml, here or above.\n"
    )
    assert run("tables", "-o", "json").document["tables"] == []


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (
            200,
            [
                "TABLE   VERSION  FILES   SIZE  PROFILE  PATH",
                "orders        1      1  700 B  p        HERE/lake/orders",
            ],
        ),
        (
            40,
            [
                "TABLE   VERSION  FILES   SIZE  PROFILE",
                "orders        1      1  700 B  p",
                "        PATH  HERE/lake/orders",
            ],
        ),
        (
            30,
            [
                "TABLE   VERSION  FILES   SIZE",
                "orders        1      1  700 B",
                "            PROFILE  p",
                "            PATH     HERE/lake/orders",
            ],
        ),
    ],
)
def test_names_on_a_terminal(run, monkeypatch, width: int, expected: list[str]) -> None:
    Path("deltactl.toml").write_text(
        '[tables]\norders = { uri = "lake/orders", profile = "p" }\n[profiles.p]\n'
    )
    table("lake/orders", 700)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr(output, "is_terminal", lambda stream: stream is sys.stdout)
    shown = run("tables").stdout.replace(str(Path.cwd()), "HERE")
    assert [line.rstrip() for line in shown.splitlines()] == expected
