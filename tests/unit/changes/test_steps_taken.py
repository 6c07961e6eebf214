"""What a run says of its writes, wherever Ctrl-C strikes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from deltactl.changes.steps_taken import Landed, StepsTaken
from deltactl.errors import StorageError
from deltactl.storage.base import InterruptedWriteError
from deltactl.storage.local.local import LocalStorage


@pytest.fixture
def steps(tmp_path: Path) -> StepsTaken:
    return StepsTaken(LocalStorage(str(tmp_path)))


def unasked() -> Landed:
    raise AssertionError("nothing is in doubt")


def test_writes_are_noted_in_their_order(steps: StepsTaken) -> None:
    for name in ("b", "a"):
        with steps.taking(name, unasked):
            pass
    with steps.taking("lost", unasked) as step:
        step.is_made = False
    steps.settle()
    with pytest.raises(StorageError), steps.taking("failed", unasked):
        raise StorageError("STORAGE_FAILED", "no")
    steps.settle()
    assert (steps.written, steps.in_doubt) == (["b", "a"], None)


def ctrl_c() -> Landed:
    raise KeyboardInterrupt


def silence() -> Landed:
    raise StorageError("STORAGE_FAILED", "no answer")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, InterruptedWriteError])
@pytest.mark.parametrize(
    ("ask", "made", "doubted_if_sent"),
    [
        (lambda: Landed.YES, ["b"], None),
        (lambda: Landed.NEVER, [], None),
        (lambda: Landed.NOT_YET, [], "b"),
    ],
    ids=["yes", "never", "not-yet"],
)
def test_the_store_says_what_was_written(
    steps: StepsTaken,
    ask: Callable[[], Landed],
    made: list[str],
    doubted_if_sent: str | None,
    stop: type[KeyboardInterrupt],
) -> None:
    """A write that was sent, and had no answer, may still be carried out."""
    with pytest.raises(KeyboardInterrupt), steps.taking("b", ask):
        raise stop
    doubted = doubted_if_sent if stop is InterruptedWriteError else None
    assert (steps.written, steps.in_doubt) == (made, doubted)


@pytest.mark.parametrize("ask", [lambda: Landed.UNKNOWN, silence, ctrl_c])
def test_without_an_answer_it_is_in_doubt(steps: StepsTaken, ask: Callable[[], Landed]) -> None:
    with pytest.raises(KeyboardInterrupt), steps.taking("b", ask):
        raise KeyboardInterrupt
    assert (steps.written, steps.in_doubt) == ([], "b")


def test_a_write_that_ended_and_was_not_yet_noted_is_asked_for(steps: StepsTaken) -> None:
    """Ctrl-C may strike after the store answered, and before that is noted."""
    steps.taking("b", lambda: Landed.YES).__enter__()
    steps.settle()
    steps.settle()
    assert (steps.written, steps.in_doubt) == (["b"], None)


def test_a_write_that_was_noted_is_not_asked_for(steps: StepsTaken) -> None:
    """Ctrl-C may also strike right after that."""
    steps.taking("b", unasked).__enter__()
    steps.written.append("b")
    steps.settle()
    assert (steps.written, steps.in_doubt) == (["b"], None)


def test_a_store_is_not_waited_for_long_after_ctrl_c(tmp_path: Path) -> None:
    asked: list[str] = []

    class Store(LocalStorage):
        def use_short_timeout(self) -> None:
            asked.append("short")

    def ask() -> Landed:
        asked.append("landed?")
        return Landed.YES

    steps = StepsTaken(Store(str(tmp_path)))
    steps.settle()
    with pytest.raises(KeyboardInterrupt), steps.taking("b", ask):
        raise KeyboardInterrupt
    assert asked == ["short", "landed?"]
