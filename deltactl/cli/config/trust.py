"""Which configuration files the user trusts: recorded, unchanged, writable by the user only."""

import grp
import hashlib
import os
import pwd
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from deltactl.storage.user_cache import put
from deltactl.text.quoting import quoted

_RECORDS = "trusted"


class Distrust(NamedTuple):
    """Why a file is not trusted, as words behind its path, and what to type to trust it."""

    reason: str
    remedy: str


def distrust(
    path: str, content: bytes, named: str | None, folder: str, *, is_own: bool
) -> Distrust | None:
    """Return why the configuration file at `path` is not trusted, None if it is.

    `named` is the file that the user named for this run, `folder` the user's own one with the
    records. Of the user's own file nothing but its owner and mode is looked at, as ssh does: the
    environment says where it lies.
    """
    if named and _is_named(path, named, is_own=is_own):
        return None
    reason = _changeable(path, os.stat(path)) if is_own else others_may_change(path)
    if reason is not None:
        return Distrust(reason, f"--trust-config {quoted(path)}")
    if is_own:
        return None
    recorded = _recorded(path, folder)
    if recorded == _digest(content):
        return None
    reason = "is not trusted" if recorded is None else "has changed since you trusted it"
    return Distrust(reason, f"deltactl config trust {quoted(path)}")


def _is_named(path: str, named: str, *, is_own: bool) -> bool:
    """Return whether the user named this very path.

    A link of a project to a file that the user named is not that file: what it says of places
    would count from the folder of the link, and the link can lead elsewhere the next moment.
    """
    if is_own:
        return os.path.realpath(named) == os.path.realpath(path)
    folder, name = os.path.split(named)
    return os.path.join(os.path.realpath(folder), name) == path


def others_may_change(path: str) -> str | None:
    """Return how users other than this one and root can change or replace a file; None if not."""
    for place in _places(os.path.abspath(path)):
        status = os.lstat(place)
        # In a sticky folder users cannot replace what belongs to others.
        is_sticky = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
        reason = _owned_by_others(status) if is_sticky else _changeable(place, status)
        if reason is not None:
            return reason if place == path else f"lies below {place}, which {reason}"
    return None


def record(path: str, content: bytes, folder: str) -> None:
    """Trust the file at `path` as long as it has this content.

    Raises:
        OSError: the record cannot be written.
    """
    text = f"{_digest(content)}  ".encode() + os.fsencode(path) + b"\n"
    put(Path(_record(path, folder)), text, mode=0o600)


def forget(path: str, folder: str) -> bool:
    """Trust the file at `path` no longer; return if it was trusted.

    Raises:
        OSError: the record cannot be removed.
    """
    try:
        os.unlink(_record(path, folder))
    except FileNotFoundError:
        return False
    return True


def _recorded(path: str, folder: str) -> str | None:
    """Return the SHA-256 of the content that the user trusted; None if no record can be read."""
    place = _record(path, folder)
    try:
        with open(place, "rb") as file:
            if _changeable(place, os.fstat(file.fileno())) is not None:
                return None
            digest, _, of = file.read().partition(b"  ")
    except OSError:  # such as a permission: in a container $HOME can belong to another user
        return None
    return digest.decode("ascii", "replace") if of == os.fsencode(path) + b"\n" else None


def _record(path: str, folder: str) -> str:
    return os.path.join(folder, _RECORDS, _digest(os.fsencode(path)))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _places(path: str) -> Iterator[str]:
    """Yield the file, and all folders on the way to it, also on that of what it links to."""
    for each in dict.fromkeys((path, os.path.realpath(path))):
        while True:
            yield each
            above = os.path.dirname(each)
            if above == each:
                break
            each = above


def _changeable(place: str, status: os.stat_result) -> str | None:
    if (reason := _owned_by_others(status)) is not None:
        return reason
    if stat.S_ISLNK(status.st_mode):
        return None  # whoever can replace it can write its folder
    if status.st_mode & stat.S_IWOTH:
        return "can be written by everybody"
    if status.st_mode & stat.S_IWGRP and not _is_private(place, status.st_gid):
        return "can be written by its group"
    return None


def _owned_by_others(status: os.stat_result) -> str | None:
    return None if status.st_uid in (os.geteuid(), 0) else f"belongs to user {status.st_uid}"


def _is_private(place: str, gid: int) -> bool:
    """Return whether the group is the user's private one, with no other user in it."""
    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(gid)
    except KeyError:
        return False
    is_own = group.gr_gid == user.pw_gid and group.gr_name == user.pw_name
    return is_own and set(group.gr_mem) <= {user.pw_name} and not _has_list(place)


def _has_list(place: str) -> bool:
    """Return whether the file has an access list: then the group's mode is that of the list."""
    try:
        return hasattr(os, "getxattr") and bool(os.getxattr(place, "system.posix_acl_access"))
    except OSError:
        return False
