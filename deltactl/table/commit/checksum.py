"""The `.crc` beside a commit: read for what it counts, and carried over by our own commits."""

from collections.abc import Sequence

from deltactl.errors import StorageError
from deltactl.log import checksum
from deltactl.log.checkpoint.last_checkpoint import LastCheckpoint
from deltactl.log.checksum import VersionMetadata
from deltactl.log.filenames import LOG
from deltactl.spec.actions.action import Transaction
from deltactl.table.log import TableLog
from deltactl.table.snapshot import Snapshot


def known_count(snapshot: Snapshot) -> tuple[int | None, int | None]:
    """Return the number of files and its version; None if they have to be counted."""
    text = _read(snapshot.log, snapshot.version)
    count = None if text is None else checksum.number_of_files(text)
    if count is not None:
        return count, snapshot.version
    hint = snapshot.log.hint()
    # None at an older version says nothing of now, where the log may have grown since.
    if isinstance(hint, LastCheckpoint) and hint.num_of_add_files:
        return hint.num_of_add_files, hint.version
    return None, None


def known_totals(snapshot: Snapshot) -> tuple[int, int] | None:
    """Return how many files the table has, and their bytes; None if that takes counting."""
    text = _read(snapshot.log, snapshot.version)
    return None if text is None else checksum.totals(text)


def carry_over(
    log: TableLog,
    version: int,
    before: VersionMetadata,
    after: VersionMetadata,
    *,
    txn_id: str,
    transactions: Sequence[Transaction],
) -> bool:
    """Write the checksum of `version`, a commit without file actions, if that is certain.

    Whether one was written; a store that fails is not an error here, for the commit is made.
    """
    old = _read(log, version - 1)
    if old is None:
        return False
    new = checksum.following(old, before, after, txn_id=txn_id, transactions=transactions)
    if new is None:
        return False
    try:
        path = f"{LOG}/{checksum.name(version)}"
        return log.storage.put_if_absent(path, new) == "won"
    except StorageError:
        return False


def _read(log: TableLog, version: int) -> bytes | None:
    try:
        return log.small_file(checksum.name(version))
    except StorageError:
        return None
