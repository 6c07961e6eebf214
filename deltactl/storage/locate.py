"""From what the user named to a store, or what was looked for and where."""

import os

from deltactl.errors import InvalidUsageError, NotFoundError, StorageError
from deltactl.log.names import LOG
from deltactl.model.nearest import nearest
from deltactl.storage.base import Storage
from deltactl.storage.local import LocalStorage


def locate(uri: str) -> Storage:
    """The store of the table at `uri`, a path or a URL.

    Raises:
        NotFoundError: nothing is there, or it is not a table.
        StorageError: permissions, or a kind of store that deltactl does not reach.
    """
    path = os.path.abspath(_local_path(uri))
    if not os.path.lexists(path):
        raise _missing(uri, path)
    log = os.path.join(path, LOG)
    try:
        is_table = os.path.isdir(path) and os.stat(log) is not None
    except FileNotFoundError:
        is_table = False
    except PermissionError as error:
        raise StorageError("PERMISSION_DENIED", f"no permission for {log}") from error
    if not is_table or not os.path.isdir(log):
        raise _not_a_table(uri, path)
    return LocalStorage(path)


def locate_file(uri: str) -> tuple[Storage, str]:
    """The store of the file at `uri`, a path or a URL, and the file's name in it.

    Raises:
        InvalidUsageError: it names a folder.
        StorageError: a kind of store that deltactl does not reach.
    """
    path = os.path.abspath(_local_path(uri))
    if os.path.isdir(path):
        raise InvalidUsageError(
            "NOT_A_FILE", f"{uri} is a folder", hint="name one file: those of a folder may differ"
        )
    return LocalStorage(os.path.dirname(path)), os.path.basename(path)


def _local_path(uri: str) -> str:
    if not uri.strip():
        raise InvalidUsageError("EMPTY_TABLE_NAME", "an empty text names no table")
    if "\0" in uri:
        raise InvalidUsageError("BAD_TABLE_PATH", "a path cannot have a null character in it")
    if uri.startswith("file:/"):
        from urllib.parse import unquote, urlsplit

        parts = urlsplit(uri)
        if parts.netloc not in ("", "localhost"):
            raise InvalidUsageError(
                "BAD_TABLE_PATH",
                f"{uri} names a file on the host {parts.netloc}",
                hint=f"write file:///{parts.netloc}{parts.path} for a path of this machine",
            )
        return unquote(parts.path)
    scheme, separator, _ = uri.partition("://")
    if separator and scheme.isalnum():
        raise StorageError(
            "STORE_NOT_SUPPORTED",
            f"{uri}: this deltactl reaches tables in local folders only, not in {scheme}://",
            hint="copy the table's _delta_log to a local folder to inspect it",
        )
    return uri


def _missing(uri: str, path: str) -> NotFoundError:
    parent = path
    while not os.path.isdir(parent):
        parent = os.path.dirname(parent)
    names = _names(parent)
    first = os.path.relpath(path, parent).split(os.sep)[0]
    hint = f"{parent} is there, and has nothing named {first}"
    if near := nearest(first, names):
        hint = "did you mean " + " or ".join(os.path.join(parent, name) for name in near) + "?"
    return NotFoundError("TABLE_NOT_FOUND", f"no table at {uri}: {path} does not exist", hint=hint)


def _not_a_table(uri: str, path: str) -> NotFoundError:
    above = os.path.dirname(path)
    while above != os.path.dirname(above):
        if os.path.isdir(os.path.join(above, LOG)):
            break
        above = os.path.dirname(above)
    else:
        above = ""
    if above:
        hint = f"it lies in the table {above}"
    elif os.path.isdir(path):
        below = [n for n in _names(path) if os.path.isdir(os.path.join(path, n, LOG))]
        shown = ", ".join(os.path.join(path, name) for name in below[:5])
        hint = f"tables in it: {shown}" if below else f"it has no folder {LOG}"
    else:
        hint = "it is a file; a table is a folder"
    return NotFoundError("NOT_A_TABLE", f"{uri} is not a Delta table", hint=hint)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []  # Only a hint is lost where the folder may not be listed.
