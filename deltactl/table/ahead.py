"""Work that is done ahead: an iterator that runs in a thread of its own."""

import queue
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

# Results that wait for who takes them: more take memory and no longer help.
DEPTH = 2
_SOON = 0.1


class _End:
    """Stands behind the last result, with what ended the iterator."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


@contextmanager
def ahead(source: Iterable[T], depth: int = DEPTH) -> Iterator[Iterator[T]]:
    """Iterate over `source` in a thread, at most `depth` results before they are taken.

    What it raises is raised where its results are taken. Nothing runs any more when the block
    ends, however it ends.
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
            # A generator holds files open until it is told that nobody goes on with it.
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
    try:
        yield taken()
    finally:
        stopped.set()
        thread.join()
