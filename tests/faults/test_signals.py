"""SIGTERM and SIGHUP end a command as Ctrl-C does, at whatever step, and what it says is true."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from changes import CHANGES, prepare
from in_process import say
from steps import Steps, watching

from deltactl.changes.commit_buffer import commit_buffer
from deltactl.changes.plan import Plan
from deltactl.cli.process import signals
from deltactl.log.commit.commit_text import CommitContext
from deltactl.table.commit.commit import CommitBody

pytestmark = pytest.mark.faults

REPOSITORY = Path(__file__).parent.parent.parent
COMMENT = CHANGES["table comment"]
NEW = f"{5:020d}.json"
ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def nothing(step: int, name: str) -> None:
    """Leave the step alone."""


@pytest.fixture
def handlers() -> Iterator[None]:
    """The handlers of a process that runs a command, for this test."""
    before = {number: signal.getsignal(number) for number in ENDING}
    signals.end_as_by_ctrl_c()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("number", ENDING, ids=lambda number: number.name)
def test_a_signal_interrupts(number: signal.Signals) -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)


@pytest.mark.usefixtures("handlers")
def test_twins_are_one_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGHUP)
    monkeypatch.setattr(signals, "TWIN", 0.0)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)


@pytest.mark.usefixtures("handlers")
def test_signals_without_a_pause_are_heard_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = []
    for tenth in range(0, 31, 4):
        monkeypatch.setattr(time, "monotonic", lambda now=tenth / 10: now)
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            heard.append(tenth)
    assert heard == [0, 12, 24]


def test_what_is_ignored_stays_so() -> None:
    before = {number: signal.getsignal(number) for number in ENDING}
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signals.end_as_by_ctrl_c()
        signal.raise_signal(signal.SIGHUP)
        signals.end_no_more()
        for number in ENDING:
            signal.raise_signal(number)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@pytest.mark.usefixtures("handlers")
def test_at_any_step_of_a_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals, "TWIN", 0.0)
    table = prepare(COMMENT, tmp_path / "quiet")
    steps = Steps(nothing, nothing)
    with watching(steps):
        assert say(COMMENT.arguments(tmp_path / "quiet")).exit_code == 0
    assert {"link", "fsync", "unlink"} <= set(steps.taken)
    begin = steps.taken.index("fsync") - 12  # from the last looks at the log on
    told = {
        strike(tmp_path / f"{when}-{at}", at, when, steps.taken[at])
        for when in ("before", "after")
        for at in range(begin, len(steps.taken))
    }
    assert told == {"interrupted; version 5 was committed", "interrupted; nothing was written"}
    assert table.exists()


def strike(folder: Path, at: int, when: str, name: str) -> str:
    """Send SIGTERM before or after that step; what the command says of it, which is true."""

    def send(step: int, _: str) -> None:
        if step == at:
            signal.raise_signal(signal.SIGTERM)

    log = prepare(COMMENT, folder) / "_delta_log"
    there = set(os.listdir(log))
    with watching(Steps(send, nothing) if when == "before" else Steps(nothing, send)):
        said = say(COMMENT.arguments(folder))
    left = set(os.listdir(log)) - there
    message: str = said.error["message"]
    assert said.exit_code == 130, (at, when, name)
    assert ("was committed" in message) is (NEW in left), (at, when, name)
    # What is struck at the very call that removes a file may leave it.
    if (when, name) != ("before", "unlink"):
        assert not {file for file in left if file.endswith(".tmp")}, (at, when, name)
    assert say(["show", str(log.parent), "-o", "json"]).exit_code == 0
    return message


def test_a_draught_that_is_gone_says_nothing_about_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cleaner of /tmp takes the file in which the text of a commit with file actions is."""
    taken: list[str] = []

    @contextlib.contextmanager
    def cleaned(plan: Plan, stamp: CommitContext) -> Iterator[CommitBody]:
        with commit_buffer(plan, stamp) as text:
            yield text
            assert text.local_file is not None
            taken.append(text.local_file)
            os.unlink(text.local_file)

    monkeypatch.setattr("deltactl.changes.executor.commit_buffer", cleaned)
    change = CHANGES["widen --fix-stats"]
    prepare(change, tmp_path / "f")
    said = say(change.arguments(tmp_path / "f"))
    assert (said.exit_code, said.committed, len(taken)) == (0, 2, 1)


def test_a_temporary_file_that_cannot_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = Steps(nothing, nothing)

    def refused(path: str) -> None:
        if str(path).endswith(".tmp"):
            raise PermissionError(1, "Operation not permitted", path)
        os.unlink(path)

    monkeypatch.setattr(steps, "unlink", refused, raising=False)
    table = prepare(COMMENT, tmp_path / "f")
    with watching(steps):
        said = say(COMMENT.arguments(tmp_path / "f"))
    assert (said.exit_code, said.committed) == (0, 5)
    assert any(name.endswith(".tmp") for name in os.listdir(table / "_delta_log"))


def deltactl(*words: str, ignored: bool = False) -> "subprocess.Popen[str]":
    """A command that reads stdin, which stays open."""

    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    return subprocess.Popen(
        [sys.executable, "-m", "deltactl", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=ignore if ignored else None,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )


def catches_signals(child: "subprocess.Popen[str]") -> None:
    """Wait until the process has a handler of its own for SIGTERM."""
    until = time.monotonic() + 60
    while True:
        status = Path(f"/proc/{child.pid}/status").read_text()
        [caught] = [line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")]
        if int(caught, 16) >> (signal.SIGTERM - 1) & 1:
            return
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("number", ENDING, ids=lambda number: number.name)
def test_a_process_is_interrupted(number: signal.Signals, tmp_path: Path) -> None:
    table = prepare(COMMENT, tmp_path / "f")
    child = deltactl("column", "apply", str(table), "-")
    catches_signals(child)
    child.send_signal(number)
    child.send_signal(number)
    _, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (130, "error: interrupted [INTERRUPTED]\n")


def test_nohup(tmp_path: Path) -> None:
    table = prepare(COMMENT, tmp_path / "f")
    child = deltactl("column", "apply", str(table), "-", ignored=True)
    catches_signals(child)
    child.send_signal(signal.SIGHUP)
    _, err = child.communicate("comment id 'a number'\n", timeout=60)
    assert child.returncode == 0, err
    assert (table / "_delta_log" / NEW).exists()
