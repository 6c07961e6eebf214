"""What deltactl asks of a store, and what it relies on."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

from deltactl.errors import Notice, RefusedError
from deltactl.log.filenames import LogFile

Outcome = Literal["won", "exists", "unknown"]
# A file's name, where to begin, and how many bytes of it to read at most.
ReadFile = Callable[[str, int, int], bytes]


class InterruptedWriteError(KeyboardInterrupt):
    """Ctrl-C, before the store had answered a write: it may be carried out yet.

    A plain KeyboardInterrupt from what writes leaves open whether it was: reading back tells.
    """


class Storage(Protocol):
    """One table's store. Paths are relative to the table's root, with `/` between segments.

    Raises:
        FileNotFoundError: from any function but the listings: there is no such file, or
            it is a folder.
        StorageError: the store refused or failed.
        InterruptedWriteError: the user ended a call that creates a file, which may still appear.
    """

    uri: str
    # Whether a folder can keep a file from its name: not where it is only how keys begin.
    has_folders: bool

    @property
    def transport(self) -> str:
        """By what it is reached, and where: for people, and without secrets."""
        ...

    @property
    def write_refusal(self) -> RefusedError | None:
        """Why nothing may be committed with these settings, if that is so."""
        ...

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """What to know of other writers before something is committed."""
        ...

    def list_from(self, folder: str, start: str = "") -> list[LogFile]:
        """Return the files of `folder` from the name `start` on, in order of their names.

        Not recursive; a folder that is missing is empty.
        """
        ...

    def folders(self, folder: str) -> list[str]:
        """Return the names of the folders that lie in `folder`, in their order.

        Skip links to an ancestor, so that a walk ends.
        """
        ...

    def dead_links(self, folder: str) -> dict[str, str]:
        """Return the dangling links in `folder` with their targets; listings lack them."""
        ...

    def siblings(self, levels: int = 0) -> list[str]:
        """Return the names of the folders beside the table's, for hints about a wrong place.

        Or of those beside the folder `levels` above; never above the root.
        """
        ...

    def read(self, path: str, start: int = 0, length: int | None = None) -> bytes:
        """Return the file's bytes from `start`, at most `length` of them."""
        ...

    def opened(self, folder: str) -> AbstractContextManager[ReadFile]:
        """Return what reads many files of `folder` with less work for each than `read`."""
        ...

    def expect(self, folder: str, files: Iterable[LogFile]) -> None:
        """Hint that files of `folder` will be read in full; remote stores prefetch them."""
        ...

    def head(self, path: str) -> LogFile:
        """Return the file's size and time."""
        ...

    def source(self, path: str) -> Any:
        """Return what pyarrow can read the file from, without loading it whole."""
        ...

    def put_if_absent(self, path: str, data: bytes) -> Outcome:
        """Create the file whole and durable, or not at all; never replace one."""
        ...

    def put_file_if_absent(self, path: str, local_file: str) -> Outcome:
        """Return as `put_if_absent`, with the bytes of a local file."""
        ...

    def put(self, path: str, data: bytes) -> None:
        """Create or replace the file atomically; for hints and repairs only."""
        ...

    def move(self, path: str, target: str) -> Outcome:
        """Rename the file unless `target` exists."""
        ...

    def clear(self, folder: str) -> None:
        """Remove a folder of temporary files, as far as that can be done."""
        ...

    def use_short_timeout(self) -> None:
        """Wait no longer than a moment for what is asked from now on: the user pressed Ctrl-C."""
        ...

    def delete(self, path: str) -> None:
        """Remove the file; one that is gone already is not an error."""
        ...
