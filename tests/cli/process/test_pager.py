"""Long output on a terminal goes through the reader's pager."""

from pathlib import Path

import pytest
from small_tables import LEGACY, field, metadata, write_log
from terminal import at_a_terminal

MARKED = "sed s/^/=/"  # a pager that can be told from none
SHOW = ("schema", "show", "wide", "--no-color")


@pytest.fixture(autouse=True)
def _wide() -> None:
    """A table of 100 columns, in the folder of the test; the terminal has 60 rows."""
    Path("wide").mkdir()
    columns = [field(f"c{number}", "long") for number in range(100)]
    write_log(Path("wide"), [[LEGACY, metadata(*columns)]])


@pytest.mark.parametrize("variable", ["DELTACTL_PAGER", "PAGER"])
def test_what_is_longer_than_the_screen(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, MARKED)
    code, shown = at_a_terminal(b"", *SHOW)
    lines = shown.splitlines()
    assert (code, len(lines)) == (0, 101)
    assert (lines[1], lines[100]) == ("=├─ c0 long", "=└─ c99 long")


@pytest.mark.parametrize(
    ("words", "own"),
    [
        ((*SHOW, "--no-pager"), MARKED),
        (SHOW, ""),
        (SHOW, "cat"),
        (SHOW, "no-such-pager -x"),
        (SHOW, "unbalanced '"),
        ((*SHOW, "-o", "json"), MARKED),
        (("protocol", "show", "wide", "--no-color"), MARKED),
    ],
    ids=["option", "empty", "cat", "missing", "no command", "document", "short"],
)
def test_what_is_printed_at_once(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], own: str
) -> None:
    monkeypatch.setenv("DELTACTL_PAGER", own)
    monkeypatch.setenv("PAGER", MARKED)
    code, shown = at_a_terminal(b"", *words)
    assert code == 0
    assert [line for line in shown.splitlines() if line.startswith("=")] == []
    assert shown


def test_a_reader_who_has_seen_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTACTL_PAGER", "head -n 2")
    code, shown = at_a_terminal(b"", *SHOW)
    assert (code, len(shown.splitlines())) == (0, 2)


def test_ctrl_c_is_for_the_pager(monkeypatch: pytest.MonkeyPatch) -> None:
    # It has read all when Ctrl-C comes, ignores it as less does, and ends later.
    waits = "sh -c 'trap : INT; cat; echo [y/N]; sleep 2; echo left'"
    monkeypatch.setenv("DELTACTL_PAGER", waits)
    code, shown = at_a_terminal(b"\x03", *SHOW)
    assert (code, shown.splitlines()[-1].lstrip("^C")) == (0, "left")


def test_a_question_is_not_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTACTL_PAGER", MARKED)
    columns = [f"c{number}" for number in range(99)]
    words = ["column", "drop", "wide", *columns, "--enable", "--no-color"]
    code, shown = at_a_terminal(b"n\n", *words)
    assert code == 4
    assert "not agreed to; nothing was written" in shown
    assert [line for line in shown.splitlines() if line.startswith("=")] == []


def test_a_repair_does_not_wait_for_a_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTACTL_PAGER", MARKED)
    Path("torn").mkdir()
    write_log(Path("torn"), [[LEGACY, metadata(field("id", "long"))], *[[{"commitInfo": {}}]] * 70])
    for version in range(71):
        Path(f"torn/_delta_log/{version:020}.crc").write_text("{")
    words = ("verify-checksum", "torn", "--all", "--repair", "--no-color", "--no-progress")
    code, shown = at_a_terminal(b"", *words)
    assert (code, len(shown.splitlines()) > 60) == (0, True)
    assert [line for line in shown.splitlines() if line.startswith("=")] == []
