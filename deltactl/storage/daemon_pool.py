"""Calls in threads for which nobody has to wait once they are not wanted any more."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Semaphore, Thread
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_Calls = SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]


class DaemonPool(Executor):
    """Carries out calls, first come first served, in up to `threads` threads.

    The executors of the standard library wait for what is under way when their block ends, and
    when Python does. This one leaves it behind: whoever presses Ctrl-C does not sit out a store
    that does not answer. Calls come from one thread.
    """

    def __init__(self, threads: int, name: str) -> None:
        self._most = threads
        self._name = f"deltactl-{name}"
        self._threads = 0
        self._idle = Semaphore(0)
        self._calls: _Calls = SimpleQueue()

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Have `function` called by and by, and return what will hold its outcome."""
        future: Future[T] = Future()
        self._calls.put((future, partial(function, *args, **kwargs)))
        if not self._idle.acquire(blocking=False) and self._threads < self._most:
            self._threads += 1
            # They do not know of the pool: it ends, and they with it, when nobody has it any more.
            work = partial(_work, self._calls, self._idle)
            Thread(target=work, name=self._name, daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """Begin nothing more; what is under way is never waited for, whatever is asked."""
        with suppress(Empty):
            while True:
                if (call := self._calls.get_nowait()) is not None:
                    call[0].cancel()
        for _ in range(self._threads):
            self._calls.put(None)

    def __del__(self) -> None:
        self.shutdown()


def _work(calls: _Calls, idle: Semaphore) -> None:
    while (call := calls.get()) is not None:
        _carry_out(*call)
        del call  # or its outcome would stay until the next one comes
        idle.release()


def _carry_out(future: "Future[T]", call: Callable[[], T]) -> None:
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(call())
        except BaseException as error:  # handed on, whatever it is
            future.set_exception(error)
