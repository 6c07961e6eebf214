"""What `--engine auto` goes by: the same checkpoint in the process and on Spark, and Spark's start.

Each is run once, one after the other: a run on Spark takes minutes, and what is asked of it is how
it grows. Without --spark there is nothing to measure.

    python -m benchmarks.engine --spark
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.figure import HEADER, Options, options
from benchmarks.log_copy import LogCopy
from benchmarks.measure import REPOSITORY, Usage, deltactl, run, script

SIZES = (100_000, 1_000_000)
SMALL = REPOSITORY / "tests" / "golden" / "many_ops_history" / "delta"
MOST_SECONDS = 20.0
"""From nothing to the first answer on a small table."""
MOST_GROWTH = 10.0
"""Of the wall time for ten times the files."""


class Row(NamedTuple):
    """A line of the table: what was measured, what is asked of it, and whether that is so."""

    name: str
    ours: Usage
    target: str
    met: bool

    def line(self) -> str:
        cells = [self.name, f"{self.ours.cpu_seconds:.3f}", f"{self.ours.mib:.0f}", "", "", ""]
        return f"| {' | '.join([*cells, self.target, 'yes' if self.met else '**no**'])} |"


def main() -> None:
    chosen = options(__doc__)
    rows = list(_rows(chosen)) if chosen.spark else []
    print(HEADER)
    for row in rows:
        print(row.line())
    sys.exit(0 if all(row.met for row in rows) else 1)


def _rows(chosen: Options) -> Iterator[Row]:
    yield _first_job(chosen.tables.jars)
    before: Usage | None = None
    for size in SIZES:
        if size > chosen.largest:
            return
        row = _checkpoint(chosen, size, before)
        before = row.ours
        yield row


def _first_job(jars: str | None) -> Row:
    named = ("--jars", jars) if jars else ()
    ours = run(script("first_job", str(SMALL), *named))
    plain = run(script("peers.spark_first_job", str(SMALL), *named))
    ratio = plain.wall_seconds / ours.wall_seconds
    target = (
        f"{ours.wall_seconds:.1f} s ≤ {MOST_SECONDS:g} s wall time; PySpark with default settings "
        f"{plain.wall_seconds:.1f} s, {ratio:.1f}x > 1x"
    )
    met = ours.wall_seconds <= MOST_SECONDS and ratio > 1
    return Row("first job on Spark, a small table", ours, target, met)


def _checkpoint(chosen: Options, size: int, before: Usage | None) -> Row:
    table = chosen.tables.checkpointed(size, "many")
    copy = LogCopy(Path(table), "*.checkpoint*.parquet")
    words = ("checkpoint", str(copy.table), "-o", "json", "--engine")
    here = run(deltactl(*words, "local"))
    copy.restore()
    named = (
        ("--jars", str(Path(chosen.tables.jars.split(",")[0]).parent)) if chosen.tables.jars else ()
    )
    ours = run(deltactl(*words, "spark", "--master", "local[2]", *named))
    copy.restore()
    target = (
        f"{ours.wall_seconds:.1f} s wall time, in the process {here.wall_seconds:.1f} s and "
        f"{here.mib:.0f} MiB"
    )
    if before is None:
        return Row(_name(size), ours, target, True)
    growth = ours.wall_seconds / before.wall_seconds
    target += f"; grows {growth:.1f}x ≤ {MOST_GROWTH:g}x"
    return Row(_name(size), ours, target, growth <= MOST_GROWTH)


def _name(size: int) -> str:
    return f"`checkpoint --engine spark`, {size:,} files"


if __name__ == "__main__":
    main()
