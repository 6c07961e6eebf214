"""`checkpoint`, read back and in place, against deltalake's, which has no `stats_parsed`.

Memory must not depend on the number of files. Each run works on a copy of the log, made of hard
links, from which what it wrote is removed again.

    python -m benchmarks.checkpoint
"""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Case, Options, main
from benchmarks.log_copy import LogCopy
from benchmarks.measure import deltactl, script

COMPARED = 1_000_000  # the size at which deltalake runs too
LARGEST = 5_000_000


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
    copy = LogCopy(Path(table), "*.checkpoint*.parquet")
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


if __name__ == "__main__":
    main(__doc__, cases)
