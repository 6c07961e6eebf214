"""The folder of one run of Spark: its log, its settings, what it makes by the way."""

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from deltactl.errors import StorageError

LOG4J = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {log}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{ISO8601}} %p %c: %m%n%throwable
"""


PREFIX = "deltactl-spark-"
# The system takes the lock of this file from a process that ends, however it ends.
IN_USE = "in-use"


class ScratchDir:
    """A temporary folder, removed at the end; the log in it stays after a failure.

    The folders of runs that were killed are removed first. `log` is a file of the user for the log
    instead: Spark adds to it, and it stays.

    Raises:
        StorageError: it cannot be made, or the user's file cannot be written.
    """

    def __init__(self, log: str | None = None) -> None:
        if log is not None:
            check_log(log)
        try:
            _remove_stale_folders()
            self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
            self._lock = _locked(self.folder)
            self.log = self.folder / "spark.log" if log is None else Path(log).absolute()
            self.log.touch()
            self.log4j = self.folder / "log4j2.properties"
            self.log4j.write_text(LOG4J.format(log=self.log), encoding="utf-8")
            self.settings = self.folder / "spark.properties"
            self.scratch = self.folder / "scratch"
            self.scratch.mkdir()
        except OSError as error:
            raise _no_room(error) from error
        self._keep, self._is_own = False, log is None

    def write_settings(self, text: str) -> None:
        """Write the file of settings, which holds secrets, readable by the user only.

        Raises:
            StorageError: there is no room for it.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        try:
            with open(os.open(self.settings, flags, 0o600), "w", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise _no_room(error) from error

    def keep_log(self) -> None:
        """Leave the log where errors say that it is."""
        self._keep = self._is_own

    def close(self) -> None:
        """Remove the folder; a log that is kept stays alone in it."""
        if self._keep:
            shutil.rmtree(self.scratch, ignore_errors=True)
            # What cannot be removed is litter; it says nothing about the outcome.
            with suppress(OSError):
                for file in self.folder.iterdir():
                    if file != self.log:
                        file.unlink(missing_ok=True)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)


def check_log(file: str) -> None:
    """Check that a file of the user's can be written.

    Raises:
        StorageError: it cannot.
    """
    try:
        with open(file, "ab"):
            pass
    except OSError as error:
        raise StorageError(
            "SPARK_LOG_FAILED",
            f"{file} cannot be written: {error.strerror or error}; nothing was started",
            hint="--spark-log takes a file in a folder that exists",
        ) from error


def _no_room(error: OSError) -> StorageError:
    return StorageError(
        "TEMPORARY_FILE_FAILED",
        f"no folder for temporary files: {error.strerror or error}; nothing was written",
        hint="with TMPDIR set to a folder with room, run it again",
    )


def _locked(folder: Path) -> int:
    """Return a file that says, by its lock, that the folder is in use, until it is closed."""
    new = folder / f"{IN_USE}.new"
    lock = os.open(new, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    # Where a file system knows no locks nobody clears the folder away.
    with suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # By its name there is none but with the lock: another run may look at any moment.
        new.rename(folder / IN_USE)
    return lock


def _remove_stale_folders() -> None:
    """Remove folders that this user's runs were killed over; a log that was kept has no lock."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            lock = os.open(folder / IN_USE, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)
