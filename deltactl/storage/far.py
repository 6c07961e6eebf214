"""What stores that are far away share: ranges of large files, and many small ones at a time."""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from deltactl.errors import StorageError
from deltactl.log.names import LogFile
from deltactl.storage.base import ReadFile
from deltactl.storage.fetch_ahead import FetchAhead
from deltactl.storage.remote_file import RemoteFile


class FarStorage(ABC):
    """The reading half of a store whose every answer takes a while."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self._ahead = FetchAhead(lambda path: self._fetch(path, 0, None))
        self._sizes: dict[str, int] = {}

    @abstractmethod
    def head(self, path: str) -> LogFile:
        """The file's size and time."""

    @abstractmethod
    def _fetch(self, path: str, start: int, length: int | None) -> bytes:
        """Ask the store for a range, or for what there is of it."""

    def read(self, path: str, start: int = 0, length: int | None = None) -> bytes:
        """The file's bytes from `start`, at most `length` of them."""
        if (whole := self._ahead.take(path)) is not None:
            return whole[start:] if length is None else whole[start : start + length]
        return self._fetch(path, start, length)

    @contextlib.contextmanager
    def opened(self, folder: str) -> Iterator[ReadFile]:
        """What reads files of `folder`; here nothing is gained by it."""
        yield lambda name, start, length: self.read(f"{folder}/{name}", start, length)

    def expect(self, folder: str, files: Iterable[LogFile]) -> None:
        """Begin to fetch files that will be read whole, many at a time."""
        self._ahead.expect((f"{folder}/{file.name}", file.size) for file in files)

    def source(self, path: str) -> RemoteFile:
        """The file, to be read in ranges."""
        size = self._sizes.get(path)
        if size is None:
            size = self.head(path).size
        return RemoteFile(lambda start, length: self._fetch(path, start, length), size)

    def _note_sizes(self, folder: str, files: Iterable[LogFile]) -> None:
        """Keep the sizes of commits and checkpoints, which never change once they are there."""
        fixed = (file for file in files if file.name[:1].isdigit())
        self._sizes.update((f"{folder}/{file.name}", file.size) for file in fixed)

    def _checked(self, path: str, data: bytes, promised: int) -> bytes:
        """The data, unless less came than was promised: a short commit is no commit.

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
