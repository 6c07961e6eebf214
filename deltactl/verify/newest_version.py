"""The newest version: read as engines read it, and each file that they would use checked."""

from collections.abc import Iterator
from itertools import chain

import pyarrow as pa

from deltactl.errors import DeltactlError, StorageError
from deltactl.findings import Finding
from deltactl.log.filenames import LOG
from deltactl.log.replay import Replay
from deltactl.log.segment import Checkpoint, Segment, select
from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.verify.checkpoint import file_texts
from deltactl.verify.checkpoint.checkpoints import OnBatch
from deltactl.verify.file_checks import FileChecks
from deltactl.verify.files.live_checks import LiveChecks
from deltactl.verify.files.live_totals import Totals
from deltactl.verify.findings import file_of
from deltactl.verify.log.all_files import DigestOf
from deltactl.verify.log.commits import CommitChecks, is_of_protocol_or_metadata
from deltactl.verify.log.notices import finding_from_notice
from deltactl.verify.log.replayed import (
    base_of,
    is_fatal,
    live_batches,
    live_digests,
    read_segment,
    replayed,
    state_of,
    transaction_of,
)
from deltactl.verify.log.state import RECORDS, Content, State

_COLUMNS = (*file_texts.COLUMNS, *RECORDS)


class NewestVersion:
    """The newest version that the log gives, and the files that it is made of.

    `knows_commits`: every commit was checked before, and so was every file of the log that says
    what a version is. Then only its live files are checked, which takes reading it again.
    """

    def __init__(self, checks: FileChecks, *, knows_commits: bool) -> None:
        self._checks = checks
        self._log = checks.log
        self._listing = checks.log.listing()
        self._findings = checks.findings
        self._knows_commits = knows_commits
        self._commits = CommitChecks(Replay())
        self._segment: Segment | None = None
        self.is_sound = True
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
    def change_files(self) -> list[tuple[str, int]]:
        """The paths and sizes of files of the change data feed."""
        return self._commits.change_files

    @property
    def files_read(self) -> list[str]:
        """The names of the log's files that the version is read from."""
        segment = self._segment
        entries = [] if segment is None else [entry.file.name for entry in segment.entries]
        used = [] if segment is None or segment.checkpoint is None else segment.checkpoint.files
        sums = self._listing.checksums.get(self.version)
        return [*entries, *(file.name for file in used), *([sums.name] if sums else [])]

    def files(self) -> Iterator[pa.RecordBatch]:
        """Yield the live files; every row is one."""
        assert self._segment is not None
        return live_batches(self._log, self._commits.replay, self._segment.checkpoint, _COLUMNS)

    def run(self) -> None:
        """Read the version, and check what it is read from and what it comes to."""
        unreadable: frozenset[Checkpoint] = frozenset()
        while (segment := self._select(unreadable)) is not None:
            state = self._read(segment)
            if state is not None:
                break
            assert segment.checkpoint is not None
            unreadable |= {segment.checkpoint}
        else:
            return
        self._segment = segment
        self._checksum(state)
        self._other_checkpoints(segment)
        if self._knows_commits:
            return
        if segment.checkpoint is not None:
            self._compare(segment.checkpoint)
        first = -1 if segment.checkpoint is None else segment.checkpoint.version
        for entry in self._listing.compactions:
            # An engine would use it instead of the commits.
            if entry.first > first:
                self._checks.compaction(entry)

    def _select(self, unreadable: frozenset[Checkpoint]) -> Segment | None:
        """Return the files of the newest version, past checkpoints that cannot be read."""
        try:
            return select(self._listing, None, unreadable)
        except DeltactlError as error:
            self.is_sound = False
            self._findings.add("commits", [finding_from_notice(error, LOG)])
            return None

    def _read(self, segment: Segment) -> State | None:
        """Put the version together, with all that is new in it checked.

        None if its checkpoint is damaged: what was read is of no use then.
        """
        self._commits, self.is_sound = CommitChecks(Replay()), True
        checkpoint, heads = segment.checkpoint, State()
        if checkpoint is not None:
            self._findings.check("checkpoints")
            found = self._checks.without_files(checkpoint)
            if found is None:
                return None
            heads = found
        self._read_commits(segment, heads)
        state, of_checkpoint = state_of(self._commits, heads), Totals()
        replay = self._commits.replay
        with LiveChecks(self._log.storage, self._findings, state, replay) as files:
            files.of_commits()
            if checkpoint is not None:
                content = self._read_checkpoint(checkpoint, files.of_checkpoint)
                if content is None:
                    return None
                of_checkpoint = content.totals
            files.end(of_checkpoint)
        self._check_missing_actions()
        return state

    def _read_commits(self, segment: Segment, heads: State) -> None:
        """Check the segment's commits, which continue from `heads`."""
        if not self._knows_commits:
            number = sum(not entry.is_compacted for entry in segment.entries)
            self._findings.check("commits").subjects = number
        reads = []
        for read in read_segment(self._log, segment, heads, self._commits):
            if any(map(is_fatal, read.findings)):
                self.is_sound = False
            if read.is_commit:
                self._checks.advance(1)
            if read.findings or not read.file.size:
                reads.append(read)
        still = {
            (finding.code, finding.found)
            for finding in self._commits.check_newest_protocol_and_metadata()
        }

        def is_kept(finding: Finding) -> bool:
            """Return whether later metadata did not put it right."""
            is_history = (
                is_of_protocol_or_metadata(finding) and (finding.code, finding.found) not in still
            )
            return is_fatal(finding) or not is_history

        left = [read._replace(findings=list(filter(is_kept, read.findings))) for read in reads]
        self._damaged = next((read.file.name for read in left if read.is_damaged), None)
        kept = chain.from_iterable(read.findings for read in left)
        self._findings.add("commits", () if self._knows_commits else kept)
        # With a commit of its own only what the newest version still has can be put right.
        told = [finding for check, finding in self._findings.kept if check == "commits"]
        current = {file_of(finding) for finding in told if (finding.code, finding.found) in still}
        history = set(self._findings.repairable.get("commits", ())) - current
        self._findings.give_up("commits", history)

    def _read_checkpoint(
        self, checkpoint: Checkpoint, on_batch: OnBatch = lambda _: None
    ) -> Content | None:
        self._tried.add(checkpoint)
        is_new = not self._knows_commits
        if is_new:
            self._checks.count("checkpoints")
        to_compare = is_new and base_of(self._listing, checkpoint) is not None
        content = self._checks.checkpoint(checkpoint, to_compare=to_compare, on_batch=on_batch)
        if content is not None:
            self.contents[checkpoint] = content
        return content

    def _check_missing_actions(self) -> None:
        for code, missing in (("NO_PROTOCOL", self.protocol), ("NO_METADATA", self.metadata)):
            if missing is None:
                self.is_sound = False
                what = code.removeprefix("NO_").lower()
                found = Finding(code, f"version {self.version}", f"a {what} action", "none")
                self._findings.add("commits", [found])

    def _checksum(self, state: State) -> None:
        check = self._findings.check("checksums")
        if self._knows_commits:
            return
        if self.version not in self._listing.checksums:
            check.skipped = f"version {self.version} has none"
        elif not self.is_sound:
            check.skipped = "the version cannot be read"
        else:
            found = self._checks.checksum(
                self.version,
                state,
                time=self._commits.in_commit_timestamp,
                transaction_id=transaction_of(self._log, self.version),
                live=self._digest_of,
                damaged=self._damaged,
            )
            self._findings.add("checksums", found)

    def _digest_of(self) -> DigestOf:
        assert self._segment is not None
        return live_digests(self._log, self._commits.replay, self._segment.checkpoint).get

    def _other_checkpoints(self, segment: Segment) -> None:
        """Check checkpoints as new as the one that is used, or newer: engines may prefer them."""
        used = segment.checkpoint
        for checkpoint in self._listing.checkpoints:
            newer = used is None or checkpoint.version >= used.version
            if not newer or checkpoint in self._tried or checkpoint.is_unfinished:
                continue
            if self._read_checkpoint(checkpoint) is not None and not self._knows_commits:
                self._compare(checkpoint)

    def _compare(self, checkpoint: Checkpoint) -> None:
        base, content = base_of(self._listing, checkpoint), self.contents[checkpoint]
        if base is None:
            check = self._findings.check("checkpoints")
            check.detail = "read only: no commits below it to compare it with"
            return
        try:
            # No other check reads the commits below a checkpoint.
            expected = replayed(self._log, base, lambda f: self._findings.add("commits", [f]))
        except StorageError:
            raise
        except DeltactlError:
            return  # The older checkpoint is told of by itself.
        self._checks.compare_checkpoint(
            checkpoint, content, expected.state, expected.files, damaged=expected.damaged
        )
