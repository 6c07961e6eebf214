"""A table in HDFS, through the web address of its name node: no Java and no Hadoop are needed."""

import contextlib
import getpass
import os
import posixpath
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from deltactl.errors import InvalidUsageError, Notice, StorageError
from deltactl.log.filenames import LogFile
from deltactl.storage.base import InterruptedWriteError, Outcome
from deltactl.storage.hdfs.name_nodes import (
    Login,
    NameNodes,
    NotActiveError,
    WebAddress,
    not_there,
)
from deltactl.storage.options.settings import StoreSettings, Watch
from deltactl.storage.remote.remote_storage import GRACE, RemoteStorage
from deltactl.storage.request_log import logged
from deltactl.storage.urls import HDFS, HDFS_OPTIONS, scheme_of, trimmed


def storage(uri: str, settings: StoreSettings, environ: Mapping[str, str]) -> "WebHdfsStorage":
    """Return the store of the table at an hdfs:// or webhdfs:// URL.

    The first names the name node by the address that Hadoop's own clients use; the web address is
    on the same host unless HDFS_HTTP_ADDRESS says otherwise. That may be several, with commas.

    Raises:
        InvalidUsageError: no host is named.
    """
    options = options_of(settings.options, environ)
    scheme, _, rest = uri.partition("://")
    place, _, root = rest.partition("/")
    is_secure = scheme.lower() == "swebhdfs"
    own = options["HDFS_HTTP_ADDRESS"]
    places = [each.strip().rpartition("://")[2] for each in own.split(",")] if own else [place]
    # The port of an hdfs:// URL is that of Hadoop's own clients.
    has_port = bool(own) or scheme.lower() != "hdfs"
    found = [_web_address(each, has_port, 9871 if is_secure else 9870) for each in places]
    addresses = tuple(address for address in found if address)
    if len(addresses) < len(found):
        raise InvalidUsageError(
            "BAD_TABLE_PATH",
            f"{uri} names no name node",
            hint="write hdfs://HOST/PATH, or --storage-option HDFS_HTTP_ADDRESS=HOST:9870",
        )
    user, token = options["HADOOP_USER_NAME"], options["HDFS_DELEGATION_TOKEN"] or None
    nodes = NameNodes(addresses, Login(user, token, is_secure), settings.timeout)
    return WebHdfsStorage(trimmed(uri), f"/{root}", nodes, settings.watch)


def _web_address(place: str, has_port: bool, default: int) -> WebAddress | None:
    try:
        parts = urlsplit(f"//{place}")
        port = parts.port if has_port else None
    except ValueError:
        return None
    return WebAddress(parts.hostname, port or default) if parts.hostname else None


def options_of(given: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return every option of HDFS, empty if it is not set: `given` beats the environment.

    An empty value among `given` unsets it. Who is not named is the user of this process.
    """
    parameters = {key.upper(): value for key, value in given.items()}
    found = {name: parameters.get(name, environ.get(name, "")) for name in sorted(HDFS_OPTIONS)}
    return {**found, "HADOOP_USER_NAME": found["HADOOP_USER_NAME"] or getpass.getuser()}


class WebHdfsStorage(RemoteStorage):
    """The store of one table below the folder `root` of a file system.

    A file is written under another name and renamed, which HDFS does only if none is.
    """

    has_folders = True

    def __init__(self, uri: str, root: str, nodes: NameNodes, watch: Watch | None = None) -> None:
        super().__init__(uri, watch)
        self._root = root.rstrip("/")
        self._nodes = nodes

    @property
    def transport(self) -> str:
        """By what it is reached, and where."""
        return f"WebHDFS at {self._nodes}"

    @property
    def write_refusal(self) -> None:
        """Nothing: no setting makes other writers commit in another way."""

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """None that settings tell."""
        return ()

    def list_from(self, folder: str, start: str = "") -> list[LogFile]:
        """Return the files of `folder` from the name `start` on, in order of their names."""
        files = [_log_file(s) for s in self._statuses(folder) if s["type"] == "FILE"]
        found = sorted(file for file in files if file.name >= start)
        self._note_sizes(folder, found)
        return found

    def folders(self, folder: str) -> list[str]:
        """Return the names of the folders that lie in `folder`, in their order."""
        found = self._statuses(folder)
        return sorted(status["pathSuffix"] for status in found if status["type"] == "DIRECTORY")

    def dead_links(self, folder: str) -> dict[str, str]:
        """Return None: the store has no links."""
        return {}

    def siblings(self, levels: int = 0) -> list[str]:
        """Return the folders beside the table's, or beside the folder `levels` above."""
        above = posixpath.dirname(self._root)
        for _ in range(levels):
            above = posixpath.dirname(above)
        return WebHdfsStorage(self.uri, above, self._nodes).folders("")

    def _fetch(self, path: str, start: int, length: int | None) -> bytes:
        size = self.head(path).size
        wanted = size - start if length is None else min(length, size - start)
        if wanted <= 0:
            return b""
        data = self._ask("GET", path, "OPEN", {"offset": start, "length": wanted})
        return self._checked(path, data, wanted)

    def head(self, path: str) -> LogFile:
        """Return the file's size and time."""
        status = self._member("GET", path, "GETFILESTATUS", "FileStatus")
        if status["type"] != "FILE":
            raise not_there(path)
        return _log_file(status)._replace(name=posixpath.basename(path))

    def put_if_absent(self, path: str, data: bytes) -> Outcome:
        """Create the file whole and durable, or not at all; never replace one."""
        return self._create(path, data, len(data))

    def put_file_if_absent(self, path: str, local_file: str) -> Outcome:
        """Return as `put_if_absent`, with the bytes of a local file."""
        with open(local_file, "rb") as file:
            return self._create(path, file, os.fstat(file.fileno()).st_size)

    def put(self, path: str, data: bytes) -> None:
        """Create or replace the file atomically; for hints and repairs only."""
        with self._temporary(path, data, len(data)) as temporary:
            self._drop_side_file(path)
            parameters = {"destination": self._place(path), "renameoptions": "OVERWRITE"}
            self._ask("PUT", temporary, "RENAME", parameters)
        self._forget(path)

    def use_short_timeout(self) -> None:
        """Wait no longer than a moment for what is asked from now on: the user pressed Ctrl-C."""
        super().use_short_timeout()
        self._nodes.use_short_timeout(GRACE)

    def move(self, path: str, target: str) -> Outcome:
        """Rename the file unless `target` exists."""
        self.head(path)
        self._forget(path)
        return "won" if self._rename(path, target) else "exists"

    def clear(self, folder: str) -> None:
        """Remove a folder of temporary files, as far as that can be done."""
        with contextlib.suppress(StorageError, FileNotFoundError):
            self._ask("DELETE", folder, "DELETE", {"recursive": "true"})

    def delete(self, path: str) -> None:
        """Remove the file; one that is gone already is not an error."""
        self._forget(path)
        with contextlib.suppress(FileNotFoundError):
            self._ask("DELETE", path, "DELETE")

    def _create(self, path: str, data: bytes | BinaryIO, size: int) -> Outcome:
        with contextlib.suppress(FileNotFoundError):
            self._member("GET", path, "GETFILESTATUS", "FileStatus")
            return "exists"
        with self._temporary(path, data, size) as temporary:
            self._drop_side_file(path)
            try:
                renamed = self._rename(temporary, path)
            except NotActiveError:
                raise  # it did nothing
            except (FileNotFoundError, StorageError):
                # The answer to a rename that was made may have been lost: who asked reads back.
                return "unknown"
        return "won" if renamed else "exists"

    def _rename(self, path: str, target: str) -> bool:
        where = {"destination": self._place(target)}
        try:
            return self._member("PUT", path, "RENAME", "boolean", where) is True
        except KeyboardInterrupt:
            raise InterruptedWriteError from None

    @contextlib.contextmanager
    def _temporary(self, path: str, data: bytes | BinaryIO, size: int) -> Iterator[str]:
        """Provide a whole file beside `path`; gone after."""
        folder, name = posixpath.split(path)
        temporary = f"{folder}/.{name}.{os.getpid()}-{os.urandom(4).hex()}.tmp".lstrip("/")
        try:
            place, shown = self._place(temporary), self._shown(temporary)
            create = partial(self._nodes.create, place, data, size, shown)
            logged(f"PUT CREATE {size} bytes,", temporary, create)
            yield temporary
        except KeyboardInterrupt:
            # Who pressed Ctrl-C does not wait long for what is left to do.
            self.use_short_timeout()
            raise
        finally:
            # One that cannot be removed is litter; it says nothing about the outcome.
            with contextlib.suppress(StorageError):
                self.delete(temporary)

    def _drop_side_file(self, path: str) -> None:
        """Remove Hadoop's checksum of an older file of this name, should one have been copied."""
        folder, name = posixpath.split(path)
        self.delete(f"{folder}/.{name}.crc".lstrip("/"))

    def _statuses(self, folder: str) -> list[dict[str, Any]]:
        try:
            found = self._member("GET", folder, "LISTSTATUS", "FileStatuses")["FileStatus"]
        except FileNotFoundError:
            return []
        # A file lists itself, without a name.
        return [status for status in found if status["pathSuffix"]]

    def _member(
        self,
        method: str,
        path: str,
        operation: str,
        member: str,
        parameters: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return a member of the object that a name node answers."""
        answer = self._ask(method, path, operation, parameters)
        return self._nodes.member(answer, member, self._shown(path))

    def _ask(
        self, method: str, path: str, operation: str, parameters: Mapping[str, Any] | None = None
    ) -> bytes:
        place, shown = self._place(path), self._shown(path)
        ask = partial(self._nodes.ask, method, place, operation, parameters or {}, shown)
        asked = f"{method} {operation}"
        try:
            # Writes run here: Ctrl-C ends them, and they do not continue by themselves.
            if method != "GET":
                return logged(asked, path, ask)
            return logged(asked, path, partial(self._waited, ask))
        except FileNotFoundError:
            raise not_there(path) from None

    def _place(self, path: str) -> str:
        if scheme_of(path) in HDFS:
            _, _, rest = path.partition("://")
            return f"/{rest.partition('/')[2]}"
        return path if path.startswith("/") else f"{self._root}/{path}".rstrip("/") or "/"


def _log_file(status: Mapping[str, Any]) -> LogFile:
    return LogFile(status["pathSuffix"], status["length"], status["modificationTime"])
