"""Small files of a store that is far away, fetched many at a time before they are asked for."""

from collections.abc import Callable, Iterable
from concurrent.futures import Future

from deltactl.storage.remote.threads import DaemonPool

AT_ONCE = 32
LARGEST = 4 << 20
KEPT = 32 << 20
"""Bytes that are kept for the next question; it is mostly about the same commits."""


class FetchAhead:
    """Files that are expected, in the order in which they will be asked for."""

    def __init__(
        self,
        fetch: Callable[[str], bytes],
        result: Callable[[Future[bytes]], bytes] = Future.result,
    ) -> None:
        self._fetch = fetch
        self._result = result
        self._expected: dict[str, None] = {}
        self._coming: dict[str, Future[bytes]] = {}
        self._kept: dict[str, bytes] = {}
        self._bytes_kept = 0
        self._pool: DaemonPool | None = None

    def expect(self, files: Iterable[tuple[str, int]]) -> None:
        """Expect that these paths, with their sizes, will be read whole, and forget earlier ones.

        One alone is not fetched before it is asked for: nothing would be gained.
        """
        known = self._kept.keys() | self._coming.keys()
        wanted = [path for path, size in files if size <= LARGEST and path not in known]
        self._expected = dict.fromkeys(wanted) if len(wanted) > 1 else {}
        self._send()

    def get(self, path: str) -> bytes | None:
        """Return the whole file, if it was expected.

        Raises what the fetching raised.
        """
        if (kept := self._kept.get(path)) is not None:
            return kept
        if path in self._expected:
            # Whoever asks for it reads in another order than was said.
            self._submit(path)
        if path not in self._coming:
            return None
        data = self._result(self._coming.pop(path))
        self._send()
        if not self._coming and self._pool is not None:
            # A command may open thousands of tables, and leave each with its threads.
            self._pool.shutdown()
            self._pool = None
        return self.keep(path, data)

    def keep(self, path: str, data: bytes) -> bytes:
        """Have the whole file at hand for the next question, if there is room for it."""
        if self._bytes_kept + len(data) <= KEPT:
            self._kept[path] = data
            self._bytes_kept += len(data)
        return data

    def forget(self, path: str) -> None:
        """Ask for the file again when it is wanted again."""
        self._bytes_kept -= len(self._kept.pop(path, b""))

    def _send(self) -> None:
        while self._expected and len(self._coming) < AT_ONCE:
            self._submit(next(iter(self._expected)))

    def _submit(self, path: str) -> None:
        if self._pool is None:
            self._pool = DaemonPool(AT_ONCE, "fetch")
        del self._expected[path]
        self._coming[path] = self._pool.submit(self._fetch, path)
