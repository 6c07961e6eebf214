"""Every version that the log has, oldest first: commits, and what else refers to a version."""

from collections.abc import Mapping

from deltactl.errors import DeltactlError, StorageError
from deltactl.findings import Finding, Severity
from deltactl.log.filenames import commit_name
from deltactl.log.replay import FileKey
from deltactl.log.segment import Checkpoint, ReplayFile
from deltactl.verify.checkpoint.checkpoints import OnBatch
from deltactl.verify.checkpoint.kept_statistics import KeptStatistics
from deltactl.verify.file_checks import FileChecks
from deltactl.verify.files.live_files import LiveFiles
from deltactl.verify.files.tombstones import ALWAYS, Tombstones, dropped_until
from deltactl.verify.log.commits import CommitChecks
from deltactl.verify.log.replayed import base_of, continue_from, read_entry, replayed
from deltactl.verify.log.state import Content, State


class EveryVersion:
    """Goes through the log once, with the live files of each version in mind."""

    def __init__(self, checks: FileChecks) -> None:
        self._checks = checks
        self._log = checks.log
        self._listing = checks.log.listing()
        # Readers ignore those that lack parts.
        self._checkpoints = [c for c in self._listing.checkpoints if not c.is_unfinished]
        self._findings = checks.findings
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

    def run(self) -> None:
        """Check each commit, checksum, checkpoint and compacted file."""
        newest = self._listing.newest
        assert newest is not None
        self._log.expect(self._listing.commits[v] for v in sorted(self._listing.commits))
        version = 0
        while version <= newest:
            version = self._step(version)
        for entry in self._listing.compactions:
            self._checks.compaction(entry)

    def _step(self, version: int) -> int:
        """Check what there is of the version; the one to continue with."""
        if version in self._listing.commits:
            self._commit(version)
        elif entry := self._covering(version):
            read = read_entry(self._log, entry, self._commits)
            self._findings.add("commits", read.findings)
            version = entry.last
        elif any(c.version == version for c in self._checkpoints):
            self._knows_state = False  # It begins again with what its checkpoint holds.
        else:
            return self._gap(version)
        for checkpoint in self._checkpoints:
            if checkpoint.version == version:
                self._checkpoint(checkpoint)
                self._forget_tombstones(version)
        if version in self._listing.checksums:
            self._checksum(version)
        self._checks.advance(1)
        return version + 1

    def _commit(self, version: int) -> None:
        file = self._listing.commits[version]
        self._checks.count("commits")
        if not file.size:
            self._damaged = self._damaged or file.name
            return  # The names told of it already.
        read = read_entry(self._log, ReplayFile(file, version, version), self._commits)
        if read.is_damaged:
            self._damaged = self._damaged or file.name
        self._findings.add("commits", read.findings)

    def _covering(self, version: int) -> ReplayFile | None:
        found = [e for e in self._listing.compactions if e.first == version]
        return max(found, key=lambda entry: entry.last, default=None)

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
            self._findings.add("commits", [gap])
        return following

    def _take_over(self, checkpoint: Checkpoint) -> None:
        """Continue from the checkpoint, if it can be read."""
        self._live.forget()
        content = self._content(checkpoint, self._live.load)
        if content is None:
            return
        # Commits refer to all that were removed since it was written.
        self._live.tombstones = Tombstones(max(file.modified for file in checkpoint.files))
        self._live.transactions |= content.transactions
        self._live.domains |= content.domains
        begun = continue_from(self._log, checkpoint, content, self._commits)
        self._findings.add("commits", begun)
        self._damaged = None
        self._knows_state = True

    def _content(
        self, checkpoint: Checkpoint, on_batch: OnBatch, kept: KeptStatistics | None = None
    ) -> Content | None:
        """Return what the checkpoint holds, None if unreadable; give its files to `on_batch`."""
        self._read.add(checkpoint)
        self._checks.count("checkpoints")
        return self._checks.checkpoint(
            checkpoint,
            to_compare=self._knows_state,
            with_statistics=True,
            kept=kept,
            damaged=self._damaged,
            on_batch=on_batch,
        )

    def _checkpoint(self, checkpoint: Checkpoint) -> None:
        """Compare the checkpoint with what is known, or continue from it if nothing is."""
        if checkpoint in self._read:
            return
        if not self._knows_state:
            self._take_over(checkpoint)
            return
        is_newest = all(c.version <= checkpoint.version for c in self._checkpoints)
        kept = KeptStatistics(self._live.statistics_of) if is_newest else None
        content = self._content(checkpoint, lambda _: None, kept)
        if content is not None:
            self._checks.compare_checkpoint(
                checkpoint,
                content,
                self._state(),
                # Of those in mind no name is kept.
                lambda: self._files_without(checkpoint),
                kept=kept,
                damaged=self._damaged,
            )

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
        if not self._knows_state or not (self._commits.protocol and self._commits.metadata):
            return
        name = self._listing.checksums[version].name
        found = self._checks.checksum(
            version,
            self._state(),
            time=self._commits.in_commit_timestamp,
            transaction_id=self._commits.transaction_of(version),
            live=lambda: self._live.digest_of,
            damaged=self._damaged,
        )
        wrong = {finding.subject.removeprefix(name): finding for finding in found}
        # A wrong field is carried on from version to version: the first one is where it began.
        self._first_wrong = {place: self._first_wrong.get(place, version) for place in wrong}
        self._findings.add(
            "checksums",
            (f._replace(since_version=self._first_wrong[place]) for place, f in wrong.items()),
        )
