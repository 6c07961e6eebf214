"""`schema show` and `widen` in an object store that is 30 ms away, against opening with deltalake.

A store on loopback costs nothing to ask; where each request takes a while, their number counts.
Wall time is compared here.

    python -m benchmarks.stores
"""

import atexit
import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.figure import Case, Options, main
from benchmarks.measure import deltactl, script
from benchmarks.slow_store import BUCKET, SlowStore, slow_store

FILES = 1_000_000
MILLISECONDS = 30
COLUMN, TYPE = "id", "decimal(20,0)"


def cases(options: Options) -> Iterator[Case]:
    running = contextlib.ExitStack()
    atexit.register(running.close)
    store = running.enter_context(slow_store(MILLISECONDS))
    # Both take their settings from the environment. That the store refuses a second commit of one
    # version is asked in the round that warms up, and kept in the cache.
    cache = running.enter_context(tempfile.TemporaryDirectory())
    os.environ |= {**store.settings, "XDG_CACHE_HOME": cache}
    for row_groups in ("one", "many"):
        table = Path(options.tables.checkpointed(FILES, row_groups))
        url = store.load(table / "_delta_log", f"{row_groups}/_delta_log").rpartition("/")[0]
        name = f"{FILES:,} files, row groups: {row_groups}, {MILLISECONDS} ms away"
        peer = script("peers.open_table", url)
        yield Case(
            name=f"`schema show`, {name}",
            ours=deltactl("schema", "show", url, "-o", "json"),
            peer=peer,
            min_wall_ratio=3,
        )
        widen = deltactl("widen", url, COLUMN, TYPE, "-o", "json")
        yield Case(
            name=f"`widen`, {name}",
            ours=widen,
            peer=peer,
            min_wall_ratio=3,
            afterwards={widen: _restore(store, f"{row_groups}/_delta_log/")},
        )


def _restore(store: SlowStore, prefix: str) -> Callable[[], None]:
    before = store.names(prefix)

    def restore() -> None:
        new = store.names(prefix) - before
        assert new, f"a run has left nothing below {BUCKET}/{prefix}"
        for key in new:
            store.delete(key)

    return restore


if __name__ == "__main__":
    main(__doc__, cases)
