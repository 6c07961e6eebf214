"""What reads checkpoints past Arrow, against the same command without it: the peer is deltactl.

What saves less than 5 % of the CPU does not earn its lines. It is no part of `run_all`.

    python -m benchmarks.shortcuts
"""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.checkpoint import WRITTEN
from benchmarks.figure import Case, Options, main
from benchmarks.log_copy import LogCopy
from benchmarks.measure import deltactl, script
from benchmarks.tables import SPARK_SETTINGS_AT
from benchmarks.widen import COLUMN, TYPE

FILES = 1_000_000
EARNS = 1.05
_DRY = (COLUMN, TYPE, "--dry-run")


def cases(options: Options) -> Iterator[Case]:
    tables = options.tables
    late = tables.checkpointed(FILES, "one", settings_at=SPARK_SETTINGS_AT)
    yield _case("lone_action", "`schema show`, protocol late", ("schema", "show", late))
    yield _case("lone_action", "`widen --dry-run`, protocol late", ("widen", late, *_DRY))
    for what, table in (
        ("from JSON", tables.checkpointed(FILES, "many")),
        ("from JSON with dates and NaN", tables.checkpointed(FILES, "many", awkward=True)),
    ):
        copy = LogCopy(Path(table), WRITTEN)
        name = f"`checkpoint`, {what}"
        yield _case("stats_alike", name, ("checkpoint", str(copy.table)), copy)


def _case(shortcut: str, what: str, words: tuple[str, ...], copy: LogCopy | None = None) -> Case:
    ours = deltactl(*words, "-o", "json")
    peer = script("peers.without", shortcut, *words, "-o", "json")
    return Case(
        name=f"{what}, without {shortcut}",
        ours=ours,
        peer=peer,
        min_ratio=EARNS,
        afterwards={} if copy is None else {ours: copy.restore, peer: copy.restore},
    )


if __name__ == "__main__":
    main(__doc__, cases)
