import threading
from functools import partial

import pytest

from deltactl.table.task_pool import Crew


def test_jobs_may_bring_more_jobs() -> None:
    def half(number: int) -> int:
        return number // 2

    found = []
    with Crew[int](3) as crew:
        crew.give(partial(half, 40))
        for number in crew.outcomes():
            found.append(number)
            if number:
                crew.give(partial(half, number))
    assert found == [20, 10, 5, 2, 1, 0]
    assert (crew.done, crew.given) == (6, 6)


def test_as_many_at_once_as_there_are_threads() -> None:
    together = threading.Barrier(4)
    with Crew[int](4) as crew:
        for _ in range(8):
            crew.give(partial(together.wait, 5))
        assert sorted(crew.outcomes()) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_failure_is_raised_where_outcomes_are_taken() -> None:
    def fail() -> int:
        raise ValueError("no")

    with Crew[int](2) as crew:
        crew.give(fail)
        with pytest.raises(ValueError, match="no"):
            list(crew.outcomes())


def test_nobody_waits_for_what_is_under_way_when_the_block_ends() -> None:
    release, begun = threading.Event(), []

    def job(number: int) -> int:
        begun.append(number)
        release.wait(5)
        return number

    calls = 0

    def waiting() -> None:
        nonlocal calls
        calls += 1
        raise KeyboardInterrupt

    def interrupted() -> None:
        with Crew[int](1) as crew:
            crew.give(partial(job, 1))
            crew.give(partial(job, 2))
            list(crew.outcomes(waiting))

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (calls, begun) == (1, [1])
    release.set()
    for thread in threading.enumerate():
        if thread.name == "deltactl-crew":
            thread.join(5)
    assert begun == [1]  # What was not begun is not begun any more.
