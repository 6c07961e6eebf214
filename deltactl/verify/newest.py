"""The newest version: read as engines read it, and each file that they would use checked."""

from collections.abc import Callable, Iterator
from functools import partial

import pyarrow as pa

from deltactl.changes.jobs import JobRunner
from deltactl.errors import DeltactlError, StorageError, UnreadableCheckpointError
from deltactl.findings import Finding, doubtful
from deltactl.log.filenames import LOG
from deltactl.log.replay import Replay
from deltactl.log.segment import Checkpoint, Segment, select
from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.table.log import TableLog
from deltactl.verify.checkpoint import checkpoints, file_texts
from deltactl.verify.checkpoint.checkpoints import Look
from deltactl.verify.data.data_files import Table, check_change_files, check_data
from deltactl.verify.data.row_rules import has_rules
from deltactl.verify.data.rows_on_spark import ROWS, Known, Version, check_rows
from deltactl.verify.files.live import Totals
from deltactl.verify.files.live_checks import LiveChecks
from deltactl.verify.files.vectors import OF_VECTOR, VECTORS
from deltactl.verify.gathered import Check, Findings, file_of
from deltactl.verify.log import compactions
from deltactl.verify.log.commits import CommitChecks, is_of_heads
from deltactl.verify.log.listed_files import DigestOf
from deltactl.verify.log.notices import finding_from_notice
from deltactl.verify.log.replayed import (
    base_of,
    is_damage,
    is_fatal,
    live_batches,
    live_digests,
    read_compacted,
    replayed,
    time_of,
    transaction_of,
)
from deltactl.verify.log.state import (
    RECORDS,
    Content,
    State,
    name_of,
    read_heads,
    row_id_high_water_mark,
)
from deltactl.verify.walk import check_checksum, replayed_of

_COLUMNS = (*file_texts.COLUMNS, *RECORDS)


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
        self.is_sound = True
        self._of_commits: list[Finding] = []
        # The oldest commit with which something is wrong.
        self._damaged: str | None = None
        self._tried: set[Checkpoint] = set()
        self.contents: dict[Checkpoint, Content] = {}
        self.version = self._listing.newest or 0

    @property
    def metadata(self) -> Metadata | None:
        return self._commits.metadata

    @property
    def protocol(self) -> Protocol | None:
        return self._commits.protocol

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
        damaged: frozenset[Checkpoint] = frozenset()
        while (segment := self._select(damaged)) is not None:
            try:
                state = self._read(segment)
            except UnreadableCheckpointError as error:
                checkpoint = segment.checkpoint
                if checkpoint is None:
                    raise
                found = checkpoints.unreadable(error, name_of(checkpoint))
                self._findings.take("checkpoints", [found])
                damaged |= {checkpoint}
            else:
                break
        if segment is None:
            return
        self._segment = segment
        self._checksum(state)
        self._other_checkpoints(segment)
        if segment.checkpoint is not None and not self._knows_commits:
            self._compare(segment.checkpoint)
        if not self._knows_commits:
            self._compactions(segment)

    def check_data(self, spark: JobRunner | None = None) -> None:
        """Look at the data files, too: at their footers, and with `spark` at every row.

        Raises:
            SparkError: it is not there, or its job failed.
        """
        check = self._findings.check("data files")
        if not self.is_sound or self._segment is None or self._commits.metadata is None:
            check.skipped = "the table cannot be read"
            return
        try:
            table = Table(self._commits.metadata)
        except DeltactlError as error:
            check.skipped = error.message
            return
        found = check_data(
            self._log.storage,
            table,
            live_batches(self._log, self._replay, self._segment.checkpoint, _COLUMNS),
            check,
            self._advance,
        )
        known = Known()
        self._findings.take("data files", known.noting(found))
        if spark is not None:
            self._check_rows(spark, self._segment, known)
        elif has_rules(self._commits.metadata, self._commits.protocol):
            self._findings.check(ROWS).skipped = "rules for rows: only --engine spark reads rows"
        self._check_change_files(check)

    def _check_rows(self, spark: JobRunner, segment: Segment, known: Known) -> None:
        metadata, protocol = self._commits.metadata, self._commits.protocol
        assert metadata is not None
        assert protocol is not None
        batches = live_batches(self._log, self._replay, segment.checkpoint, _COLUMNS)
        broken = (found.subject for name, found in self._findings.held if name == VECTORS)
        left_out = {subject.removeprefix(OF_VECTOR) for subject in broken}
        version = Version(self._log.storage, segment.version, metadata, protocol, left_out)
        check_rows(spark, version, batches, self._findings, known)

    def _check_change_files(self, check: Check) -> None:
        feed = check_change_files(
            self._log.storage, self._commits.change_files, check, self._advance
        )
        self._findings.take("data files", feed)

    def _select(self, damaged: frozenset[Checkpoint]) -> Segment | None:
        """Return the files of the newest version, past checkpoints that cannot be read."""
        try:
            return select(self._listing, None, damaged)
        except DeltactlError as error:
            self.is_sound = False
            self._findings.take("commits", [finding_from_notice(error, LOG)])
            return None

    def _read(self, segment: Segment) -> State:
        """Put the version together, with all that is new in it checked.

        Raises:
            UnreadableCheckpointError: its checkpoint is damaged; what was read is of no use then.
        """
        self._replay, self._of_commits, self.is_sound = Replay(), [], True
        self._commits = CommitChecks(self._replay)
        checkpoint, heads = segment.checkpoint, State()
        if checkpoint is not None:
            self._findings.check("checkpoints")
            heads = read_heads(self._log.storage, checkpoint)
        self._read_commits(segment, heads)
        state = State(
            self._commits.protocol,
            self._commits.metadata,
            heads.transactions | self._replay.transactions,
            heads.domains | self._replay.domains,
        )
        with LiveChecks(self._log.storage, self._findings, state, self._replay) as files:
            files.of_commits()
            if checkpoint is not None:
                content = self._read_checkpoint(checkpoint, files.of_checkpoint)
                files.end(content.totals)
            else:
                files.end(Totals())
        self._heads()
        return state

    def _read_checkpoint(self, checkpoint: Checkpoint, look: Look = lambda _: None) -> Content:
        content = Content()
        self._tried.add(checkpoint)
        check = self._findings.check("checkpoints")
        check.subjects += 0 if self._knows_commits else 1
        to_compare = not self._knows_commits and base_of(self._listing, checkpoint) is not None

        def seen(batch: pa.RecordBatch) -> None:
            self._advance(batch.num_rows)
            look(batch)

        found = checkpoints.read(
            self._log.storage, checkpoint, content, to_compare=to_compare, look=seen
        )
        self._findings.take("checkpoints", found)
        self.contents[checkpoint] = content
        return content

    def _heads(self) -> None:
        protocol, metadata = self._commits.protocol, self._commits.metadata
        for code, missing in (("NO_PROTOCOL", protocol), ("NO_METADATA", metadata)):
            if missing is None:
                self.is_sound = False
                what = code.removeprefix("NO_").lower()
                found = Finding(code, f"version {self.version}", f"a {what} action", "none")
                self._findings.take("commits", [found])

    def _read_commits(self, segment: Segment, heads: State) -> None:
        """Check the segment's commits, which continue from `heads`."""
        if segment.checkpoint is not None:
            name = name_of(segment.checkpoint)
            time = time_of(self._log, segment.checkpoint.version)
            begun = self._commits.begin(heads.protocol, heads.metadata, name, time)
            self._take_of_commits(begun)
            self._commits.row_id_mark = row_id_high_water_mark(heads)
        read = [entry for entry in segment.entries if not entry.is_compacted]
        if not self._knows_commits:
            self._findings.check("commits").subjects = len(read)
        for entry in segment.entries:
            if entry.is_compacted:
                found = read_compacted(self._log, entry, self._replay)
                time = time_of(self._log, entry.last)
                self._take_of_commits(self._commits.begin(*found, entry.file.name, time))
                continue
            file = entry.file
            blocks = partial(self._log.blocks, file)
            self._take_of_commits(self._commits.read(entry.last, file.name, blocks))
            self._advance(1)
        still = {(finding.code, finding.found) for finding in self._commits.of_heads()}
        # What later metadata put right is history.
        kept = [
            finding
            for finding in self._of_commits
            if not is_of_heads(finding)
            or is_fatal(finding)
            or (finding.code, finding.found) in still
        ]
        self._findings.take("commits", [] if self._knows_commits else kept)
        damaged = {finding.since_version for finding in kept if is_damage(finding)}
        names = (e.file.name for e in read if not e.file.size or e.last in damaged)
        self._damaged = next(names, None)
        # With a commit of its own only what the newest version still has can be put right.
        told = [finding for check, finding in self._findings.held if check == "commits"]
        left = {file_of(finding) for finding in told if (finding.code, finding.found) in still}
        history = set(self._findings.repairable.get("commits", ())) - left
        self._findings.give_up("commits", history)

    def _take_of_commits(self, found: Iterator[Finding]) -> None:
        kept = list(found)
        if any(map(is_fatal, kept)):
            self.is_sound = False
        self._of_commits += kept

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
            transaction = transaction_of(self._log, self.version)
            replayed = replayed_of(self.version, state, time, transaction)
            found = check_checksum(
                self._log, file.name, replayed, self._digest_of, self._findings, self._damaged
            )
            self._findings.take("checksums", found)

    def _digest_of(self) -> DigestOf:
        assert self._segment is not None
        return live_digests(self._log, self._replay, self._segment.checkpoint).get

    def _other_checkpoints(self, segment: Segment) -> None:
        """Check the checkpoints as new as the used one, or newer: some engine may prefer them."""
        used = segment.checkpoint
        for checkpoint in self._listing.checkpoints:
            newer = used is None or checkpoint.version >= used.version
            if not newer or checkpoint in self._tried or checkpoint.is_unfinished:
                continue
            try:
                self._read_checkpoint(checkpoint)
            except UnreadableCheckpointError as error:
                found = checkpoints.unreadable(error, name_of(checkpoint))
                self._findings.take("checkpoints", [found])
            else:
                if not self._knows_commits:
                    self._compare(checkpoint)

    def _compare(self, checkpoint: Checkpoint) -> None:
        base, content = base_of(self._listing, checkpoint), self.contents[checkpoint]
        if base is None:
            check = self._findings.check("checkpoints")
            check.detail = "read only: no commits below it to compare it with"
            return
        try:
            # No other check reads the commits below a checkpoint.
            expected = replayed(self._log, base, lambda f: self._findings.take("commits", [f]))
        except StorageError:
            raise
        except DeltactlError:
            return  # The older checkpoint is told of by itself.
        found = list(checkpoints.compare(checkpoint, content, expected.state))
        if not checkpoints.same_files(content, expected.state):
            found += checkpoints.differences(self._log.storage, checkpoint, expected.files())
        if (damaged := expected.damaged) is not None:
            found = [doubtful(finding, damaged) for finding in found]
        self._findings.take("checkpoints", found)

    def _compactions(self, segment: Segment) -> None:
        """Check the compacted files that an engine would use instead of the commits."""
        first = -1 if segment.checkpoint is None else segment.checkpoint.version
        for entry in self._listing.compactions:
            if entry.first > first:
                self._findings.check("compacted files").subjects += 1
                found = compactions.check(self._log, self._listing, entry)
                self._findings.take("compacted files", found)
