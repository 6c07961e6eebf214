"""The footers of 2,000 data files, against the job in which Delta reads them.

Both find the files that hold a widened column in its old type. The job alone is timed, on either
side: Spark's session is up, and knows the files.

    python -m benchmarks.prune --spark
"""

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Case, Options, main
from benchmarks.measure import deltactl, script

FILES = 2_000


def cases(options: Options) -> Iterator[Case]:
    table = options.tables.half_widened(FILES)
    yield Case(
        name=f"`prune-type-changes`, {FILES:,} files",
        ours=deltactl("prune-type-changes", table, "--dry-run", "-o", "json"),
    )
    if options.spark:
        jars = options.tables.jars
        more = ("--jars", jars) if jars else ()
        yield Case(
            name=f"footers of {FILES:,} files, against Delta's own job",
            ours=script("footers", table),
            peer=script("peers.spark_footers", table, *more),
            fact=_answer,
            min_wall_ratio=8,
            is_timed_inside=True,
        )


def _answer(output: Path) -> object:
    return json.loads(output.read_bytes())["answer"]


if __name__ == "__main__":
    main(__doc__, cases)
