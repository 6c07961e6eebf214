"""Of a table whose newest version is lost: the newest one that can still be had."""

from collections.abc import Iterator

from deltactl.errors import DeltactlError
from deltactl.log.segment import Listing
from deltactl.table.state.files import TableState, read_state
from deltactl.table.table import Table


def newest_readable(table: Table) -> int | None:
    """Return the newest version that can be read, files and all; None if none can.

    Each that is considered is read. What a broken commit is part of cannot be, so that halving
    finds the last one before it.
    """
    listing = table.log.listing()
    for start in _starts(listing):
        if not is_readable(table, start):
            continue
        readable, broken = start, _end(listing, start) + 1
        while broken - readable > 1:
            middle = (readable + broken) // 2
            if is_readable(table, middle):
                readable = middle
            else:
                broken = middle
        return readable
    return None


def _starts(listing: Listing) -> Iterator[int]:
    """Yield the versions that need no older commit, newest first."""
    versions = {c.version for c in listing.checkpoints if c.is_complete}
    if 0 in listing.commits:
        versions.add(0)
    yield from sorted(versions, reverse=True)


def _end(listing: Listing, start: int) -> int:
    """Return the last version that commits with content lead to from `start` without a gap."""
    version = start
    while (commit := listing.commits.get(version + 1)) is not None and commit.size:
        version += 1
    return version


def is_readable(table: Table, version: int) -> bool:
    """Return whether the version can be put together, and all of its files be listed."""

    def look(state: TableState) -> None:
        for _ in state.batches(("size",)):
            pass

    try:
        read_state(table.snapshot(version, even_if_unsupported=True), look, keep_stats=False)
    except DeltactlError:
        return False
    return True
