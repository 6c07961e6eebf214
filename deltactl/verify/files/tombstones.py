"""Tombstones: removes that a checkpoint keeps for a while, for VACUUM and for streams."""

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.errors import UnreadableCheckpointError
from deltactl.findings import Finding, Severity
from deltactl.log.arrow.file_table import flatten
from deltactl.log.replay import FileKey, file_key
from deltactl.log.segment import Checkpoint
from deltactl.spec.actions.action import Metadata
from deltactl.spec.actions.file_action import RemoveFile
from deltactl.spec.keys import DELETED_FILE_RETENTION
from deltactl.spec.properties.registry import effective
from deltactl.table.checkpoint.reader import Action
from deltactl.verify.checkpoint import file_texts
from deltactl.verify.files import live_totals

# What tells one tombstone from another, and how old it is.
LEAVES = (
    "remove.path", "remove.deletionTimestamp", "remove.deletionVector.storageType",
    "remove.deletionVector.pathOrInlineDv", "remove.deletionVector.offset",
    "remove.deletionVector.sizeInBytes", "remove.deletionVector.cardinality",
)  # fmt: skip
NEVER, ALWAYS = -(2**63), 2**63
_NONE: frozenset[int] = frozenset()


class Tombstones:
    """When each removed file was deleted, by the hash of its key.

    Of those that were deleted at `since` or before some may be missing.
    """

    def __init__(self, since: int = NEVER) -> None:
        self.times: dict[int, int] = {}
        self.since = since

    def put(self, key: FileKey, remove: RemoveFile) -> None:
        """Keep the tombstone of a file that a commit removed."""
        self._put(hash(key), _time(remove))

    def drop(self, key: FileKey) -> None:
        """Forget the tombstone of a file that exists again."""
        self.times.pop(hash(key), None)

    def load(self, rows: pa.RecordBatch | Sequence[Action], gone: frozenset[int] = _NONE) -> None:
        """Keep those of a checkpoint, but for `gone`, of which newer commits speak."""
        for key, time in _of_rows(rows):
            if (hashed := hash(key)) not in gone:
                self._put(hashed, time)

    def forget(self, since: int) -> None:
        """Let go of those that were deleted at `since` or before."""
        if since > self.since:
            self.since = since
            self.times = {key: time for key, time in self.times.items() if time > since}

    def _put(self, key: int, time: int) -> None:
        if time > self.since:
            self.times[key] = time


def _of_rows(rows: pa.RecordBatch | Sequence[Action]) -> Iterator[tuple[FileKey, int]]:
    if not isinstance(rows, pa.RecordBatch):
        removes = (RemoveFile.from_json(body) for kind, body in rows if kind == "remove")
        yield from ((file_key(remove), _time(remove)) for remove in removes)
        return
    place = rows.schema.get_field_index("remove")
    if place < 0 or rows.column(place).null_count == rows.num_rows:
        return
    held = rows.column(place)
    try:
        path = pc.struct_field(held, "path")
        if path.null_count:
            held = held.filter(path.is_valid())
        times = [0] * len(held)
        if held.type.get_field_index("deletionTimestamp") >= 0:
            found = pc.struct_field(held, "deletionTimestamp").cast(pa.int64())
            times = found.fill_null(0).to_pylist()
        keys = list(live_totals.keys(flatten(held, file_texts.KEY)))
    except (pa.ArrowException, KeyError, UnicodeDecodeError) as error:
        said = "remove: a column has a type, or a text, that no checkpoint has"
        raise UnreadableCheckpointError("CHECKPOINT_UNREADABLE", said) from error
    yield from zip(keys, times, strict=True)


def _time(remove: RemoveFile) -> int:
    time = remove.unknown.get("deletionTimestamp")
    return time if type(time) is int else 0


def dropped_until(checkpoint: Checkpoint, metadata: Metadata | None) -> int:
    """Return up to which time of deletion the checkpoint may leave tombstones out.

    A copy of a file is younger than what it is a copy of, so that it is asked for less.
    """
    kept = effective({} if metadata is None else metadata.configuration, DELETED_FILE_RETENTION)
    written = max(file.modified for file in checkpoint.files)
    return written - (kept if isinstance(kept, int) else 0)


def compare(expected: Tombstones, held: Tombstones, until: int, name: str) -> Iterator[Finding]:
    """Yield whether the checkpoint `name` has the tombstones that it must have, and no others.

    `until`: it may leave out those that were deleted then or before.
    """
    missing = [
        time for key, time in expected.times.items() if time > until and key not in held.times
    ]
    others = [
        time
        for key, time in held.times.items()
        if time > expected.since and expected.times.get(key) != time
    ]
    for code, wanted, times in (
        ("CHECKPOINT_LACKS_TOMBSTONES", f"those of files deleted after {until}", missing),
        ("CHECKPOINT_HAS_OTHER_TOMBSTONES", "those of files that commits removed", others),
    ):
        if times:
            word = "fewer" if times is missing else "more"
            found = f"{len(times)} {word}, the first deleted at {min(times)}"
            yield Finding(code, f"{name}: remove", wanted, found, Severity.WARNING, repairable=True)
