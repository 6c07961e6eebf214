"""The checks of files of the log that say what a version is: each must say what its commits say."""

from collections.abc import Callable, Mapping

import pyarrow as pa

from deltactl.errors import UnreadableCheckpointError
from deltactl.findings import Finding, doubtful
from deltactl.log.filenames import LOG
from deltactl.log.replay import FileKey
from deltactl.log.segment import Checkpoint, ReplayFile
from deltactl.spec.keys import DELETION_VECTORS_FEATURE
from deltactl.spec.protocol.protocol import supported
from deltactl.table.commit_times import gives_time
from deltactl.table.log import TableLog
from deltactl.verify.checkpoint import checkpoints
from deltactl.verify.checkpoint.checkpoints import OnBatch
from deltactl.verify.checkpoint.kept_statistics import KeptStatistics
from deltactl.verify.findings import Findings
from deltactl.verify.log import all_files, checksum, compactions
from deltactl.verify.log.all_files import DigestOf
from deltactl.verify.log.checksum import ReplayedVersion
from deltactl.verify.log.state import Content, State, name_of, read_without_files


class FileChecks:
    """Checks one file of the log a call, and notes what it found.

    The caller says what the file's version is, and of `damaged` the oldest commit below it with
    which something is wrong: the file may be all that is left of what that said.
    """

    def __init__(self, log: TableLog, findings: Findings, advance: Callable[[int], None]) -> None:
        self.log = log
        self.findings = findings
        self.advance = advance

    def without_files(self, checkpoint: Checkpoint) -> State | None:
        """Return all that the checkpoint holds but its files; None if it cannot be read."""
        try:
            return read_without_files(self.log.storage, checkpoint)
        except UnreadableCheckpointError as error:
            self._unreadable(checkpoint, error)
            return None

    def checkpoint(
        self,
        checkpoint: Checkpoint,
        *,
        to_compare: bool,
        with_statistics: bool = False,
        kept: KeptStatistics | None = None,
        damaged: str | None = None,
        on_batch: OnBatch = lambda _: None,
    ) -> Content | None:
        """Check the checkpoint in itself, and return what it holds; None if it cannot be read."""

        def seen(batch: pa.RecordBatch) -> None:
            self.advance(batch.num_rows)
            on_batch(batch)

        def of_adds(finding: Finding) -> Finding:
            # The checkpoint may have them from the commit.
            is_of_commit = damaged is not None and finding.code == "STATISTICS_NOT_JSON"
            return _unless(damaged, [finding])[0] if is_of_commit else finding

        content = Content()
        found = checkpoints.read(
            self.log.storage,
            checkpoint,
            content,
            to_compare=to_compare,
            with_statistics=with_statistics,
            kept=kept,
            on_batch=seen,
        )
        try:
            self.findings.add("checkpoints", map(of_adds, found))
        except UnreadableCheckpointError as error:
            self._unreadable(checkpoint, error)
            return None
        return content

    def compare_checkpoint(
        self,
        checkpoint: Checkpoint,
        content: Content,
        state: State,
        files: Callable[[], Mapping[FileKey, int] | None],
        *,
        kept: KeptStatistics | None = None,
        damaged: str | None,
    ) -> None:
        """Compare the checkpoint with its version, whose `files` are asked for if they differ."""
        found = list(checkpoints.compare(checkpoint, content, state))
        if not checkpoints.same_files(content, state):
            found += checkpoints.differences(self.log.storage, checkpoint, files())
        if kept is not None:
            found += checkpoints.statistics(self.log, checkpoint, state.metadata, kept)
        self.findings.add("checkpoints", _unless(damaged, found))

    def checksum(
        self,
        version: int,
        state: State,
        *,
        time: int | None,
        transaction_id: str | None,
        live: Callable[[], DigestOf],
        damaged: str | None,
    ) -> list[Finding]:
        """Compare the version's checksum file with it, and return what is wrong.

        If nothing else is damaged, `findings` get the text that the file should have.
        """
        name = self.log.listing().checksums[version].name
        self.count("checksums")
        try:
            text = self.log.storage.read(f"{LOG}/{name}")
        except FileNotFoundError:
            return []
        replayed = _replayed(version, state, time, transaction_id)
        found = [*checksum.check(text, name, replayed), *all_files.check(text, name, live)]
        if found and damaged is None:
            self.findings.good_checksums[name] = checksum.text(replayed, instead_of=text)
        return _unless(damaged, found)

    def compaction(self, entry: ReplayFile) -> None:
        """Compare the compacted file with the commits that it stands for."""
        self.count("compacted files")
        found = compactions.check(self.log, self.log.listing(), entry)
        self.findings.add("compacted files", found)

    def count(self, check: str) -> None:
        """Count one thing that the check looked at."""
        self.findings.check(check).subjects += 1

    def _unreadable(self, checkpoint: Checkpoint, error: UnreadableCheckpointError) -> None:
        found = checkpoints.unreadable(error, name_of(checkpoint))
        self.findings.add("checkpoints", [found])


def _unless(damaged: str | None, found: list[Finding]) -> list[Finding]:
    return found if damaged is None else [doubtful(finding, damaged) for finding in found]


def _replayed(
    version: int, state: State, time: int | None, transaction_id: str | None
) -> ReplayedVersion:
    """Return a version in the form with which a checksum is compared."""
    assert state.protocol is not None
    assert state.metadata is not None
    totals = state.totals
    return ReplayedVersion(
        version=version,
        protocol=state.protocol,
        metadata=state.metadata,
        transactions=list(state.transactions.values()),
        domains=[domain for domain in state.domains.values() if not domain.removed],
        gives_time=gives_time(version, state.protocol, state.metadata),
        in_commit_timestamp=time,
        transaction_id=transaction_id,
        files=totals.files,
        size=totals.size,
        has_vectors=DELETION_VECTORS_FEATURE in supported(state.protocol),
        vectors=totals.vectors,
        deleted_rows=totals.deleted_rows,
        size_counts=totals.size_counts,
        size_bytes=totals.size_bytes,
        deleted_counts=totals.deleted_counts,
    )
