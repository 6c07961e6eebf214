"""`show`, which counts files, bytes and rows, against listing the files with deltalake.

python -m benchmarks.show
"""

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Case, Options, main
from benchmarks.measure import deltactl, script

COMPARED = 1_000_000
LARGE = 5_000_000
PLAIN = "`show`, 1,000,000 files, row groups: many"
ROWS = "`show --rows`, 1,000,000 files, rows from JSON"


def cases(options: Options) -> Iterator[Case]:
    tables = options.tables
    many = tables.checkpointed(COMPARED, "many")
    yield _compared(PLAIN, many, min_ratio=12)
    yield _compared(
        "`show`, 1,000,000 files, row groups: one",
        tables.checkpointed(COMPARED, "one"),
        min_ratio=12,
    )
    yield _compared(ROWS, many, "--rows", min_ratio=4.5)
    yield _compared(
        "`show --rows`, 1,000,000 files, rows from stats_parsed",
        tables.checkpointed(COMPARED, "many", stats="both"),
        "--rows",
        min_ratio=12,
    )
    if options.spark:
        written = tables.spark_checkpointed(COMPARED)
        yield _compared("`show`, 1,000,000 files, written by Spark", written, min_ratio=12)
    if options.largest >= LARGE:
        many = tables.checkpointed(LARGE, "many")
        one = tables.checkpointed(LARGE, "one")
        yield _large("`show`, 5,000,000 files, row groups: many", PLAIN, many)
        yield _large("`show`, 5,000,000 files, row groups: one", PLAIN, one)
        yield _large("`show --rows`, 5,000,000 files, rows from JSON", ROWS, many, "--rows")


def _compared(name: str, table: str, *flags: str, min_ratio: float) -> Case:
    return Case(
        name=name,
        ours=deltactl("show", table, *flags, "-o", "json"),
        peer=script("peers.list_files", table),
        fact=_file_count,
        min_ratio=min_ratio,
        max_mib=250,
    )


def _large(name: str, smaller: str, table: str, *flags: str) -> Case:
    return Case(
        name=name,
        ours=deltactl("show", table, *flags, "-o", "json"),
        max_mib=300,
        grows_from=smaller,
        max_growth=5.5,
    )


def _file_count(output: Path) -> int:
    return int(json.loads(output.read_bytes())["files"]["count"])


if __name__ == "__main__":
    main(__doc__, cases)
