"""A store in memory, for laws that need many small tables."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pyarrow as pa

from deltactl.log.filenames import LogFile
from deltactl.storage.base import ReadFile


class MemoryStorage:
    """The reading half of a store; `files` are by path."""

    uri = "memory"

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    write_refusal = None
    warnings = ()

    def expect(self, folder: str, files: Iterable[LogFile]) -> None: ...

    def dead_links(self, folder: str) -> dict[str, str]:
        return {}

    def siblings(self, levels: int = 0) -> list[str]:
        return []

    def list_from(self, folder: str, start: str = "") -> list[LogFile]:
        names = [path.removeprefix(f"{folder}/") for path in self.files]
        listed = [name for name in names if "/" not in name and name >= start]
        return [LogFile(name, len(self.files[f"{folder}/{name}"]), 0) for name in sorted(listed)]

    def read(self, path: str, start: int = 0, length: int | None = None) -> bytes:
        end = None if length is None else start + length
        return self._content(path)[start:end]

    @contextmanager
    def opened(self, folder: str) -> Iterator[ReadFile]:
        yield lambda name, start, length: self.read(f"{folder}/{name}", start, length)

    def head(self, path: str) -> LogFile:
        return LogFile(path.rpartition("/")[2], len(self._content(path)), 0)

    def source(self, path: str) -> pa.BufferReader:
        return pa.BufferReader(self._content(path))

    def _content(self, path: str) -> bytes:
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path]
