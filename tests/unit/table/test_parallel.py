"""Work that is done ahead in threads."""

import signal
import threading
import time
from collections.abc import Iterator

import pytest

from deltactl.table.parallel import parallel_map, prefetch


def test_all_results_come_in_their_order() -> None:
    with prefetch(range(100)) as numbers, parallel_map(lambda n: n * n, numbers) as squares:
        assert list(squares) == [n * n for n in range(100)]


def test_what_is_raised_comes_where_results_are_taken() -> None:
    def numbers() -> Iterator[int]:
        yield 1
        raise ValueError("two")

    with prefetch(numbers()) as found, pytest.raises(ValueError, match="two"):
        list(found)
    with parallel_map(lambda n: 1 // n, [1, 0]) as found, pytest.raises(ZeroDivisionError):
        list(found)


def test_nothing_runs_any_more_behind_the_block() -> None:
    closed = threading.Event()

    def numbers() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.set()

    with prefetch(numbers()) as found:
        assert next(found) == 1
    assert closed.is_set()
    assert not [t for t in threading.enumerate() if t.name.startswith("deltactl-ahead")]


def test_no_more_is_done_ahead_than_is_waited_for() -> None:
    made: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            yield number

    with prefetch(numbers(), depth=2) as found:
        assert next(found) == 0
        time.sleep(0.05)
        assert len(made) <= 5


def test_small_results_are_made_to_their_end() -> None:
    ended = threading.Event()

    def numbers() -> Iterator[int]:
        yield from range(100)
        ended.set()

    with prefetch(numbers(), depth=0) as found:
        assert ended.wait(5)
        assert list(found) == list(range(100))


def test_ctrl_c_waits_for_nothing_that_is_under_way() -> None:
    answers = threading.Event()
    main = threading.get_ident()
    ctrl_c = threading.Timer(0.1, signal.pthread_kill, [main, signal.SIGINT])

    def first(numbers: list[int]) -> bool:
        with parallel_map(lambda _: answers.wait(30), numbers, workers=2) as found:
            ctrl_c.start()
            return next(found)

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        first([1, 2, 3, 4])
    assert time.monotonic() - start < 10
    answers.set()


def test_another_end_waits_for_what_is_under_way() -> None:
    done: list[int] = []

    def work(number: int) -> None:
        time.sleep(0.05)
        done.append(number)

    def some() -> None:
        with parallel_map(work, range(9), workers=2) as found:
            next(found)
            raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        some()
    held = [*done]
    time.sleep(0.2)
    assert done == held
