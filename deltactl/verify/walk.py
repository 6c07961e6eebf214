"""Every version that the log has, oldest first: commits, and what else refers to a version."""

from collections.abc import Callable, Mapping

import pyarrow as pa

from deltactl.errors import DeltactlError, StorageError, UnreadableCheckpointError
from deltactl.findings import Finding, Severity, doubtful
from deltactl.log.filenames import LOG, commit_name
from deltactl.log.replay import FileKey
from deltactl.log.segment import Checkpoint, Entry
from deltactl.spec.keys import DELETION_VECTORS_FEATURE
from deltactl.spec.protocol.protocol import supported
from deltactl.table.commit_times import gives_time
from deltactl.table.log import TableLog
from deltactl.verify.checkpoint import checkpoints
from deltactl.verify.checkpoint.checkpoints import Look
from deltactl.verify.checkpoint.kept_statistics import KeptStatistics
from deltactl.verify.files.live_files import LiveFiles
from deltactl.verify.files.tombstones import ALWAYS, Tombstones, dropped_until
from deltactl.verify.gathered import Findings
from deltactl.verify.log import checksum, compactions, listed_files
from deltactl.verify.log.checksum import Replayed
from deltactl.verify.log.commits import CommitChecks
from deltactl.verify.log.listed_files import DigestOf
from deltactl.verify.log.replayed import base_of, is_damage, read_compacted, replayed, time_of
from deltactl.verify.log.state import Content, State, name_of, row_id_high_water_mark


class Walk:
    """Goes through the log once, with the live files of each version in mind."""

    def __init__(self, log: TableLog, findings: Findings, advance: Callable[[int], None]) -> None:
        self._log = log
        self._listing = log.listing()
        # Readers ignore those that lack parts.
        self._checkpoints = [c for c in self._listing.checkpoints if not c.is_unfinished]
        self._findings = findings
        self._advance = advance
        self._live = LiveFiles()
        self._commits = CommitChecks(self._live)
        # Whether all versions below are known; if not, nothing can be compared.
        self._knows_state = True
        self._first_wrong: dict[str, int] = {}
        # The oldest commit of those that the state is made of with which something is wrong.
        self._damaged: str | None = None
        self._read: set[Checkpoint] = set()
        if not self._checkpoints:
            self._live.tombstones.forget(ALWAYS)

    def everything(self) -> None:
        """Check each commit, checksum, checkpoint and compacted file."""
        newest = self._listing.newest
        assert newest is not None
        self._log.expect(self._listing.commits[v] for v in sorted(self._listing.commits))
        version = 0
        while version <= newest:
            version = self._step(version)
        for entry in self._listing.compactions:
            self._count("compacted files")
            found = compactions.check(self._log, self._listing, entry)
            self._findings.take("compacted files", found)

    def _step(self, version: int) -> int:
        """Check what there is of the version; the one to continue with."""
        if version in self._listing.commits:
            self._commit(version)
        elif entry := self._covering(version):
            self._compacted(entry)
            version = entry.last
        elif any(c.version == version for c in self._checkpoints):
            self._begin_anew(version)
        else:
            return self._gap(version)
        for checkpoint in self._checkpoints:
            if checkpoint.version == version:
                self._checkpoint(checkpoint)
                self._forget_tombstones(version)
        if version in self._listing.checksums:
            self._checksum(version)
        self._advance(1)
        return version + 1

    def _commit(self, version: int) -> None:
        file = self._listing.commits[version]
        self._count("commits")
        if not file.size:
            self._damaged = self._damaged or file.name
            return  # The names told of it already.
        found = list(self._commits.read(version, file.name, lambda: self._log.blocks(file)))
        if any(is_damage(finding) for finding in found):
            self._damaged = self._damaged or file.name
        self._findings.take("commits", found)

    def _covering(self, version: int) -> Entry | None:
        found = [e for e in self._listing.compactions if e.first == version]
        return max(found, key=lambda entry: entry.last, default=None)

    def _compacted(self, entry: Entry) -> None:
        heads = read_compacted(self._log, entry, self._live)
        time = time_of(self._log, entry.last)
        self._findings.take("commits", self._commits.begin(*heads, entry.file.name, time))

    def _gap(self, version: int) -> int:
        """Return the next version that has any file, if this one's commit is missing."""
        later = [v for v in self._listing.commits if v > version]
        later += [c.version for c in self._checkpoints if c.version > version]
        later += [entry.first for entry in self._listing.compactions if entry.first > version]
        newest = self._listing.newest
        assert newest is not None
        following = min(later, default=newest + 1)
        # What the newest version does not need was cleaned up, as it may be.
        self._knows_state = False
        if any(v < version for v in self._listing.commits):
            found = f"none for {version} to {following - 1}"
            gap = Finding(
                "HISTORY_HAS_GAP",
                commit_name(version),
                "a commit for every version",
                found,
                Severity.WARNING,
                version,
            )
            self._findings.take("commits", [gap])
        return following

    def _begin_anew(self, version: int) -> None:
        """Take a version whose commit is gone from its checkpoint."""
        self._knows_state = False
        for checkpoint in self._checkpoints:
            if checkpoint.version == version and not self._knows_state:
                self._take_over(checkpoint)

    def _take_over(self, checkpoint: Checkpoint) -> None:
        """Continue from the checkpoint, if it can be read."""

        def load(batch: pa.RecordBatch) -> None:
            self._live.load(batch)
            self._advance_by(batch)

        self._live.forget()
        content = self._content(checkpoint, load)
        if content is None:
            self._live.forget()
            return
        # Commits refer to all that were removed since it was written.
        self._live.tombstones = Tombstones(max(file.modified for file in checkpoint.files))
        self._live.transactions |= content.transactions
        self._live.domains |= content.domains
        name = name_of(checkpoint)
        time = time_of(self._log, checkpoint.version)
        begun = self._commits.begin(content.protocol, content.metadata, name, time)
        self._findings.take("commits", begun)
        self._commits.row_id_mark = row_id_high_water_mark(content)
        self._damaged = None
        self._knows_state = True

    def _content(
        self, checkpoint: Checkpoint, look: Look, kept: KeptStatistics | None = None
    ) -> Content | None:
        """Return what the checkpoint holds, and show `look` its files; None if it is unreadable."""
        self._read.add(checkpoint)
        content, name = Content(), name_of(checkpoint)
        storage, compares = self._log.storage, self._knows_state
        self._count("checkpoints")
        try:
            found = checkpoints.read(
                storage,
                checkpoint,
                content,
                to_compare=compares,
                with_statistics=True,
                kept=kept,
                look=look,
            )
            self._findings.take("checkpoints", map(self._of_adds, found))
        except UnreadableCheckpointError as error:
            self._findings.take("checkpoints", [checkpoints.unreadable(error, name)])
            return None
        return content

    def _checkpoint(self, checkpoint: Checkpoint) -> None:
        """Compare the checkpoint with what is known, or continue from it if nothing is."""
        if checkpoint in self._read:
            return
        if not self._knows_state:
            self._take_over(checkpoint)
            return
        is_newest = all(c.version <= checkpoint.version for c in self._checkpoints)
        kept = KeptStatistics(self._live.statistics_of) if is_newest else None
        content = self._content(checkpoint, self._advance_by, kept)
        if content is None:
            return
        state, storage = self._state(), self._log.storage
        found = list(checkpoints.compare(checkpoint, content, state))
        if not checkpoints.same_files(content, state):
            # Of those in mind no name is kept.
            found += checkpoints.differences(storage, checkpoint, self._files_without(checkpoint))
        if kept is not None:
            found += checkpoints.statistics(self._log, checkpoint, state.metadata, kept)
        if (damaged := self._damaged) is not None:
            found = [doubtful(finding, damaged) for finding in found]
        self._findings.take("checkpoints", found)

    def _of_adds(self, finding: Finding) -> Finding:
        """Return the finding; doubtful if the checkpoint may have it from a commit."""
        if finding.code == "STATISTICS_NOT_JSON" and (damaged := self._damaged) is not None:
            return doubtful(finding, damaged)
        return finding

    def _files_without(self, checkpoint: Checkpoint) -> Mapping[FileKey, int] | None:
        """Return the files that should be in it with digests, as far as the log names them."""
        base = base_of(self._listing, checkpoint)
        try:
            return None if base is None else replayed(self._log, base).files()
        except StorageError:
            raise
        except DeltactlError:
            return None

    def _forget_tombstones(self, version: int) -> None:
        """Let go of those that no later checkpoint need have."""
        later = [c for c in self._checkpoints if c.version > version]
        untils = (dropped_until(c, self._commits.metadata) for c in later)
        self._live.tombstones.forget(min(untils, default=ALWAYS))

    def _state(self) -> State:
        return State(
            self._commits.protocol,
            self._commits.metadata,
            self._live.transactions,
            self._live.domains,
            self._live.totals,
            self._live.tombstones,
        )

    def _checksum(self, version: int) -> None:
        name = self._listing.checksums[version].name
        if not self._knows_state or not (self._commits.protocol and self._commits.metadata):
            return
        self._count("checksums")
        time, transaction = self._commits.in_commit_timestamp, self._commits.transaction_of(version)
        replayed = replayed_of(version, self._state(), time, transaction)
        found = check_checksum(
            self._log, name, replayed, lambda: self._live.digest_of, self._findings, self._damaged
        )
        wrong = {finding.subject.removeprefix(name): finding for finding in found}
        # A wrong field is carried on from version to version: the first one is where it began.
        self._first_wrong = {place: self._first_wrong.get(place, version) for place in wrong}
        self._findings.take(
            "checksums",
            (f._replace(since_version=self._first_wrong[place]) for place, f in wrong.items()),
        )

    def _advance_by(self, batch: pa.RecordBatch) -> None:
        self._advance(batch.num_rows)

    def _count(self, check: str) -> None:
        self._findings.check(check).subjects += 1


def replayed_of(
    version: int, state: State, time: int | None, transaction_id: str | None
) -> Replayed:
    """Return a version in the form with which a checksum is compared."""
    assert state.protocol is not None
    assert state.metadata is not None
    totals = state.totals
    return Replayed(
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


def check_checksum(
    log: TableLog,
    name: str,
    replayed: Replayed,
    live: Callable[[], DigestOf],
    findings: Findings,
    damaged: str | None,
) -> list[Finding]:
    """Read a checksum, and compare it; of a wrong one `findings` gets the text it should have.

    With a `damaged` commit below it that text is unknown: the checksum may be all that is left
    of what the commit said.
    """
    try:
        text = log.storage.read(f"{LOG}/{name}")
    except FileNotFoundError:
        return []
    found = [*checksum.check(text, name, replayed), *listed_files.check(text, name, live)]
    if damaged is not None:
        return [doubtful(finding, damaged) for finding in found]
    if found:
        findings.good_checksums[name] = checksum.text(replayed, instead_of=text)
    return found
