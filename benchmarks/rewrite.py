"""Files rewritten and features dropped on Spark, against Delta's own statement by spark-submit.

The CPU is that of all processes, the JVM included, and either side starts Spark. Each command runs
once, on a copy of the table. Delta rewrites files with old types only as a part of DROP FEATURE
typeWidening. Without --spark and --jars there is nothing to measure.

    python -m benchmarks.rewrite --spark --jars JARS
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchmarks.figure import HEADER, Options, options
from benchmarks.measure import REPOSITORY, Command, Usage, deltactl, run
from benchmarks.spark import SETTINGS

OLD_FILES = 200
MASTER = "local[2]"
# What deltactl was measured to save, with room for the noise of a busy machine.
LEAST = 1.3
EXTENSION, CATALOG = "spark.sql.extensions", "spark.sql.catalog.spark_catalog"


class Row(NamedTuple):
    """A line of the table: what both took of CPU, and how much less ours was."""

    name: str
    ours: Usage
    plain: Usage

    @property
    def ratio(self) -> float:
        return self.plain.cpu_seconds / self.ours.cpu_seconds

    def line(self) -> str:
        target = (
            f"spark-submit {self.plain.cpu_seconds:.0f} s of CPU, {self.ratio:.1f}x ≥ {LEAST:g}x; "
            f"wall time {self.ours.wall_seconds:.0f} s, {self.plain.wall_seconds:.0f} s"
        )
        cells = [self.name, f"{self.ours.cpu_seconds:.1f}", f"{self.ours.mib:.0f}", "", "", ""]
        met = "yes" if self.ratio >= LEAST else "**no**"
        return f"| {' | '.join([*cells, target, met])} |"


def main() -> None:
    chosen = options(__doc__)
    print(HEADER)
    missed = False
    jars = chosen.tables.jars
    for row in _rows(chosen, jars) if chosen.spark and jars else ():
        print(row.line(), flush=True)
        missed |= row.ratio < LEAST
    sys.exit(1 if missed else 0)


def _rows(chosen: Options, jars: str) -> Iterator[Row]:
    on_spark = ("--yes", "--master", MASTER, "--jars", str(Path(jars.split(",")[0]).parent))
    old = Path(chosen.tables.half_widened(OLD_FILES))
    plain = _on_copy(old, _submit(jars, "{}", "typeWidening"))
    files = f"{OLD_FILES // 2:,} of {OLD_FILES:,} files"
    for name, words in (
        ("`prune-type-changes --rewrite`", ("prune-type-changes", "{}", "--rewrite")),
        ("`protocol drop typeWidening`", ("protocol", "drop", "{}", "typeWidening")),
    ):
        ours = _on_copy(old, deltactl(*words, *on_spark))
        yield Row(f"{name}, {files}", ours, plain)


def _on_copy(table: Path, command: Command) -> Usage:
    with tempfile.TemporaryDirectory(dir=table.parent) as folder:
        copy = shutil.copytree(table, Path(folder) / "table")
        return run(tuple(word.format(copy) for word in command))


def _submit(jars: str, table: str, feature: str) -> Command:
    found = find_spec("pyspark")
    assert found is not None
    assert found.origin is not None
    words: tuple[str, ...] = ("--master", MASTER, "--jars", jars)
    for name in (EXTENSION, CATALOG):
        words += ("--conf", f"{name}={SETTINGS[name]}")
    script = REPOSITORY / "benchmarks" / "peers" / "spark_drop_feature.py"
    program = str(Path(found.origin).parent / "bin" / "spark-submit")
    return (program, *words, str(script), table, feature)


if __name__ == "__main__":
    main()
