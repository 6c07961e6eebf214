"""The newest version: read as engines read it, and each file that they would use checked."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.errors import DeltactlError, UnreadableCheckpointError
from deltactl.log.file_table import (
    COLUMNS,
    Shadow,
    flatten,
    from_adds,
    has_vectors,
    records,
    without,
)
from deltactl.log.names import LOG
from deltactl.log.replay import FileKey, Replay
from deltactl.log.segment import Checkpoint, Segment, select
from deltactl.log.verify import checksum, said
from deltactl.log.verify.finding import Finding
from deltactl.model.actions import Metadata
from deltactl.model.file_actions import AddFile
from deltactl.model.protocol import supported
from deltactl.operations.verify import checkpoints, compactions, live, vectors
from deltactl.operations.verify.checkpoints import Content, State
from deltactl.operations.verify.commits import CommitChecks, is_of_heads
from deltactl.operations.verify.data_files import check_change_files, check_data
from deltactl.operations.verify.gathered import Findings
from deltactl.operations.verify.walk import (
    RECORDS,
    check_checksum,
    mark_of,
    read_compacted,
    replayed_of,
)
from deltactl.table.checkpoint_reader import CheckpointReader
from deltactl.table.files import path_remarks, vector_remarks
from deltactl.table.log import TableLog

_COLUMNS = (*live.COLUMNS, *RECORDS)
_ROW_TRACKING = "delta.enableRowTracking"


class Newest:
    """The newest version that the log gives, and the files that it is made of.

    `knows_commits`: every commit was checked before, so that nothing is told of them again.
    """

    def __init__(
        self,
        log: TableLog,
        findings: Findings,
        advance: Callable[[int], None],
        *,
        knows_commits: bool,
    ) -> None:
        self._log = log
        self._listing = log.listing()
        self._findings = findings
        self._advance = advance
        self._knows_commits = knows_commits
        self._replay = Replay()
        self._commits = CommitChecks(self._replay)
        self._segment: Segment | None = None
        self._content: Content | None = None
        self.is_sound = True
        self._of_commits: list[Finding] = []
        self._tried: set[Checkpoint] = set()
        self.contents: dict[Checkpoint, Content] = {}
        self.version = self._listing.newest or 0

    @property
    def metadata(self) -> Metadata | None:
        return self._commits.metadata

    @property
    def files_read(self) -> list[str]:
        """The names of the log's files that the version is read from."""
        segment = self._segment
        entries = [] if segment is None else [entry.file.name for entry in segment.entries]
        used = [] if segment is None or segment.checkpoint is None else segment.checkpoint.files
        sums = self._listing.checksums.get(self.version)
        return [*entries, *(file.name for file in used), *([sums.name] if sums else [])]

    def run(self) -> None:
        """Read the version, and check what it is read from and what it comes to."""
        segment = self._choose()
        if segment is None:
            return
        self._segment = segment
        self._read_commits(segment)
        protocol, metadata = self._commits.protocol, self._commits.metadata
        for code, missing in (("NO_PROTOCOL", protocol), ("NO_METADATA", metadata)):
            if missing is None:
                self.is_sound = False
                what = code.removeprefix("NO_").lower()
                found = Finding(code, f"version {self.version}", f"a {what} action", "none")
                self._findings.take("commits", [found])
        state = self._state()
        self._live_files(state)
        self._checksum(state)
        self._other_checkpoints(segment)
        if segment.checkpoint is not None and not self._knows_commits:
            self._compare(segment.checkpoint)
        if not self._knows_commits:
            self._compactions(segment)

    def check_data(self) -> None:
        """Read the data files, too."""
        check = self._findings.check("data files")
        if not self.is_sound or self._segment is None or self._commits.metadata is None:
            check.skipped = "the table cannot be read"
            return
        found = check_data(
            self._log.storage,
            self._commits.metadata,
            self._live_batches((*_COLUMNS,)),
            check,
            self._advance,
        )
        self._findings.take("data files", found)
        feed = check_change_files(
            self._log.storage, self._commits.change_files, check, self._advance
        )
        self._findings.take("data files", feed)

    def _choose(self) -> Segment | None:
        """The files of the newest version, past checkpoints that cannot be read."""
        damaged: frozenset[Checkpoint] = frozenset()
        while True:
            try:
                segment = select(self._listing, None, damaged)
            except DeltactlError as error:
                self.is_sound = False
                self._findings.take("commits", [said.finding(error, LOG)])
                return None
            if segment.checkpoint is None:
                return segment
            content = self._read_checkpoint(segment.checkpoint)
            if content is not None:
                self._content = content
                return segment
            damaged |= {segment.checkpoint}

    def _read_checkpoint(self, checkpoint: Checkpoint) -> Content | None:
        content, name = Content(), checkpoints.name_of(checkpoint)
        self._tried.add(checkpoint)
        check = self._findings.check("checkpoints")
        check.subjects += 0 if self._knows_commits else 1
        digest = not self._knows_commits and self._base(checkpoint) is not None
        try:
            storage = self._log.storage
            found = checkpoints.read(storage, checkpoint, content, with_digest=digest)
            self._findings.take("checkpoints", found)
        except UnreadableCheckpointError as error:
            self._findings.take("checkpoints", [checkpoints.unreadable(error, name)])
            return None
        self.contents[checkpoint] = content
        return content

    def _read_commits(self, segment: Segment) -> None:
        if self._content is not None and segment.checkpoint is not None:
            name = checkpoints.name_of(segment.checkpoint)
            begun = self._commits.begin(self._content.protocol, self._content.metadata, name)
            self._take_of_commits(begun)
            self._commits.row_id_mark = mark_of(self._content)
        for entry in segment.entries:
            if entry.is_compacted:
                found = read_compacted(self._log, entry, self._replay)
                self._take_of_commits(self._commits.begin(*found, entry.file.name))
                continue
            file = entry.file
            if not self._knows_commits:
                self._findings.check("commits").subjects += 1
            blocks = partial(self._log.blocks, file)
            self._take_of_commits(self._commits.read(entry.last, file.name, blocks))
            self._advance(1)
        still = {(finding.code, finding.found) for finding in self._commits.of_heads()}
        # What later metadata put right is history.
        kept = [
            finding
            for finding in self._of_commits
            if not is_of_heads(finding) or (finding.code, finding.found) in still
        ]
        self._findings.take("commits", [] if self._knows_commits else kept)

    def _take_of_commits(self, found: Iterator[Finding]) -> None:
        kept = list(found)
        if any(finding.code in _FATAL for finding in kept):
            self.is_sound = False
        self._of_commits += kept

    def _state(self) -> State:
        content = self._content or Content()
        return State(
            self._commits.protocol,
            self._commits.metadata,
            content.transactions | self._replay.transactions,
            content.domains | self._replay.domains,
        )

    def _live_batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The live files in batches of which every row is one."""
        checkpoint = None if self._segment is None else self._segment.checkpoint
        yield from live_batches(self._log, self._replay, checkpoint, columns)

    def _live_files(self, state: State) -> None:
        """Count the files, and check what shows only where all of them are seen together."""
        check = self._findings.check("files")
        rows: list[tuple[pa.Int64Array, pa.Int64Array]] = []
        has_row_ids = state.protocol is not None and "rowTracking" in supported(state.protocol)
        vectors_allowed = state.protocol is None or "deletionVectors" in supported(state.protocol)
        vector_check = self._findings.check("deletion vectors")
        # The rows of files are the dearest thing to ask for: only these two checks need them.
        columns = _COLUMNS if has_row_ids or vectors_allowed else live.COLUMNS
        for batch in self._live_batches(columns):
            state.totals.count_batch(batch, with_digest=False)
            self._findings.take("files", self._remarks(batch))
            if has_row_ids:
                rows.append((batch.column("baseRowId"), records(batch)))
            for vector in vectors.of_batch(batch):
                vector_check.subjects += 1
                self._findings.take("deletion vectors", vectors.check(self._log.storage, vector))
        check.subjects = state.totals.files
        if has_row_ids and rows:
            enabled = state.metadata is not None and (
                state.metadata.configuration.get(_ROW_TRACKING, "").casefold() == "true"
            )
            self._findings.take("files", _row_ids(rows, mark_of(state), enabled=enabled))

    def _remarks(self, batch: pa.RecordBatch) -> Iterator[Finding]:
        for notice in path_remarks(batch):
            if notice.code != "ABSOLUTE_PATH":
                yield said.finding(notice, notice.message.split(" ")[0])
        if has_vectors(batch):
            for notice in vector_remarks(batch, records(batch)):
                yield said.finding(notice, "deletion vectors")

    def _checksum(self, state: State) -> None:
        file = self._listing.checksums.get(self.version)
        check = self._findings.check("checksums")
        if self._knows_commits:
            return
        if file is None:
            check.skipped = f"version {self.version} has none"
        elif not self.is_sound:
            check.skipped = "the version cannot be read"
        else:
            check.subjects += 1
            time = self._commits.in_commit_timestamp
            replayed = replayed_of(self.version, state, time)
            found = check_checksum(self._log, file.name, replayed)
            if self._findings.take("checksums", found):
                self._findings.good_checksums[file.name] = checksum.text(replayed)

    def _other_checkpoints(self, segment: Segment) -> None:
        """Checkpoints as new as the one that is used, or newer: some engine may prefer them."""
        used = segment.checkpoint
        for checkpoint in self._listing.checkpoints:
            newer = used is None or checkpoint.version >= used.version
            if checkpoint is used or not newer or self._knows_commits:
                continue
            if checkpoint in self._tried:
                continue
            if self._read_checkpoint(checkpoint) is not None:
                self._compare(checkpoint)

    def _base(self, checkpoint: Checkpoint) -> Segment | None:
        """The files that give the checkpoint's version without it, if there are any."""
        later = [c for c in self._listing.checkpoints if c.version >= checkpoint.version]
        try:
            return select(self._listing, checkpoint.version, frozenset(later))
        except DeltactlError:
            return None

    def _compare(self, checkpoint: Checkpoint) -> None:
        base, content = self._base(checkpoint), self.contents[checkpoint]
        if base is None:
            check = self._findings.check("checkpoints")
            check.detail = "read only: no commits below it to compare it with"
            return
        try:
            replayed, replay = self._replayed(base)
        except DeltactlError:
            return  # The commit, or the older checkpoint, is told of by itself.
        name = checkpoints.name_of(checkpoint)
        self._findings.take("checkpoints", checkpoints.compare(content, replayed, name))
        if not checkpoints.same_files(content, replayed):
            expected: dict[FileKey, int] = {}
            for batch in live_batches(self._log, replay, base.checkpoint, live.COLUMNS):
                expected |= dict(zip(live.keys(batch), live.digests(batch), strict=True))
            held = checkpoints.batches(
                CheckpointReader(self._log.storage, checkpoint), live.COLUMNS
            )
            self._findings.take("checkpoints", checkpoints.differences(expected, held, name))

    def _replayed(self, base: Segment) -> tuple[State, Replay]:
        """The state that the segment gives."""
        state, replay = State(), Replay()
        checks = CommitChecks(replay)
        if base.checkpoint is not None:
            content = checkpoints.read_heads(self._log.storage, base.checkpoint)
            for _ in checks.begin(content.protocol, content.metadata, ""):
                pass
            state = replace(state, transactions=content.transactions, domains=content.domains)
        for entry in base.entries:
            if entry.is_compacted:
                heads = read_compacted(self._log, entry, replay)
                for _ in checks.begin(*heads, ""):
                    pass
                continue
            file = entry.file
            found = checks.read(entry.last, file.name, partial(self._log.blocks, file))
            if any(finding.code in _FATAL for finding in found):
                raise UnreadableCheckpointError("CHECKPOINT_UNREADABLE", "its base is broken")
        state = State(
            checks.protocol,
            checks.metadata,
            state.transactions | replay.transactions,
            state.domains | replay.domains,
        )
        for batch in live_batches(self._log, replay, base.checkpoint, _COLUMNS):
            state.totals.count_batch(batch, with_digest=True)
        return state, replay

    def _compactions(self, segment: Segment) -> None:
        """The compacted files that an engine would use instead of the commits."""
        first = -1 if segment.checkpoint is None else segment.checkpoint.version
        for entry in self._listing.compactions:
            if entry.first > first:
                self._findings.check("compacted files").subjects += 1
                found = compactions.check(self._log, self._listing, entry)
                self._findings.take("compacted files", found)


# With one of these the version cannot be put together, and what would be compared is not known.
_FATAL = {"COMMIT_NOT_JSON", "ACTION_MALFORMED", "EMPTY_PATH", "COMMIT_EMPTY"}


def live_batches(
    log: TableLog, replay: Replay, checkpoint: Checkpoint | None, columns: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """The files that commits and the checkpoint below them leave live."""
    own = from_adds(replay.live(), columns)
    if own.num_rows:
        yield own
    if checkpoint is None:
        return
    shadow = Shadow(replay.files)
    reader = CheckpointReader(log.storage, checkpoint)
    for adds in reader.file_batches([COLUMNS[column][1] for column in columns]):
        if isinstance(adds, list):
            batch = from_adds(map(AddFile.from_json, adds), columns)
        else:
            batch = flatten(adds, columns)
        kept = without(batch, shadow.hidden(batch))
        if kept.num_rows:
            yield kept


def _row_ids(
    rows: Sequence[tuple[pa.Int64Array, pa.Int64Array]], mark: int | None, *, enabled: bool
) -> Iterator[Finding]:
    """Whether the files' row ids are there, apart from each other, and below the mark."""
    base = pa.chunked_array([ids for ids, _ in rows])
    counts = pa.chunked_array([number for _, number in rows])
    if base.null_count and enabled:
        found = f"none on {base.null_count} files"
        yield Finding("ROW_ID_MISSING", "row ids", "a baseRowId on every file", found)
    known = pc.and_(base.is_valid(), counts.is_valid())
    base, counts = base.filter(known), counts.filter(known)
    order = pc.sort_indices(base)
    base, counts = base.take(order), counts.take(order)
    ends = pc.add(base, counts)
    if not len(base):
        return
    overlaps = pc.greater(ends[:-1], base[1:])
    if len(base) > 1 and pc.any(overlaps).as_py():
        first = pc.index(overlaps, True).as_py()
        expected = f"row ids from {ends[first].as_py()} on, behind those of the file before"
        found = f"from {base[first + 1].as_py()} on"
        yield Finding("ROW_IDS_OVERLAP", "row ids", expected, found)
    last = pc.max(ends).as_py() - 1
    if mark is None or mark < last:
        found = "no such domain" if mark is None else str(mark)
        expected = f"a high-water mark of {last} or more"
        yield Finding("ROW_ID_MARK_TOO_LOW", "row ids", expected, found)
