"""Open files without waiting: to open a named pipe is to wait for its writer."""

import errno
import os
import stat
from importlib import import_module
from typing import Any

# Errors of opening a link that leads to nothing, to itself, or through a file.
NO_FILE = frozenset({errno.ENOENT, errno.ELOOP, errno.ENOTDIR})

_SPECIAL = {
    stat.S_IFIFO: "a named pipe (FIFO)",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
# What to add to the flags of an open that is not to wait.
AT_ONCE = os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class NotRegularError(OSError):
    """The path leads to a named pipe, a socket or a device; `strerror` says which."""

    def __init__(self, what: str, path: str) -> None:
        super().__init__(errno.EINVAL, f"it is {what}, not a regular file", path)
        self.what = what


def close(descriptor: int) -> None:
    """Close what was only read from: whether that fails says nothing of what was read."""
    try:
        os.close(descriptor)
    except OSError:
        return


def special(mode: int) -> str | None:
    """Return what a file of this mode is if its reader may have to wait; None for others."""
    return _SPECIAL.get(stat.S_IFMT(mode))


def check_regular(status: os.stat_result, path: str) -> None:
    """Raise NotRegularError for a named pipe, a socket or a device; a folder passes."""
    if (what := special(status.st_mode)) is not None:
        raise NotRegularError(what, path)


def file_status(status: os.stat_result, path: str) -> os.stat_result:
    """Return the status if it is that of a file; a folder counts as missing."""
    if stat.S_ISDIR(status.st_mode):
        raise FileNotFoundError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    check_regular(status, path)
    return status


def open_regular(path: str, flags: int = os.O_RDONLY, *, dir_fd: int | None = None) -> int:
    """Return a descriptor of the file; an opener for `open`.

    Raises:
        NotRegularError: it is a named pipe, a socket or a device.
        OSError: it cannot be opened.
    """
    descriptor = open_without_waiting(path, flags, dir_fd=dir_fd)
    try:
        check_regular(os.fstat(descriptor), path)
    except BaseException:
        close(descriptor)
        raise
    return descriptor


def open_without_waiting(path: str, flags: int = os.O_RDONLY, *, dir_fd: int | None = None) -> int:
    """Return a descriptor without waiting; it may be that of a named pipe or a device.

    Raises:
        NotRegularError: it cannot be opened, as it is a socket or a device.
        OSError: it cannot be opened.
    """
    try:
        return os.open(path, flags | AT_ONCE, dir_fd=dir_fd)
    except OSError as error:
        return open_after(error, path, flags, dir_fd=dir_fd)


def open_after(
    error: OSError, path: str, flags: int = os.O_RDONLY, *, dir_fd: int | None = None
) -> int:
    """Return a descriptor of a file that was not opened at once; raises as `open_at_once` does."""
    if error.errno not in (errno.ENXIO, errno.EOPNOTSUPP, errno.ENODEV, errno.EAGAIN):
        raise error
    check_regular(os.stat(path, dir_fd=dir_fd), path)
    if error.errno != errno.EAGAIN:
        raise error
    # Another process has a lease on the file, and gives it back when it is asked to.
    return os.open(path, flags | os.O_CLOEXEC, dir_fd=dir_fd)


def read_in_one_call(name: str, start: int, length: int, *, dir_fd: int) -> bytes:
    """Return the bytes of a file of the folder; none if one call does not read them all.

    Why not, and what to do then, is for the caller to find out: few files are such.
    """
    try:
        descriptor = os.open(name, AT_ONCE, dir_fd=dir_fd)
        try:
            data = os.pread(descriptor, length, start)
        finally:
            close(descriptor)
    except OSError:
        return b""
    return data if len(data) == length else b""


def open_named(path: str, flags: int) -> int:
    """Return a descriptor of a file that a person named; an opener for `open`.

    A pipe of the shell, such as `<(command)`, and `/dev/null` pass as well.

    Raises:
        NotRegularError: it is a named pipe, a socket or another device.
        OSError: it cannot be opened.
    """
    if os.path.dirname(os.path.realpath(path)).startswith(("/proc/", "/dev/fd")):
        return os.open(path, flags | os.O_CLOEXEC)  # It is open already.
    if os.path.realpath(path) == os.devnull:
        return os.open(path, flags | os.O_CLOEXEC)
    return open_regular(path, flags)


def for_pyarrow(path: str) -> Any:
    """Return `path`, or the open file if the path is not UTF-8: pyarrow encodes what it gets."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return import_module("pyarrow").OSFile(os.fsencode(path))
    return path
