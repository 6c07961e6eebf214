"""Whether the checkpoints of a version are whole, and say what the log says without them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from deltactl.changes.draft import Draft
from deltactl.errors import DeltactlError, StorageError, UnreadableCheckpointError
from deltactl.log.checkpoint import last_checkpoint
from deltactl.log.filenames import CheckpointKind
from deltactl.log.segment import Checkpoint
from deltactl.operations.checkpoint.obstacles import refuse_faults, refuse_torn
from deltactl.spec.keys import TRANSACTION_RETENTION
from deltactl.spec.properties.registry import effective
from deltactl.table.checkpoint.contents import (
    Contents,
    contents_of,
    contents_of_state,
    differences,
)
from deltactl.table.checkpoint.reader import CheckpointReader
from deltactl.table.snapshot import Snapshot, has_same_protocol_and_metadata
from deltactl.table.state.files import read_state


class Part(NamedTuple):
    """A file of a checkpoint, by its path in the table."""

    path: str
    size: int
    rows: int


class CheckpointFacts(NamedTuple):
    """A checkpoint that exists, and whole."""

    version: int
    kind: CheckpointKind
    parts: tuple[Part, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "kind": self.kind.value,
            "parts": [part._asdict() for part in self.parts],
        }

    def hint(self, files: int) -> bytes:
        """Return the `_last_checkpoint` that names it; `files` is its number of adds."""
        return last_checkpoint.write(
            self.version,
            size=sum(part.rows for part in self.parts),
            parts=len(self.parts) if self.kind is CheckpointKind.MULTIPART else None,
            size_in_bytes=sum(part.size for part in self.parts),
            num_of_add_files=files,
        )


class ExistingCheckpoints:
    """The checkpoints of the draft's version that exist: whole, damaged or unfinished.

    A `repair` treats unfinished ones as damaged. `mislead`: the draft has its protocol and metadata
    of one of them, and the other files have others.
    """

    def __init__(self, draft: Draft, *, repair: bool = False) -> None:
        self.damaged: list[tuple[Checkpoint, str]] = []
        self.mislead = False
        self._healthy: list[tuple[CheckpointFacts, int]] = []
        snapshot = draft.base
        there = [c for c in snapshot.log.listing().checkpoints if c.version == snapshot.version]
        self.unfinished = [c for c in there if c.is_unfinished and not repair]
        there = [c for c in there if c not in self.unfinished]
        if not there:
            return
        expected = _expected(snapshot, frozenset(there))
        if expected is not None:
            self.mislead = not has_same_protocol_and_metadata(
                snapshot, expected.protocol, expected.metadata
            )
        for checkpoint in there:
            if not checkpoint.is_complete:
                self.damaged.append((checkpoint, checkpoint.flaw().message))
                continue
            reader = snapshot.log.reader(checkpoint)
            try:
                contents = contents_of(reader)
                facts = _facts(reader)
            except UnreadableCheckpointError as error:
                self.damaged.append((checkpoint, error.message))
                continue
            why = next(iter(_wrong(expected, contents, draft)), None)
            if why is None:
                self._healthy.append((facts, contents.adds.files))
            else:
                self.damaged.append((checkpoint, why))

    def healthy(self, kind: CheckpointKind | None) -> tuple[CheckpointFacts, int] | None:
        """Return one of the kind, any without a kind, and how many adds it has."""
        return next((found for found in self._healthy if kind in (None, found[0].kind)), None)


def _expected(snapshot: Snapshot, without: frozenset[Checkpoint]) -> Contents | None:
    """Return what the log says without these checkpoints; None if it cannot say it any more.

    Of a commit of which something is lost a checkpoint may be all that still tells.
    """
    contents: list[Contents] = []
    try:
        state = read_state(
            snapshot,
            lambda state: contents.append(contents_of_state(state)),
            keep_stats=False,
            keep_faults=True,
            without=without,
        )
        refuse_torn(state.notices)
        refuse_faults(state.replay.faults)
    except StorageError:
        raise
    except DeltactlError:
        return None
    return contents[-1]


def _wrong(expected: Contents | None, found: Contents, draft: Draft) -> Iterator[str]:
    """Yield what is wrong with a checkpoint that can be read."""
    if found.protocol is None or found.metadata is None:
        yield "it has no protocol, or no metadata"
    if expected is None:
        return
    if effective(draft.configuration, TRANSACTION_RETENTION) is not None:
        # Which of them were too old when it was written nobody can tell.
        both = set(expected.transactions) & set(found.transactions)
        expected = replace(
            expected, transactions={k: v for k, v in expected.transactions.items() if k in both}
        )
    yield from differences(expected, found, tombstones=False)


def _facts(reader: CheckpointReader) -> CheckpointFacts:
    parts = tuple(Part(*part) for part in reader.parts())
    return CheckpointFacts(reader.checkpoint.version, reader.checkpoint.kind, parts)
