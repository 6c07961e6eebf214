"""What bash makes of a line when TAB is pressed at its end."""

import os
import pty
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from select import select

import pytest
from small_tables import LEGACY, field, metadata, write_log

REPOSITORY = Path(__file__).parent.parent.parent.parent
SECONDS = 60.0
RC = """
PATH="{path}:$PATH" PS1='READY> '
source "{repository}/completions/deltactl.bash"
bind 'set bell-style none' 'set completion-query-items 0' 'set enable-bracketed-paste off'
bind -x '"\\C-xp": printf %s "$READLINE_LINE" > line'
"""
SHOW_AND_END = "\x18p\x15exit\n"  # the keys that RC binds, then the line is emptied

Complete = Callable[[str], str]


@pytest.fixture
def completed(tmp_path: Path) -> Complete:
    """Return what a line has become after TAB in a bash in the working folder."""
    program = tmp_path / "bin" / "deltactl"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m deltactl "$@"\n')
    program.chmod(0o755)
    rc = tmp_path / "bashrc"
    rc.write_text(RC.format(path=program.parent, repository=REPOSITORY))

    def complete(line: str) -> str:
        _type(["bash", "--noprofile", "--rcfile", str(rc), "-i"], f"{line}\t{SHOW_AND_END}")
        return Path("line").read_text(encoding="utf-8")

    return complete


def _type(command: list[str], keys: str) -> None:
    """Run a shell on a terminal of its own, and type once it is ready."""
    terminal, end = pty.openpty()
    environ = {**os.environ, "TERM": "dumb", "PYTHONPATH": str(REPOSITORY), "LC_ALL": "C.UTF-8"}
    with subprocess.Popen(
        command, stdin=end, stdout=end, stderr=end, start_new_session=True, env=environ
    ) as shell:
        os.close(end)
        said, typed, give_up = b"", False, time.monotonic() + SECONDS
        while shell.poll() is None:
            if time.monotonic() > give_up:
                shell.kill()
            if not select([terminal], [], [], 0.05)[0]:
                continue
            try:
                said += os.read(terminal, 4096)
            except OSError:  # the shell has closed its end
                break
            if not typed and b"READY> " in said:
                typed = True
                os.write(terminal, keys.encode())
    os.close(terminal)
    assert shell.returncode == 0, said.decode()


@pytest.fixture
def url() -> str:
    """The URL of a table with the columns `id` and `region`."""
    Path("events").mkdir()
    columns = (field("id", "long"), field("region", "string"))
    write_log(Path("events"), [[LEGACY, metadata(*columns)]])
    return (Path.cwd() / "events").as_uri()


def test_a_command(completed: Complete) -> None:
    assert completed("deltactl conf") == "deltactl config "


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("delta.appendOnly=t", "delta.appendOnly=true "),
        ("delta.appendOnl", "delta.appendOnly="),
        ("delta.columnMapping.mode=na", "delta.columnMapping.mode=name "),
        ("a=b delta.columnMapping.mode=na", "a=b delta.columnMapping.mode=name "),
        ("a= delta.columnMapping.mode=na", "a= delta.columnMapping.mode=name "),
        ("delta.appendOnly=true delta.appendO", "delta.appendOnly=true delta.appendO"),
    ],
)
def test_words_with_an_equals_sign(completed: Complete, words: str, expected: str) -> None:
    assert completed(f"deltactl property set t {words}") == f"deltactl property set t {expected}"


@pytest.mark.parametrize(
    ("before", "typed", "expected"),
    [
        ("schema types URL", "re", "region "),
        ("property set URL", "delta.appendOnly=t", "delta.appendOnly=true "),
        ("schema types URL --at 2024-05-31T12:00", "--timeo", "--timeout "),
        ("schema types abfss://c@a.dfs.core.windows.net/t --at", "", ""),
    ],
)
def test_words_behind_a_url(completed: Complete, url: str, before, typed, expected) -> None:
    line = f"deltactl {before} ".replace("URL", url)
    assert completed(line + typed) == line + expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("lake:e", "lake:events "),
        ("lake:", "lake:events "),
        ("me@la", "me\\@lake "),
        ("a:b/", "a:b/table "),
        ("a:b=c", "a:b=c\\@d "),
        ("'lake:e", "'lake:events' "),
    ],
)
def test_a_word_with_a_break_in_it(completed: Complete, typed: str, expected: str) -> None:
    Path("deltactl.toml").write_text('[tables]\n"lake:events" = "events"\n"me@lake" = "lake"\n')
    Path("a:b/table").mkdir(parents=True)
    Path("a:b=c@d").mkdir(parents=True)
    assert completed(f"deltactl show {typed}") == f"deltactl show {expected}"


def test_options_of_every_command(completed: Complete) -> None:
    Path("deltactl.toml").write_text("[profiles.prod]\n")
    assert completed("deltactl tables --profile ") == "deltactl tables --profile prod "
    line = "deltactl show s3://lake/t --storage-option AWS_REG"
    assert completed(line) == f"{line}ION="


def test_no_folder_of_a_log(completed: Complete) -> None:
    Path("events/_delta_log/_sidecars").mkdir(parents=True)
    Path("events/day").mkdir()
    assert completed("deltactl show ev") == "deltactl show events/"
    assert completed("deltactl show events/") == "deltactl show events/day/"
    line = "deltactl show events/_delta_log/"
    assert completed(line) == line
