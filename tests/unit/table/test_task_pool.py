import threading
from functools import partial

import pytest

from deltactl.table.task_pool import TaskPool


def test_jobs_may_bring_more_jobs() -> None:
    def half(number: int) -> int:
        return number // 2

    found = []
    with TaskPool[int](3) as pool:
        pool.submit(partial(half, 40))
        for number in pool.outcomes():
            found.append(number)
            if number:
                pool.submit(partial(half, number))
    assert found == [20, 10, 5, 2, 1, 0]
    assert (pool.done, pool.given) == (6, 6)


def test_as_many_at_once_as_there_are_threads() -> None:
    together = threading.Barrier(4)
    with TaskPool[int](4) as pool:
        for _ in range(8):
            pool.submit(partial(together.wait, 5))
        assert sorted(pool.outcomes()) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_failure_is_raised_where_outcomes_are_taken() -> None:
    def fail() -> int:
        raise ValueError("no")

    with TaskPool[int](2) as pool:
        pool.submit(fail)
        with pytest.raises(ValueError, match="no"):
            list(pool.outcomes())


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
        with TaskPool[int](1) as pool:
            pool.submit(partial(job, 1))
            pool.submit(partial(job, 2))
            list(pool.outcomes(waiting))

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (calls, begun) == (1, [1])
    release.set()
    for thread in threading.enumerate():
        if thread.name == "deltactl-crew":
            thread.join(5)
    assert begun == [1]  # What was not begun is not begun any more.
