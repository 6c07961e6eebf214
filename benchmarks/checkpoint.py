"""`checkpoint` against deltalake's, which has no `stats_parsed` and is not read back.

So reading back is timed apart. Memory must not depend on the number of files. Each run works on a
copy of the log, made of hard links, from which what it wrote is removed again.

    python -m benchmarks.checkpoint
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.figure import Case, Options, main
from benchmarks.log_copy import LogCopy
from benchmarks.measure import deltactl, script

COMPARED = 1_000_000  # the size at which deltalake runs too
LARGEST = 5_000_000
WRITTEN = "*.checkpoint*.parquet"


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
    yield _whole(COMPARED, "from JSON in one row group", _copy(one))
    yield _whole(COMPARED, "from JSON, 8 parts", _copy(json_only), "--parts", "8")
    if options.spark:
        spark = tables.spark_checkpointed(COMPARED)
        yield _whole(COMPARED, "written by Spark", _copy(spark))
    if options.largest >= LARGEST:
        largest = _copy(tables.checkpointed(LARGEST, "many", partitioned=True))
        first = _name(COMPARED, "from JSON, partitioned")
        yield replace(
            _whole(LARGEST, "from JSON, partitioned", largest),
            grows_from=first,
            max_mib_growth=1.3,
        )


def _compared(what: str, table: str) -> Iterator[Case]:
    """Our checkpoint against deltalake's, and then what reading it back adds to it."""
    copy = _copy(table)
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


def _whole(files: int, what: str, copy: LogCopy, *words: str) -> Case:
    """Return the command as it is typed."""
    ours = deltactl("checkpoint", str(copy.table), *words, "-o", "json")
    return Case(name=_name(files, what), ours=ours, max_mib=460, afterwards={ours: copy.restore})


def _copy(table: str) -> LogCopy:
    return LogCopy(Path(table), WRITTEN)


def _name(files: int, what: str) -> str:
    return f"`checkpoint`, {files:,} files, {what}"


if __name__ == "__main__":
    main(__doc__, cases)
