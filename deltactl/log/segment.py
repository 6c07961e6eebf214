"""Which files of a listing make up a version, or exactly why none can."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from deltactl.errors import BrokenLogError, NotFoundError, Notice
from deltactl.log.filenames import (
    CheckpointKind,
    LogFile,
    LogFileKind,
    checkpoint_name,
    checksum_version,
    commit_name,
    commit_version,
    compaction_range,
    kind_of,
)
from deltactl.text.hints import Command, Hint, Words


class Checkpoint(NamedTuple):
    """The files of one checkpoint; `parts` is how many there should be."""

    version: int
    kind: CheckpointKind
    files: tuple[LogFile, ...]
    parts: int = 1

    @property
    def is_complete(self) -> bool:
        return all(f.size for f in self.files) and self._missing() is None

    @property
    def is_unfinished(self) -> bool:
        """Whether parts are missing: its writer has not finished it, and readers ignore it."""
        return self._missing() is not None

    @property
    def size(self) -> int:
        return sum(f.size for f in self.files)

    def flaw(self) -> Notice:
        """Return why the checkpoint cannot be used, for one that is not complete."""
        if empty := [f.name for f in self.files if not f.size]:
            return Notice("CHECKPOINT_EMPTY", f"{empty[0]} has no bytes and is ignored")
        return Notice(
            "CHECKPOINT_INCOMPLETE", f"{self._missing()} is missing, so its set is ignored"
        )

    def _missing(self) -> str | None:
        """Return the first part that is not there; a name may claim any number of parts."""
        if self.kind is not CheckpointKind.MULTIPART:
            return None
        have = {f.name for f in self.files}
        names = (
            f"{self.version:020d}.checkpoint.{part:010d}.{self.parts:010d}.parquet"
            for part in range(1, self.parts + 1)
        )
        return next((name for name in names if name not in have), None)


class ReplayFile(NamedTuple):
    """A file to replay: a commit, or a compacted file that stands for several."""

    file: LogFile
    first: int
    last: int

    @property
    def is_compacted(self) -> bool:
        return self.first != self.last


@dataclass(slots=True, eq=False, repr=False)
class Listing:
    """The log's files by what they are; complete from version `start` on."""

    start: int = 0
    commits: dict[int, LogFile] = field(default_factory=dict)
    checkpoints: list[Checkpoint] = field(default_factory=list)
    compactions: list[ReplayFile] = field(default_factory=list)
    checksums: dict[int, LogFile] = field(default_factory=dict)
    strays: list[str] = field(default_factory=list)

    @property
    def newest(self) -> int | None:
        """The newest version that any file refers to."""
        ends = [c.version for c in self.checkpoints] + [e.last for e in self.compactions]
        if self.commits:
            ends.append(max(self.commits))
        return max(ends, default=None)

    def above_commits(self) -> list["Checkpoint"]:
        """Return the complete checkpoints of versions that come after the newest commit there is.

        A log is cleaned from its old end, and one without any commit has nothing to contradict it.
        """
        if not self.commits:
            return []
        last = max([*self.commits, *(entry.last for entry in self.compactions)])
        return [c for c in self.checkpoints if c.version > last and c.is_complete]


class Segment(NamedTuple):
    """What must be read for `version`: a checkpoint, if any, then `entries`, oldest first."""

    version: int
    checkpoint: Checkpoint | None
    entries: tuple[ReplayFile, ...]
    notices: tuple[Notice, ...]


def arrange(files: Iterable[LogFile], start: int = 0) -> Listing:
    """Sort the files of a listing by what they are."""
    listing = Listing(start=start)
    groups: dict[tuple[object, ...], list[LogFile]] = {}
    for file in files:
        version = commit_version(file.name)
        if version is not None:
            listing.commits[version] = file
        elif checkpoint := checkpoint_name(file.name):
            multipart = checkpoint.kind is CheckpointKind.MULTIPART
            own = checkpoint.parts if multipart else file.name
            groups.setdefault((checkpoint.version, checkpoint.kind, own), []).append(file)
        elif (version := checksum_version(file.name)) is not None:
            listing.checksums[version] = file
        elif covered := compaction_range(file.name):
            listing.compactions.append(ReplayFile(file, *covered))
        elif kind_of(file.name)[0] is LogFileKind.STRAY_COMMIT:
            listing.strays.append(file.name)
    for found in groups.values():
        name = checkpoint_name(found[0].name)
        assert name is not None
        ordered = tuple(sorted(found, key=lambda file: file.name))
        listing.checkpoints.append(Checkpoint(name.version, name.kind, ordered, name.parts))
    return listing


def select(
    listing: Listing, target: int | None = None, without: frozenset[Checkpoint] = frozenset()
) -> Segment:
    """Choose the files that make up `target`, by default the newest version.

    `without` are checkpoints that turned out to be unreadable.

    Raises:
        BrokenLogError: the log cannot give its newest version.
        NotFoundError: there is no version `target`, or it can no longer be rebuilt.
    """
    newest = listing.newest
    if newest is None:
        raise NotFoundError("NOT_A_TABLE", "the log holds no commit and no checkpoint")
    version = newest if target is None else target
    if version > newest or version < 0:
        raise NotFoundError(
            "VERSION_NOT_FOUND",
            f"there is no version {version}: the newest is {newest}",
            hint=Command("history") + " lists the versions that there are",
            details={"newest": newest},
        )
    below = [c for c in listing.checkpoints if c.version <= version]
    usable = [c for c in below if c.is_complete and c not in without]
    checkpoint = max(usable, key=_preference, default=None)
    base = -1 if checkpoint is None else checkpoint.version
    entries, missing = _entries(listing, base + 1, version)
    if missing is not None:
        if target is not None and _is_whole(listing, newest, without):
            raise _not_recreatable(listing, version, missing)
        raise _gap(listing, missing, newest, checkpoint)
    flawed = [c for c in below if not c.is_complete and c.version > base]
    notices = [c.flaw() for c in flawed] + list(_warnings(listing, entries))
    return Segment(version, checkpoint, tuple(entries), tuple(notices))


def recreatable(listing: Listing) -> int | None:
    """Return the oldest version that the log can still give."""
    starts = [c.version for c in listing.checkpoints if c.is_complete]
    if 0 in listing.commits:
        starts.append(0)
    return min(starts, default=None)


def _preference(checkpoint: Checkpoint) -> tuple[int, int, int]:
    kinds = (CheckpointKind.CLASSIC, CheckpointKind.MULTIPART, CheckpointKind.V2)
    return checkpoint.version, kinds.index(checkpoint.kind), checkpoint.parts


def _entries(listing: Listing, first: int, last: int) -> tuple[list[ReplayFile], int | None]:
    """Return the files for `first` to `last`, and the first version that no file holds."""
    entries: list[ReplayFile] = []
    commits, version = listing.commits, first
    while version <= last:
        if version in commits:
            entries.append(ReplayFile(commits[version], version, version))
            version += 1
            continue
        covering = [e for e in listing.compactions if e.first <= version <= e.last <= last]
        if not covering:
            return entries, version
        entry = max(covering, key=lambda e: e.last)
        entries.append(entry)
        version = entry.last + 1
    return entries, None


def _warnings(listing: Listing, entries: list[ReplayFile]) -> Iterator[Notice]:
    for entry in entries:
        if entry.file.size:
            continue
        if entry is entries[-1]:
            raise BrokenLogError(
                "COMMIT_EMPTY",
                f"{entry.file.name}, the newest commit, has no bytes: a write that was torn",
                hint="if no writer is active now, the store that wrote it is not atomic",
                details={"file": entry.file.name},
            )
        yield Notice("COMMIT_EMPTY", f"{entry.file.name} has no bytes: what it said is lost")
    for name in listing.strays:
        yield Notice(
            "NAME_NOT_CANONICAL",
            f"{name} is not a canonical name and is not read; others may take it for a commit",
        )


def _gap(
    listing: Listing, missing: int, newest: int, checkpoint: Checkpoint | None
) -> BrokenLogError:
    details = {"missing": commit_name(missing), "newest": newest}
    flawed = [c for c in listing.checkpoints if not c.is_complete]
    if checkpoint is None and missing == 0 and flawed:
        flaw = flawed[-1].flaw()
        return BrokenLogError(
            flaw.code, f"{flaw.message}, and the commits below are gone", details=details
        )
    if checkpoint is None and missing == 0:
        return BrokenLogError(
            "LOG_TRUNCATED",
            f"{commit_name(0)} is missing, and no complete checkpoint stands in for it",
            details=details,
        )
    last = missing - 1 if missing > 0 else None
    following = min((v for v in listing.commits if v > missing), default=newest)
    gap = f"version {missing} is"
    if following > missing + 1:
        gap = f"versions {missing} to {following - 1} are"
    return BrokenLogError(
        "VERSIONS_NOT_CONTIGUOUS",
        f"the log has a gap: {gap} missing before version {following} (no {commit_name(missing)})",
        hint=_way_out(missing, following, last),
        details=details,
    )


def _way_out(missing: int, following: int, last: int | None) -> Words:
    hint: Words = Hint(f"restore {commit_name(missing)} from a copy")
    if last is not None:
        earlier = Command("show", "--at", str(last))
        hint += "; until then " + earlier + " shows the table as it was before"
    if following > missing + 1:
        # A gap of many versions is rather one file too much than many too few.
        hint += f"; if {commit_name(following)} is foreign, move it out of the log"
    return hint


def _is_whole(listing: Listing, newest: int, without: frozenset[Checkpoint]) -> bool:
    usable = [c.version for c in listing.checkpoints if c.is_complete and c not in without]
    return _entries(listing, max(usable, default=-1) + 1, newest)[1] is None


def _not_recreatable(listing: Listing, version: int, missing: int) -> NotFoundError:
    oldest = recreatable(listing)
    details: dict[str, object] = {"oldest": oldest}
    if missing > 0:
        gone = commit_name(missing)
        left = f"{gone} is gone, and the newest below it is {missing - 1}"
        details["missing"] = gone
    elif oldest is None:
        left = "no version can"
    else:
        left = f"the oldest that can is {oldest}"
    return NotFoundError(
        "VERSION_NOT_RECREATABLE",
        f"version {version} can no longer be rebuilt from the log: {left}",
        details=details,
    )
