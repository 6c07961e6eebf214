"""The folder of one run of Spark: its log, its settings, what it makes by the way."""

import shutil
import tempfile
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


class Workplace:
    """A temporary folder, gone at the end but for the log, and with it where all went well.

    Raises:
        StorageError: it cannot be made.
    """

    def __init__(self) -> None:
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="deltactl-spark-"))
            self.log = self.folder / "spark.log"
            self.log.touch()
            self.log4j = self.folder / "log4j2.properties"
            self.log4j.write_text(LOG4J.format(log=self.log), encoding="utf-8")
            self.settings = self.folder / "spark.properties"
            self.scratch = self.folder / "scratch"
            self.scratch.mkdir()
        except OSError as error:
            raise StorageError(
                "TEMPORARY_FILE_FAILED",
                f"no folder for temporary files: {error.strerror or error}; nothing was written",
                hint="with TMPDIR set to a folder with room, run it again",
            ) from error
        self._keep = False

    def keep_log(self) -> None:
        """Leave the log where errors say that it is."""
        self._keep = True

    def close(self) -> None:
        """Remove the folder; a log that is kept stays alone in it."""
        if not self._keep:
            shutil.rmtree(self.folder, ignore_errors=True)
            return
        shutil.rmtree(self.scratch, ignore_errors=True)
        for file in self.folder.iterdir():
            if file != self.log:
                file.unlink(missing_ok=True)
