"""Files that are expected come many at a time, in any order, and what failed is told."""

import threading
import time

import pytest

from deltactl.storage.remote.prefetch import FetchAhead


def test_only_what_is_expected_comes() -> None:
    ahead = FetchAhead(lambda path: path.encode())
    assert ahead.get("a") is None
    ahead.expect([("a", 1), ("b", 1), ("large", 5 << 20)])
    assert ahead.get("b") == b"b"
    assert ahead.get("a") == b"a"
    assert ahead.get("large") is None


def test_one_alone_is_not_fetched() -> None:
    ahead = FetchAhead(lambda path: path.encode())
    ahead.expect([("a", 1)])
    assert ahead.get("a") is None


def test_what_came_is_kept_and_asked_for_once() -> None:
    asked: list[str] = []

    def fetch(path: str) -> bytes:
        asked.append(path)
        return b"x"

    ahead = FetchAhead(fetch)
    for _ in range(2):
        ahead.expect([("a", 1), ("b", 1)])
        assert [ahead.get("a"), ahead.get("b"), ahead.get("a")] == [b"x", b"x", b"x"]
    assert sorted(asked) == ["a", "b"]


def test_many_are_under_way_and_not_all() -> None:
    waiting = threading.Semaphore(0)
    running: list[str] = []

    def fetch(path: str) -> bytes:
        running.append(path)
        waiting.acquire()
        return path.encode()

    ahead = FetchAhead(fetch)
    ahead.expect([(str(n), 1) for n in range(100)])
    waiting.release(100)
    assert ahead.get("0") == b"0"
    assert ahead.get("99") == b"99"
    assert len(running) <= 32 + 2


def test_a_failure_is_told_and_may_be_gone_the_next_time() -> None:
    failures = [OSError("once")]

    def fetch(path: str) -> bytes:
        if path == "a" and failures:
            raise failures.pop()
        return b"x"

    ahead = FetchAhead(fetch)
    ahead.expect([("a", 1), ("b", 1)])
    with pytest.raises(OSError, match="once"):
        ahead.get("a")
    assert ahead.get("b") == b"x"
    ahead.expect([("a", 1), ("c", 1)])
    assert ahead.get("a") == b"x"


def test_no_thread_is_left_when_all_came() -> None:
    before = threading.active_count()
    ahead = FetchAhead(lambda path: path.encode())
    for turn in range(3):
        names = [f"{turn}/{number}" for number in range(5)]
        ahead.expect([(name, 1) for name in names])
        for name in names:
            assert ahead.get(name) == name.encode()
    until = time.monotonic() + 30
    while threading.active_count() > before:
        assert time.monotonic() < until
        time.sleep(0.01)
