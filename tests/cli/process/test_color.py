"""When results and messages have colours: `--color`, its variables, and what they beat."""

import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from terminal import run_at_a_terminal

IN_A_SHELL = ("bash", "-o", "pipefail", "-c")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
CASES: Sequence[tuple[Mapping[str, str], Sequence[str], bool, bool]] = [
    # variables, options, colours on a terminal, colours in a pipe
    ({}, (), True, False),
    ({"NO_COLOR": "1"}, (), False, False),
    ({"NO_COLOR": ""}, (), True, False),
    ({"FORCE_COLOR": "1"}, (), True, True),
    ({"FORCE_COLOR": "0"}, (), True, False),
    ({"CLICOLOR_FORCE": "1"}, (), True, True),
    ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, (), False, False),
    ({"NO_COLOR": "1"}, ("--color", "auto"), True, False),
    ({"NO_COLOR": "1"}, ("--color", "always"), True, True),
    ({"FORCE_COLOR": "1"}, ("--color", "never"), False, False),
    ({"FORCE_COLOR": "1"}, ("--no-color",), False, False),
    ({"DELTACTL_COLOR": "always", "NO_COLOR": "1"}, (), True, True),
    ({"DELTACTL_NO_COLOR": "true", "FORCE_COLOR": "1"}, (), False, False),
    ({"DELTACTL_NO_COLOR": "false", "NO_COLOR": "1"}, (), True, False),
]


@pytest.mark.parametrize(("variables", "options", "_", "in_a_pipe"), CASES)
def test_in_a_pipe(run, golden, monkeypatch, variables, options, _, in_a_pipe) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    shown = run("history", golden("crc_good"), *options)
    assert bool(COLOUR.search(shown.stdout)) is in_a_pipe
    early = run("no-such-command", *options)  # fails before a setting is read
    late = run("show", "no-such-table", *options)
    assert bool(COLOUR.search(early.stderr)) is in_a_pipe
    assert bool(COLOUR.search(late.stderr)) is in_a_pipe


@pytest.mark.parametrize(
    ("variables", "options", "on_a_terminal"),
    [(variables, options, on) for variables, options, on, _ in CASES],
)
def test_on_a_terminal(golden, monkeypatch, variables, options, on_a_terminal) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    _, shown = run_at_a_terminal("history", golden("crc_good"), *options)
    assert bool(COLOUR.search(shown)) is on_a_terminal


@pytest.mark.parametrize(
    "words",
    ["files {t}", "history {t}", "show {t}", "schema {t}", "column list {t}", "diff {t} 0"],
)
def test_a_pipe_gets_all_of_it(run, golden, words: str) -> None:
    typed = words.format(t=golden("tw_kitchen_sink")).split()
    shown = run(*typed, "--color", "always").stdout
    assert COLOUR.search(shown)
    lines = [line.rstrip() for line in COLOUR.sub("", shown).splitlines()]
    assert lines == [line.rstrip() for line in run(*typed).stdout.splitlines()]


def test_a_reader_who_leaves_the_pipe() -> None:
    coloured = subprocess.run(
        [*IN_A_SHELL, f"{shlex.quote(sys.executable)} -m deltactl explain --color always | true"],
        check=False,
    )
    assert coloured.returncode == 141


def test_a_document_has_no_colours(run, golden) -> None:
    assert not COLOUR.search(
        run("history", golden("crc_good"), "-o", "json", "--color", "always").stdout
    )


def test_a_file_sets_it(run, golden) -> None:
    Path("deltactl.toml").write_text('color = "always"\n')
    table = golden("crc_good")
    assert COLOUR.search(run("history", table).stdout)
    assert not COLOUR.search(run("history", table, "--no-color").stdout)
    Path("deltactl.toml").write_text('color = "sometimes"\n')
    assert "'sometimes' is not one of auto, always, never" in run("history", table).stderr
