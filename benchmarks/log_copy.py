"""A table to write to again and again, which is as before after each time."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

HINT = "_last_checkpoint"


class LogCopy:
    """A table whose log is that of another, by hard links, and which can be as it was again."""

    def __init__(self, table: Path, written: str) -> None:
        """`written` is the pattern of the files of which each run must leave at least one."""
        # Links do not lead from one disk to another, and /tmp may be in memory, where no commit
        # takes as long as it does on a disk.
        self.table = Path(tempfile.mkdtemp(prefix=".copy-", dir=table.parent))
        atexit.register(shutil.rmtree, self.table)
        self._written = written
        self._log = self.table / "_delta_log"
        self._log.mkdir()
        for file in (table / "_delta_log").iterdir():
            # The hint is rewritten, perhaps in place: a link would change the original.
            (shutil.copy if file.name == HINT else os.link)(file, self._log / file.name)
        self._hint = (self._log / HINT).read_bytes()
        self._before = {file.name for file in self._log.iterdir()}

    def restore(self) -> None:
        """Remove what the last run has written, and put the hint back."""
        new = [file for file in self._log.iterdir() if file.name not in self._before]
        assert any(file.match(self._written) for file in new), f"a run has left no {self._written}"
        for file in new:
            file.unlink()
        (self._log / HINT).write_bytes(self._hint)
