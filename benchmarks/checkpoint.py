"""`checkpoint`, read back and in place, against deltalake's, which has no `stats_parsed`.

Memory must not depend on the number of files. Each run works on a copy of the log, made of hard
links, from which what it wrote is removed again.

    python -m benchmarks.checkpoint
"""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Case, Options, main
from benchmarks.measure import deltactl, script

COMPARED = 1_000_000  # the size at which deltalake runs too
LARGEST = 5_000_000
HINT = "_last_checkpoint"


def cases(options: Options) -> Iterator[Case]:
    tables = options.tables
    json_only = tables.checkpointed(COMPARED, "many")
    yield _case(COMPARED, "from JSON", json_only, compared=True)
    one = tables.checkpointed(COMPARED, "one")
    yield _case(COMPARED, "from JSON in one row group", one)
    both = tables.checkpointed(COMPARED, "many", stats="both")
    yield _case(COMPARED, "from parsed statistics", both)
    yield _case(COMPARED, "from JSON, 8 parts", json_only, "--parts", "8")
    if options.spark:
        yield _case(COMPARED, "written by Spark", tables.spark_checkpointed(COMPARED))
    if options.largest >= LARGEST:
        yield _case(LARGEST, "from JSON", tables.checkpointed(LARGEST, "many"))


def _case(files: int, what: str, table: str, *words: str, compared: bool = False) -> Case:
    copy = Copy(Path(table))
    ours = deltactl("checkpoint", str(copy.table), *words, "-o", "json")
    peer = script("peers.create_checkpoint", str(copy.table)) if compared else None
    return Case(
        name=f"`checkpoint`, {files:,} files, {what}",
        ours=ours,
        peer=peer,
        min_ratio=1.25 if compared else None,
        min_wall_ratio=2 if compared else None,
        max_mib=460,
        afterwards={command: copy.restore for command in (ours, peer) if command is not None},
    )


class Copy:
    """A table whose log is that of another, by hard links, and which can be as it was again."""

    def __init__(self, table: Path) -> None:
        # Links do not lead from one disk to another.
        self.table = Path(tempfile.mkdtemp(prefix=".checkpoint-", dir=table.parent))
        atexit.register(shutil.rmtree, self.table)
        self._log = self.table / "_delta_log"
        self._log.mkdir()
        for file in (table / "_delta_log").iterdir():
            # The hint is written anew, by others perhaps in its place.
            (shutil.copy if file.name == HINT else os.link)(file, self._log / file.name)
        self._hint = (self._log / HINT).read_bytes()
        self._before = {file.name for file in self._log.iterdir()}

    def restore(self) -> None:
        """Remove what the last run has written, and put the hint back."""
        new = [file for file in self._log.iterdir() if file.name not in self._before]
        assert any(".checkpoint." in file.name for file in new), "one run has made no checkpoint"
        for file in new:
            file.unlink()
        (self._log / HINT).write_bytes(self._hint)


if __name__ == "__main__":
    main(__doc__, cases)
