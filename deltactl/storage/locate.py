"""From what the user named to a store, or what was looked for and where."""

import os
import stat
from importlib import import_module

from deltactl.errors import DeltactlError, InvalidUsageError, NotFoundError, StorageError
from deltactl.log.filenames import LOG
from deltactl.storage.base import Storage
from deltactl.storage.local.local import LocalStorage
from deltactl.storage.local.regular_file import NO_FILE, special
from deltactl.storage.options.settings import NO_SETTINGS, StoreSettings
from deltactl.storage.urls import (
    HDFS,
    SCHEMES,
    check_sendable,
    mistyped,
    parse_object_url,
    refuse_query,
    scheme_of,
)
from deltactl.text.quoting import quoted
from deltactl.text.suggestions import nearest


def locate(uri: str, settings: StoreSettings = NO_SETTINGS) -> Storage:
    """Return the store of the table at `uri`, a path or a URL.

    Whether there is a table in an object store shows when its log is listed.

    Raises:
        NotFoundError: nothing is there, or it is not a table.
        InvalidUsageError: it names no place, or a store option is malformed.
        StorageError: permissions, or a kind of store that deltactl does not reach.
    """
    if (far := _remote_store(uri, settings)) is not None:
        return far
    path = os.path.abspath(_local_path(uri))
    if not os.path.lexists(path):
        raise _missing(uri, path)
    log = os.path.join(path, LOG)
    try:
        is_table = os.path.isdir(path) and os.stat(log) is not None
    except PermissionError as error:
        raise StorageError("PERMISSION_DENIED", f"no permission for {log}") from error
    except OSError as error:
        if error.errno not in NO_FILE:
            raise StorageError("STORAGE_FAILED", f"{log}: {error.strerror}") from error
        is_table = False
    if not is_table or not os.path.isdir(log):
        raise _not_a_table(uri, path)
    return LocalStorage(path)


def locate_file(uri: str, settings: StoreSettings = NO_SETTINGS) -> tuple[Storage, str]:
    """Return the store of the file at `uri`, a path or a URL, and the file's name in it.

    Raises:
        InvalidUsageError: it names a folder, or no place.
        StorageError: a kind of store that deltactl does not reach.
    """
    folder, _, name = uri.rpartition("/")
    if name and (far := _remote_store(folder, settings)) is not None:
        return far, name
    path = os.path.abspath(_local_path(uri))
    if os.path.isdir(path):
        raise InvalidUsageError(
            "NOT_A_FILE", f"{uri} is a folder", hint="name one file: those of a folder may differ"
        )
    return LocalStorage(os.path.dirname(path)), os.path.basename(path)


def locate_folder(uri: str, settings: StoreSettings) -> Storage:
    """Return the store of the folder at `uri`, a path or a URL, which need not be a table.

    Raises:
        NotFoundError: no folder is there.
        StorageError: permissions, or a kind of store that deltactl does not reach.
    """
    if (far := _remote_store(uri, settings)) is not None:
        return far
    path = os.path.abspath(_local_path(uri))
    try:
        is_folder = stat.S_ISDIR(os.stat(path).st_mode)
    except PermissionError as error:
        raise StorageError("PERMISSION_DENIED", f"no permission for {path}") from error
    except OSError as error:
        said = f"no folder at {uri}: {path} does not exist"
        raise NotFoundError("FOLDER_NOT_FOUND", said, hint=_near(path)) from error
    if not is_folder:
        said = f"no folder at {uri}: {path} is a file"
        raise NotFoundError("FOLDER_NOT_FOUND", said, hint="name the folder that it lies in")
    return LocalStorage(path)


def _remote_store(uri: str, settings: StoreSettings) -> Storage | None:
    """Return the store of a place that is not a folder of this machine; None if it is one.

    What speaks to stores takes longer to load than most commands.

    Raises:
        InvalidUsageError: it names no place, or a store option is malformed.
    """
    check_sendable(uri)
    refuse_query(uri)
    store: Storage | None = None
    if (url := parse_object_url(uri)) is not None:
        clients = import_module("deltactl.storage.object.clients")
        store = clients.storage(uri, url, settings)
    elif scheme_of(uri) in HDFS:
        store = import_module("deltactl.storage.hdfs.web_hdfs").storage(uri, settings, os.environ)
    return store


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
    if (meant := mistyped(uri)) is not None and not os.path.lexists(uri):
        said = f"{uri} is neither a path that exists nor a URL, which has two slashes"
        raise InvalidUsageError("BAD_TABLE_PATH", said, hint=f"did you mean {meant}?")
    scheme, separator, _ = uri.partition("://")
    if separator and scheme.isalnum():
        raise _unknown_scheme(scheme.lower())
    return uri


def _unknown_scheme(scheme: str) -> DeltactlError:
    """Return the error for a URL of another kind: one that was misspelt, or that is not reached."""
    known = [*SCHEMES, *sorted(HDFS), "file"]
    near = nearest(scheme, known, limit=1)
    if not near and len(scheme) <= 3 and scheme.startswith("s"):
        near = ("s3",)
    if near:
        said = f"there are no URLs that begin with {scheme}://"
        return InvalidUsageError("BAD_TABLE_PATH", said, hint=f"did you mean {near[0]}://?")
    hint = f"it reads folders, and {', '.join(f'{name}://' for name in known)}"
    if scheme in ("http", "https"):
        hint += "; for a bucket write s3://BUCKET/PATH, and its host as AWS_ENDPOINT_URL"
    else:
        hint += f"; for others, copy the table's {LOG} to one of these to inspect it"
    said = f"deltactl does not reach tables in {scheme}://"
    return StorageError("STORE_NOT_SUPPORTED", said, hint=hint)


def _missing(uri: str, path: str) -> NotFoundError:
    said = f"no table at {uri}: {path} does not exist"
    return NotFoundError("TABLE_NOT_FOUND", said, hint=_near(path))


def _near(path: str) -> str:
    """Return what is there instead, in a folder above."""
    parent = path
    while not os.path.isdir(parent):
        parent = os.path.dirname(parent)
    names = _names(parent)
    first = os.path.relpath(path, parent).split(os.sep)[0]
    if near := nearest(first, names):
        return "did you mean " + " or ".join(os.path.join(parent, name) for name in near) + "?"
    return f"{parent} exists, but has nothing named {first}"


def _not_a_table(uri: str, path: str) -> NotFoundError:
    above = os.path.dirname(path)
    while above != os.path.dirname(above):
        if os.path.isdir(os.path.join(above, LOG)):
            break
        above = os.path.dirname(above)
    else:
        above = ""
    if above:
        is_log = path == os.path.join(above, LOG)
        hint = f"did you mean {above}?" if is_log else f"it lies in the table {above}"
    elif os.path.isdir(path):
        below = [n for n in _names(path) if os.path.isdir(os.path.join(path, n, LOG))]
        shown = ", ".join(os.path.join(path, name) for name in below[:5])
        log = os.path.join(path, LOG)
        is_there = os.path.lexists(log)
        hint = (
            f"{log} is {_not_folder(log)}, not a folder" if is_there else f"it has no folder {LOG}"
        )
        hint = f"tables in it: {shown}" if below else hint
    else:
        hint = f"it is {_not_folder(path)}; a table is a folder"
        if path.endswith(".json"):
            hint += f". To see a saved plan: deltactl apply {quoted(uri)} --dry-run"
    return NotFoundError("NOT_A_TABLE", f"{uri} is not a Delta table", hint=hint)


def _not_folder(path: str) -> str:
    """Return what is at the path, which exists and is not a folder."""
    if not os.path.exists(path):
        return f"a link to {os.readlink(path)}, where nothing is"
    return special(os.stat(path).st_mode) or "a file"


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []  # Only a hint is lost where the folder may not be listed.
