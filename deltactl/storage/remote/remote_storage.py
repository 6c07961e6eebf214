"""What stores that are far away share: ranges of large files, and many small ones at a time."""

import contextlib
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from deltactl.errors import StorageError
from deltactl.log.filenames import LOG, LogFile
from deltactl.storage.base import InterruptedWriteError, ReadFile
from deltactl.storage.options.settings import Watch
from deltactl.storage.remote.prefetch import LARGEST, FetchAhead
from deltactl.storage.remote.ranged_file import FIRST, RemoteFile
from deltactl.storage.remote.threads import DaemonPool

GRACE = 2.0
"""Seconds that answers are waited for after Ctrl-C: most come at once, and tell what is true."""

STEP = 0.25
"""Seconds between two calls of who watches a wait."""

T = TypeVar("T")


class RemoteStorage(ABC):
    """A store whose every answer takes a while: how it is read, and how it is waited for."""

    def __init__(self, uri: str, watch: Watch | None = None) -> None:
        self.uri = uri
        self._watch = watch
        self._ahead = FetchAhead(lambda path: self._fetch(path, 0, None), self._result)
        self._sizes: dict[str, int] = {}
        self._calls = DaemonPool(8, "call")
        self._is_in_a_hurry = False

    @abstractmethod
    def head(self, path: str) -> LogFile:
        """Return the file's size and time."""

    @abstractmethod
    def _fetch(self, path: str, start: int, length: int | None) -> bytes:
        """Ask the store for a range, or for what there is of it."""

    def read(self, path: str, start: int = 0, length: int | None = None) -> bytes:
        """Return the file's bytes from `start`, at most `length` of them."""
        whole = self._ahead.get(path)
        if whole is None:
            size = self._sizes.get(path, LARGEST + 1)
            if size > LARGEST or start or (length is not None and length < size):
                return self._fetch(path, start, length)
            # Several questions are about the same commits, manifests and checksums.
            whole = self._ahead.keep(path, self._fetch(path, 0, None))
        return whole[start:] if length is None else whole[start : start + length]

    @contextlib.contextmanager
    def opened(self, folder: str) -> Iterator[ReadFile]:
        """Provide what reads files of `folder`; here nothing is gained by it."""
        yield lambda name, start, length: self.read(f"{folder}/{name}", start, length)

    def expect(self, folder: str, files: Iterable[LogFile]) -> None:
        """Begin to fetch files that will be read whole, many at a time."""
        self._ahead.expect((f"{folder}/{file.name}", file.size) for file in files)

    def source(self, path: str) -> RemoteFile:
        """Return the file, to be read in ranges."""
        size = self._sizes.get(path)
        if size is None:
            size = self.head(path).size
            if path.startswith(f"{LOG}/"):
                self._sizes[path] = size
        # Small ones are asked for once, however often they are opened.
        fetch = self.read if size <= FIRST else self._fetch
        return RemoteFile(lambda start, length: fetch(path, start, length), size)

    def use_short_timeout(self) -> None:
        """Wait no longer than a moment for what is asked from now on: the user pressed Ctrl-C."""
        self._is_in_a_hurry = True

    def _waited(self, ask: Callable[[], T]) -> T:
        """Return what `ask` returns. Its client cannot be told to stop waiting; we can, at Ctrl-C.

        Raises:
            KeyboardInterrupt: the user ended the wait, of which nothing comes.
            StorageError: with the short timeout, no answer came in time.
        """
        if threading.current_thread() is not threading.main_thread():
            return ask()  # no signal comes here
        try:
            answer = self._calls.submit(ask)
            return self._result(answer, GRACE if self._is_in_a_hurry else None)
        except KeyboardInterrupt:
            self.use_short_timeout()
            raise
        except TimeoutError:
            if answer.done():
                return answer.result()
            said = f"{self.uri} did not answer within {GRACE:.0f} seconds after Ctrl-C"
            raise StorageError("STORE_TIMED_OUT", said) from None

    def _written(self, write: Callable[[], T]) -> T:
        """Return as `_waited`, for what creates a file.

        Raises:
            KeyboardInterrupt: the user ended the wait; reading back tells what came of it.
            InterruptedWriteError: the user ended the wait, and the write may land later.
        """
        if threading.current_thread() is not threading.main_thread():
            return write()
        answer = None
        try:
            answer = self._calls.submit(write)
            return self._result(answer)
        except KeyboardInterrupt:
            self.use_short_timeout()
            if answer is not None and _succeeded(answer):
                raise
            raise InterruptedWriteError from None

    def _result(self, answer: "Future[T]", limit: float | None = None) -> T:
        """Return the answer once it has come; whoever watches is told for as long as it has not.

        Raises:
            TimeoutError: it has not come within `limit` seconds.
        """
        if self._watch is None or threading.current_thread() is not threading.main_thread():
            return answer.result(limit)
        until = None if limit is None else time.monotonic() + limit
        try:
            self._watch(self.uri)
            while not wait([answer], STEP).done:
                if until is not None and time.monotonic() > until:
                    raise TimeoutError
                self._watch(self.uri)
        finally:
            self._watch(None)
        return answer.result()

    def _forget(self, path: str) -> None:
        """Know nothing more of a file that is written or removed."""
        self._sizes.pop(path, None)
        self._ahead.forget(path)

    def _note_sizes(self, folder: str, files: Iterable[LogFile]) -> None:
        """Keep the sizes of commits and checkpoints, which never change once they are there."""
        fixed = (file for file in files if file.name[:1].isdigit())
        self._sizes.update((f"{folder}/{file.name}", file.size) for file in fixed)

    def _checked(self, path: str, data: bytes, promised: int) -> bytes:
        """Return the data, unless less came than was promised: a short commit is not a commit.

        Raises:
            StorageError: less came.
        """
        if len(data) < promised:
            raise StorageError(
                "STORAGE_FAILED",
                f"{self._shown(path)}: {len(data)} bytes came where {promised} were announced",
                hint="run it again",
            )
        return data

    def _shown(self, path: str) -> str:
        return path if "://" in path else f"{self.uri.rstrip('/')}/{path}"


def _succeeded(write: Future[Any]) -> bool:
    """Return whether the write was answered, perhaps just after Ctrl-C, without failure."""
    try:
        return write.exception(GRACE) is None
    except (TimeoutError, KeyboardInterrupt):
        return False
