"""A version put together from a checkpoint and the commits above it, each of them checked."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import pyarrow as pa

from deltactl.errors import DeltactlError, StorageError, UnreadableCheckpointError
from deltactl.findings import Finding
from deltactl.log.arrow.file_table import COLUMNS, SupersededFiles, flatten, from_adds, without
from deltactl.log.commit import commit_lines
from deltactl.log.filenames import LogFile
from deltactl.log.replay import FileKey, Replay
from deltactl.log.segment import Checkpoint, Listing, ReplayFile, Segment, select
from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.spec.actions.file_action import AddFile
from deltactl.table.checkpoint.reader import CheckpointReader
from deltactl.table.log import TableLog
from deltactl.verify.checkpoint import file_texts
from deltactl.verify.files import live_totals
from deltactl.verify.files.tombstones import LEAVES, NEVER, Tombstones, dropped_until
from deltactl.verify.log.commits import CommitChecks
from deltactl.verify.log.state import (
    RECORDS,
    State,
    name_of,
    read_without_files,
    row_id_high_water_mark,
)

# With one of these the version cannot be put together, and what would be compared is not known.
_FATAL = {"COMMIT_NOT_JSON", "ACTION_MALFORMED", "EMPTY_PATH", "COMMIT_EMPTY"}


def is_fatal(finding: Finding) -> bool:
    """Return whether a version whose commits have this cannot be put together."""
    return finding.code in _FATAL


# What a checkpoint must not be made of: it would stand for what is lost.
_HIDDEN = {*_FATAL, "ADD_INCOMPLETE", "PATH_NOT_ENCODED", "ADD_AND_REMOVE_IN_ONE_COMMIT"}


def is_hidden(finding: Finding) -> bool:
    """Return whether a checkpoint above the commit that has this would hide it."""
    return finding.code in _HIDDEN


def _is_damage(finding: Finding) -> bool:
    """Return whether a commit that has this may have said something else once."""
    return finding.since_version is not None and not finding.repairable


class ReadFile(NamedTuple):
    """A file that a version is put together from, and what is wrong with it."""

    file: LogFile
    findings: list[Finding]
    is_commit: bool = True

    @property
    def is_damaged(self) -> bool:
        """Whether it may have said something else once."""
        return self.is_commit and (not self.file.size or any(map(_is_damage, self.findings)))


def read_segment(
    log: TableLog, segment: Segment, heads: State, checks: CommitChecks
) -> Iterator[ReadFile]:
    """Read what stands above the segment's checkpoint, which holds `heads`, into `checks`."""
    if segment.checkpoint is not None:
        begun = continue_from(log, segment.checkpoint, heads, checks)
        yield ReadFile(segment.checkpoint.files[0], begun, is_commit=False)
    for entry in segment.entries:
        yield read_entry(log, entry, checks)


def continue_from(
    log: TableLog, checkpoint: Checkpoint, heads: State, checks: CommitChecks
) -> list[Finding]:
    """Have commits continue from the checkpoint, which holds `heads`; return what is wrong."""
    time = time_of(log, checkpoint.version)
    found = list(checks.begin(heads.protocol, heads.metadata, name_of(checkpoint), time))
    checks.row_id_mark = row_id_high_water_mark(heads)
    return found


def read_entry(log: TableLog, entry: ReplayFile, checks: CommitChecks) -> ReadFile:
    """Read a commit, or a compacted file whose commits are gone, into `checks`."""
    file = entry.file
    if entry.is_compacted:
        heads = read_compacted(log, entry, checks.replay)
        begun = checks.begin(*heads, file.name, time_of(log, entry.last))
        return ReadFile(file, list(begun), is_commit=False)
    return ReadFile(file, list(checks.read(entry.last, file.name, partial(log.blocks, file))))


def state_of(checks: CommitChecks, heads: State) -> State:
    """Return all but the files of the version that commits above `heads` come to."""
    return State(
        checks.protocol,
        checks.metadata,
        heads.transactions | checks.replay.transactions,
        heads.domains | checks.replay.domains,
    )


@dataclass(frozen=True)
class ReplayedSegment:
    """What the files of `segment` come to; `damaged` is the oldest that may lack something."""

    log: TableLog
    segment: Segment
    state: State
    replay: Replay
    damaged: str | None

    def files(self) -> dict[FileKey, int]:
        """Return the digest of each live file."""
        return live_digests(self.log, self.replay, self.segment.checkpoint)


def base_of(listing: Listing, checkpoint: Checkpoint) -> Segment | None:
    """Return the files that give the checkpoint's version without it, if there are any."""
    later = [c for c in listing.checkpoints if c.version >= checkpoint.version]
    try:
        return select(listing, checkpoint.version, frozenset(later))
    except DeltactlError:
        return None


def replayed(
    log: TableLog, base: Segment, tell: Callable[[Finding], object] = lambda _: None
) -> ReplayedSegment:
    """Read the segment; `tell` is told what a checkpoint would hide of its commits.

    Raises:
        DeltactlError: one of its files is broken.
    """
    damaged: str | None = None
    replay = Replay(keep_removes=True)
    checks, heads = CommitChecks(replay), State()
    if base.checkpoint is not None:
        heads = read_without_files(log.storage, base.checkpoint)
    for read in read_segment(log, base, heads, checks):
        if damaged is None and read.is_damaged:
            damaged = read.file.name
        if not read.is_commit:
            continue
        for finding in filter(is_hidden, read.findings):
            tell(finding)
        if any(map(is_fatal, read.findings)):
            raise UnreadableCheckpointError("CHECKPOINT_UNREADABLE", "its base is broken")
    state = state_of(checks, heads)
    for batch in live_batches(log, replay, base.checkpoint, (*file_texts.COLUMNS, *RECORDS)):
        state.totals.tally(batch, live_totals.digests(batch))
    state.tombstones = _tombstones(log, replay, base.checkpoint, heads.metadata)
    return ReplayedSegment(log, base, state, replay, damaged)


def live_batches(
    log: TableLog, replay: Replay, checkpoint: Checkpoint | None, columns: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """Yield the files that commits and the checkpoint below them leave live; every row is one."""
    own = from_adds(replay.live(), columns)
    if own.num_rows:
        yield own
    if checkpoint is None:
        return
    shadow = SupersededFiles(replay.files)
    reader = log.reader(checkpoint)
    for adds in reader.file_batches([COLUMNS[column][1] for column in columns]):
        if isinstance(adds, list):
            batch = from_adds(map(AddFile.from_json, adds), columns)
        else:
            batch = flatten(adds, columns)
        kept = without(batch, shadow.hidden(batch))
        if kept.num_rows:
            yield kept


def live_digests(
    log: TableLog, replay: Replay, checkpoint: Checkpoint | None
) -> dict[FileKey, int]:
    """Return the digest of each file that commits and the checkpoint below them leave live."""
    found: dict[FileKey, int] = {}
    for batch in live_batches(log, replay, checkpoint, file_texts.COLUMNS):
        found |= dict(zip(live_totals.keys(batch), live_totals.digests(batch), strict=True))
    return found


def read_compacted(
    log: TableLog, entry: ReplayFile, replay: Replay
) -> tuple[Protocol | None, Metadata | None]:
    """Apply a compacted file whose commits are gone; the protocol and metadata that it has."""
    name = entry.file.name
    text = b"".join(block for _, block in log.blocks(entry.file))
    replay.apply_compacted(text, name)
    found = [commit_lines.search(text, kind, name) for kind in ("protocol", "metaData")]
    protocol = commit_lines.read_protocol(found[0][0], name, []) if found[0] else None
    return protocol, commit_lines.read_metadata(found[1][0], name, []) if found[1] else None


def time_of(log: TableLog, version: int) -> int | None:
    """Return the time that the version's commit gives itself; None if the log cannot say it."""
    try:
        return log.in_commit_time(version)
    except StorageError:
        raise
    except DeltactlError:
        return None  # The commit is told of where it is checked.


def transaction_of(log: TableLog, version: int) -> str | None:
    """Return the id that the version's commit gives itself; None if the log cannot say it."""
    try:
        own = log.commit_info(version).get("txnId")
    except StorageError:
        raise
    except DeltactlError:
        return None  # The commit is told of where it is checked.
    return own if isinstance(own, str) else None


def _tombstones(
    log: TableLog, replay: Replay, checkpoint: Checkpoint | None, metadata: Metadata | None
) -> Tombstones:
    """Return those of the commits and of the checkpoint below them."""
    since = NEVER if checkpoint is None else dropped_until(checkpoint, metadata)
    found = Tombstones(since)
    for key, remove in replay.removes.items():
        found.put(key, remove)
    if checkpoint is not None:
        gone = frozenset(map(hash, replay.files))
        for rows in CheckpointReader(log.storage, checkpoint).batches(lambda _: LEAVES):
            found.load(rows[0] if isinstance(rows, tuple) else rows, gone)
    return found
