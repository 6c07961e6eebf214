"""`widen`, a commit that is on disk, against opening the table with deltalake, and Spark's ALTER.

The cost must not depend on the number of files. Each run works on a copy of the log, made of hard
links, from which the new version is removed again.

    python -m benchmarks.widen --spark
"""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Case, Options, main
from benchmarks.measure import Command, deltactl, script
from benchmarks.tables import SPARK_SETTINGS_AT, RowGroups

SMALLEST = 1_000
COMPARED = 1_000_000  # the size at which the peers run too
SIZES = (SMALLEST, 100_000, COMPARED, 5_000_000)
ROW_GROUPS: tuple[RowGroups, ...] = ("one", "many")
COLUMN, TYPE = "id", "decimal(20,0)"


def cases(options: Options) -> Iterator[Case]:
    tables = options.tables
    for row_groups in ROW_GROUPS:
        for files in (size for size in SIZES if size <= options.largest):
            layout = f"row groups: {row_groups}"
            yield _case(files, layout, tables.checkpointed(files, row_groups))
            # Row groups can be skipped, so only a single one gets harder with its size.
            if files == COMPARED or (files > COMPARED and row_groups == "one"):
                late = tables.checkpointed(files, row_groups, settings_at=SPARK_SETTINGS_AT)
                yield _case(files, f"{layout}, protocol late", late)
    if options.spark:
        yield _case(COMPARED, "written by Spark", tables.spark_checkpointed(COMPARED))
        table = Path(tables.checkpointed(COMPARED, "many"))
        yield _against_spark(COMPARED, table, tables.jars)


def _case(files: int, layout: str, table: str) -> Case:
    copy = Copy(Path(table))
    ours = _widen(copy)
    return Case(
        name=_name(files, layout),
        ours=ours,
        peer=script("peers.open_table", table) if files == COMPARED else None,
        min_ratio=20,
        max_mib=150,
        grows_from=_name(SMALLEST, "row groups: one") if files > SMALLEST else None,
        max_growth=1.3,
        afterwards={ours: copy.restore},
    )


def _against_spark(files: int, table: Path, jars: str | None) -> Case:
    copy = Copy(table)
    more = ("--jars", jars) if jars else ()
    ours = _widen(copy)
    peer = script("peers.spark_widen", str(copy.table), COLUMN, TYPE, *more)
    return Case(
        name=f"{_name(files, 'row groups: many')}, against Spark",
        ours=ours,
        peer=peer,
        min_wall_ratio=80,
        afterwards={ours: copy.restore, peer: copy.restore},
    )


def _widen(copy: "Copy") -> Command:
    return deltactl("widen", str(copy.table), COLUMN, TYPE, "-o", "json")


def _name(files: int, layout: str) -> str:
    return f"`widen`, {files:,} files, {layout}"


class Copy:
    """A table whose log is that of another, by hard links, and which can be as it was again."""

    def __init__(self, table: Path) -> None:
        # Links do not lead from one disk to another, and /tmp may be in memory, where no commit
        # takes as long as it does on a disk.
        self.table = Path(tempfile.mkdtemp(prefix=".widen-", dir=table.parent))
        atexit.register(shutil.rmtree, self.table)
        self._log = self.table / "_delta_log"
        self._log.mkdir()
        for file in (table / "_delta_log").iterdir():
            os.link(file, self._log / file.name)
        self._before = {file.name for file in self._log.iterdir()}

    def restore(self) -> None:
        """Remove what the last run has written, which is one commit and what belongs to it."""
        new = [file for file in self._log.iterdir() if file.name not in self._before]
        commits = [file for file in new if file.name[:1] != "." and file.suffix == ".json"]
        assert len(commits) == 1, f"one run has made {len(commits)} commits"
        for file in new:
            file.unlink()


if __name__ == "__main__":
    main(__doc__, cases)
