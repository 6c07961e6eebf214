"""What `--engine auto` goes by: checkpoints and footers in the process and on Spark; its start.

The process is quicker at all sizes that were measured, and more files of an older checkpoint take
no more memory; but it keeps the actions of newer commits. `auto` takes Spark where these are more
than `SPARK_FROM` of `operations.checkpoint`, which is MOST_MEMORY by what each of them takes.

Footers are read by threads, on a cluster where there are FOOTERS_SPARK_FROM or more: so many take
threads twice as long as Spark takes to start.

Each is run once, one after the other: a run on Spark takes minutes, and what is asked of it is how
it grows. Without --spark there is nothing to measure.

    python -m benchmarks.engine --spark
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.figure import HEADER, Options, options
from benchmarks.log_copy import LogCopy
from benchmarks.measure import REPOSITORY, Usage, deltactl, run, script
from deltactl.operations.checkpoint.checkpoint import SPARK_FROM
from deltactl.operations.prune.footers_on_spark import FOOTERS_SPARK_FROM

SIZES = (100_000, 1_000_000)
SMALL = REPOSITORY / "tests" / "golden" / "many_ops_history" / "delta"
NEWER = (50_000, 250_000)
MOST_MEMORY = 9.0
"""GiB that the process may take for what it keeps."""
SCHEMA = {
    "type": "struct",
    "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}],
}
HEAD: tuple[dict[str, Any], ...] = (
    {"commitInfo": {"operation": "WRITE", "operationParameters": {}}},
    {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
    {
        "metaData": {
            "id": "newer",
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps(SCHEMA),
            "partitionColumns": [],
            "configuration": {},
            "createdTime": 1,
        }
    },
)
FILES = 2_000
"""Whose footers are read."""
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
    yield _footers(chosen)
    yield _newer_actions(chosen.tables.folder)
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


def _footers(chosen: Options) -> Row:
    table = chosen.tables.half_widened(FILES)
    _, here = _told(script("footers", table))
    ours, there = _told(script("footers", table, "--master", "local[2]", *_jars(chosen)))
    threads, start = here["seconds"], there["start"]
    # Below that no cluster is quicker, of whatever size.
    least = int(start * FILES / threads)
    target = (
        f"{there['seconds']:.2f} s once it is up, threads {threads:.2f} s; in its start of "
        f"{start:.1f} s threads read {least:,} ≤ {FOOTERS_SPARK_FROM:,}"
    )
    met = least <= FOOTERS_SPARK_FROM and here["answer"] == there["answer"]
    return Row(f"footers of {FILES:,} files on Spark", ours, target, met)


def _told(command: tuple[str, ...]) -> tuple[Usage, Any]:
    with tempfile.TemporaryFile() as output:
        usage = run(command, output)
        output.seek(0)
        return usage, json.load(output)


def _jars(chosen: Options) -> tuple[str, ...]:
    """Return the option that names the folder of Delta's jars."""
    jars = chosen.tables.jars
    return ("--jars", str(Path(jars.split(",")[0]).parent)) if jars else ()


def _newer_actions(folder: Path) -> Row:
    """Return the memory of each action above the checkpoint: the slope of two numbers."""
    fewer, more = (_of_one_commit(folder, number) for number in NEWER)
    each = (more.mib - fewer.mib) / (NEWER[1] - NEWER[0])
    gib = each * SPARK_FROM / 1024
    name = f"`checkpoint`, {NEWER[1]:,} newer files, in the process"
    target = f"{each * 1024:.2f} KiB each, {SPARK_FROM:,} take {gib:.1f} ≤ {MOST_MEMORY:g} GiB"
    return Row(name, more, target, gib <= MOST_MEMORY)


def _of_one_commit(folder: Path, number: int) -> Usage:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as table:
        log = Path(table) / "_delta_log"
        log.mkdir()
        with (log / f"{0:020d}.json").open("w", encoding="utf-8") as commit:
            commit.writelines(f"{json.dumps(action)}\n" for action in (*HEAD, *_adds(number)))
        return run(deltactl("checkpoint", table, "-o", "json", "--engine", "local"))


def _adds(number: int) -> Iterator[dict[str, Any]]:
    for file in range(number):
        bounds = {"minValues": {"id": file * 1000}, "maxValues": {"id": file * 1000 + 999}}
        stats = {"numRecords": 1000, **bounds, "nullCount": {"id": 0}, "padding": "x" * 80}
        path = f"part-{file:05d}-3c07d158-2337-47d3-bf8c-5b6cadba8f14-c000.snappy.parquet"
        plain = {"path": path, "partitionValues": {}, "size": 1234567, "dataChange": True}
        yield {"add": {**plain, "modificationTime": 1, "stats": json.dumps(stats)}}


def _checkpoint(chosen: Options, size: int, before: Usage | None) -> Row:
    table = chosen.tables.checkpointed(size, "many")
    copy = LogCopy(Path(table), "*.checkpoint*.parquet")
    words = ("checkpoint", str(copy.table), "-o", "json", "--engine")
    here = run(deltactl(*words, "local"))
    copy.restore()
    ours = run(deltactl(*words, "spark", "--master", "local[2]", *_jars(chosen)))
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
