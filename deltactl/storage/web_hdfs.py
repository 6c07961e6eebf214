"""A table in HDFS, through the web address of its name node: no Java and no Hadoop are needed."""

import contextlib
import errno
import getpass
import http.client
import json
import os
import posixpath
import random
import ssl
import string
import time
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from deltactl.errors import InvalidUsageError, Notice, StorageError
from deltactl.log.names import LogFile
from deltactl.storage.base import InterruptedWriteError, Outcome
from deltactl.storage.far import GRACE, FarStorage
from deltactl.storage.settings import StoreSettings
from deltactl.storage.urls import HDFS, scheme_of

ATTEMPTS = 5
FIRST_PAUSE = 0.1


class WebAddress(NamedTuple):
    """Where a name node answers, and as whom it is asked."""

    host: str
    port: int
    is_secure: bool
    user: str
    token: str | None = None


def storage(uri: str, settings: StoreSettings, environ: Mapping[str, str]) -> "WebHdfsStorage":
    """The store of the table at an hdfs:// or webhdfs:// URL.

    The first names the name node by the address that Hadoop's own clients use; the web address is
    on the same host unless HDFS_HTTP_ADDRESS says otherwise.

    Raises:
        InvalidUsageError: no host is named.
    """
    options = {key.upper(): value for key, value in settings.options.items()}
    scheme, _, rest = uri.partition("://")
    place, _, root = rest.partition("/")
    is_secure = scheme.lower() == "swebhdfs"
    own = options.get("HDFS_HTTP_ADDRESS") or environ.get("HDFS_HTTP_ADDRESS") or ""
    told = urlsplit(f"//{own.partition('://')[2] or own}" if own else f"//{place}")
    try:
        host, port = told.hostname, told.port
    except ValueError:
        host, port = None, None
    if not own and scheme.lower() == "hdfs":
        port = None  # It is that of Hadoop's own clients.
    if host is None:
        raise InvalidUsageError(
            "BAD_TABLE_PATH",
            f"{uri} names no name node",
            hint="write hdfs://HOST/PATH, or --storage-option HDFS_HTTP_ADDRESS=HOST:9870",
        )
    user = options.get("HADOOP_USER_NAME") or environ.get("HADOOP_USER_NAME") or getpass.getuser()
    token = options.get("HDFS_DELEGATION_TOKEN") or environ.get("HDFS_DELEGATION_TOKEN")
    address = WebAddress(host, port or (9871 if is_secure else 9870), is_secure, user, token)
    return WebHdfsStorage(uri.rstrip("/"), f"/{root}", address, settings.timeout)


class WebHdfsStorage(FarStorage):
    """The store of one table below the folder `root` of a file system.

    A file is written under another name and renamed, which HDFS does only where none is.
    """

    def __init__(self, uri: str, root: str, address: WebAddress, timeout: float) -> None:
        super().__init__(uri)
        self._root = root.rstrip("/")
        self._address = address
        self._timeout = timeout

    @property
    def unsafe(self) -> None:
        """Nothing: no setting makes other writers commit in another way."""

    @property
    def remarks(self) -> tuple[Notice, ...]:
        """None that settings tell."""
        return ()

    def list_from(self, folder: str, start: str = "") -> list[LogFile]:
        """The files of `folder` whose names are not below `start`, in order of their names."""
        files = [_log_file(s) for s in self._statuses(folder) if s["type"] == "FILE"]
        found = sorted(file for file in files if file.name >= start)
        self._note_sizes(folder, found)
        return found

    def folders(self, folder: str) -> list[str]:
        """The names of the folders that lie in `folder`, in their order."""
        found = self._statuses(folder)
        return sorted(status["pathSuffix"] for status in found if status["type"] == "DIRECTORY")

    def siblings(self) -> list[str]:
        """The names of the folders beside the table's, for who looked for it in the wrong place."""
        above = WebHdfsStorage(
            self.uri, posixpath.dirname(self._root), self._address, self._timeout
        )
        return above.folders("")

    def _fetch(self, path: str, start: int, length: int | None) -> bytes:
        size = self.head(path).size
        wanted = size - start if length is None else min(length, size - start)
        if wanted <= 0:
            return b""
        data = self._ask("GET", path, "OPEN", {"offset": start, "length": wanted})
        return self._checked(path, data, wanted)

    def head(self, path: str) -> LogFile:
        """The file's size and time."""
        status = self._member(self._ask("GET", path, "GETFILESTATUS"), path, "FileStatus")
        if status["type"] != "FILE":
            raise _not_there(path)
        return _log_file(status)._replace(name=posixpath.basename(path))

    def put_if_absent(self, path: str, data: bytes) -> Outcome:
        """Create the file whole and durable, or not at all; never replace one."""
        return self._create(path, data, len(data))

    def put_file_if_absent(self, path: str, local_file: str) -> Outcome:
        """As `put_if_absent`, with the bytes of a local file."""
        with open(local_file, "rb") as file:
            return self._create(path, file, os.fstat(file.fileno()).st_size)

    def put(self, path: str, data: bytes) -> None:
        """Create or replace the file atomically; for hints and repairs only."""
        with self._temporary(path, data, len(data)) as temporary:
            self._drop_side_file(path)
            told = {"destination": self._place(path), "renameoptions": "OVERWRITE"}
            self._ask("PUT", temporary, "RENAME", told)
        self._sizes.pop(path, None)

    def move(self, path: str, target: str) -> Outcome:
        """Rename the file unless `target` exists."""
        self.head(path)
        return "won" if self._rename(path, target) else "exists"

    def clear(self, folder: str) -> None:
        """Remove a folder of temporary files, as far as that can be done."""
        with contextlib.suppress(StorageError, FileNotFoundError):
            self._ask("DELETE", folder, "DELETE", {"recursive": "true"})

    def delete(self, path: str) -> None:
        """Remove the file; one that is gone already is no fault."""
        with contextlib.suppress(FileNotFoundError):
            self._ask("DELETE", path, "DELETE")

    def _create(self, path: str, data: bytes | BinaryIO, size: int) -> Outcome:
        with contextlib.suppress(FileNotFoundError):
            self._json("GET", path, "GETFILESTATUS")
            return "exists"
        with self._temporary(path, data, size) as temporary:
            self._drop_side_file(path)
            try:
                renamed = self._rename(temporary, path)
            except (FileNotFoundError, StorageError):
                # The answer to a rename that was made may have been lost: who asked reads back.
                return "unknown"
            except KeyboardInterrupt:
                raise InterruptedWriteError from None
        return "won" if renamed else "exists"

    def _rename(self, path: str, target: str) -> bool:
        answer = self._json("PUT", path, "RENAME", {"destination": self._place(target)})
        return answer.get("boolean") is True

    @contextlib.contextmanager
    def _temporary(self, path: str, data: bytes | BinaryIO, size: int) -> Iterator[str]:
        """A whole file beside `path`; gone after."""
        folder, name = posixpath.split(path)
        temporary = f"{folder}/.{name}.{os.getpid()}-{os.urandom(4).hex()}.tmp".lstrip("/")
        try:
            answer = self._ask("PUT", temporary, "CREATE", {"overwrite": "true"})
            place = self._member(answer, temporary, "Location")
            self._send(place, data, size, temporary)
            yield temporary
        except KeyboardInterrupt:
            # Who pressed Ctrl-C does not wait long for what is left to do.
            self._timeout = min(self._timeout, GRACE)
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
            answer = self._ask("GET", folder, "LISTSTATUS")
            found = self._member(answer, folder, "FileStatuses")["FileStatus"]
        except FileNotFoundError:
            return []
        # A file lists itself, without a name.
        return [status for status in found if status["pathSuffix"]]

    def _json(
        self, method: str, path: str, operation: str, told: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        data = self._ask(method, path, operation, told)
        try:
            found: dict[str, Any] = json.loads(data) if data else {}
        except ValueError:
            raise self._no_web_hdfs(path) from None
        return found

    def _member(self, data: bytes, path: str, name: str) -> Any:
        """A member of the object that an answer has to be."""
        try:
            return json.loads(data)[name]
        except (ValueError, KeyError, TypeError):
            raise self._no_web_hdfs(path) from None

    def _no_web_hdfs(self, path: str) -> StorageError:
        login = self._address
        return StorageError(
            "STORAGE_FAILED",
            f"{self._shown(path)}: what answers at {login.host}:{login.port} is no name node",
            hint="name its web address: --storage-option HDFS_HTTP_ADDRESS=HOST:9870",
        )

    def _ask(
        self, method: str, path: str, operation: str, told: Mapping[str, Any] | None = None
    ) -> bytes:
        """What the name node answers, or the data node that it sends us to.

        Raises:
            FileNotFoundError: there is no such file.
            StorageError: nobody answers, or the answer is no.
        """
        where = {"op": operation, **(told or {})}
        if operation in ("CREATE", "OPEN"):
            where["noredirect"] = "true"
        login = self._address
        where |= {"delegation": login.token} if login.token else {"user.name": login.user}
        url = f"/webhdfs/v1{quote(self._place(path))}?{urlencode(where)}"
        # What changes something is asked once: a second try would find its own work.
        attempts = ATTEMPTS if method == "GET" else 1
        until = time.monotonic() + self._timeout
        for attempt in range(attempts):
            try:
                answer = self._request(self._connection(), method, url)
                if operation == "OPEN":
                    place = urlsplit(self._member(self._body(answer, path), path, "Location"))
                    data_node = _connection(place.scheme == "https", place.netloc, self._timeout)
                    answer = self._request(data_node, "GET", _target(place))
                return self._body(answer, path)
            except (OSError, http.client.HTTPException) as error:
                if isinstance(error, FileNotFoundError):
                    raise
                if attempt + 1 == attempts or time.monotonic() >= until:
                    raise self._failed(path, error) from None
            time.sleep(FIRST_PAUSE * 2**attempt * random.uniform(0.5, 1.0))
        raise AssertionError

    def _send(self, place: str, data: bytes | BinaryIO, size: int, path: str) -> None:
        url = urlsplit(place)
        connection = _connection(url.scheme == "https", url.netloc, self._timeout)
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        try:
            connection.request("PUT", _target(url), body=data, headers=headers)
            response = connection.getresponse()
            self._body((response.status, response.read()), path)
        except (OSError, http.client.HTTPException) as error:
            raise self._failed(path, error) from None
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        login = self._address
        return _connection(login.is_secure, f"{login.host}:{login.port}", self._timeout)

    @staticmethod
    def _request(
        connection: http.client.HTTPConnection, method: str, url: str
    ) -> tuple[int, bytes]:
        try:
            connection.request(method, url)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def _body(self, answer: tuple[int, bytes], path: str) -> bytes:
        """The body of an answer that is no failure."""
        status, body = answer
        if status in (HTTPStatus.OK, HTTPStatus.CREATED):
            return body
        if status == HTTPStatus.NOT_FOUND:
            raise _not_there(path)
        raise _refused(self._shown(path), status, body)

    def _failed(self, path: str, error: Exception) -> StorageError:
        timed_out = isinstance(error, TimeoutError)
        code = "STORE_TIMED_OUT" if timed_out else "STORE_UNREACHABLE"
        login = self._address
        return StorageError(
            code,
            f"{self._shown(path)}: {login.host}:{login.port} "
            + ("did not answer in time" if timed_out else "does not answer"),
            hint="name the name node's web address: --storage-option HDFS_HTTP_ADDRESS=HOST:9870",
        )

    def _place(self, path: str) -> str:
        if scheme_of(path) in HDFS:
            _, _, rest = path.partition("://")
            return f"/{rest.partition('/')[2]}"
        return path if path.startswith("/") else f"{self._root}/{path}".rstrip("/") or "/"


def _connection(is_secure: bool, place: str, timeout: float) -> http.client.HTTPConnection:
    if is_secure:
        return http.client.HTTPSConnection(
            place, timeout=timeout, context=ssl.create_default_context()
        )
    return http.client.HTTPConnection(place, timeout=timeout)


def _target(place: SplitResult) -> str:
    """What to ask a data node for: the name node leaves letters as they are, and HTTP has none."""
    return quote(f"{place.path}?{place.query}", safe=string.punctuation)


def _log_file(status: Mapping[str, Any]) -> LogFile:
    return LogFile(status["pathSuffix"], status["length"], status["modificationTime"])


def _not_there(path: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def _refused(place: str, status: int, body: bytes) -> StorageError:
    try:
        said = json.loads(body)["RemoteException"]
        kind, message = said["exception"], " ".join(said["message"].split())[:200]
    except (ValueError, KeyError, TypeError):
        kind, message = "", ""
    reason = f" ({kind}: {message})" if kind else f" (HTTP {status})"
    if status == HTTPStatus.UNAUTHORIZED:
        return StorageError(
            "CREDENTIALS_REJECTED",
            f"{place}: the name node wants a login{reason}",
            hint="--storage-option HDFS_DELEGATION_TOKEN=... gives one of `hdfs fetchdt`",
        )
    if kind in ("StandbyException", "RetriableException"):
        return StorageError(
            "STORE_BUSY",
            f"{place}: this name node is not the active one{reason}",
            hint="name that: --storage-option HDFS_HTTP_ADDRESS=HOST:9870",
        )
    if status == HTTPStatus.FORBIDDEN and "SafeMode" in kind + message:
        return StorageError("STORE_BUSY", f"{place}: HDFS is in safe mode{reason}")
    if status == HTTPStatus.FORBIDDEN:
        return StorageError(
            "PERMISSION_DENIED",
            f"{place}: no permission{reason}",
            hint="HADOOP_USER_NAME names the user to be",
        )
    if "Quota" in kind:
        return StorageError("STORE_FULL", f"{place}: a quota is used up{reason}")
    return StorageError("STORAGE_FAILED", f"{place}: HDFS refused{reason}")
