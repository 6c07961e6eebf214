"""The types that many data files hold columns in, by their footers, several at a time."""

import gc
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from deltactl.log.paths import canonical
from deltactl.storage.base import Storage
from deltactl.table.footers import UnreadableFileError, read_types

# Reading footers waits for the store, so more threads than processors are of use.
THREADS = 16


def types_of_files(
    storage: Storage,
    paths: Iterable[str],
    columns: Sequence[tuple[Sequence[str], Sequence[int | None] | None]],
    advance: Callable[[int], None] = lambda _: None,
) -> Generator[list[str | None] | UnreadableFileError, None, None]:
    """The types of the columns in each file, in order; why not, where it cannot be read.

    Paths are as adds have them. `advance` is told of each footer that was read.
    """
    left = iter(paths)

    def look(path: str) -> list[str | None] | UnreadableFileError:
        try:
            return read_types(storage, canonical(path), columns)
        except UnreadableFileError as error:
            return error

    pool = ThreadPoolExecutor(THREADS)
    try:
        # In bounded lots: a table may have millions of files.
        while lot := list(islice(left, 1024)):
            for answer in pool.map(look, lot):
                advance(1)
                yield answer
            # Arrow's objects of a footer hold each other, and Python rarely looks for such rings.
            gc.collect(0)
    finally:
        # Whoever presses Ctrl-C does not wait for the rest of a lot.
        pool.shutdown(cancel_futures=True)
