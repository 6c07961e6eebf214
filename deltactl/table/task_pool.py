"""Jobs in several threads, which may bring more jobs, and can be abandoned."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Generic, Self, TypeVar

from deltactl.storage.remote.threads import DaemonPool

T = TypeVar("T")
MOMENT = 0.5  # seconds between two calls while nothing happens


class TaskPool(Generic[T]):
    """Carries out jobs, first come first served, by up to `threads` threads; use it in a `with`."""

    def __init__(self, threads: int) -> None:
        self.given = 0
        self.done = 0
        self._pool = DaemonPool(threads, "crew")
        self._ended: SimpleQueue[Future[T]] = SimpleQueue()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *how: object) -> None:
        self._pool.shutdown()

    def submit(self, job: Callable[[], T]) -> None:
        """Have `job` done by and by; its outcome is one of `outcomes`."""
        self.given += 1
        self._pool.submit(job).add_done_callback(self._ended.put)

    def outcomes(self, waiting: Callable[[], None] = lambda: None) -> Iterator[T]:
        """Yield what jobs return, as they end, until all are done, later ones included.

        `waiting` is called again and again while none ends.

        Raises:
            BaseException: what a job raised.
        """
        while self.done < self.given:
            try:
                ended = self._ended.get(timeout=MOMENT)
            except Empty:
                waiting()
                continue
            self.done += 1
            yield ended.result()
