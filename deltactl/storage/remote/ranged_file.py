"""A file that is far away, for pyarrow: read in ranges that grow while it is read on."""

from collections.abc import Callable
from concurrent.futures import Future
from io import SEEK_CUR, SEEK_END, SEEK_SET, RawIOBase

from deltactl.storage.remote.threads import DaemonPool

# A request takes tens of milliseconds, in which a megabyte comes.
FIRST = 1 << 20
MOST = 4 << 20
WINDOWS = 12

ReadRange = Callable[[int, int], bytes]


class _Window:
    """A range that was fetched, and the one after it, which may be on its way."""

    def __init__(self, start: int, data: bytes) -> None:
        self.start = start
        self.data = data
        self.following: Future[bytes] | None = None

    @property
    def end(self) -> int:
        return self.start + len(self.data)


class RemoteFile(RawIOBase):
    """A file of `size` bytes, of which `fetch` gets ranges.

    Arrow asks for the columns of a row group in small pieces, and in turn: so each place that it
    reads on from has a window of its own, and the next one is fetched while it is being read.
    """

    def __init__(self, fetch: ReadRange, size: int) -> None:
        super().__init__()
        self._fetch = fetch
        self._size = size
        self._place = 0
        self._windows: list[_Window] = []  # That which was read from last is the last one.
        self._pool: DaemonPool | None = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def size(self) -> int:
        """Return the bytes of the whole file."""
        return self._size

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        base = {SEEK_SET: 0, SEEK_CUR: self._place, SEEK_END: self._size}[whence]
        self._place = base + offset
        return self._place

    def read(self, size: int = -1) -> bytes:
        left = self._size - self._place
        length = max(0, left if size < 0 else min(size, left))
        pieces = []
        while length:
            window = self._window(self._place, length)
            begin = self._place - window.start
            piece = window.data[begin : begin + length]
            pieces.append(piece)
            self._place += len(piece)
            length -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def read_range(self, start: int, length: int) -> bytes:
        """Return these bytes, of what came already if they are there."""
        self.seek(start)
        return self.read(length)

    def readall(self) -> bytes:
        return self.read()

    def close(self) -> None:
        self._windows.clear()
        if self._pool is not None:
            self._pool.shutdown()
        super().close()

    def _window(self, place: int, length: int) -> _Window:
        """Return the window that holds `place`, fetched if missing."""
        for window in reversed(self._windows):
            if window.start <= place < window.end:
                break
        else:
            window = self._next_window(place, length)
            if len(self._windows) > WINDOWS:
                del self._windows[0]
        if window is not self._windows[-1]:
            self._windows.remove(window)
            self._windows.append(window)
        return window

    def _next_window(self, place: int, length: int) -> _Window:
        for old in self._windows:
            if old.end == place:
                data = old.following.result() if old.following else self._get(place, FIRST)
                window = _Window(place, data)
                self._windows[self._windows.index(old)] = window
                self._send_for(window)
                return window
        # The footer is read first: what stands before it belongs to it where columns are many.
        begin = max(0, self._size - FIRST) if self._size - place < FIRST else place
        window = _Window(begin, self._get(begin, max(FIRST, min(length, MOST))))
        self._windows.append(window)
        return window

    def _send_for(self, window: _Window) -> None:
        """Fetch what follows a window that is being read on, twice as much of it."""
        if window.end >= self._size:
            return
        if self._pool is None:
            self._pool = DaemonPool(4, "range")
        following = min(MOST, 2 * len(window.data))
        window.following = self._pool.submit(self._get, window.end, following)

    def _get(self, start: int, length: int) -> bytes:
        length = min(length, self._size - start)
        data = self._fetch(start, length)
        if len(data) != length:
            raise OSError(f"{len(data)} bytes came where {length} were asked for")
        return data
