"""The text of a planned commit, ready to be put: in memory, or in a file if it may be long."""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from typing import TYPE_CHECKING

from deltactl.changes.plan import CommitPlan
from deltactl.errors import BrokenLogError, StorageError
from deltactl.log.commit.commit_text import CommitContext, commit_info, line
from deltactl.table.commit.commit import HEAD, CommitBody

if TYPE_CHECKING:
    import tempfile


@contextmanager
def commit_buffer(plan: CommitPlan, stamp: CommitContext) -> Iterator[CommitBody]:
    """Provide the body of the commit; file actions, perhaps millions, go through a file.

    Raises:
        BrokenLogError: the log has a file that cannot be committed again.
    """
    info = commit_info(plan.operation, plan.parameters, plan.read_version, stamp)
    head = line("commitInfo", info)
    if plan.file_actions is None:
        text = head + b"".join(line(kind, body) for kind, body in plan.actions())
        yield CommitBody(text, len(text))
        return
    file = _spooled(chain((head,), _lines(plan)))
    try:
        yield CommitBody(file.read(HEAD), os.path.getsize(file.name), file.name)
    finally:
        # One that cannot be removed, or is gone, says nothing about the commit.
        with suppress(OSError):
            file.close()


def _lines(plan: CommitPlan) -> Iterator[bytes]:
    """Yield the lines of the actions; files come from the log as they are there.

    Raises:
        BrokenLogError: a file has a field that no engine could decode.
    """
    for kind, body in plan.actions():
        try:
            yield line(kind, body)
        except ValueError as error:
            if kind != "add":
                raise
            raise BrokenLogError(
                "ACTION_MALFORMED",
                f"{error}, for {body['path']}, and cannot be committed again; nothing was written",
            ) from error


def _spooled(pieces: Iterable[bytes]) -> "tempfile._TemporaryFileWrapper[bytes]":
    """Return a temporary file with the pieces, about to be read; it goes when it is closed."""
    # It loads more than all else that most commits need.
    import tempfile

    try:
        file = tempfile.NamedTemporaryFile(prefix="deltactl-")  # noqa: SIM115 - the caller's to close
        try:
            file.writelines(pieces)
            file.flush()
            file.seek(0)
        except BaseException:
            file.close()
            raise
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        place = tempfile.tempdir or "the folder for temporary files"
        raise StorageError(
            "DISK_FULL" if full else "STORAGE_FAILED",
            f"{place}: {error.strerror or error}; nothing was written to the table",
            hint="with TMPDIR set to a folder with room, run it again",
        ) from error
    return file
