"""`widen`, a commit that is on disk, against opening the table with deltalake, and Spark's ALTER.

The cost must not depend on the number of files. Each run works on a copy of the log, made of hard
links, from which the new version is removed again.

    python -m benchmarks.widen --spark
"""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Case, Options, main
from benchmarks.log_copy import LogCopy
from benchmarks.measure import Command, deltactl, script
from benchmarks.tables import SPARK_SETTINGS_AT, RowGroups

SMALLEST = 1_000
COMPARED = 1_000_000  # the size at which the peers run too
SIZES = (SMALLEST, 100_000, COMPARED, 5_000_000)
ROW_GROUPS: tuple[RowGroups, ...] = ("one", "many")
COLUMN, TYPE = "id", "decimal(20,0)"
COMMIT = "[0-9]*.json"


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
    copy = LogCopy(Path(table), COMMIT)
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
    copy = LogCopy(table, COMMIT)
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


def _widen(copy: LogCopy) -> Command:
    return deltactl("widen", str(copy.table), COLUMN, TYPE, "-o", "json")


def _name(files: int, layout: str) -> str:
    return f"`widen`, {files:,} files, {layout}"


if __name__ == "__main__":
    main(__doc__, cases)
