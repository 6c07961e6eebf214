"""Claiming a version: one file, put if absent, and read back before anyone is told."""

from functools import partial
from typing import Any, NamedTuple

from deltactl.errors import BrokenLogError, DeltactlError, OutcomeUnknownError, StorageError
from deltactl.log.commit import commit_lines
from deltactl.log.filenames import LOG, commit_name
from deltactl.storage.base import InterruptedWriteError, Outcome, Storage
from deltactl.storage.request_log import logged
from deltactl.table.commit.log_files import names_taken
from deltactl.table.commit_times import rfc3339
from deltactl.text.hints import Command

# A commit's first line holds our transaction id; this much of it tells ours from any other.
HEAD = 1 << 20


class CommitBody(NamedTuple):
    """The text of a commit: held in memory, or for a long one in a local file."""

    head: bytes
    size: int
    local_file: str | None = None


def put_commit(storage: Storage, version: int, text: CommitBody) -> bool:
    """Write `text` as exactly `version`; whether it is ours, as the store itself says afterwards.

    Any answer of the store, and none, is settled by reading the version back.

    Raises:
        OutcomeUnknownError: the store answered neither the write nor the read-back.
        InterruptedWriteError: the user ended it, and the write may land later.
        StorageError: the store refused, and the version is not there.
        BrokenLogError: something else has the name of the version's commit.
    """
    outcome: Outcome | None = None
    try:
        outcome = _put(storage, version, text)
        landed = is_ours(storage, version, text)
    except StorageError as error:
        landed = is_ours(storage, version, text, error)
        if landed is None:
            raise
        return landed
    except KeyboardInterrupt:
        if outcome == "unknown":
            raise InterruptedWriteError from None
        raise
    if landed is None and outcome == "unknown":
        # Not there yet: a write that is under way can still land.
        raise _unknown(version, None)
    if landed is None and outcome == "won":
        raise OutcomeUnknownError(
            "COMMIT_VANISHED",
            f"version {version} was written, and is gone now that it is read back",
            hint=Command("history") + " shows which versions are there",
            details={"version": version},
        )
    if landed is None:
        check_place(storage, version)
    # What existed and is gone now was not ours.
    return landed is True


def check_free(storage: Storage, version: int) -> None:
    """Do as `check_place` before anything is written, unless the store has no folders.

    Nothing can stand there then, and to look would be to list the whole log.
    """
    if storage.has_folders:
        check_place(storage, version)


def check_place(storage: Storage, version: int) -> None:
    """Raise BrokenLogError if a folder, or a dead link, has the name of the version's commit."""
    if (error := in_place_of(storage, version, "; nothing was written")) is not None:
        raise error


def in_place_of(storage: Storage, version: int, also: str = "") -> BrokenLogError | None:
    """Return what to say of a folder, or a dead link, that has the name of the version's commit."""
    name = commit_name(version)
    for place in names_taken(storage):
        if place.name == name:
            is_folder = place.target is None
            look = "see what it holds, and move" if is_folder else "restore its target, or move"
            return BrokenLogError(
                "FOLDER_FOR_COMMIT" if is_folder else "LINK_FOR_COMMIT",
                f"{LOG}/{name} is {place}, where the commit of version {version} belongs{also}",
                hint=f"{look} {LOG}/{name} out of the log",
                details={"file": name},
            )
    return None


def _put(storage: Storage, version: int, text: CommitBody) -> Outcome:
    path = f"{LOG}/{commit_name(version)}"
    if text.local_file is None:
        put = partial(storage.put_if_absent, path, text.head)
    else:
        put = partial(storage.put_file_if_absent, path, text.local_file)
    return logged("commit", path, put)


def is_ours(
    storage: Storage, version: int, text: CommitBody, cause: BaseException | None = None
) -> bool | None:
    """Return whether the version is ours or another's; None if it is not there.

    Raises:
        OutcomeUnknownError: it cannot be read.
    """
    path = f"{LOG}/{commit_name(version)}"
    try:
        found = storage.read(path, 0, HEAD)
        size = len(found) if len(found) < HEAD else storage.head(path).size
    except FileNotFoundError:
        return None
    except BrokenLogError:
        raise  # A pipe, a socket or a device is there: it is not ours.
    except DeltactlError as error:
        raise _unknown(version, cause or error) from error
    return found == text.head[:HEAD] and size == text.size


def _unknown(version: int, cause: BaseException | None) -> OutcomeUnknownError:
    reason = f": {cause}" if cause else ""
    return OutcomeUnknownError(
        "OUTCOME_UNKNOWN",
        f"it is not known whether version {version} was written{reason}",
        hint="look for it with: " + Command("log cat", str(version)),
        details={"version": version},
    )


class ConcurrentCommit(NamedTuple):
    """The commit of another writer, as far as it says who made it."""

    version: int
    operation: str | None
    engine: str | None
    time: int | None

    def __str__(self) -> str:
        by = f" by {self.engine}" if self.engine else ""
        at = f" at {rfc3339(self.time)}" if self.time is not None else ""
        return f"version {self.version}, {self.operation or 'a commit without a name'}{by}{at}"

    def to_json(self) -> dict[str, Any]:
        time = None if self.time is None else rfc3339(self.time)
        return {**self._asdict(), "time": time}


def winner(storage: Storage, version: int) -> ConcurrentCommit:
    """Return who holds the version that was to be ours."""
    name = commit_name(version)
    try:
        block = storage.read(f"{LOG}/{name}", 0, HEAD)
        found = commit_lines.search(block[: block.find(b"\n") + 1] or block, "commitInfo", name)
    except (DeltactlError, FileNotFoundError):
        found = []  # Who it was is only told for convenience; that it was another is settled.
    info = found[0].body if found else {}

    def text(key: str) -> str | None:
        value = info.get(key)
        return value if isinstance(value, str) else None

    time = info.get("timestamp")
    return ConcurrentCommit(
        version, text("operation"), text("engineInfo"), time if type(time) is int else None
    )
