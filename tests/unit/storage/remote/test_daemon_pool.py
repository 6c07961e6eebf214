"""Threads that carry out calls, and that nobody waits for."""

import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError

import pytest

from deltactl.storage.remote.threads import DaemonPool


def threads(name: str) -> int:
    return sum(thread.name == f"deltactl-{name}" for thread in threading.enumerate())


def wait_for(number: int, name: str) -> None:
    until = time.monotonic() + 30
    while threads(name) != number:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_calls_come_back_in_their_order() -> None:
    with DaemonPool(4, "order") as pool:
        assert list(pool.map(lambda number: number * 2, range(100))) == list(range(0, 200, 2))


def test_as_many_threads_as_it_takes() -> None:
    pool = DaemonPool(3, "count")
    together = threading.Barrier(3)
    assert sorted(pool.map(lambda _: together.wait(30), range(3))) == [0, 1, 2]
    assert sorted(pool.map(lambda _: together.wait(30), range(3))) == [0, 1, 2]
    assert threads("count") == 3
    assert list(pool.map(int, range(100))) == list(range(100))
    assert threads("count") <= 3


def test_a_call_that_is_stuck_keeps_none_from_the_next() -> None:
    pool, stuck = DaemonPool(2, "stuck"), threading.Event()
    pool.submit(stuck.wait, 60)
    for number in range(200):
        assert pool.submit(int, number).result(30) == number
    stuck.set()


def test_what_a_call_raises() -> None:
    pool = DaemonPool(1, "raise")
    with pytest.raises(ZeroDivisionError):
        pool.submit(lambda: 1 // 0).result(30)
    assert pool.submit(lambda: 1).result(30) == 1


def test_it_is_left_while_a_call_is_under_way() -> None:
    stuck, begun = threading.Event(), threading.Event()

    def call() -> None:
        begun.set()
        stuck.wait(60)

    with DaemonPool(1, "leave") as pool:
        pool.submit(call)
        later = pool.submit(int)
        assert begun.wait(30)
    # Here already, though it is stuck; what had not begun will not.
    assert not stuck.is_set()
    with pytest.raises(CancelledError):
        later.result(30)
    stuck.set()
    wait_for(0, "leave")


def test_threads_end_when_there_is_nothing_to_do() -> None:
    pool = DaemonPool(2, "end")
    assert pool.submit(int).result(30) == 0
    wait_for(0, "end")
    assert pool.submit(int).result(30) == 0


def test_nothing_is_taken_any_more() -> None:
    pool = DaemonPool(2, "shut")
    pool.shutdown()
    with pytest.raises(RuntimeError, match="the pool was shut down"):
        pool.submit(int)


def test_as_many_threads_as_the_system_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    begin, left = threading.Thread.start, [1]

    def start(thread: threading.Thread) -> None:
        if not left:
            raise RuntimeError("can't start new thread")
        left.pop()
        begin(thread)

    monkeypatch.setattr(threading.Thread, "start", start)
    pool = DaemonPool(8, "few")
    assert list(pool.map(int, range(20))) == list(range(20))
    with pytest.raises(RuntimeError, match="can't start new thread"):
        DaemonPool(8, "none").submit(int)


def test_python_ends_while_a_call_is_under_way() -> None:
    code = (
        "import time\n"
        "from deltactl.storage.remote.threads import DaemonPool\n"
        "DaemonPool(1, 'exit').submit(time.sleep, 600)\n"
        "time.sleep(0.2)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
