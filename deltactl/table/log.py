"""A table's log in its store: listings, the text of commits, and the segment of a version."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from deltactl.errors import BrokenLogError, DeltactlError, Notice, UnreadableCheckpointError
from deltactl.log.checkpoint import last_checkpoint
from deltactl.log.checkpoint.last_checkpoint import LastCheckpoint
from deltactl.log.commit.commit_lines import search
from deltactl.log.filenames import LAST_CHECKPOINT, LOG, LogFile, commit_version
from deltactl.log.segment import Checkpoint, Listing, Segment, arrange, select
from deltactl.storage.base import ReadFile, Storage
from deltactl.storage.missing_table import no_table
from deltactl.storage.request_log import logged
from deltactl.table.checkpoint.reader import CheckpointReader
from deltactl.table.commit.commit import in_place_of
from deltactl.text.hints import Command

# Blocks bound the memory that a commit takes; a line is the smallest thing that can be parsed.
BLOCK = 4 << 20
LONGEST_LINE = 256 << 20

_HEADS = ("protocol", "metaData")

T = TypeVar("T")


class TableLog:
    """The `_delta_log` of one table. Listings are taken once and kept."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self._read_file: ReadFile = lambda name, start, length: storage.read(
            f"{LOG}/{name}", start, length
        )
        self._listing: Listing | None = None
        self._hint_notices: tuple[Notice, ...] = ()
        # What was damaged for one question is left aside for the next, too.
        self._damaged: dict[Checkpoint, UnreadableCheckpointError] = {}
        self._readers: dict[Checkpoint, CheckpointReader] = {}
        self._small_files: dict[str, bytes | None] = {}

    def listing(self) -> Listing:
        """Return the whole log."""
        if self._listing is None or self._listing.start > 0:
            self._listing = self._list(0)
        return self._listing

    def reader(self, checkpoint: Checkpoint) -> CheckpointReader:
        """Return the reader of a checkpoint, which keeps what its footers say."""
        if checkpoint not in self._readers:
            self._readers[checkpoint] = CheckpointReader(self.storage, checkpoint)
        return self._readers[checkpoint]

    def check_not_empty(self, listing: Listing) -> None:
        """Refuse a log without a version.

        Raises:
            NotFoundError: there is neither a commit nor a checkpoint.
        """
        if listing.newest is None:
            raise no_table(self.storage)

    def newest_listed(self) -> int | None:
        """Return the newest version of the listing that was taken, if one was."""
        return None if self._listing is None else self._listing.newest

    def resolve(
        self,
        target: int | None,
        read: Callable[[Segment], T],
        without: frozenset[Checkpoint] = frozenset(),
        *,
        what: str = "actions",
    ) -> tuple[T, Segment, tuple[Notice, ...]]:
        """Find the files for `target` and `read` them; past damaged checkpoints, with a notice.

        `without` are checkpoints not to use, whatever they hold. `what` names what is read in the
        log of requests.

        Raises:
            BrokenLogError: the version cannot be had, with any checkpoint or without.
            NotFoundError: there is no such version.
        """
        listing = self._recent() if target is None else self.listing()
        self.check_not_empty(listing)
        while True:
            try:
                segment = select(listing, target, avoided := without | self._damaged.keys())
            except DeltactlError as error:
                if listing.start > 0:
                    listing = self.listing()
                    continue
                for damage in self._damaged.values():
                    if damage.remedy is None and (name := damage.details.get("file")):
                        damage.remedy = (
                            Command("log") + f" shows the log; {name} must be restored from a copy"
                        )
                    raise damage from error
                self._explain(error)
                raise
            self.expect(entry.file for entry in reversed(segment.entries))
            try:
                if avoided and segment.checkpoint is not None:
                    self._check_protocol_and_metadata(segment.checkpoint)
                found = logged(
                    f"read {what} of", _described(segment), partial(read, segment), lambda _: "done"
                )
            except UnreadableCheckpointError as error:
                if segment.checkpoint is None:
                    raise
                self._damaged[segment.checkpoint] = error
                listing = self.listing()
                continue
            return (
                found,
                segment,
                (*self._hint_notices, *self.damaged_checkpoints, *segment.notices),
            )

    def _check_protocol_and_metadata(self, checkpoint: Checkpoint) -> None:
        """Refuse a checkpoint that lost its protocol or metaData, for it may have lost more.

        Raises:
            UnreadableCheckpointError: it has no protocol or no metaData.
        """
        held = {kind for kind, _ in self.reader(checkpoint).actions(_HEADS, enough=lambda: False)}
        if lacking := [kind for kind in _HEADS if kind not in held]:
            name = checkpoint.files[0].name
            raise UnreadableCheckpointError(
                "CHECKPOINT_UNREADABLE",
                f"checkpoint {name} cannot be read: it has no {lacking[0]}",
                details={"file": name},
            )

    def _explain(self, error: DeltactlError) -> None:
        """Raise BrokenLogError if something else has the name of the commit that is missing."""
        version = commit_version(str(error.details.get("missing", "")))
        if version is not None and (found := in_place_of(self.storage, version)) is not None:
            raise found from error

    @property
    def damaged_checkpoints(self) -> tuple[Notice, ...]:
        """The checkpoints that turned out to be damaged so far."""
        return tuple(
            Notice(damage.code, f"{damage.message}; older files are used instead")
            for damage in self._damaged.values()
        )

    def blocks(self, file: LogFile) -> Iterable[tuple[int, bytes]]:
        """Return the commit's text in blocks of whole lines, each with its first line's number.

        Raises:
            BrokenLogError: a line is too long to be read, or the file is gone.
        """
        if file.size > BLOCK:
            return self._long(file.name)
        return ((1, self._read(file.name, 0, file.size)),)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Have many commits read with less work for each until the block ends."""
        with self.storage.opened(LOG) as read:
            before, self._read_file = self._read_file, read
            try:
                yield
            finally:
                self._read_file = before

    def expect(self, files: Iterable[LogFile]) -> None:
        """Be told that these commits will be read, in this order."""
        self.storage.expect(LOG, files)

    def in_commit_time(self, version: int) -> int | None:
        """Return the version's in-commit time; None if it has none, or the commit is gone.

        Raises:
            BrokenLogError: the commit cannot be read.
        """
        own = self.commit_info(version).get("inCommitTimestamp")
        return own if type(own) is int else None

    def commit_file(self, version: int) -> LogFile | None:
        """Return the version's commit as it was listed; None if it is gone."""
        listing = self._listing
        if listing is None or version < listing.start:
            listing = self.listing()
        return listing.commits.get(version)

    def commit_info(self, version: int) -> Mapping[str, Any]:
        """Return what the version's commit says of itself; empty if it says nothing, or is gone.

        Raises:
            BrokenLogError: the commit cannot be read.
        """
        file = self.commit_file(version)
        if file is None:
            return {}
        for _, block in self.blocks(file):
            for found in search(block, "commitInfo", file.name):
                return found.body
        return {}

    def hint(self) -> LastCheckpoint | Notice | None:
        """Return what `_last_checkpoint` says; None if there is nothing."""
        text = self.small_file(LAST_CHECKPOINT)
        return None if text is None else last_checkpoint.read(text)

    def small_file(self, name: str) -> bytes | None:
        """Return a file that is needed more than once, read once; None if it is missing."""
        if name not in self._small_files:
            try:
                self._small_files[name] = self.storage.read(f"{LOG}/{name}")
            except FileNotFoundError:
                self._small_files[name] = None
        return self._small_files[name]

    def _recent(self) -> Listing:
        """Return the listing from the hinted checkpoint on if the hint holds, or the whole log."""
        if self._listing is not None:
            return self._listing
        hint = self.hint()
        if isinstance(hint, LastCheckpoint):
            listing = self._list(hint.version)
            here = [c for c in listing.checkpoints if c.version == hint.version]
            if any(c.is_complete for c in here):
                self._listing = listing
                return listing
            if not here:
                said = f"{LAST_CHECKPOINT} names version {hint.version}, which has no checkpoint"
                self._hint_notices = (Notice("LAST_CHECKPOINT_TARGET_MISSING", said),)
        elif isinstance(hint, Notice):
            self._hint_notices = (hint,)
        return self.listing()

    def _list(self, start: int) -> Listing:
        ask = partial(self.storage.list_from, LOG, f"{start:020d}" if start else "")
        return arrange(logged("list", f"{LOG} from version {start}", ask), start)

    def _read(self, name: str, start: int, length: int) -> bytes:
        try:
            return self._read_file(name, start, length)
        except FileNotFoundError as error:
            raise BrokenLogError(
                "LOG_FILE_VANISHED",
                f"{name} was there when the log was listed and is gone now",
                hint="another process is cleaning the log: run it again",
                details={"file": name},
            ) from error

    def _long(self, name: str) -> Iterator[tuple[int, bytes]]:
        position, number, rest = 0, 1, b""
        while block := self._read(name, position, BLOCK):
            position += len(block)
            if cut := block.rfind(b"\n") + 1:
                whole, rest = rest + block[:cut], block[cut:]
                del block  # What is made of a block may be large, too.
                yield number, whole
                number += whole.count(b"\n")
                continue
            rest += block
            if len(rest) > LONGEST_LINE:
                raise BrokenLogError(
                    "COMMIT_LINE_TOO_LONG",
                    f"{name}, line {number} is longer than {LONGEST_LINE >> 20} MiB",
                    hint="no engine writes such a line: the file is not a commit",
                    details={"file": name, "line": number},
                )
        if rest:
            yield number, rest


def _described(segment: Segment) -> str:
    """Return what the version is read from, for the log of requests."""
    found, commits = segment.checkpoint, f"commits {len(segment.entries)}"
    checkpoint = f"checkpoint {found.version}, files {len(found.files)}, " if found else ""
    return f"version {segment.version} ({checkpoint}{commits})"
