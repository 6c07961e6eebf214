"""What terminals of several widths show, line by line: the files of `screens`, read by a person.

A screen begins with `=== WIDTH COMMAND`; blanks at the ends of lines do not count.
"""

import re
import shlex
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from deltactl.cli.process import output

FOLDER = Path(__file__).with_name("screens")
GOLDEN = Path(__file__).parent.parent.parent / "golden"
BEGIN = re.compile(r"^=== (\d+) (.*)\n", re.MULTILINE)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Screen(NamedTuple):
    width: str
    command: str
    text: str

    def __str__(self) -> str:
        return f"{self.command} ({self.width})"


def screens() -> list[Screen]:
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        parts = iter(BEGIN.split(path.read_text("utf-8"))[1:])
        found += [Screen(*part) for part in zip(parts, parts, parts, strict=True)]
    return found


@pytest.fixture
def shown(run, golden, monkeypatch: pytest.MonkeyPatch):
    def shown(screen: Screen) -> str:
        args = shlex.split(screen.command)
        for word in args:
            if (GOLDEN / word).is_dir() and not Path(word).exists():
                golden(word)
        monkeypatch.setenv("COLUMNS", screen.width)
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.setattr(output, "is_terminal", lambda stream: stream is sys.stdout)
        return str(run(*args).stdout)

    return shown


def stripped(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]


@pytest.mark.parametrize("screen", screens(), ids=str)
def test_a_screen(shown, screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = stripped(shown(screen))
    assert lines == stripped(screen.text)
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = shown(screen)
    assert stripped(COLOUR.sub("", coloured)) == lines
    assert COLOUR.search(coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", shown(screen))


def test_there_are_screens() -> None:
    assert {screen.width for screen in screens()} == {"60", "80", "100", "160"}
