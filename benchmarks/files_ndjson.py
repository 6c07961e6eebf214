"""`files -o ndjson`, a line a file, against listing the files with deltalake and printing nothing.

python -m benchmarks.files_ndjson
"""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Case, Options, main
from benchmarks.measure import deltactl, script

FILES = 1_000_000
MANY = 10_000_000
IN_ONE_COMMIT = 300_000


def cases(options: Options) -> Iterator[Case]:
    table = options.tables.checkpointed(FILES, "many")
    yield Case(
        name=f"`files -o ndjson`, {FILES:,} files",
        ours=deltactl("files", table, "-o", "ndjson"),
        peer=script("peers.list_files", table),
        fact=_line_count,
        min_ratio=1,
        max_mib=250,
    )
    large = options.tables.large_commit(IN_ONE_COMMIT)
    for output in ("text", "json", "ndjson"):
        yield Case(
            name=f"`files -o {output}`, {IN_ONE_COMMIT:,} files of one commit",
            ours=deltactl("files", large, "-o", output),
            max_mib=300,
        )
    if options.largest >= MANY:
        yield Case(
            name=f"`files -o ndjson`, {MANY:,} files",
            ours=deltactl("files", options.tables.checkpointed(MANY, "many"), "-o", "ndjson"),
            max_cpu=20,
            max_mib=250,
        )


def _line_count(output: Path) -> int:
    with output.open("rb") as lines:
        return sum(1 for _ in lines)


if __name__ == "__main__":
    main(__doc__, cases)
