"""Jobs in several threads, which may bring more jobs, and whose end nobody has to wait for."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Generic, NamedTuple, Self, TypeVar

T = TypeVar("T")
MOMENT = 0.5  # seconds between two calls while nothing happens


class _Failure(NamedTuple):
    error: BaseException


class Crew(Generic[T]):
    """Carries out jobs, first come first served, by up to `threads` threads; use it in a `with`.

    Unlike an executor of the standard library it leaves a job behind that is under way when the
    block ends: whoever presses Ctrl-C does not wait for a store that does not answer.
    """

    def __init__(self, threads: int) -> None:
        self.given = 0
        self.done = 0
        self._most = threads
        self._threads = 0
        self._jobs: SimpleQueue[Callable[[], T] | None] = SimpleQueue()
        self._outcomes: SimpleQueue[T | _Failure] = SimpleQueue()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *how: object) -> None:
        with suppress(Empty):  # What was not begun is not begun any more.
            while True:
                self._jobs.get_nowait()
        for _ in range(self._threads):
            self._jobs.put(None)

    def give(self, job: Callable[[], T]) -> None:
        """Have `job` done by and by; its outcome is one of `outcomes`."""
        self.given += 1
        self._jobs.put(job)
        if self._threads < min(self._most, self.given - self.done):
            self._threads += 1
            Thread(target=self._work, name="deltactl-crew", daemon=True).start()

    def outcomes(self, waiting: Callable[[], None] = lambda: None) -> Iterator[T]:
        """Yield what jobs return, as they end, until all are done, later ones included.

        `waiting` is called again and again while none ends.

        Raises:
            BaseException: what a job raised.
        """
        while self.done < self.given:
            try:
                outcome = self._outcomes.get(timeout=MOMENT)
            except Empty:
                waiting()
                continue
            self.done += 1
            if isinstance(outcome, _Failure):
                raise outcome.error
            yield outcome

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                self._outcomes.put(job())
            except BaseException as error:
                self._outcomes.put(_Failure(error))
