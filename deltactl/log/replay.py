"""Reconciling actions: the newest action per file, application and domain."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from deltactl.errors import BrokenLogError, Notice
from deltactl.log.commit import commit_lines
from deltactl.log.paths import canonical, is_encoded
from deltactl.log.stats.record_count import only_records
from deltactl.spec.actions import validation
from deltactl.spec.actions.action import DomainMetadata, Transaction
from deltactl.spec.actions.file_action import AddFile, RemoveFile
from deltactl.spec.actions.validation import FieldError

FileKey = tuple[str, str | None]
# Which statistics of adds replay keeps: all, none, or how many rows there are.
KeepStats = bool | Literal["records"]


def file_key(action: AddFile | RemoveFile) -> FileKey:
    """Return what tells the logical file of an action from every other one."""
    vector = action.deletion_vector
    return canonical(action.path), None if vector is None else vector.unique_id


class Replay:
    """What the commits above a checkpoint say, applied oldest first.

    `files` holds the newest action of each logical file: the add, or None if it was removed. A
    checkpoint's adds count only if their key is not in it. `faults`, if they are asked for, tell
    of each logical file what a checkpoint would hide.
    """

    def __init__(
        self,
        *,
        keep_stats: KeepStats = True,
        keep_removes: bool = False,
        keep_faults: bool = False,
    ) -> None:
        self.files: dict[FileKey, AddFile | None] = {}
        # The tombstones of those that were removed, where they are asked for.
        self.removes: dict[FileKey, RemoveFile] = {}
        self.faults: dict[FileKey, Notice] = {}
        self.transactions: dict[str, Transaction] = {}
        self.domains: dict[str, DomainMetadata] = {}
        self.change_files = 0
        self.change_bytes = 0
        self.notices: dict[Notice, None] = {}
        self._keep_stats = keep_stats
        self._keep_removes = keep_removes
        self._keep_faults = keep_faults
        self._commit = ""
        # What the commit said before of each file and of each application.
        self._files_seen: dict[FileKey, str] = {}
        self._txns_seen: dict[str, str] = {}
        # Many files share their partition, and one mapping of its values.
        self._partitions: dict[tuple[str | None, ...], Mapping[str, str | None]] = {}

    def live(self) -> Iterator[AddFile]:
        """Return the files that are part of the table by these commits."""
        return (add for add in self.files.values() if add is not None)

    def apply(self, block: bytes, name: str, first: int = 1) -> None:
        """Apply one block of a commit.

        Raises:
            BrokenLogError: a line is not JSON, or an action lacks what it must have.
        """
        for notice in commit_lines.commit_warnings(block, name):
            self.notices[notice] = None
        for number, kind, body in commit_lines.actions(block, name, first):
            self._apply(number, kind, body, name)

    def apply_compacted(self, block: bytes, name: str) -> None:
        """Apply a compacted file: of several actions on one key the first is the newest."""
        newest = Replay(
            keep_stats=self._keep_stats,
            keep_removes=self._keep_removes,
            keep_faults=self._keep_faults,
        )
        for number, kind, body in reversed(list(commit_lines.actions(block, name))):
            newest._apply(number, kind, body, name)
        self.files.update(newest.files)
        for key in newest.files:
            self.removes.pop(key, None)
            self.faults.pop(key, None)
        self.removes.update(newest.removes)
        self.faults.update(newest.faults)
        self.transactions.update(newest.transactions)
        self.domains.update(newest.domains)

    def _apply(self, number: int, kind: str, body: dict[str, Any], name: str) -> None:
        try:
            self.apply_action(kind, body, name)
        except BrokenLogError as error:
            raise BrokenLogError(
                error.code,
                f"{name}, line {number}: {error.message}",
                details={**error.details, "file": name, "line": number},
            ) from error

    def apply_action(self, kind: str, body: dict[str, Any], name: str) -> None:
        """Apply one action of the commit `name`; those of one commit stand together.

        Raises:
            BrokenLogError: it lacks what it must have.
        """
        if name != self._commit:
            self._commit, self._files_seen, self._txns_seen = name, {}, {}
        match kind:
            case "add":
                self._trim(body)
                add = AddFile.from_json(body, self._partitions)
                key = file_key(add)
                if self._keep_faults:
                    self._note_faults(key, add, validation.add_errors(body), name)
                self._once(self._files_seen, key, "add", add.path, name)
                self.files[key] = add
                self.removes.pop(key, None)
            case "remove":
                remove = RemoveFile.from_json(body)
                key = file_key(remove)
                if self._keep_faults:
                    self._note_faults(key, remove, validation.remove_errors(body), name)
                self._once(self._files_seen, key, "remove", remove.path, name)
                self.files[key] = None
                if self._keep_removes:
                    self.removes[key] = remove
            case "txn":
                txn = Transaction.from_json(body)
                self._once(self._txns_seen, txn.app_id, "txn", txn.app_id, name)
                self.transactions[txn.app_id] = txn
            case "domainMetadata":
                domain = DomainMetadata.from_json(body)
                self.domains[domain.domain] = domain
            case "cdc":
                self.change_files += 1
                size = body.get("size")
                self.change_bytes += size if type(size) is int else 0
            case _:
                self._warn_of_unknown(kind, name)

    def _trim(self, body: dict[str, Any]) -> None:
        stats = body.get("stats")
        if self._keep_stats == "records" and isinstance(stats, str):
            body["stats"] = only_records(stats)
        elif not self._keep_stats:
            body.pop("stats", None)

    def _once(self, seen: dict[Any, str], key: Any, kind: str, what: str, name: str) -> None:
        before = seen.get(key)
        seen[key] = kind
        if before is None:
            return
        match before, kind:
            case "txn", _:
                code, said = "DUPLICATE_TXN", f"two txn actions of {what}"
            case "add", "add":
                code, said = "DUPLICATE_ADD", f"{what} is added twice"
            case "remove", "remove":
                code, said = "DUPLICATE_REMOVE", f"{what} is removed twice"
            case _:
                code = "ADD_AND_REMOVE_IN_ONE_COMMIT"
                said = f"{what} is both added and removed; the later line counts"
        notice = Notice(code, f"{name}: {said}")
        self.notices[notice] = None
        if self._keep_faults and code == "ADD_AND_REMOVE_IN_ONE_COMMIT":
            self.faults[key] = notice

    def _note_faults(
        self, key: FileKey, action: AddFile | RemoveFile, found: Iterable[FieldError], name: str
    ) -> None:
        """Keep what is wrong with the newest action of a file, and forget that of older ones."""
        self.faults.pop(key, None)
        if isinstance(action, AddFile) and not is_encoded(action.path):
            said = f"{name}: the path {action.path!r} is not URI-encoded"
            self.faults[key] = Notice("PATH_NOT_ENCODED", said)
        for error in found:
            said = (
                f"{name}: {error.field} of {action.path} must be {error.expected}, "
                f"found {error.found:.40}"
            )
            self.faults[key] = Notice(error.code, said)

    def _warn_of_unknown(self, kind: str, name: str) -> None:
        if kind in commit_lines.DRAFT_ACTIONS:
            said = (
                f"{name}: {kind} is an action of the draft that was never released; it is ignored"
            )
            self.notices[Notice("DRAFT_ACTION", said)] = None
        elif kind not in commit_lines.KNOWN_ACTIONS:
            said = f"{name}: the action {kind!r} is unknown and ignored"
            self.notices[Notice("UNKNOWN_ACTION", said)] = None
