"""Files of the log beside its commits: put once, moved aside, and the hint, never set back."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from deltactl.errors import ConflictError, DeltactlError, OutcomeUnknownError, StorageError
from deltactl.log.checkpoint import last_checkpoint
from deltactl.log.checkpoint.last_checkpoint import LastCheckpoint
from deltactl.log.filenames import LAST_CHECKPOINT, LOG, LogFileKind, kind_of
from deltactl.log.segment import arrange
from deltactl.storage.base import Outcome, Storage

HINT = f"{LOG}/{LAST_CHECKPOINT}"
_BLOCK = 8 << 20
_SCRATCH = re.compile(r"\.[0-9]{20}\.checkpoint\..+\.tmp")
# Milliseconds without a write after which a temporary file is abandoned: a day.
ABANDONED = 86_400_000


class Stored(NamedTuple):
    """A file that was put, with its bytes or those of a local file."""

    path: str
    data: bytes
    local_file: str | None


class NotThere(NamedTuple):
    """A file name in the log that a folder has, or a link that leads to nothing."""

    name: str
    target: str | None

    @property
    def code(self) -> str:
        return "FOLDER_FOR_FILE" if self.target is None else "LINK_FOR_FILE"

    def __str__(self) -> str:
        if self.target is None:
            return "a folder"
        return f"a link to {self.target}, where no file is"


def put_new(storage: Storage, path: str, *, data: bytes, local_file: str | None) -> bool:
    """Put a file with these bytes or those of a local file, unless it is there with the same bytes.

    Return whether it was certainly put by this call.

    Raises:
        ConflictError: somebody has, with other content.
        OutcomeUnknownError: the store does not say whether it is there.
        StorageError: the store refused, and it is not there.
    """
    cause: StorageError | None = None
    outcome: Outcome = "unknown"
    try:
        if local_file is None:
            outcome = storage.put_if_absent(path, data)
        else:
            outcome = storage.put_file_if_absent(path, local_file)
    except StorageError as error:
        cause = error
    if outcome == "won":
        return True
    try:
        found = _digest_of_stored(storage, path)
    except FileNotFoundError:
        found = None
    except DeltactlError as error:
        raise _unknown(path, cause or error) from error
    if found == _digest(data, local_file):
        return False
    if found is not None:
        raise ConflictError(
            "LOG_FILE_APPEARED",
            f"{path} is there with other content, of another writer or of an interrupted run",
            hint="run it again when that writer has ended; --repair moves what it left aside",
            details={"path": path},
        )
    if cause is not None:
        raise cause
    raise _unknown(path, None)


def is_put(storage: Storage, path: str, *, data: bytes, local_file: str | None) -> bool:
    """Return whether the file is there, with these bytes or those of a local file.

    Raises:
        StorageError: the store does not say.
    """
    try:
        return _digest_of_stored(storage, path) == _digest(data, local_file)
    except FileNotFoundError:
        return False


def undo_put(storage: Storage, put: Sequence[Stored], whole: Sequence[str]) -> None:
    """Remove the files that were `put`, unless another writer has put the rest of the `whole`.

    Files that cannot be removed, or that are no longer as they were put, stay.
    """
    try:
        if all(_is_there(storage, path) for path in whole):
            return
    except DeltactlError:
        return
    for file in put:
        with suppress(DeltactlError, OSError):
            if is_put(storage, file.path, data=file.data, local_file=file.local_file):
                storage.delete(file.path)


def is_moved(storage: Storage, path: str, target: str) -> bool | None:
    """Return whether the file has its new name, and only that; None while it is under way.

    Raises:
        StorageError: the store does not say.
    """
    had, has = (_is_there(storage, name) for name in (path, target))
    return has if had != has else None


def move_aside(storage: Storage, path: str, target: str) -> None:
    """Give a file of the log another name; one that is gone already is not an error.

    Raises:
        ConflictError: there is a file of the new name.
        StorageError: the store refused.
    """
    try:
        outcome = storage.move(path, target)
    except FileNotFoundError:
        return
    if outcome == "exists":
        raise ConflictError(
            "LOG_FILE_APPEARED",
            f"{path} was not moved aside, for there is a file {target}",
            hint="run it again: the next name is another one",
            details={"path": target},
        )


def advance_hint(storage: Storage, version: int, text: bytes) -> bool:
    """Have `_last_checkpoint` name the version, unless it names a later one that there is.

    Whether it names it now.

    Raises:
        StorageError: the store refused.
    """
    if (held := hinted(storage)) is not None and held.version > version:
        return False
    storage.put(HINT, text)
    return True


def hinted(storage: Storage) -> LastCheckpoint | None:
    """Return what `_last_checkpoint` says, if it is there and to be believed.

    One that names a version above the newest is not: some engines fail on such a table.
    """
    try:
        found = last_checkpoint.read(storage.read(HINT))
    except FileNotFoundError:
        return None
    if not isinstance(found, LastCheckpoint):
        return None
    # Asked of the store, not of an older listing: another writer may have gone on.
    newer = arrange(storage.list_from(LOG, f"{found.version:020d}"), found.version)
    return None if newer.newest is None else found


def names_taken(storage: Storage) -> list[NotThere]:
    """Return the names of the log's files that a folder has, or a link that leads to nothing.

    No reader finds a file of that name, and no writer can put one there. Temporary files may be
    folders.
    """
    none = (LogFileKind.OTHER, LogFileKind.TEMPORARY)
    folders = [NotThere(name, None) for name in storage.folders(LOG)]
    links = [NotThere(name, target) for name, target in storage.dead_links(LOG).items()]
    return sorted(place for place in folders + links if kind_of(place.name)[0] not in none)


def scratch_folder(version: int, name: str) -> str:
    """Return the path of a folder for parts of a checkpoint; readers ignore it."""
    return f"{LOG}/.{version:020d}.checkpoint.{name}.tmp"


def clear_abandoned_scratch(storage: Storage, now: int) -> None:
    """Remove the scratch folders in which nothing was written for a day before `now`.

    Whoever made one took it away at the end, unless killed. One that has no file is left: it may
    have been made this moment.

    Raises:
        StorageError: the store refused.
    """
    for name in storage.folders(LOG):
        if _SCRATCH.fullmatch(name):
            times = list(_times(storage, f"{LOG}/{name}"))
            if times and max(times) < now - ABANDONED:
                storage.clear(f"{LOG}/{name}")


def _times(storage: Storage, folder: str) -> Iterator[int]:
    """Yield when each file in the folder, and in those in it, was written."""
    yield from (file.modified for file in storage.list_from(folder))
    for name in storage.folders(folder):
        yield from _times(storage, f"{folder}/{name}")


def _is_there(storage: Storage, path: str) -> bool:
    try:
        storage.head(path)
    except FileNotFoundError:
        return False
    return True


def _digest(data: bytes, local_file: str | None) -> str:
    import hashlib  # It loads OpenSSL, which most commands do without.

    if local_file is None:
        return hashlib.sha256(data).hexdigest()
    with open(local_file, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest_of_stored(storage: Storage, path: str) -> str:
    import hashlib  # As above.

    digest, position = hashlib.sha256(), 0
    size = storage.head(path).size
    while position < size and (block := storage.read(path, position, _BLOCK)):
        digest.update(block)
        position += len(block)
    return digest.hexdigest()


def _unknown(path: str, cause: BaseException | None) -> OutcomeUnknownError:
    reason = f": {cause}" if cause else ""
    return OutcomeUnknownError(
        "LOG_FILE_UNKNOWN",
        f"it is not known whether {path} was written{reason}",
        hint="run it again: it looks at what is there now",
        details={"path": path},
    )
