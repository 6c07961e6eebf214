"""`checkpoint` against deltalake's, which has no `stats_parsed` and is not read back.

So reading back is timed apart. Memory must not depend on the number of files. Each run works on a
copy of the log, made of hard links, from which what it wrote is removed again.

    python -m benchmarks.checkpoint
"""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.figure import Case, Options, main
from benchmarks.measure import deltactl, script

COMPARED = 1_000_000  # the size at which deltalake runs too
LARGEST = 5_000_000
HINT = "_last_checkpoint"


def cases(options: Options) -> Iterator[Case]:
    tables = options.tables
    json_only = tables.checkpointed(COMPARED, "many", partitioned=True)
    plain = tables.checkpointed(COMPARED, "many", partitioned=False)
    awkward = tables.checkpointed(COMPARED, "many", awkward=True)
    both = tables.checkpointed(COMPARED, "many", stats="both")
    yield from _compared("from JSON, partitioned", json_only)
    yield from _compared("from JSON, not partitioned", plain)
    yield from _compared("from JSON with dates and NaN", awkward)
    yield from _compared("from parsed statistics", both)
    one = tables.checkpointed(COMPARED, "one", partitioned=True)
    yield _whole(COMPARED, "from JSON in one row group", Copy(Path(one)))
    yield _whole(COMPARED, "from JSON, 8 parts", Copy(Path(json_only)), "--parts", "8")
    if options.spark:
        spark = tables.spark_checkpointed(COMPARED)
        yield _whole(COMPARED, "written by Spark", Copy(Path(spark)))
    if options.largest >= LARGEST:
        largest = Copy(Path(tables.checkpointed(LARGEST, "many", partitioned=True)))
        first = _name(COMPARED, "from JSON, partitioned")
        yield replace(
            _whole(LARGEST, "from JSON, partitioned", largest),
            grows_from=first,
            max_mib_growth=1.3,
        )


def _compared(what: str, table: str) -> Iterator[Case]:
    """Our checkpoint against deltalake's, and then what reading it back adds to it."""
    copy = Copy(Path(table))
    ours = script("unread_checkpoint", str(copy.table))
    peer = script("peers.create_checkpoint", str(copy.table))
    unread = Case(
        name=f"{_name(COMPARED, what)}, not read back",
        ours=ours,
        peer=peer,
        min_ratio=1.25,
        min_wall_ratio=2,
        min_mib_ratio=5,
        afterwards={ours: copy.restore, peer: copy.restore},
    )
    yield unread
    yield replace(_whole(COMPARED, what, copy), grows_from=unread.name, max_growth=1.34)


def _whole(files: int, what: str, copy: "Copy", *words: str) -> Case:
    """The command as it is typed."""
    ours = deltactl("checkpoint", str(copy.table), *words, "-o", "json")
    return Case(name=_name(files, what), ours=ours, max_mib=460, afterwards={ours: copy.restore})


def _name(files: int, what: str) -> str:
    return f"`checkpoint`, {files:,} files, {what}"


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
