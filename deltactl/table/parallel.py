"""Work that is done ahead, in threads: an iterator by itself, and a function on each of it."""

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import TypeVar

from deltactl.storage.remote.threads import DaemonPool

T = TypeVar("T")
R = TypeVar("R")

# Results that wait for who takes them: more take memory and no longer help.
DEPTH = 2
# Threads that work on results at the same time: Arrow's functions let each other run.
WORKERS = 2
_SOON = 0.1


class _End:
    """Stands behind the last result, with what ended the iterator."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


@contextmanager
def prefetch(source: Iterable[T], depth: int = DEPTH) -> Iterator[Iterator[T]]:
    """Iterate over `source` in a thread, at most `depth` results before they are taken.

    With a `depth` of 0 it is iterated to its end, whether they are taken or not. What it raises
    is raised where its results are taken. Nothing runs any more when the block ends, unless Ctrl-C
    ended it: then it does not wait for a store that does not answer.
    """
    results: queue.Queue[T | _End] = queue.Queue(depth)
    stopped = threading.Event()

    def put(result: T | _End) -> bool:
        while not stopped.is_set():
            try:
                results.put(result, timeout=_SOON)
                return True
            except queue.Full:
                continue
        return False

    def run() -> None:
        iterator = iter(source)
        try:
            for result in iterator:
                if not put(result):
                    return
            put(_End(None))
        except BaseException as error:  # handed on, whatever it is
            put(_End(error))
        finally:
            # A generator holds files open until it is told that nobody continues with it.
            close = getattr(iterator, "close", None)
            if close is not None:
                close()

    def taken() -> Iterator[T]:
        while True:
            result = results.get()
            if isinstance(result, _End):
                if result.error is not None:
                    raise result.error
                return
            yield result

    thread = threading.Thread(target=run, name="deltactl-ahead", daemon=True)
    thread.start()
    is_awaited = True
    try:
        yield taken()
    except KeyboardInterrupt:
        is_awaited = False
        raise
    finally:
        stopped.set()
        if is_awaited:
            thread.join()


@contextmanager
def parallel_map(
    function: Callable[[T], R], source: Iterable[T], workers: int = WORKERS
) -> Iterator[Iterator[R]]:
    """Apply `function` to each of `source` in threads; the results come in the source's order.

    Nothing runs any more when the block ends, unless Ctrl-C ended it.
    """
    waiting: deque[Future[R]] = deque()
    pool = DaemonPool(workers, "mapped")

    def results() -> Iterator[R]:
        for item in source:
            waiting.append(pool.submit(function, item))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    is_awaited = True
    try:
        yield results()
    except KeyboardInterrupt:
        is_awaited = False
        raise
    finally:
        begun = [future for future in waiting if not future.cancel()]
        pool.shutdown()
        if is_awaited:
            wait(begun)
