"""The commits of a table, newest first, each with what held before its changes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from deltactl.errors import BrokenLogError, DeltactlError, Notice
from deltactl.log.commit import commit_info, commit_lines
from deltactl.log.commit.commit_info_form import Forms
from deltactl.log.commit.digest import Digest, FileCounts, read_plain
from deltactl.log.filenames import LogFile, commit_name
from deltactl.log.segment import select
from deltactl.spec.actions.action import DomainMetadata, Metadata, Protocol
from deltactl.table.commit_times import file_times, in_commit_since
from deltactl.table.log import TableLog
from deltactl.table.snapshot import (
    ProtocolAndMetadata,
    check,
    read_protocol_and_metadata,
    unreadable,
)


class Before(NamedTuple):
    """What held before a commit; an action is not known if the log no longer reaches so far."""

    metadata: Metadata | None = None
    protocol: Protocol | None = None
    knows_metadata: bool = True
    knows_protocol: bool = True


NOTHING_BEFORE = Before()


@dataclass(slots=True, eq=False, repr=False)
class Commit:
    """One commit. `before` is filled in if it has a protocol or metadata.

    `domains` are those that it sets or removes, without that which counts rows.
    """

    version: int
    info: Mapping[str, Any]
    files: FileCounts
    timestamp: int = 0
    metadata: Metadata | None = None
    protocol: Protocol | None = None
    before: Before = NOTHING_BEFORE
    domains: tuple[DomainMetadata, ...] = ()

    @property
    def changes_protocol_or_metadata(self) -> bool:
        return self.metadata is not None or self.protocol is not None


class History(NamedTuple):
    """What was asked for, newest first; `total` is how many commits the log still has."""

    commits: tuple[Commit, ...]
    total: int
    metadata: Metadata | None
    notices: tuple[Notice, ...]


def read_history(
    log: TableLog,
    versions: Sequence[int],
    wanted: Callable[[Commit], bool],
    limit: int | None = None,
) -> History:
    """Read the commits of `versions`, given newest first, until `limit` of them are `wanted`.

    Nothing that is wrong with the table stops it: what cannot be read becomes a notice.

    Raises:
        NotFoundError: the log is empty.
    """
    log.check_not_empty(log.listing())
    reader = _Reader(log, reads_all=limit is None)
    found: list[Commit] = []
    commits = reader.listing.commits
    log.expect(commits[version] for version in versions if version in commits)
    with log.opened():
        for version in versions:
            if limit is not None and len(found) >= limit:
                break
            current = reader.commit(version)
            if current.changes_protocol_or_metadata:
                current.before = reader.before(
                    version,
                    of_metadata=current.metadata is not None,
                    of_protocol=current.protocol is not None,
                )
            if wanted(current):
                found.append(current)
    heads = reader.newest()
    reader.set_times(found, heads)
    reader.warn_of_gaps()
    return History(tuple(found), len(reader.listing.commits), heads.metadata, tuple(reader.notices))


class _Reader:
    """Reads commits downwards, each once."""

    def __init__(self, log: TableLog, *, reads_all: bool) -> None:
        self.log = log
        self.listing = log.listing()
        self.notices: dict[Notice, None] = {}
        self._commits: dict[int, Commit] = {}
        self._forms = Forms()
        self._newest = max(self.listing.commits, default=-1)
        # Where every commit is read anyway, a checkpoint would only be more to read.
        checkpoints = () if reads_all else self.listing.checkpoints
        self._checkpoints = frozenset(c.version for c in checkpoints if c.is_complete)

    def commit(self, version: int) -> Commit:
        """Return the commit of `version`, without unreadable parts, which get a notice."""
        found = self._commits.get(version)
        if found is None:
            file = self.listing.commits[version]
            found = self._commits[version] = self._read(version, file)
        return found

    def before(self, version: int, *, of_metadata: bool = True, of_protocol: bool = True) -> Before:
        """Return what held before `version`, as far as it is asked for."""
        metadata: Metadata | None = None
        protocol: Protocol | None = None
        below = version - 1
        listed, checkpoints, known = self.listing.commits, self._checkpoints, self._commits
        while below in listed and below not in checkpoints:
            older = known.get(below) or self.commit(below)
            if older.metadata is not None or older.protocol is not None:
                metadata, protocol = metadata or older.metadata, protocol or older.protocol
                if (metadata or not of_metadata) and (protocol or not of_protocol):
                    return Before(metadata, protocol)
            below -= 1
        if below < 0:
            return Before(metadata, protocol)
        try:
            heads = read_protocol_and_metadata(self.log, version - 1)
        except DeltactlError:
            # The log was cleaned below this version, or is broken there, which others report.
            return Before(metadata, protocol, metadata is not None, protocol is not None)
        return Before(metadata or heads.metadata, protocol or heads.protocol)

    def newest(self) -> Before:
        """Return what holds now; a notice says so if that is not a table that can be read."""
        try:
            segment = select(self.listing)
            if segment.entries:
                file = segment.entries[-1].file
                for first, block in self.log.blocks(file):
                    for _ in commit_lines.actions(block, file.name, first):
                        pass
            heads = self.before(segment.version + 1)
            check(ProtocolAndMetadata(heads.protocol, heads.metadata, segment, ()))
        except DeltactlError as error:
            self.notices[unreadable(error)] = None
            return self.before(self._newest + 1)
        self.notices.update(dict.fromkeys(segment.notices))
        return heads

    def set_times(self, commits: Iterable[Commit], heads: Before) -> None:
        """Give each commit its time: its own if the table has such, else the file's."""
        times = file_times(self.listing)
        since = in_commit_since(heads.protocol, heads.metadata)
        newer: Commit | None = None
        for current in commits:
            current.timestamp = times[current.version]
            if since is None or current.version < since:
                continue
            own = current.info.get("inCommitTimestamp")
            name = commit_name(current.version)
            if type(own) is not int:
                said = f"{name} has no in-commit timestamp; its file's time is shown"
                self._warn("ICT_MISSING", said)
                continue
            current.timestamp = own
            if (
                newer is not None
                and newer.timestamp <= own
                and newer.version == current.version + 1
            ):
                said = f"the in-commit timestamp of version {newer.version} is not later than "
                self._warn("ICT_NOT_INCREASING", f"{said}that of version {current.version}")
            newer = current

    def warn_of_gaps(self) -> None:
        """Say if versions are missing below the checkpoint that hides it."""
        versions = sorted(self.listing.commits)
        for one, other in pairwise(versions):
            if other != one + 1:
                gone = f"version {one + 1} is"
                if other > one + 2:
                    gone = f"versions {one + 1} to {other - 1} are"
                said = f"{gone} missing from the log"
                self._warn("HISTORY_HAS_GAP", said)

    def _read(self, version: int, file: LogFile) -> Commit:
        digest: Digest | None = None
        block = b""
        try:
            for first, block in self.log.blocks(file):
                if digest is None:
                    if len(block) == file.size and (plain := read_plain(block, self._forms)):
                        return Commit(version, *plain)
                    digest = Digest()
                digest.read(block, file.name, first, self._forms)
            if not block.endswith(b"}\n"):
                commit_lines.check_ends(block, file.name)
        except BrokenLogError as error:
            # What was read before the fault is still true.
            self._warn(error.code, error.message)
        digest = digest or Digest()
        found = Commit(version, digest.info, digest.files)
        for wrong in commit_info.wrong_types(digest.info):
            said = f"{file.name}: commitInfo.{wrong} has a type that Spark does not decode"
            self._warn("FIELD_WRONG_TYPE", said)
        if not file.size:
            self._warn("COMMIT_EMPTY", f"{file.name} has no bytes: what it said is lost")
        if not digest.is_plain:
            self._read_more(digest, file.name, found)
        return found

    def _read_more(self, digest: Digest, name: str, found: Commit) -> None:
        """Take from the digest what few commits have: heads, and oddities."""
        notices = list(
            commit_lines.text_warnings(name, bom=digest.has_bom, blank_lines=digest.has_blank_lines)
        )
        if not digest.info_is_first and "inCommitTimestamp" in digest.info:
            said = f"{name}: commitInfo has an in-commit timestamp and is not the first line"
            notices.append(Notice("ICT_NOT_FIRST", said))
        notices += commit_lines.at_most_one(len(digest.protocols), len(digest.metadatas), name)
        try:
            if digest.protocols:
                found.protocol = commit_lines.read_protocol(digest.protocols[-1], name, notices)
            if digest.metadatas:
                found.metadata = commit_lines.read_metadata(digest.metadatas[-1], name, notices)
            found.domains = tuple(
                DomainMetadata.from_json(action.body)
                for line in digest.domain_lines
                for action in commit_lines.search(line, "domainMetadata", name)
            )
        except BrokenLogError as error:
            notices.append(Notice(error.code, error.message))
        self.notices.update(dict.fromkeys(notices))

    def _warn(self, code: str, said: str) -> None:
        self.notices[Notice(code, said)] = None
