"""What becomes of files when a plan is carried out: of data files, and of files of the log."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple

Action = tuple[str, Mapping[str, Any]]


class FileActions(NamedTuple):
    """Adds that are committed again with `what`. `stream` yields them all, as often as called."""

    number: int
    sample: tuple[Mapping[str, Any], ...]
    stream: Callable[[], Iterator[Action]]
    what: str = "new fields"


class DataFiles(NamedTuple):
    """How many data files the table has: as of an older version, or not counted (None).

    `old_types` are those of the changed columns by the type in which files hold them, if that
    was asked for.
    """

    number: int | None = None
    as_of: int | None = None
    old_types: tuple[Mapping[str, Any], ...] | None = None

    def to_json(self) -> dict[str, Any]:
        types = None if self.old_types is None else [dict(row) for row in self.old_types]
        return {"count": self.number, "asOf": self.as_of, "physicalTypes": types}


NOT_COUNTED = DataFiles()


class Rewrites(NamedTuple):
    """Data files that must be rewritten before the whole change can be made.

    `stream` yields their paths, as their adds have them, and their sizes, as often as it is called.
    If `batch` is set, Spark rewrites them before anything else, that many in a commit.
    `have` is what the files have until then.
    """

    files: int
    size: int
    sample: tuple[str, ...]
    stream: Callable[[], Iterator[tuple[str, int]]]
    batch: int | None = None
    have: str = "old types"

    @property
    def come_first(self) -> bool:
        return self.batch is not None

    def to_json(self) -> dict[str, Any]:
        return {
            "files": self.files,
            "bytes": self.size,
            "sample": list(self.sample),
            "comeFirst": self.come_first,
        }


class FileAction(StrEnum):
    """What becomes of a file of the log."""

    PUT_IF_ABSENT = "put-if-absent"
    REPLACE = "replace"
    MOVE_ASIDE = "move-aside"


class LogFileChange(NamedTuple):
    """A file that is written, or moved to `target`, below `_delta_log`.

    `size` and `rows` are None if only writing it will tell.
    """

    path: str
    what: str
    how: FileAction
    target: str | None = None
    size: int | None = None
    rows: int | None = None

    def to_json(self) -> dict[str, Any]:
        return {**self._asdict(), "how": self.how.value}


def moved_aside(path: str, what: str, now: int, size: int | None = None) -> LogFileChange:
    """Return the move of a file to a name that no engine reads; `now` is in milliseconds."""
    time = datetime.fromtimestamp(now / 1000, UTC).strftime("%Y%m%dT%H%M%S.%f")[:-3]
    target = f"{path}.quarantined-{time}Z"
    return LogFileChange(path, what, FileAction.MOVE_ASIDE, target=target, size=size)


class PreparedFile(NamedTuple):
    """What is to be in a file: bytes in memory, or those of a file on this machine."""

    path: str
    size: int
    rows: int | None = None
    data: bytes = b""
    local_file: str | None = None
