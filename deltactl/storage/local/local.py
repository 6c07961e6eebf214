"""A table in a folder of this machine: commits appear whole, by link, or not at all."""

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from deltactl.errors import BrokenLogError, DeltactlError, Notice, StorageError
from deltactl.log.filenames import LOG, LogFile, LogFileKind, kind_of
from deltactl.storage.base import Outcome, ReadFile
from deltactl.storage.local.regular_file import (
    AT_ONCE,
    NO_FILE,
    NotRegularError,
    check_regular,
    close,
    file_status,
    for_pyarrow,
    open_after,
    read_in_one_call,
    special,
)
from deltactl.text.quoting import quoted

# Files of these kinds say nothing of the table.
_BESIDE = (LogFileKind.OTHER, LogFileKind.TEMPORARY)
_NO_FILE_TO_READ = NO_FILE | {errno.EISDIR}
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS}
_RENAME_NOREPLACE = 1
_AT_FDCWD = -100


class LocalStorage:
    """The store of one table below the folder `uri`."""

    has_folders = True

    def __init__(self, uri: str) -> None:
        self.uri = uri

    @property
    def transport(self) -> str:
        """The calls of this machine's system."""
        return "system calls"

    @property
    def write_refusal(self) -> None:
        """Nothing: no setting makes other writers commit in another way."""

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """None that settings tell."""
        return ()

    def list_from(self, folder: str, start: str = "") -> list[LogFile]:
        """Return the files of `folder` from the name `start` on, in order of their names."""
        with self._failures(folder):
            try:
                return self._files(folder, start)
            except OSError as error:
                if error.errno not in NO_FILE:
                    raise
                return []

    def _files(self, folder: str, start: str) -> list[LogFile]:
        found: list[LogFile] = []
        # With a descriptor, asking for a file's status does not go down the whole path each time.
        descriptor = os.open(self._path(folder), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in sorted(os.listdir(descriptor)):
                if name < start:
                    continue
                try:
                    status = os.stat(name, dir_fd=descriptor)
                except OSError as error:
                    if error.errno in NO_FILE:
                        continue  # Gone since the folder was opened, or a link to nowhere.
                    raise self._failure(os.path.join(folder, name), error) or error from error
                if stat.S_ISREG(status.st_mode):
                    found.append(LogFile(name, status.st_size, status.st_mtime_ns // 1_000_000))
                elif f"{folder}/".startswith(f"{LOG}/"):
                    self._check_own(folder, name, status.st_mode)
        finally:
            close(descriptor)
        return found

    def _check_own(self, folder: str, name: str, mode: int) -> None:
        """Refuse what has the name of one of the log's files, and would have its reader wait."""
        if (what := special(mode)) is not None and kind_of(name)[0] not in _BESIDE:
            raise self._not_regular(f"{folder}/{name}", what)

    def dead_links(self, folder: str) -> dict[str, str]:
        """Return the dangling links in `folder` with their targets; listings lack them."""
        with self._failures(folder):
            links = [entry for entry in self._entries(folder) if entry.is_symlink()]
        return {link.name: os.readlink(link.path) for link in links if _is_dead(link.path)}

    def folders(self, folder: str) -> list[str]:
        """Return the names of the folders that lie in `folder`, in their order."""
        with self._failures(folder):
            entries = self._entries(folder)
            return sorted(e.name for e in entries if self._is_folder(folder, e))

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self._path(folder)) as entries:
                return list(entries)
        except OSError as error:
            if error.errno not in NO_FILE:
                raise
            return []

    def _is_folder(self, folder: str, entry: os.DirEntry[str]) -> bool:
        try:
            if not entry.is_dir():
                return False
        except OSError:
            return False  # A link to itself, or to what may not be seen.
        return not entry.is_symlink() or not self._leads_back(folder, _real(entry.path))

    def _leads_back(self, folder: str, target: str) -> bool:
        """Return whether `target` is `folder` or one of its parents."""
        way = [self.uri]
        for name in folder.split("/") if folder else ():
            way.append(f"{way[-1]}/{name}")
        below = target.rstrip("/") + "/"
        return any(f"{_real(place)}/".startswith(below) for place in way)

    def siblings(self, levels: int = 0) -> list[str]:
        """Return None: whether the table is there was seen before its store was made."""
        return []

    def read(self, path: str, start: int = 0, length: int | None = None) -> bytes:
        """Return the file's bytes from `start`, at most `length` of them."""
        return self._read_at(path, self._path(path), None, start, length)

    @contextlib.contextmanager
    def opened(self, folder: str) -> Iterator[ReadFile]:
        """Provide a reader for files of `folder`, which resolves its path only once."""
        try:
            place = os.open(self._path(folder), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            # Each file will say what is wrong with the folder.
            yield lambda name, start, length: self.read(f"{folder}/{name}", start, length)
            return
        try:
            yield (
                lambda name, start, length: (
                    read_in_one_call(name, start, length, dir_fd=place)
                    or self._read_at(f"{folder}/{name}", name, place, start, length)
                )
            )
        finally:
            close(place)

    def expect(self, folder: str, files: Iterable[LogFile]) -> None:
        """Do nothing: the files are here."""

    def _read_at(
        self, path: str, local: str, place: int | None, start: int, length: int | None
    ) -> bytes:
        try:
            try:
                descriptor = os.open(local, AT_ONCE, dir_fd=place)
            except OSError as error:
                descriptor = open_after(error, local, dir_fd=place)
            try:
                if length is None:
                    length = file_status(os.fstat(descriptor), path).st_size - start
                return _read(descriptor, start, length)
            except OSError:
                # What cannot be read from a place in it need not be a file.
                check_regular(os.fstat(descriptor), path)
                raise
            finally:
                close(descriptor)
        except OSError as error:
            if error.errno in _NO_FILE_TO_READ:
                raise FileNotFoundError(error.errno, error.strerror, path) from error
            if (failure := self._failure(path, error)) is None:
                raise
            raise failure from error

    def head(self, path: str) -> LogFile:
        """Return the file's size and time."""
        with self._failures(path):
            status = file_status(os.stat(self._path(path)), path)
        return LogFile(os.path.basename(path), status.st_size, status.st_mtime_ns // 1_000_000)

    def source(self, path: str) -> Any:
        """Return the file's path: pyarrow reads local files by itself, if the path is UTF-8."""
        local = self._path(path)
        with self._failures(path):
            file_status(os.stat(local), path)
            if not os.access(local, os.R_OK):
                # What pyarrow says then could be taken for damage.
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), local)
        return for_pyarrow(local)

    def put_if_absent(self, path: str, data: bytes) -> Outcome:
        """Create the file whole and durable, or not at all; never replace one."""
        return self._create(path, lambda file: _write(file, data))

    def put_file_if_absent(self, path: str, local_file: str) -> Outcome:
        """Return as `put_if_absent`, with the bytes of a local file."""

        def copy(file: BinaryIO) -> None:
            with open(local_file, "rb") as source:
                while block := source.read(1 << 20):
                    file.write(block)

        return self._create(path, copy)

    def put(self, path: str, data: bytes) -> None:
        """Create or replace the file atomically; for hints and repairs only."""
        target = self._path(path)
        with self._failures(path):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with _temporary(target, lambda file: _write(file, data)) as temporary:
                self._drop_side_file(path)
                os.replace(temporary, target)
            _sync_folder(os.path.dirname(target))

    def move(self, path: str, target: str) -> Outcome:
        """Rename the file unless `target` exists."""
        old, new = self._path(path), self._path(target)
        with self._failures(target):
            try:
                _rename_once(old, new)
            except FileExistsError:
                return "exists"
            with contextlib.suppress(FileNotFoundError):
                os.unlink(old)
            return _durable(os.path.dirname(new))

    def use_short_timeout(self) -> None:
        """Do nothing: local calls do not wait."""

    def delete(self, path: str) -> None:
        """Remove the file; one that is gone already is no fault."""
        with self._failures(path), contextlib.suppress(FileNotFoundError):
            os.unlink(self._path(path))

    def clear(self, folder: str) -> None:
        """Remove a folder of temporary files, as far as that can be done."""
        import shutil  # It loads what packs archives, and most commands clear nothing.

        shutil.rmtree(self._path(folder), ignore_errors=True)

    def _create(self, path: str, fill: Callable[[BinaryIO], None]) -> Outcome:
        target = self._path(path)
        with self._failures(path):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if os.path.lexists(target):
                return "exists"
            with _temporary(target, fill) as temporary:
                self._drop_side_file(path)
                try:
                    _rename_once(temporary, target)
                except FileExistsError:
                    return "exists"
            return _durable(os.path.dirname(target))

    def _drop_side_file(self, path: str) -> None:
        """Remove Hadoop's checksum of an older file of this name: with it Spark rejects the new."""
        folder, name = os.path.split(path)
        side_file = os.path.join(folder, f".{name}.crc")
        with self._failures(side_file), contextlib.suppress(FileNotFoundError):
            os.unlink(self._path(side_file))

    def _path(self, path: str) -> str:
        if "\0" in path:  # a log can name it, and no system can have it
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return path if path.startswith("/") else f"{self.uri}/{path}"

    @contextlib.contextmanager
    def _failures(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in (errno.ENOTDIR, errno.ELOOP):
                # A file is where a folder on the way should be, or a link that leads nowhere.
                raise FileNotFoundError(error.errno, error.strerror, path) from error
            if (failure := self._failure(path, error)) is None:
                raise
            raise failure from error

    def _failure(self, path: str, error: OSError) -> DeltactlError | None:
        """Return the failure as callers know it; None for one that they handle themselves."""
        if isinstance(error, FileNotFoundError | FileExistsError):
            return None
        if isinstance(error, NotRegularError):
            return self._not_regular(path, error.what)
        place = self._path(path)
        if isinstance(error, PermissionError):
            return StorageError(
                "PERMISSION_DENIED",
                f"no permission for {place}",
                hint="run as a user who may read and, for changes, write the table's folder",
            )
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        code = "DISK_FULL" if full else "STORAGE_FAILED"
        return StorageError(code, f"{place}: {error.strerror or error}")

    def _not_regular(self, path: str, what: str) -> DeltactlError:
        place = self._path(path)
        said = f"{place} is {what}, not a regular file"
        hint = f"see which program made it, and move it away: ls -l {quoted(place)}"
        if path.startswith(f"{LOG}/"):
            return BrokenLogError("LOG_FILE_NOT_REGULAR", said, hint=hint, details={"file": path})
        return StorageError("FILE_NOT_REGULAR", said, hint=hint, details={"file": path})


def _real(path: str) -> str:
    """Return the path without links; it begins with one slash, though Python may leave two."""
    return "/" + os.path.realpath(path).lstrip("/")


def _is_dead(link: str) -> bool:
    try:
        os.stat(link)
    except OSError as error:
        return error.errno in NO_FILE
    return False


def _read(descriptor: int, start: int, length: int) -> bytes:
    data = os.pread(descriptor, length, start) if length > 0 else b""
    if len(data) < length and data:
        # One call reads at most 2 GiB, and fewer bytes when a signal comes in between.
        pieces = [data]
        while (left := length - sum(map(len, pieces))) and pieces[-1]:
            pieces.append(os.pread(descriptor, left, start + length - left))
        data = b"".join(pieces)
    return data


def _write(file: BinaryIO, data: bytes) -> None:
    file.write(data)


@contextlib.contextmanager
def _temporary(target: str, fill: Callable[[BinaryIO], None]) -> Iterator[str]:
    """Provide a durable temporary file beside `target`, with the folder's group and umask."""
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:  # From before it is made: Ctrl-C may strike as soon as the system has made it.
        descriptor = os.open(temporary, flags, 0o666)
        with open(descriptor, "wb") as file:
            _copy_group(descriptor, folder)
            fill(file)
            file.flush()
            os.fsync(descriptor)
        yield temporary
    finally:
        # One that cannot be removed is litter; it says nothing about the outcome.
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def _copy_group(descriptor: int, folder: str) -> None:
    group = os.stat(folder).st_gid
    if os.fstat(descriptor).st_gid != group:
        # Not every user may give it away, nor every file system: then the file keeps their own.
        with contextlib.suppress(OSError):
            os.fchown(descriptor, -1, group)


def _rename_once(temporary: str, target: str) -> None:
    """Give `temporary` the name `target`, or raise FileExistsError."""
    try:
        os.link(temporary, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _rename_without_replacing(temporary, target)


def _rename_without_replacing(temporary: str, target: str) -> None:
    import ctypes  # Rarely needed, and every start would pay for it.

    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if sys.platform != "linux" or rename is None:
        raise StorageError(
            "NO_ATOMIC_CREATE",
            f"the file system of {target} has neither links nor an exclusive rename",
            hint="a commit could replace another one there; keep the table on another file system",
        )
    paths = os.fsencode(temporary), os.fsencode(target)
    if rename(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_NOREPLACE) == 0:
        return
    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS):
        raise StorageError(
            "NO_ATOMIC_CREATE",
            f"the file system of {target} has neither links nor an exclusive rename",
            hint="a commit could replace another one there; keep the table on another file system",
        )
    raise OSError(number, os.strerror(number), target)


def _durable(folder: str) -> Outcome:
    """Return what to say of a name that was claimed: only a folder on disk makes it certain."""
    try:
        _sync_folder(folder)
    except OSError:
        return "unknown"
    return "won"


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
