"""`_last_checkpoint`: a hint, and the two ways in which its checksum is computed."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from deltactl.errors import Notice
from deltactl.log.filenames import LAST_CHECKPOINT
from deltactl.text import strict_json

# A text that stands for itself in a canonical form.
_PLAIN = re.compile(r"[A-Za-z0-9._~-]*").fullmatch


class Checksum(StrEnum):
    """How the stored checksum compares with the file."""

    ABSENT = "absent"
    SPECIFICATION = "the specification's rule"
    SPARK = "Spark's ordering"
    MISMATCH = "mismatch"


class LastCheckpoint(NamedTuple):
    """What the hint says.

    `parts` is None for a checkpoint that is not multi-part, `num_of_add_files` if it says none.
    `is_v2` if it names a V2 checkpoint, `file` being the name of that one's file.
    """

    version: int
    parts: int | None
    checksum: Checksum
    num_of_add_files: int | None = None
    is_v2: bool = False
    file: str | None = None


class Number(str):
    """A number as it was written: the checksum is over the text."""

    __slots__ = ()


def read(text: bytes) -> LastCheckpoint | Notice:
    """Return what the file says, or why it is not to be believed."""
    doubled: list[str] = []
    once = strict_json.note_duplicates(doubled)
    try:
        value = json.loads(
            text.decode(), object_pairs_hook=once, parse_int=Number, parse_float=Number
        )
    except (ValueError, RecursionError) as error:
        why = f"{LAST_CHECKPOINT} is not JSON and is ignored: {error}"
        return Notice("LAST_CHECKPOINT_UNREADABLE", why)
    if doubled:
        why = f"{LAST_CHECKPOINT} has the key {doubled[0]!r} twice and is ignored"
        return Notice("LAST_CHECKPOINT_DUPLICATE_KEY", why)
    version = _integer(value, "version") if isinstance(value, dict) else None
    if version is None:
        why = f"{LAST_CHECKPOINT} names no version and is ignored"
        return Notice("LAST_CHECKPOINT_UNREADABLE", why)
    try:
        checksum = compare(value)
    except RecursionError:
        why = f"{LAST_CHECKPOINT} is nested too deeply and is ignored"
        return Notice("LAST_CHECKPOINT_UNREADABLE", why)
    if checksum is Checksum.MISMATCH:
        why = f"the checksum in {LAST_CHECKPOINT} does not fit its content; the file is ignored"
        return Notice("LAST_CHECKPOINT_CHECKSUM_MISMATCH", why)
    adds = _integer(value, "numOfAddFiles")
    v2 = value.get("v2Checkpoint")
    path = v2.get("path") if isinstance(v2, dict) else None
    # Engines write the mere name, though it is called a path.
    file = path.rpartition("/")[2] if type(path) is str else None
    parts = _integer(value, "parts")
    return LastCheckpoint(version, parts, checksum, adds, v2 is not None, file)


def write(
    version: int, *, size: int, parts: int | None, size_in_bytes: int, num_of_add_files: int
) -> bytes:
    """Return the text of the file, with fields on which both ways to the checksum agree.

    `size` is how many actions the checkpoint has; `parts` only that of a multi-part one.
    """
    value: dict[str, Any] = {"version": version, "size": size}
    if parts is not None:
        value["parts"] = parts
    value |= {"sizeInBytes": size_in_bytes, "numOfAddFiles": num_of_add_files}
    value["checksum"] = _md5(canonical_form(value))
    return strict_json.dumps(value).encode()


def compare(value: dict[str, Any]) -> Checksum:
    """Return which rule gives the stored checksum.

    Both sort the pairs of path and value. The specification sorts by path; Spark by the whole
    text of path, `=` and value, which differs if an array has eleven scalars or more.
    """
    stored = value.get("checksum")
    if not isinstance(stored, str) or isinstance(stored, Number):
        return Checksum.ABSENT
    if stored == _md5(canonical_form(value)):
        return Checksum.SPECIFICATION
    if stored == _md5(",".join(sorted(_as_texts(_pairs(value))))):
        return Checksum.SPARK
    return Checksum.MISMATCH


def canonical_form(value: Mapping[str, Any]) -> str:
    """Return the canonical text of the file's object, by the specification's rule."""
    return ",".join(_as_texts(sorted(_pairs(value))))


def _pairs(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Return each scalar but the checksum: its path, and its literal."""
    return _flatten({key: item for key, item in value.items() if key != "checksum"})


def _as_texts(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (f"{path}={literal}" for path, literal in pairs)


def _md5(text: str) -> str:
    import hashlib  # Loads OpenSSL: only files that have a checksum pay for it.

    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def _flatten(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    match value:
        case dict():
            for key, item in value.items():
                yield from _flatten(item, f"{path}+{_quoted(key)}" if path else _quoted(key))
        case list():
            for index, item in enumerate(value):
                yield from _flatten(item, f"{path}+{index}" if path else str(index))
        case Number():
            yield path, str(value)
        case str():
            yield path, _quoted(value)
        case _:
            yield path, json.dumps(value)


def _quoted(text: str) -> str:
    if not _PLAIN(text):
        from urllib.parse import quote  # Most texts need no such thing, and it takes loading.

        text = quote(text, safe="-._~", errors="replace")
    return f'"{text}"'


def _integer(value: dict[str, Any], key: str) -> int | None:
    number = value.get(key)
    if isinstance(number, Number) and number.isdecimal() and len(number) < 20:
        return int(number)
    return None
