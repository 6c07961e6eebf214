"""A table in S3, Azure or Google Cloud: objects appear whole, and a commit only if none is.

`obstore` speaks to the stores. It is loaded when the first table of a store is opened: that takes
longer than most commands.
"""

import contextlib
import errno
import mmap
import os
import posixpath
import random
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple, TypeVar
from uuid import uuid4

import obstore
from obstore.exceptions import AlreadyExistsError, InvalidPathError, PreconditionError

from deltactl.errors import Notice, RefusedError, StorageError
from deltactl.log.filenames import LogFile
from deltactl.storage.base import InterruptedWriteError, Outcome
from deltactl.storage.object.failures import (
    FailedResponse,
    answer_of,
    failure,
    no_store,
    unreadable_key,
)
from deltactl.storage.object.probe import check_creates_once, not_once
from deltactl.storage.options.options import KeySource
from deltactl.storage.options.settings import Watch
from deltactl.storage.remote.remote_storage import RemoteStorage
from deltactl.storage.request_log import log_retry, logged
from deltactl.storage.urls import ObjectUrl, parse_object_url
from deltactl.text.hints import Command

ATTEMPTS = 6
FIRST_PAUSE = 0.1
PAGE = 1000  # objects of a listing that come by one request
LARGEST = 5000 << 20
"""The largest object that is written by one request, which is the only kind with a condition."""

_EXISTS = (AlreadyExistsError, PreconditionError)

Access = Literal["read", "write", "upload"]
T = TypeVar("T")


class ObjectStorage(RemoteStorage):
    """The store of one table below the key of `url`.

    `connect` makes a client of a bucket. The client that reads tries again by itself; the one that
    writes must not: it would take its own first try, whose answer was lost, for another's.
    `key_source` is what signs the requests of both, if their keys may end.
    `endpoint` is a URL, without a login, that was named; what answers there may be no store.
    """

    has_folders = False

    def __init__(
        self,
        uri: str,
        url: ObjectUrl,
        connect: Callable[[ObjectUrl, Access], Any],
        timeout: float,
        bucket: str = "",
        endpoint: str | None = None,
        write_refusal: RefusedError | None = None,
        warnings: tuple[Notice, ...] = (),
        watch: Watch | None = None,
        key_source: KeySource | None = None,
    ) -> None:
        super().__init__(uri, watch)
        self.write_refusal = write_refusal
        self.warnings = warnings
        self._bucket = bucket or f"{url.kind}/{url.bucket}"
        self._endpoint = endpoint
        # Where nobody named an endpoint it is the provider's own.
        self._is_a_store = endpoint is None
        self._url = url
        self._connect = connect
        self._timeout = timeout
        self._key_source = key_source
        self._clients: dict[tuple[str, str | None, Access], Any] = {}
        self._creates_once = False

    @property
    def transport(self) -> str:
        """By what it is reached, and where."""
        return f"obstore at {self._bucket}"

    def list_from(self, folder: str, start: str = "") -> list[LogFile]:
        """Return the files of `folder` from the name `start` on, in order of their names."""
        reader, prefix = self._client(self._url, "read"), self._below(folder)
        ask = partial(self._listed, reader, prefix, start)
        found = [
            LogFile(name, meta["size"], round(meta["last_modified"].timestamp() * 1000))
            for meta in self._asked("LIST", folder, ask)
            # Not every store begins where it was told to, and not every one sorts.
            if (name := _name_below(meta["path"], prefix)) and name >= start
        ]
        self._note_sizes(folder, found)
        return sorted(found)

    def _listed(self, reader: Any, prefix: str, start: str) -> list[Any]:
        """Return the objects of a folder, and perhaps some below it, from about `start` on."""
        if not start:
            return [*self._level(reader, prefix)["objects"]]
        found: dict[str, Any] = {}
        passed: set[str] = set()
        # A key before all that are wanted: the store begins after it, or ignores it.
        begin: str | None = f"{prefix}{start[:-1]}{chr(ord(start[-1]) - 1)}~"
        while begin is not None:
            pages, begin = obstore.list(reader, prefix, offset=begin, chunk_size=PAGE), None
            for page in pages:
                found.update((meta["path"], meta) for meta in page)
                below, slash, _ = page[-1]["path"].removeprefix(prefix).partition("/")
                is_last = len(page) < PAGE
                if slash and self._url.is_sorted and below not in passed and not is_last:
                    # A folder in the log may hold more than the log: what is in it is passed over.
                    passed.add(below)
                    begin = f"{prefix}{below}/\U0010ffff"
                    break
        if not found:
            self._check_that_it_is_a_store()
        return [*found.values()]

    def _level(self, reader: Any, prefix: str) -> Any:
        """Return the objects and the folders of a folder."""
        found = obstore.list_with_delimiter(reader, prefix)
        if not found["objects"] and not found["common_prefixes"]:
            self._check_that_it_is_a_store()
        return found

    def _check_that_it_is_a_store(self) -> None:
        """Ask for what cannot be there: a page that answers everything looks like an empty store.

        Raises:
            StorageError: it is there.
        """
        if self._is_a_store:
            return
        # Without a second try: what a store would have to do again, it has done before.
        client, key = self._client(self._url, "write"), self._key(f".deltactl-{uuid4().hex}")
        try:
            obstore.head(client, key)
        except FileNotFoundError:
            self._is_a_store = True
        except obstore.exceptions.BaseError as error:
            answer = answer_of(error)
            if answer.is_no_stores or answer.status in (405, 501):
                raise no_store(self._url.kind, self.uri, self._endpoint) from None
        else:
            raise no_store(self._url.kind, self.uri, self._endpoint)

    def folders(self, folder: str) -> list[str]:
        """Return the names of the folders that lie in `folder`, in their order."""
        return self._folders_in(self._below(folder), folder)

    def dead_links(self, folder: str) -> dict[str, str]:
        """Return None: the store has no links."""
        return {}

    def siblings(self, levels: int = 0) -> list[str]:
        """Return the folders beside the table's, or beside the folder `levels` above."""
        above = posixpath.dirname(self._url.path)
        for _ in range(levels):
            above = posixpath.dirname(above)
        return self._folders_in(f"{above}/" if above else "", "")

    def _folders_in(self, prefix: str, shown: str) -> list[str]:
        reader = self._client(self._url, "read")
        ask = partial(self._level, reader, prefix)
        found = self._asked("LIST", shown, ask)["common_prefixes"]
        return sorted(posixpath.basename(each.rstrip("/")) for each in found)

    def _fetch(self, path: str, start: int, length: int | None) -> bytes:
        if length is not None and length <= 0:
            self.head(path)
            return b""
        wanted: Any = {"offset": start} if length is None else (start, start + length)
        whole = length is None and start == 0
        client, key = self._place(path, "read")

        def get() -> tuple[bytes, int]:
            got = obstore.get(client, key, options=None if whole else {"range": wanted})
            first, end = got.range
            return bytes(got.bytes()), end - first

        try:
            data, promised = self._asked("GET", path, get)
        except _BeyondItsEndError:
            return b""
        if whole:
            promised = self._sizes.get(path, promised)
        return self._checked(path, data, promised)

    def head(self, path: str) -> LogFile:
        """Return the file's size and time."""
        client, key = self._place(path, "read")
        if not key:
            # A bucket answers, too, and is not a file.
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        meta = self._asked("HEAD", path, lambda: obstore.head(client, key))
        modified = round(meta["last_modified"].timestamp() * 1000)
        return LogFile(posixpath.basename(path), meta["size"], modified)

    def put_if_absent(self, path: str, data: bytes) -> Outcome:
        """Create the file whole and durable, or not at all; never replace one."""
        return self._create(path, data)

    def put_file_if_absent(self, path: str, local_file: str) -> Outcome:
        """Return as `put_if_absent`, with the bytes of a local file."""
        size = os.stat(local_file).st_size
        if size > LARGEST:
            raise StorageError(
                "STORE_FULL",
                f"{self._shown(path)} would have {size} bytes: more than one request may bring",
                hint=Command("checkpoint", "--parts", "N") + " makes smaller files",
            )
        if size == 0:
            return self._create(path, b"")
        with open(local_file, "rb") as file:
            # Not `with`: the client may hold on to the pages for a moment after it answered.
            pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return self._create(path, pages, "upload")

    def put(self, path: str, data: bytes) -> None:
        """Create or replace the file atomically; for hints and repairs only."""
        client, key = self._place(path, "read")
        put = partial(obstore.put, client, key, data, use_multipart=False)
        self._asked(f"PUT {len(data)} bytes,", path, put)
        self._forget(path)

    def move(self, path: str, target: str) -> Outcome:
        """Rename the file unless `target` exists: a copy, read back, and then the old one goes."""
        data = self.read(path)
        outcome = self._create(target, data)
        # Where the answer was lost, the copy is found to exist; its bytes tell whose it is.
        try:
            outcome = "won" if self._fetch(target, 0, None) == data else outcome
        except FileNotFoundError:
            outcome = "unknown"
        if outcome == "unknown":
            raise StorageError(
                "STORAGE_FAILED",
                f"{self._shown(path)} was not moved: whether its copy was written is not known",
                hint="run it again",
            )
        if outcome == "won":
            self.delete(path)
        return outcome

    def clear(self, folder: str) -> None:
        """Remove a folder of temporary files, as far as that can be done."""
        client, prefix = self._place(folder, "read")
        with contextlib.suppress(StorageError, FileNotFoundError):
            keys = self._asked(
                "LIST",
                folder,
                lambda: [m["path"] for page in obstore.list(client, f"{prefix}/") for m in page],
            )
            if keys:
                self._asked("DELETE", folder, lambda: obstore.delete(client, keys))

    def delete(self, path: str) -> None:
        """Remove the file; one that is gone already is not an error."""
        client, key = self._place(path, "read")
        self._forget(path)
        with contextlib.suppress(FileNotFoundError):
            self._asked("DELETE", path, lambda: obstore.delete(client, key))

    def _create(self, path: str, data: Any, access: Access = "write") -> Outcome:
        if self.write_refusal is not None:
            raise self.write_refusal
        if not self._creates_once:
            check_creates_once(self._bucket, self._try_to_create, self.delete, os.environ)
            self._creates_once = True
        return self._try_to_create(path, data, access)

    def _try_to_create(self, path: str, data: Any, access: Access = "write") -> Outcome:
        """Put `data` where nothing is, trying again with the same bytes.

        An answer that was lost may hide that they are there: then they are found to exist, and who
        asked reads them back.
        """
        client, key = self._place(path, access)
        put = partial(obstore.put, client, key, data, mode="create", use_multipart=False)
        until = time.monotonic() + self._timeout
        attempt, may_land = 0, False
        try:
            while not isinstance(tried := self._try_once(put, path, len(data)), str):
                if not tried.answer.is_passing or tried.answer.status == 501:
                    break
                # It may have come there without an answer, and whatever comes later does not tell.
                may_land |= not tried.answer.never_arrived
                attempt += 1
                pause = FIRST_PAUSE * 2**attempt * random.uniform(0.5, 1.0)
                if attempt == ATTEMPTS or time.monotonic() + pause >= until:
                    break
                log_retry("PUT", path, tried.error, pause)
                time.sleep(pause)
        except KeyboardInterrupt:
            self.use_short_timeout()
            if may_land:
                raise InterruptedWriteError from None
            raise
        if isinstance(tried, str):
            return tried
        if may_land:
            return "unknown"
        raise not_once(self._bucket) if tried.answer.status == 501 else tried.error

    def _try_once(self, put: Callable[[], object], path: str, size: int) -> "Outcome | _Failed":
        what = f"PUT {size} bytes if absent,"
        once = partial(self._put_once, put, path)
        return logged(what, path, once, lambda t: t if isinstance(t, str) else t.error)

    def _put_once(self, put: Callable[[], object], path: str) -> "Outcome | _Failed":
        try:
            self._written(put)
        except ValueError as error:
            raise self._not_a_key(path, error) from None
        except (obstore.exceptions.BaseError, FileNotFoundError) as error:
            answer = answer_of(error)
            if isinstance(error, _EXISTS) and not answer.is_conflict:
                return "exists"
            return _Failed(answer, self._failure(error, path))
        return "won"

    def _asked(self, what: str, path: str, ask: Callable[[], T]) -> T:
        """Return what the store answers to a request, with its failures as callers know them.

        A folder that is not there has an empty listing; what lacks one is the bucket.
        """
        return logged(what, path, partial(self._answered, path, ask, what == "LIST"))

    def _answered(self, path: str, ask: Callable[[], T], is_listing: bool) -> T:
        try:
            return self._waited(ask)
        except FileNotFoundError as error:
            answer = answer_of(error)
            if is_listing or answer.code in ("NoSuchBucket", "ContainerNotFound"):
                raise self._failure(error, path) from None
            self._is_a_store = True
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path) from None
        except ValueError as error:
            raise self._not_a_key(path, error) from None
        except InvalidPathError as error:
            raise unreadable_key(error, self._shown(path)) from None
        except obstore.exceptions.BaseError as error:
            if answer_of(error).is_beyond_the_end:
                raise _BeyondItsEndError from None
            raise self._failure(error, path) from None

    def _failure(self, error: BaseException, path: str) -> StorageError:
        """Return the error for a request about a file, which may lie in another bucket."""
        shown, other = self._shown(path), parse_object_url(path)
        answer = answer_of(error)
        if answer.is_no_stores:
            return no_store(self._url.kind, self.uri, self._endpoint)
        if answer.asks_for_credentials and self._key_source and self._key_source.failed:
            return self._key_source.failed
        return failure(error, other or self._url, shown, shown if other else self.uri)

    def _not_a_key(self, path: str, error: ValueError) -> StorageError:
        said = " ".join(str(error).split())[:200]
        return StorageError(
            "KEY_NOT_SUPPORTED", f"{self._shown(path)!r} is not the name of a file there: {said}"
        )

    def _place(self, path: str, access: Access) -> tuple[Any, str]:
        """Return the client and the key of a file, which may lie in another bucket."""
        if path.startswith("/"):
            raise self._not_a_key(path, ValueError("it is a path of a file system"))
        if "://" not in path:
            return self._client(self._url, access), self._key(path)
        url = parse_object_url(path)
        if url is None or url.kind != self._url.kind:
            raise StorageError(
                "STORE_NOT_SUPPORTED",
                f"{path} is not in the kind of store that {self.uri} is in",
            )
        return self._client(url, access), url.path

    def _client(self, url: ObjectUrl, access: Access) -> Any:
        name = (url.bucket, url.account, access)
        if name not in self._clients:
            self._clients[name] = self._connect(url, access)
        return self._clients[name]

    def _below(self, folder: str) -> str:
        """Return what the keys of a folder begin with: nothing, at the root of a bucket."""
        return f"{key}/" if (key := self._key(folder)) else ""

    def _key(self, path: str) -> str:
        return f"{self._url.path}/{path}".strip("/")


class _Failed(NamedTuple):
    """A try to create a file that failed: what the store answered, and the error to raise."""

    answer: FailedResponse
    error: StorageError


class _BeyondItsEndError(Exception):
    """The range that was asked for begins where the file has ended."""


def _name_below(key: str, prefix: str) -> str:
    """Return the name of an object that lies in the folder itself, else nothing."""
    name = key.removeprefix(prefix) if key.startswith(prefix) else ""
    return "" if "/" in name else name
