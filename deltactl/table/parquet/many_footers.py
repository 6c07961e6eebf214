"""The types that many data files hold columns in, by their footers, several at a time."""

import gc
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from itertools import chain, islice
from typing import TypeVar

from deltactl.log.paths import canonical
from deltactl.storage.base import Storage
from deltactl.storage.remote.threads import DaemonPool
from deltactl.table.parquet.footers import FooterReader, UnreadableFileError

# Reading footers waits for the store, so more threads than processors are of use.
THREADS = 16
LOT = 1024
# The seconds in which a file is read that is here already: with threads it would take longer, as
# only one of them runs at a time. The quickest of a few tells.
QUICK = 0.0003
FEW = 4

T = TypeVar("T")


def types_of_files(
    storage: Storage,
    paths: Iterable[str],
    columns: Sequence[tuple[Sequence[str], Sequence[int | None] | None]],
    advance: Callable[[int], None] = lambda _: None,
) -> Generator[list[str | None] | UnreadableFileError, None, None]:
    """Yield the types of the columns in each file, in order; why not, if it cannot be read.

    Paths are as adds have them. `advance` is told of each footer that was read.
    """
    left, look = iter(paths), FooterReader(storage, columns)

    def types_of(path: str) -> list[str | None] | UnreadableFileError:
        try:
            return look(canonical(path))
        except UnreadableFileError as error:
            return error

    with DaemonPool(THREADS, "footers") as pool:
        # In bounded lots: a table may have millions of files.
        while lot := list(islice(left, LOT)):
            few, rest = lot[:FEW], lot[FEW:]
            timed = [_timed(types_of, path) for path in few]
            is_quick = min(seconds for _, seconds in timed) < QUICK
            found = map(types_of, rest) if is_quick else pool.map(types_of, rest)
            for answer in chain((answer for answer, _ in timed), found):
                advance(1)
                yield answer
            # Arrow's objects of a footer hold each other, and Python rarely looks for such rings.
            gc.collect(0)


def _timed(look: Callable[[str], T], path: str) -> tuple[T, float]:
    begun = time.perf_counter()
    return look(path), time.perf_counter() - begun
