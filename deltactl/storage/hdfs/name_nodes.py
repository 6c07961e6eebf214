"""HDFS over HTTP: its name nodes, of which one is active, and the data nodes they send us to."""

import errno
import http.client
import json
import os
import random
import ssl
import string
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from http import HTTPStatus
from typing import Any, BinaryIO, NamedTuple, TypeVar
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from deltactl.errors import StorageError
from deltactl.storage.request_log import log_retry

ATTEMPTS = 5
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 2.0
CONNECT = 10.0
"""Seconds for a connection, at most: where a name node is down another one may be there."""
_STANDBY = ("StandbyException", "RetriableException")
_DATA_NODES = "name nodes send readers and writers on to data nodes: this machine has to reach them"
_HINT = "name the name node's web address: --storage-option HDFS_HTTP_ADDRESS=HOST:9870"

T = TypeVar("T")


class WebAddress(NamedTuple):
    """Where a name node answers."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


class Login(NamedTuple):
    """As whom name nodes are asked, and how."""

    user: str
    token: str | None = None
    is_secure: bool = False


class NotActiveError(StorageError):
    """A name node is not there, or waits for another one to fail: it did nothing that counts."""

    @property
    def waits(self) -> bool:
        """Whether it is there."""
        return self.code == "STORE_BUSY"


class _NotConnectedError(OSError):
    """The connection was refused, so that no request was sent."""


class NameNodes:
    """The name nodes of one file system, asked for places of it; the active one is found out."""

    def __init__(self, addresses: tuple[WebAddress, ...], login: Login, timeout: float) -> None:
        self._timeout = timeout
        self._addresses = addresses
        self._login = login

    def __str__(self) -> str:
        return " or ".join(map(str, self._addresses))

    def use_short_timeout(self, timeout: float) -> None:
        """Wait no longer than that from now on."""
        self._timeout = min(self._timeout, timeout)

    def ask(
        self, method: str, place: str, operation: str, parameters: Mapping[str, Any], shown: str
    ) -> bytes:
        """Return what the active name node answers, or the data node that it sends us to.

        `shown` names the place in errors.

        Raises:
            FileNotFoundError: there is no such file.
            StorageError: no answer, or a refusal.
        """
        url = self._url(place, operation, parameters)
        return self._by_the_active(lambda node: self._ask_at(node, method, url, operation, shown))

    def create(self, place: str, data: bytes | BinaryIO, size: int, shown: str) -> None:
        """Have a data node write the bytes as this file, which may be there.

        Raises:
            StorageError: no answer, or a refusal.
        """
        url = self._url(place, "CREATE", {"overwrite": "true"})

        def create(node: WebAddress) -> None:
            answer = self._ask_at(node, "PUT", url, "CREATE", shown)
            if not isinstance(data, bytes):
                data.seek(0)
            self._send(self.member(answer, "Location", shown), data, size, shown)

        self._by_the_active(create)

    def member(self, data: bytes, name: str, shown: str) -> Any:
        """Return a member of the object that an answer has to be."""
        try:
            return json.loads(data)[name]
        except (ValueError, KeyError, TypeError):
            raise self._no_name_node(shown) from None

    def _by_the_active(self, do: Callable[[WebAddress], T]) -> T:
        until = time.monotonic() + self._timeout
        attempt = 0
        while True:
            waiting = False
            for node in self._addresses:
                try:
                    done = do(node)
                except NotActiveError as error:
                    inactive = error
                    waiting |= error.waits
                    continue
                # The next question goes to this one first.
                others = (other for other in self._addresses if other != node)
                self._addresses = (node, *others)
                return done
            # One that waits may be on its way to be the active one; what is down rarely comes back.
            attempt += 1
            pause = _pause(attempt)
            late = time.monotonic() + pause > until
            if len(self._addresses) == 1 or late or (attempt == ATTEMPTS and not waiting):
                raise inactive
            log_retry("ask", str(self), inactive, pause)
            time.sleep(pause)

    def _url(self, place: str, operation: str, parameters: Mapping[str, Any]) -> str:
        where = {"op": operation, **parameters}
        # A name node that waits sends us on, too: then it is the data node that tells.
        if operation in ("CREATE", "OPEN"):
            where["noredirect"] = "true"
        login = self._login
        where |= {"delegation": login.token} if login.token else {"user.name": login.user}
        return f"/webhdfs/v1{quote(place)}?{urlencode(where)}"

    def _ask_at(
        self, address: WebAddress, method: str, url: str, operation: str, shown: str
    ) -> bytes:
        # A second RENAME would find the work of the first: it is asked once.
        is_repeatable = operation != "RENAME"
        alone = len(self._addresses) == 1
        attempts = ATTEMPTS if is_repeatable and alone else 1
        until = time.monotonic() + self._timeout
        for attempt in range(1, attempts + 1):
            try:
                answer = self._request(address, method, url)
                break
            except (OSError, http.client.HTTPException) as error:
                did_nothing = is_repeatable or isinstance(error, _NotConnectedError)
                if not alone and did_nothing:
                    raise _failed(str(address), shown, error, NotActiveError) from None
                if attempt == attempts or time.monotonic() >= until:
                    raise _failed(str(address), shown, error) from None
                pause = _pause(attempt)
                log_retry(operation, shown, error, pause)
            time.sleep(pause)
        if operation != "OPEN":
            return _body(answer, shown)
        return self._opened(self.member(_body(answer, shown), "Location", shown), shown)

    def _opened(self, location: str, shown: str) -> bytes:
        """Return what a data node has, where a name node said."""
        url = urlsplit(location)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with closing(_connection(url.scheme == "https", url.netloc, self._timeout)) as data:
                    return _body(_answer(data, "GET", _target(url)), shown)
            except FileNotFoundError:
                raise
            except (OSError, http.client.HTTPException) as error:
                if attempt == ATTEMPTS or isinstance(error, TimeoutError):
                    raise _failed(url.netloc, shown, error, hint=_DATA_NODES) from None
                pause = _pause(attempt)
                log_retry("OPEN", shown, error, pause)
            time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _request(self, address: WebAddress, method: str, url: str) -> tuple[int, bytes]:
        wait = min(self._timeout, CONNECT)
        with closing(_connection(self._login.is_secure, str(address), wait)) as connection:
            try:
                connection.connect()
            except OSError as error:
                raise _NotConnectedError(*error.args) from error
            connection.sock.settimeout(self._timeout)
            return _answer(connection, method, url)

    def _send(self, location: str, data: bytes | BinaryIO, size: int, shown: str) -> None:
        url = urlsplit(location)
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        try:
            with closing(_connection(url.scheme == "https", url.netloc, self._timeout)) as node:
                node.request("PUT", _target(url), body=data, headers=headers)
                response = node.getresponse()
                _body((response.status, response.read()), shown)
        except (OSError, http.client.HTTPException) as error:
            raise _failed(url.netloc, shown, error, hint=_DATA_NODES) from None

    def _no_name_node(self, shown: str) -> StorageError:
        """Return the error for an answer that no name node gives."""
        return StorageError(
            "STORAGE_FAILED",
            f"{shown}: what answers at {self._addresses[0]} is not a name node",
            hint=_HINT,
        )


def not_there(path: str) -> FileNotFoundError:
    """Return the error for a file that does not exist."""
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def _pause(attempt: int) -> float:
    return float(min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt) * random.uniform(0.5, 1.0))


def _connection(is_secure: bool, place: str, timeout: float) -> http.client.HTTPConnection:
    if is_secure:
        return http.client.HTTPSConnection(
            place, timeout=timeout, context=ssl.create_default_context()
        )
    return http.client.HTTPConnection(place, timeout=timeout)


def _answer(connection: http.client.HTTPConnection, method: str, url: str) -> tuple[int, bytes]:
    connection.request(method, url)
    response = connection.getresponse()
    return response.status, response.read()


def _target(place: SplitResult) -> str:
    """Return what to ask a data node for, with letters encoded for HTTP."""
    return quote(f"{place.path}?{place.query}", safe=string.punctuation)


def _body(answer: tuple[int, bytes], shown: str) -> bytes:
    """Return the body of an answer that is not a failure."""
    status, body = answer
    if status in (HTTPStatus.OK, HTTPStatus.CREATED):
        return body
    if status == HTTPStatus.NOT_FOUND:
        raise not_there(shown)
    raise _refused(shown, status, body)


def _failed(
    address: str,
    shown: str,
    error: Exception,
    kind: type[StorageError] = StorageError,
    hint: str = _HINT,
) -> StorageError:
    timed_out = isinstance(error, TimeoutError) or isinstance(error.__cause__, TimeoutError)
    return kind(
        "STORE_TIMED_OUT" if timed_out else "STORE_UNREACHABLE",
        f"{shown}: {address} {'did not answer in time' if timed_out else 'does not answer'}",
        hint=hint,
    )


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
    if kind in _STANDBY:
        return NotActiveError(
            "STORE_BUSY",
            f"{place}: none of the name nodes that are named is the active one{reason}",
            hint="name all: --storage-option HDFS_HTTP_ADDRESS=HOST:9870,HOST:9870",
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
