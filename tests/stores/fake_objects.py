"""What a fake object store holds: whole objects, put at once or in parts, listed by pages."""

import hashlib
import time
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from threading import RLock
from typing import NamedTuple


class AnswerError(Exception):
    """A request that is answered with an error, in the words of S3."""

    def __init__(self, status: int, code: str, message: str = "", **headers: str) -> None:
        super().__init__(code)
        self.status, self.code, self.message, self.headers = status, code, message, headers


class Entry(NamedTuple):
    """One object; `modified` is in milliseconds since the epoch."""

    data: bytes
    etag: str
    modified: int
    generation: int


class Page(NamedTuple):
    """One page of a listing, and where the next one begins."""

    entries: Sequence[tuple[str, Entry]]
    prefixes: Sequence[str]
    following: str


class Upload(NamedTuple):
    """Parts that wait to become an object."""

    bucket: str
    key: str
    parts: dict[int, bytes]


class Objects:
    """Buckets of objects. Each method is done as one step, however many threads call it."""

    def __init__(self, *buckets: str) -> None:
        self._lock = RLock()
        self._buckets: dict[str, dict[str, Entry]] = {name: {} for name in buckets}
        self._names: dict[str, list[str]] = {name: [] for name in buckets}
        self._uploads: dict[str, Upload] = {}
        self._numbers = count(1)

    def create_bucket(self, bucket: str) -> None:
        with self._lock:
            self._buckets.setdefault(bucket, {})
            self._names.setdefault(bucket, [])

    def bucket(self, bucket: str) -> Mapping[str, Entry]:
        """The objects by their keys, as they are now."""
        with self._lock:
            return dict(self._bucket(bucket))

    def put(self, bucket: str, key: str, data: bytes, *, new: bool = False) -> Entry:
        """Put the object whole; with `new` only where there is none."""
        return self._put(bucket, key, data, hashlib.md5(data).hexdigest(), new)

    def get(self, bucket: str, key: str) -> Entry:
        with self._lock:
            entry = self._bucket(bucket).get(key)
        if entry is None:
            raise AnswerError(404, "NoSuchKey", "The specified key does not exist.")
        return entry

    def delete(self, bucket: str, key: str) -> bool:
        """Whether there was one to delete."""
        with self._lock:
            if self._bucket(bucket).pop(key, None) is None:
                return False
            names = self._names[bucket]
            del names[bisect_left(names, key)]
            return True

    def page(
        self,
        bucket: str,
        prefix: str,
        delimiter: str,
        after: str,
        limit: int,
        hidden: Callable[[str], bool] = lambda _: False,
    ) -> Page:
        """The keys that begin with `prefix` and come after `after`, which may be a prefix too."""
        entries: list[tuple[str, Entry]] = []
        prefixes: list[str] = []
        with self._lock:
            found, names = self._bucket(bucket), self._names[bucket]
            place = max(bisect_left(names, prefix), bisect_right(names, after))
            if delimiter and after.startswith(prefix) and after.endswith(delimiter):
                place = max(place, bisect_left(names, _past(after)))
            last = ""
            while place < len(names) and names[place].startswith(prefix):
                name = names[place]
                if hidden(name):
                    place += 1
                    continue
                if len(entries) + len(prefixes) == limit:
                    return Page(entries, prefixes, last)
                end = name.find(delimiter, len(prefix)) if delimiter else -1
                if end < 0:
                    entries.append((name, found[name]))
                    last, place = name, place + 1
                else:
                    last = name[: end + len(delimiter)]
                    prefixes.append(last)
                    place = bisect_left(names, _past(last))
        return Page(entries, prefixes, "")

    def begin_upload(self, bucket: str, key: str) -> str:
        with self._lock:
            self._bucket(bucket)
            name = f"upload-{next(self._numbers)}"
            self._uploads[name] = Upload(bucket, key, {})
            return name

    def put_part(self, upload: str, number: int, data: bytes) -> str:
        """The part's tag."""
        with self._lock:
            self._upload(upload).parts[number] = data
        return hashlib.md5(data).hexdigest()

    def complete_upload(self, upload: str, numbers: Sequence[int], *, new: bool = False) -> Entry:
        """Make one object of the parts; with `new` only where there is none."""
        with self._lock:
            begun = self._upload(upload)
            if any(number not in begun.parts for number in numbers):
                raise AnswerError(400, "InvalidPart", "A part could not be found.")
            data = b"".join(begun.parts[number] for number in numbers)
            tag = f"{hashlib.md5(data).hexdigest()}-{len(numbers)}"
            entry = self._put(begun.bucket, begun.key, data, tag, new)
            del self._uploads[upload]
            return entry

    def abort_upload(self, upload: str) -> None:
        with self._lock:
            self._upload(upload)
            del self._uploads[upload]

    def uploads(self) -> list[str]:
        """The keys whose uploads were begun, and neither completed nor aborted."""
        with self._lock:
            return sorted(upload.key for upload in self._uploads.values())

    def _put(self, bucket: str, key: str, data: bytes, tag: str, new: bool) -> Entry:
        with self._lock:
            found = self._bucket(bucket)
            if new and key in found:
                raise AnswerError(
                    412, "PreconditionFailed", "At least one of the pre-conditions did not hold"
                )
            if key not in found:
                insort(self._names[bucket], key)
            entry = Entry(data, tag, time.time_ns() // 1_000_000, next(self._numbers))
            found[key] = entry
            return entry

    def _bucket(self, bucket: str) -> dict[str, Entry]:
        if bucket not in self._buckets:
            raise AnswerError(404, "NoSuchBucket", "The specified bucket does not exist")
        return self._buckets[bucket]

    def _upload(self, upload: str) -> Upload:
        if upload not in self._uploads:
            raise AnswerError(404, "NoSuchUpload", "The specified upload does not exist.")
        return self._uploads[upload]


def _past(prefix: str) -> str:
    """The first text that is above all that begin with `prefix`."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)
