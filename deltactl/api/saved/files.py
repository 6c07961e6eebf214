"""The file that keeps a plan: written whole, and never over anything but a plan."""

import os
from collections.abc import Mapping, Sequence

from deltactl.changes.change_report import ChangeReport
from deltactl.changes.saved_plan import Call, SavedPlan, is_plan, parse, to_text
from deltactl.errors import InvalidUsageError, RefusedError, StorageError
from deltactl.storage.local.local import LocalStorage
from deltactl.storage.local.regular_file import open_named
from deltactl.storage.urls import trimmed
from deltactl.text.quoting import quoted


def holds_plan(file: str) -> bool:
    """Return if a plan may be written to `file`: whether it would replace another one.

    Raises:
        InvalidUsageError: there is no such folder.
        RefusedError: something else is there; it is left as it is.
        StorageError: it cannot be looked at.
    """
    folder = os.path.dirname(file) or "."
    if not os.path.isdir(folder):
        raise InvalidUsageError(
            "PLAN_FOLDER_NOT_FOUND",
            f"{file}: there is no folder {folder}; nothing was written",
            hint=f"make it with mkdir -p {quoted(folder)}, or name another file",
        )
    if not os.path.lexists(file):
        return False
    if not os.path.isfile(file) or not is_plan(_content(file)):
        raise RefusedError(
            "PLAN_FILE_TAKEN",
            f"{file} is there already and is not a plan; it was left as it is",
            hint="name another file; one that holds a plan is replaced",
        )
    return True


def write(file: str, text: bytes) -> None:
    """Write the file, whole or not at all.

    Raises:
        StorageError: permissions, or a full disk.
    """
    folder, name = os.path.split(os.path.abspath(file))
    LocalStorage(folder).put(name, text)


def read(file: str) -> SavedPlan:
    """Return the plan in `file`.

    Raises:
        InvalidUsageError: it holds no plan, or one of a newer format.
        RefusedError: it was changed since it was saved.
        StorageError: it cannot be read.
    """
    try:
        return parse(_content(file), file)
    except (FileNotFoundError, IsADirectoryError) as error:
        raise InvalidUsageError(
            "NOT_A_PLAN",
            f"{file} is not a file",
            hint="a command that changes a table saves its plan with --plan-out FILE",
        ) from error


def check_table(saved: SavedPlan, file: str, uri: str, called: str) -> None:
    """Check that a plan is for the table at `uri`.

    Raises:
        RefusedError: it is for another one.
    """
    if trimmed(uri) != trimmed(saved.uri):
        raise RefusedError(
            "PLAN_OF_OTHER_TABLE",
            f"{file} is a plan for {saved.uri}, and {called} is {uri}; nothing was written",
            hint="name the table of the plan, or save a plan for this one with --plan-out",
        )


def save(
    file: str,
    report: ChangeReport,
    call: Call | None,
    request: Sequence[str] = (),
    inputs: Mapping[str, str] | None = None,
) -> None:
    """Write the plan of the report, and what asked for it: words of a command, or a call.

    Raises:
        StorageError: permissions, or a full disk.
    """
    write(file, to_text(report, request, inputs or {}, call))


def _content(file: str) -> bytes:
    try:
        with open(file, "rb", opener=open_named) as opened:
            return opened.read()
    except (FileNotFoundError, IsADirectoryError):
        raise
    except OSError as error:
        raise StorageError("IO_FAILED", f"{file}: {error.strerror or error}") from error
