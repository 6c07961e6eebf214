"""`verify-checksum`: the newest version of a large table, and every version of a long log.

The newest version is held to what must be done at the least, in the same rounds: one replay, which
is `show --rows` of the same table, and one read of every column of its newest checkpoint, which is
left to pyarrow alone. With two checkpoints the newer one is compared with the older one and the
commits between them, so that the replay is that of the version below it.

    python -m benchmarks.verify
"""

from collections.abc import Iterator

from benchmarks.figure import Case, Options, main
from benchmarks.measure import deltactl, script
from benchmarks.tables import FIRST_VERSION, TAIL

FILES = 1_000_000
LARGE = 10_000_000
FEW, MANY = 1_000, 10_000  # commits
BELOW = str(FIRST_VERSION + TAIL - 1)


def cases(options: Options) -> Iterator[Case]:
    tables = options.tables
    yield _newest("rows from JSON", tables.checkpointed(FILES, "many"))
    yield _newest("rows from stats_parsed", tables.checkpointed(FILES, "many", stats="both"))
    if options.largest >= LARGE:
        yield Case(
            name=f"`verify-checksum`, {LARGE:,} files",
            ours=deltactl("verify-checksum", tables.checkpointed(LARGE, "many"), "-o", "json"),
            max_mib=286,  # 300 MB
        )
    yield _newest("compared with an older one", tables.checkpointed_twice(FILES), "--at", BELOW)
    if options.spark:
        yield _newest("written by Spark", tables.spark_checkpointed(FILES))
    yield Case(
        name=f"`verify-checksum --all`, {FILES:,} files",
        ours=deltactl("verify-checksum", tables.checkpointed(FILES, "many"), "--all"),
        max_mib=400,
    )
    few, many = (_name(commits) for commits in (FEW, MANY))
    yield Case(name=few, ours=_every(tables.commits_only(FEW)), max_mib=150)
    # A run has costs of its own, so that even one that is linear grows less.
    yield Case(
        name=many,
        ours=_every(tables.commits_only(MANY)),
        max_mib=150,
        grows_from=few,
        max_growth=MANY / FEW,
    )


def _newest(what: str, table: str, *replayed: str) -> Case:
    replay = deltactl("show", table, "--rows", "-o", "json", *replayed)
    return Case(
        name=f"`verify-checksum`, {FILES:,} files, {what}",
        ours=deltactl("verify-checksum", table, "-o", "json"),
        parts=(replay, script("peers.decode_checkpoint", table)),
        max_of_parts=2,
        max_mib=300,
    )


def _every(table: str) -> tuple[str, ...]:
    return deltactl("verify-checksum", table, "--all", "-o", "json")


def _name(commits: int) -> str:
    return f"`verify-checksum --all`, {commits:,} commits"


if __name__ == "__main__":
    main(__doc__, cases)
