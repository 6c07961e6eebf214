"""A table that was opened: the way to its snapshots and its history."""

from datetime import datetime

from deltactl.errors import BrokenLogError, NotFoundError, Notice
from deltactl.log.segment import recreatable
from deltactl.spec.versions import VersionsBack
from deltactl.storage.base import Storage
from deltactl.storage.locate import locate
from deltactl.storage.options.settings import NO_SETTINGS, StoreSettings
from deltactl.table.commit_times import file_times, in_commit_since, milliseconds, version_at
from deltactl.table.log import TableLog
from deltactl.table.snapshot import ProtocolAndMetadata, Snapshot, load, read_protocol_and_metadata
from deltactl.text.hints import Command

At = int | VersionsBack | datetime | None


class Table:
    """One table in its store. What is listed once is kept, so an instance sees one moment."""

    def __init__(self, storage: Storage) -> None:
        self.uri = storage.uri
        self.storage = storage
        self.log = TableLog(storage)

    def snapshot(self, at: At = None, *, even_if_unsupported: bool = False) -> Snapshot:
        """Return the table at a version or a time, by default as it is now.

        Raises:
            BrokenLogError: the log contradicts the protocol.
            RefusedError: the table needs what deltactl does not know.
            NotFoundError: there is no such version.
        """
        version, notices = self.version(at)
        snapshot = load(self.log, version, even_if_unsupported=even_if_unsupported)
        return snapshot.with_notices(notices)

    def protocol_and_metadata_below_fault(self) -> ProtocolAndMetadata:
        """Return the newest protocol and metadata that can be had below a gap or a torn commit.

        Raises:
            BrokenLogError: none can.
        """
        listing = self.log.listing()
        version = recreatable(listing)
        if version is None:
            return read_protocol_and_metadata(self.log)
        while (commit := listing.commits.get(version + 1)) is not None and commit.size:
            version += 1
        try:
            return read_protocol_and_metadata(self.log, version)
        except BrokenLogError:
            # The torn commit is the last one that exists.
            if version == 0:
                raise
            return read_protocol_and_metadata(self.log, version - 1)

    def version(self, at: At) -> tuple[int | None, tuple[Notice, ...]]:
        """Return the version that `at` means, None for the newest.

        Raises:
            NotFoundError: a time before the oldest commit, or more versions back than there are.
        """
        if at is None:
            return None, ()
        if not isinstance(at, datetime):
            return self.absolute(at), ()
        times = file_times(self.log.listing())
        since = self._in_commit_since()
        if since is not None:
            # File times and times in commits need not grow together: only one kind is searched.
            own = {version: time for version, time in times.items() if version >= since}
            begins = self.in_commit_time(since) if since in times else None
            if begins is None or begins <= milliseconds(at) or len(own) == len(times):
                version, notice = version_at(at, own, self.in_commit_time)
                return version, (() if notice is None else (notice,))
            times = {v: time for v, time in times.items() if v < since}
        version, notice = version_at(at, times, lambda _: None, newest=since is None)
        return version, (() if notice is None else (notice,))

    def absolute(self, version: int | VersionsBack) -> int:
        """Return the number of the version.

        Raises:
            NotFoundError: it is more versions back than there are.
        """
        if isinstance(version, int):
            return version
        newest = self.log.listing().newest
        if newest is None:
            raise NotFoundError("NOT_A_TABLE", "the log holds no commit and no checkpoint")
        if version.number > newest:
            raise NotFoundError(
                "VERSION_NOT_FOUND",
                f"there are no {version.number} versions before the newest, {newest}",
                hint=Command("history") + " lists the versions that there are",
                details={"newest": newest},
            )
        return newest - version.number

    def _in_commit_since(self) -> int | None:
        """Return the version from which commits give their time, as far as the log knows."""
        try:
            heads = read_protocol_and_metadata(self.log, parses_newest=False)
        except BrokenLogError:
            heads = self.protocol_and_metadata_below_fault()
        return in_commit_since(heads.protocol, heads.metadata)

    def in_commit_time(self, version: int) -> int | None:
        """Return the time that a commit gives itself."""
        return self.log.in_commit_time(version)


def open_table(uri: str, settings: StoreSettings = NO_SETTINGS) -> Table:
    """Return the table at a path or a URL; `settings` are for what is not a folder of this machine.

    Raises:
        NotFoundError: nothing is there, or it is not a table.
        StorageError: permissions, or a kind of store that deltactl does not reach.
    """
    return Table(locate(uri, settings))
