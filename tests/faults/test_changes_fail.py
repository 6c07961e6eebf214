"""Every command that writes, on a store that fails: what it says is what is true of the table."""

import errno
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from changes import CHANGES, Change, prepare
from in_process import Said, say
from steps import WRITING, Steps, watching
from whole_log import assert_whole, commit_name, files_of, litter, versions

from deltactl.changes import executor
from deltactl.errors import StorageError
from deltactl.storage.base import Outcome
from deltactl.storage.local.local import LocalStorage
from deltactl.storage.options.settings import StoreSettings
from deltactl.table import table as table_module

pytestmark = pytest.mark.faults

CALLS = {
    "list_from", "folders", "read", "head", "source", "put_if_absent", "put_file_if_absent",
    "put", "move", "delete",
}  # fmt: skip
PUTS = {"put_if_absent", "put_file_if_absent"}
LOST = StorageError("STORAGE_FAILED", "no answer")


class Trial:
    """One change, tried again and again on the same table while that stays as it was."""

    def __init__(self, change: Change, root: Path) -> None:
        self.change = change
        self.root = root
        self.number = 0
        whole = prepare(change, root / "whole")
        self.before = files_of(whole)
        self.newest = versions(self.before)[-1] + 1
        assert say(change.arguments(root / "whole")).committed == self.newest
        self.whole = files_of(whole)
        self.lay_out()

    def lay_out(self) -> None:
        self.number += 1
        self.folder = self.root / str(self.number)
        self.table = prepare(self.change, self.folder)

    def run(self, fault: AbstractContextManager[Any]) -> tuple[Said, bool]:
        """What the command says, once it is found to be true; and whether the commit is there."""
        with fault:
            said = say(self.change.arguments(self.folder))
        after = files_of(self.table)
        landed = assert_whole(self.before, after, self.whole) == self.newest
        message = said.error.get("message", "")
        match said.exit_code:
            case 0:
                assert (said.committed, landed) == (self.newest, True)
            case 7:
                assert said.error["details"]["version"] == self.newest
                assert f"version {self.newest} was written" in message
            case 8:
                assert not landed
            case 130:
                true = f"version {self.newest} was committed" if landed else "nothing was written"
                assert message == f"interrupted; {true}"
            case _:
                pytest.fail(f"{said}")
        if landed or litter(after):
            self.lay_out()
        return said, landed


@pytest.fixture(params=CHANGES)
def trial(request: pytest.FixtureRequest, tmp_path: Path) -> Trial:
    return Trial(CHANGES[request.param], tmp_path)


def steps_of(trial: Trial) -> list[str]:
    steps = Steps(nothing, nothing)
    trial.run(watching(steps))
    return steps.taken


def first_write(steps: list[str]) -> int:
    """What comes before only reads, which the calls of the store stand for."""
    return next(step for step, name in enumerate(steps) if name in WRITING)


def nothing(step: int, name: str) -> None:
    pass


def at(failing: int, do: Callable[[str], None]) -> Callable[[int, str], None]:
    return lambda step, name: do(name) if step == failing else None


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EACCES], ids=errno.errorcode.get)
def test_an_error_of_the_system_at_any_step(trial: Trial, number: int) -> None:
    def fail(name: str) -> None:
        raise OSError(number, os.strerror(number), name)

    names = steps_of(trial)
    claim = names.index("link")
    assert first_write(names) <= claim
    code = {errno.ENOSPC: "DISK_FULL", errno.EACCES: "PERMISSION_DENIED"}.get(number)
    for step in range(first_write(names), len(names)):
        said, landed = trial.run(watching(Steps(at(step, fail), nothing)))
        assert landed == (step > claim)
        if not landed:
            assert (said.exit_code, said.error["code"]) == (8, code or "STORAGE_FAILED")
            assert str(trial.table) in said.error["message"]


@pytest.mark.parametrize("when", ["before", "after"])
def test_ctrl_c_at_any_step(trial: Trial, when: str) -> None:
    def interrupt(name: str) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    names = steps_of(trial)
    claim = names.index("link")
    assert first_write(names) <= claim
    for step in range(0 if when == "before" else first_write(names), len(names)):
        hooks = (at(step, interrupt), nothing)
        steps = Steps(*(hooks if when == "before" else reversed(hooks)))
        said, landed = trial.run(watching(steps))
        assert said.exit_code == 130
        assert landed == (step > claim or (step == claim and when == "after"))


class Faulty(LocalStorage):
    """A store whose calls are counted, and handled by `cue` at will."""

    def __init__(self, uri: str, cue: "Cue") -> None:
        super().__init__(uri)
        self.taken: list[str] = []
        self.cue = cue

    def __getattribute__(self, name: str) -> Any:
        real = super().__getattribute__(name)
        if name not in CALLS:
            return real

        def call(*args: Any) -> Any:
            self.taken.append(name)
            return self.cue(len(self.taken) - 1, name, lambda: real(*args))

        return call


Cue = Callable[[int, str, Callable[[], Any]], Any]


@contextmanager
def storing(cue: Cue, opened: list[Faulty] | None = None) -> Iterator[None]:
    """Have tables opened in stores with the cue; `opened` gets them."""

    def locate(uri: str, settings: StoreSettings) -> Faulty:
        store = Faulty(uri, cue)
        if opened is not None:
            opened.append(store)
        return store

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_module, "locate", locate)
        yield


def calls_of(trial: Trial) -> list[str]:
    opened: list[Faulty] = []
    trial.run(storing(lambda number, name, call: call(), opened))
    (store,) = opened
    return store.taken


def failing(cue_at: int, *, lands: bool, for_good: bool = False) -> Cue:
    def cue(number: int, name: str, call: Callable[[], Any]) -> Any:
        if number != cue_at and not (for_good and number > cue_at):
            return call()
        if lands and number == cue_at:
            call()
        raise LOST

    return cue


@pytest.mark.parametrize("for_good", [False, True], ids=["once", "for good"])
@pytest.mark.parametrize("lands", [False, True], ids=["before", "after"])
def test_a_store_that_fails_at_any_call(trial: Trial, lands: bool, for_good: bool) -> None:
    names = calls_of(trial)
    put = next(number for number, name in enumerate(names) if name in PUTS)
    assert put > 0
    for number in range(len(names)):
        said, landed = trial.run(storing(failing(number, lands=lands, for_good=for_good)))
        if number < put:
            # Some of what is read is only told along with the plan, and done without: after the
            # last of it, a store that is gone for good gives no answer to the commit.
            assert said.exit_code in ({0} if landed else {7, 8} if for_good else {8})
            continue
        assert landed == (number > put or lands)
        if number == put:
            # The answer is lost: the log itself says how it went, if it can be asked.
            assert said.exit_code == (7 if for_good else 0 if lands else 8)
        elif number == put + 1:
            assert said.exit_code == 7
        else:
            assert said.exit_code == 0, "the commit is made, whatever becomes of its checksum"


@pytest.mark.parametrize("outcome", ["unknown", "exists"])
def test_a_store_that_says_something_else(trial: Trial, outcome: Outcome) -> None:
    """As a store does whose own second attempt meets its first."""

    def cue(number: int, name: str, call: Callable[[], Any]) -> Any:
        answer = call()
        return outcome if name in PUTS else answer

    said, landed = trial.run(storing(cue))
    assert (said.exit_code, landed) == (0, True)


@pytest.mark.parametrize(("late", "version", "exit_code"), [(3, 5, 0), (1000, None, 6)])
def test_a_listing_that_comes_late(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    late: int,
    version: int | None,
    exit_code: int,
) -> None:
    """The newest commit is not listed yet: it is neither replaced nor passed over."""
    listed: list[str] = []

    def cue(number: int, name: str, call: Callable[[], Any]) -> Any:
        answer = call()
        if name != "list_from":
            return answer
        listed.append(name)
        hidden = commit_name(4) if len(listed) <= late else ""
        return [file for file in answer if file.name != hidden]

    monkeypatch.setattr(executor.time, "sleep", lambda seconds: None)
    change = CHANGES["table set-name"]
    table = prepare(change, tmp_path / "one")
    before = files_of(table)
    with storing(cue):
        said = say(change.arguments(tmp_path / "one"))
    assert (said.exit_code, said.committed) == (exit_code, version)
    after = files_of(table)
    assert {name: after[name] for name in before} == before
    assert versions(after)[-1] == (version or 4)
    if exit_code:
        assert said.error["code"] == "TOO_MANY_WRITERS"
        assert after == before
