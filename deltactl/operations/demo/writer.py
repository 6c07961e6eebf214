"""Writes the demo table: each file whole, and named by a commit only when it is there."""

import os
import re
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from deltactl.errors import InvalidUsageError, RefusedError, StorageError
from deltactl.log.commit_text import Stamp
from deltactl.log.names import LOG, commit_name
from deltactl.model.file_actions import AddFile
from deltactl.operations.demo.table import (
    COMMITS,
    NAME,
    DemoCommit,
    Origin,
    add_action,
    commit_text,
)
from deltactl.operations.report import TableRef
from deltactl.storage.base import Storage
from deltactl.storage.local import LocalStorage
from deltactl.table.commit import Draught, claim
from deltactl.table.commit_times import now

_URL = re.compile("[A-Za-z][A-Za-z0-9+.-]+:/")


def write_demo_table(folder: str) -> TableRef:
    """Make `folder` and the table in it. Whatever stops this, each commit is whole or not there.

    Raises:
        InvalidUsageError: `folder` is not a local path.
        RefusedError: something is there already; it is left as it is.
        StorageError: permissions, or a full disk.
        OutcomeUnknownError: the disk did not confirm a commit.
    """
    _make(folder)
    storage = LocalStorage(os.path.abspath(folder))
    origin = Origin(table_id=str(uuid4()), created=now())
    for version, commit in enumerate(COMMITS):
        added = _add_data(storage, commit) if commit.rows else None
        text = commit_text(version, commit, origin, Stamp(now(), str(uuid4())), added)
        if not claim(storage, version, Draught(text, len(text))):
            raise _stopped(storage, f"{LOG}/{commit_name(version)}", "another program made it")
    return TableRef(storage.uri, origin.table_id, NAME)


def _make(folder: str) -> None:
    if not folder.strip() or _URL.match(folder):
        raise InvalidUsageError(
            "NOT_A_FOLDER",
            f"{folder!r} is not a folder that can be made",
            hint="the demo makes a table in a new folder of this machine: deltactl demo ./orders",
        )
    try:
        os.makedirs(folder)
    except FileExistsError as error:
        raise RefusedError(
            "FOLDER_EXISTS",
            f"{folder} is there already; nothing was changed",
            hint="name another folder, as in `deltactl demo ./another`; "
            "if it comes from an earlier demo you can also remove it and run the demo again",
        ) from error


def _add_data(storage: Storage, commit: DemoCommit) -> AddFile:
    path = f"part-00000-{uuid4()}-c000.snappy.parquet"
    sink = pa.BufferOutputStream()
    pq.write_table(commit.data(), sink, compression="snappy")
    data = sink.getvalue().to_pybytes()
    _put(storage, path, data)
    return add_action(commit, path, len(data), storage.head(path).modified)


def _put(storage: Storage, path: str, data: bytes) -> None:
    """Create the file.

    Raises:
        StorageError: another program writes in the folder, or the disk does not confirm.
    """
    outcome = storage.put_if_absent(path, data)
    if outcome != "won":
        why = "another program made it" if outcome == "exists" else "the disk did not confirm it"
        raise _stopped(storage, path, why)


def _stopped(storage: Storage, path: str, why: str) -> StorageError:
    return StorageError(
        "DEMO_STOPPED",
        f"{os.path.join(storage.uri, path)}: {why}; the table ends before it",
        hint="name another folder, as in `deltactl demo ./another`",
    )
