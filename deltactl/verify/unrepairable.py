"""What a repair cannot put right: why, and what is still to be had."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from deltactl.errors import DeltactlError, Notice
from deltactl.findings import Finding
from deltactl.log.segment import Checkpoint, Listing, select
from deltactl.table.state.files import TableState, read_state
from deltactl.table.table import Table
from deltactl.verify.data.rows_on_spark import ROWS
from deltactl.verify.files.vectors import VECTORS
from deltactl.verify.findings import Findings, file_of
from deltactl.verify.log.replayed import is_hidden
from deltactl.verify.log.state import name_of

_COMMITS = "a commit is never changed: the engine that wrote it may write another one"
_DATA = (
    "the log does not have what is in data files: restore them from a copy, or restore the table "
    "to a version without them"
)
_DOUBTFUL = "a damaged commit may be what is wrong, so that they stay"
# By check, why it ends there.
_REASONS: Mapping[str, str] = {
    "names": "only who put the files there knows what they are",
    "commits": _COMMITS,
    "files": _COMMITS,
    "checksums": _DOUBTFUL,
    "checkpoints": _DOUBTFUL,
    VECTORS: _DATA,
    "data files": _DATA,
    ROWS: _DATA,
}


def give_up(listing: Listing, findings: Findings, *, is_sound: bool) -> None:
    """Say of findings, once there are all of them, which cannot be repaired after all."""
    if not is_sound or listing.above_commits():
        # Without a version to end at, or a sure one, nothing is repaired.
        for name, files in list(findings.repairable.items()):
            findings.give_up(name, set(files))
        return
    torn = {listing.commits[version].name for version in _damaged_commits(listing, findings)}
    lost = _not_replaceable(listing, checkpoints_named(listing, findings.repairable), torn)
    findings.give_up("checkpoints", {name_of(checkpoint) for checkpoint in lost})


def nothing_to_repair(table: Table, newest: int, *, is_sound: bool) -> Notice | None:
    """Return why nothing of the table can be repaired, if so; `newest` is its newest version."""
    if not is_sound:
        return _lost(table, newest)
    above = table.log.listing().above_commits()
    return _undecided(table, above[0]) if above else None


def checkpoints_named(listing: Listing, names: Mapping[str, Collection[str]]) -> list[Checkpoint]:
    """Return the checkpoints among the files, named by check."""
    return [c for c in listing.checkpoints if name_of(c) in names.get("checkpoints", {})]


def left_over(table: Table, findings: Findings, lost: Collection[Checkpoint]) -> Iterator[Notice]:
    """Yield what to say of findings of a version that can be read, and first of `lost`."""
    yield from map(_needed, lost)
    listing = table.log.listing()
    damaged = set(_damaged_commits(listing, findings))
    if damaged:
        yield Notice("NOT_REPAIRABLE", _of_damage(table, min(damaged), len(damaged)))
    names = {name_of(checkpoint) for checkpoint in lost} | {
        listing.commits[version].name for version in damaged
    }
    left = [(check, f) for check, f in findings.kept if file_of(f) not in names]
    for check in dict.fromkeys(check for check, finding in left if not finding.repairable):
        all_of_it = "some findings" if findings.repairable.get(check) else "what is found"
        why = _REASONS.get(check, "the log does not have what that takes")
        yield Notice("NOT_REPAIRABLE", f"{check}: {all_of_it} cannot be repaired, for {why}")


def _damaged_commits(listing: Listing, findings: Findings) -> Iterator[int]:
    """Yield the versions of commits of which something is lost."""
    torn = {file_of(finding) for _, finding in findings.kept if _is_of_damage(finding)}
    for version, file in listing.commits.items():
        if not file.size or file.name in torn:
            yield version


def _is_of_damage(finding: Finding) -> bool:
    return is_hidden(finding) and not finding.repairable


def _of_damage(table: Table, version: int, number: int) -> str:
    listing = table.log.listing()
    name = listing.commits[version].name
    more = f", and {number - 1} more" if number > 1 else ""
    said = f"{name}{more}: what is lost of a commit comes back from a copy of it only"
    above = [c for c in listing.checkpoints if c.version >= version and c.is_complete]
    if above:
        said += f"; {name_of(above[0])} may still have it"
    if version and _is_readable(table, version - 1):
        said += f"; --at {version - 1} reads the table as it was before"
    return said


def _not_replaceable(
    listing: Listing, damaged: Sequence[Checkpoint], torn: Collection[str]
) -> Iterator[Checkpoint]:
    """Yield those without which their own version cannot be had any more, damaged as they are.

    `torn` are commits of which something is lost, which a checkpoint must not be made of.
    """
    without = frozenset(damaged)
    for checkpoint in damaged:
        try:
            segment = select(listing, checkpoint.version, without)
        except DeltactlError:
            yield checkpoint
            continue
        if any(entry.file.name in torn for entry in segment.entries):
            yield checkpoint


def _needed(checkpoint: Checkpoint) -> Notice:
    name = checkpoint.files[0].name
    said = (
        f"{name} cannot be made again, for commits below it are gone or damaged: what can still "
        "be read of it is all that there is"
    )
    return Notice("NOT_REPAIRABLE", said)


def _undecided(table: Table, checkpoint: Checkpoint) -> Notice:
    """Report that only the user can say which version is the newest: commits, or a checkpoint."""
    last = max(table.log.listing().commits)
    said = (
        f"nothing was repaired: {checkpoint.files[0].name} may be all that is left of the versions "
        f"above {last}, or a foreign file. Restore their commits from a copy, or move it out of "
        "the log"
    )
    if _is_readable(table, last):
        said += f"; --at {last} reads the table by its commits"
    return Notice("NOT_REPAIRABLE", said)


def _lost(table: Table, newest: int) -> Notice:
    """Return what is still to be had of a table whose newest version is not sound."""
    version = _newest_readable(table)
    if version == newest:
        said = "a commit is not as the protocol wants it, and engines may differ on it"
    elif version is None:
        said = "no version of the table can be put together from what the log still has"
    else:
        said = f"what is lost is not in the log any more; --at {version} still reads the table"
    return Notice("NOT_REPAIRABLE", f"nothing was repaired: {said}")


def _newest_readable(table: Table) -> int | None:
    """Return the newest version that can be read, files and all; None if none can.

    Each that is considered is read. What a broken commit is part of cannot be, so that halving
    finds the last one before it.
    """
    listing = table.log.listing()
    for start in _starts(listing):
        if not _is_readable(table, start):
            continue
        readable, broken = start, _end(listing, start) + 1
        while broken - readable > 1:
            middle = (readable + broken) // 2
            if _is_readable(table, middle):
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


def _is_readable(table: Table, version: int) -> bool:
    """Return whether the version can be put together, and all of its files be listed."""

    def read(state: TableState) -> None:
        for _ in state.batches(("size",)):
            pass

    try:
        read_state(table.snapshot(version, even_if_unsupported=True), read, keep_stats=False)
    except DeltactlError:
        return False
    return True
