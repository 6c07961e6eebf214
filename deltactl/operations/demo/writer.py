"""Writes the demo table: each file whole, and named by a commit only when it is there."""

import os
import re
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from deltactl.errors import (
    DeltactlError,
    InterruptedRunError,
    InvalidUsageError,
    RefusedError,
    StorageError,
)
from deltactl.log.commit.commit_text import CommitContext
from deltactl.log.filenames import LOG, commit_name
from deltactl.log.segment import arrange
from deltactl.operations.demo.table import (
    COMMITS,
    NAME,
    DemoCommit,
    Origin,
    add_action,
    commit_text,
)
from deltactl.report import TableRef
from deltactl.spec.actions.file_action import AddFile
from deltactl.storage.base import InterruptedWriteError, Storage
from deltactl.storage.local.local import LocalStorage
from deltactl.storage.locate import locate_folder
from deltactl.storage.options.settings import NO_SETTINGS, StoreSettings
from deltactl.storage.urls import is_remote
from deltactl.table.commit.commit import CommitBody, put_commit
from deltactl.table.commit_times import now

_URL = re.compile("[A-Za-z][A-Za-z0-9+.-]+:/")


def write_demo_table(folder: str, settings: StoreSettings = NO_SETTINGS) -> TableRef:
    """Make the table in `folder`, a path or the URL of a store that `settings` lead to.

    Whatever stops this, each commit is whole or not there.

    Raises:
        InvalidUsageError: `folder` is neither a path nor such a URL.
        RefusedError: something is there already, and is left as it is; or with these settings
            nothing may be committed.
        StorageError: permissions, a full disk, or a store that cannot be reached.
        OutcomeUnknownError: the disk or the store did not confirm a commit.
        InterruptedRunError: the user ended it; the message says what there is by then.
    """
    storage = _empty_place(folder, settings) if is_remote(folder) else _new_folder(folder)
    origin = Origin(table_id=str(uuid4()), created=now())
    try:
        for version, commit in enumerate(COMMITS):
            added = _add_data(storage, commit) if commit.rows else None
            text = commit_text(version, commit, origin, CommitContext(now(), str(uuid4())), added)
            if not put_commit(storage, version, CommitBody(text, len(text))):
                raise _stopped(storage, f"{LOG}/{commit_name(version)}", "another program made it")
    except KeyboardInterrupt as stop:
        raise _interrupted(storage, isinstance(stop, InterruptedWriteError)) from None
    return TableRef(storage.uri, origin.table_id, NAME)


def _empty_place(uri: str, settings: StoreSettings) -> Storage:
    storage = locate_folder(uri, settings)
    if storage.write_refusal is not None:
        raise storage.write_refusal
    if _holds_something(storage):
        raise RefusedError(
            "FOLDER_EXISTS",
            f"{uri} holds something already; nothing was changed",
            hint=f"name another place, as in `deltactl demo {_another(uri)}`; if it comes from an "
            "earlier demo you can also remove what is there and run the demo again",
        )
    return storage


def _holds_something(storage: Storage) -> bool:
    if storage.list_from("") or storage.folders(""):
        return True
    try:
        # Stores that have no folders may keep an empty object in place of one.
        return storage.head("").size > 0
    except FileNotFoundError:
        return False


def _new_folder(folder: str) -> Storage:
    if not folder.strip() or _URL.match(folder):
        # A login, or what follows a question mark, may be secret.
        shown = re.sub("//[^/]*@", "//", folder.partition("?")[0])
        raise InvalidUsageError(
            "NOT_A_FOLDER",
            f"{shown!r} is not a folder that can be made",
            hint="the demo makes a table in a new folder of this machine, or in a store: "
            "deltactl demo ./orders, deltactl demo s3://BUCKET/orders",
        )
    try:
        os.makedirs(folder)
    except FileExistsError as error:
        raise RefusedError(
            "FOLDER_EXISTS",
            f"{folder} is there already; nothing was changed",
            hint=f"name another folder, as in `deltactl demo {_another(folder)}`; "
            "if it comes from an earlier demo you can also remove it and run the demo again",
        ) from error
    return LocalStorage(os.path.abspath(folder))


def _add_data(storage: Storage, commit: DemoCommit) -> AddFile:
    path = f"part-00000-{uuid4()}-c000.snappy.parquet"
    sink = pa.BufferOutputStream()
    pq.write_table(commit.data(), sink, compression="snappy")
    data = sink.getvalue().to_pybytes()
    _put(storage, path, data)
    return add_action(commit, path, len(data), storage.head(path).modified)


def _put(storage: Storage, path: str, data: bytes) -> None:
    """Create the file. What is not sure is settled by reading it back, as for a commit.

    Raises:
        StorageError: another program writes in the folder, or the store does not confirm.
    """
    outcome = storage.put_if_absent(path, data)
    # A store that lost its first answer finds on the second try that our file exists.
    if outcome != "won" and not _is_there(storage, path, data):
        why = "another program made it" if outcome == "exists" else "it was not confirmed"
        raise _stopped(storage, path, why)


def _is_there(storage: Storage, path: str, data: bytes) -> bool:
    try:
        return storage.read(path) == data
    except FileNotFoundError:
        return False


def _stopped(storage: Storage, path: str, why: str) -> StorageError:
    return StorageError(
        "DEMO_STOPPED",
        f"{os.path.join(storage.uri, path)}: {why}; the table ends before it",
        hint=f"name another place, as in `deltactl demo {_another(storage.uri)}`",
    )


def _interrupted(storage: Storage, may_land: bool) -> InterruptedRunError:
    storage.use_short_timeout()
    try:
        newest = arrange(storage.list_from(LOG)).newest
        said = "it has no version yet" if newest is None else f"it is at version {newest}"
    except (DeltactlError, KeyboardInterrupt):
        said = "what there is of it is not known"
    more = ", and one file more may appear" if may_land else ""
    return InterruptedRunError(
        "INTERRUPTED",
        f"interrupted while the table was made in {storage.uri}: {said}{more}",
        hint="it can be opened as it is, or removed",
    )


def _another(place: str) -> str:
    """Return a place that is like this one, for a hint."""
    return "/".join([*place.split("/")[:3], "another"]) if is_remote(place) else "./another"
