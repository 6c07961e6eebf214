"""Call functions in threads that can be abandoned."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from threading import Condition, Thread
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
IDLE = 1.0
"""Seconds after which a thread without a call ends: a command may open thousands of tables."""


class DaemonPool(Executor):
    """Carries out calls, first come first served, in up to `threads` threads.

    The executors of the standard library wait for what is under way when their block ends, and
    when Python does. This one leaves it behind: whoever presses Ctrl-C does not sit out a store
    that does not answer.
    """

    def __init__(self, threads: int, name: str) -> None:
        self._most = threads
        self._name = f"deltactl-{name}"
        self._calls: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        # What follows changes, like the calls, only by whoever holds this.
        self._changed = Condition()
        self._threads = 0
        self._waiting = 0
        self._is_shut = False

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Schedule `function` and return its future.

        Raises:
            RuntimeError: the pool was shut down, or the system gives no more threads.
        """
        future: Future[T] = Future()
        with self._changed:
            if self._is_shut:
                raise RuntimeError("the pool was shut down")
            if len(self._calls) >= self._waiting and self._threads < self._most:
                self._begin_thread()
            self._calls.append((future, partial(function, *args, **kwargs)))
            self._changed.notify()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """Begin nothing more; what is under way is never waited for, whatever is asked."""
        with self._changed:
            self._is_shut = True
            left = [*self._calls]
            self._calls.clear()
            self._changed.notify_all()
        for future, _ in left:
            future.cancel()

    def _begin_thread(self) -> None:
        try:
            Thread(target=self._work, name=self._name, daemon=True).start()
        except RuntimeError:
            if not self._threads:
                raise
            return  # Those that there are do it, too.
        self._threads += 1

    def _work(self) -> None:
        while (call := self._next()) is not None:
            _run_call(*call)
            del call  # or its outcome would stay until the next one comes

    def _next(self) -> tuple[Future[Any], Callable[[], Any]] | None:
        with self._changed:
            while not self._calls:
                self._waiting += 1
                is_in_time = not self._is_shut and self._changed.wait(IDLE)
                self._waiting -= 1
                if not is_in_time and not self._calls:
                    self._threads -= 1
                    return None
            return self._calls.popleft()


def _run_call(future: "Future[T]", call: Callable[[], T]) -> None:
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(call())
        except BaseException as error:  # handed on, whatever it is
            future.set_exception(error)
