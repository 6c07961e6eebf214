"""The live files of a snapshot, streamed: newer commits in memory, the checkpoint in batches."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from deltactl.errors import BrokenLogError, Notice
from deltactl.log.arrow import compute as pc
from deltactl.log.arrow.file_table import (
    COLUMNS,
    VECTOR,
    SupersededFiles,
    batches_of,
    flatten,
    from_adds,
    has_vectors,
    without,
)
from deltactl.log.paths import escapes_root, is_absolute, is_encoded
from deltactl.log.replay import KeepStats, Replay
from deltactl.log.segment import Checkpoint, Segment
from deltactl.log.state import StateWithoutFiles
from deltactl.spec.actions.action import DomainMetadata, Transaction
from deltactl.spec.actions.file_action import AddFile
from deltactl.spec.keys import DELETION_VECTORS_FEATURE
from deltactl.spec.protocol.protocol import supported
from deltactl.table.checkpoint.reader import CheckpointReader
from deltactl.table.snapshot import Snapshot, from_files, has_same_protocol_and_metadata
from deltactl.text.hints import Command

# Below this size of a checkpoint its statistics are read without being asked for.
CHEAP = 8 << 20


@dataclass(frozen=True, repr=False)
class TableState:
    """What replay of a segment gives, its files not yet read from the checkpoint."""

    snapshot: Snapshot
    replay: Replay
    reader: CheckpointReader | None

    @property
    def notices(self) -> tuple[Notice, ...]:
        return tuple(self.replay.notices)

    @property
    def first_version(self) -> int:
        """The first version whose commit was replayed rather than read from a checkpoint."""
        return 0 if self.reader is None else self.reader.checkpoint.version + 1

    @property
    def counts_records_cheaply(self) -> bool:
        """Whether the number of rows comes with little more work than the number of files."""
        if self.reader is None or self.reader.size <= CHEAP:
            return True
        return self.reader.has_leaf(COLUMNS["parsedRecords"][1])

    def records_columns(self) -> tuple[str, ...]:
        """Return the columns that tell the number of rows, the cheaper one if it is complete."""
        if self.reader is not None and self.reader.is_complete(COLUMNS["parsedRecords"][1]):
            return ("parsedRecords",)
        return ("parsedRecords", "stats")

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the live files in batches, those of commits first, always with path and vector.

        Raises:
            BrokenLogError: a file has a deletion vector, and the protocol does not allow them.
        """
        for batch, hidden in self.uncut_batches(columns):
            live = without(batch, hidden)
            if live.num_rows:
                yield live

    def uncut_batches(
        self, columns: Sequence[str]
    ) -> Iterator[tuple[pa.RecordBatch, Sequence[int]]]:
        """Yield as `batches` does, but with null rows, and with rows, by number, that are not live.

        To sum up and subtract these is cheaper than to copy what is left. Batches with deletion
        vectors, which have to be looked at one by one, come without such rows.

        Raises:
            BrokenLogError: a file has a deletion vector, and the protocol does not allow them.
        """
        wanted = tuple(dict.fromkeys(("path", *VECTOR, *columns)))
        allowed = DELETION_VECTORS_FEATURE in supported(self.snapshot.protocol)
        for batch, hidden in self._all(wanted):
            if not has_vectors(batch):
                yield batch, hidden
                continue
            live = without(batch, hidden)
            if not allowed and has_vectors(live):
                raise vector_without_feature(live)
            yield live, ()

    def transactions(self) -> list[Transaction]:
        """Return the newest word of each application, in order of their ids."""
        found = self._small.transactions | self.replay.transactions
        return [found[app_id] for app_id in sorted(found)]

    def domains(self) -> list[DomainMetadata]:
        """Return the metadata domains that exist, in order of their names."""
        found = self._small.domains | self.replay.domains
        return [found[name] for name in sorted(found) if not found[name].removed]

    @cached_property
    def _small(self) -> StateWithoutFiles:
        """The applications and domains of the checkpoint."""
        found = StateWithoutFiles()
        if self.reader is not None:
            for kind, body in self.reader.actions(("txn", "domainMetadata"), enough=lambda: False):
                found.apply_action(kind, body)
        return found

    def _all(self, columns: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, Sequence[int]]]:
        for batch in batches_of(self.replay.live(), columns):
            yield batch, ()
        if self.reader is None:
            return
        shadow = SupersededFiles(self.replay.files)
        leaves = [COLUMNS[column][1] for column in columns]
        for adds in self.reader.file_batches(leaves):
            if isinstance(adds, list):
                batch = from_adds(map(AddFile.from_json, adds), columns)
            else:
                batch = flatten(adds, columns)
            yield batch, shadow.hidden(batch)


def read_state(
    snapshot: Snapshot,
    then: Callable[[TableState], None],
    *,
    keep_stats: KeepStats = True,
    keep_removes: bool = False,
    keep_faults: bool = False,
    without: frozenset[Checkpoint] = frozenset(),
) -> TableState:
    """Replay the snapshot's commits, and hand the state to `then`.

    `then` runs again from the start if a checkpoint turns out to be damaged and older files
    can stand in for it: what it gathers it must gather again. `without` are checkpoints that are
    not to be read: the state's snapshot is then what the other files say.

    Raises:
        BrokenLogError: a commit, or every way to the version, is broken; or the older files have
            another protocol or other metadata than the snapshot, which is of the damaged
            checkpoint.
    """

    def read(segment: Segment) -> TableState:
        base = snapshot
        if segment.checkpoint != snapshot.segment.checkpoint:
            base = from_files(snapshot, segment)
            if not without and not has_same_protocol_and_metadata(
                snapshot, base.protocol, base.metadata
            ):
                raise _at_odds(snapshot)
        replay = Replay(keep_stats=keep_stats, keep_removes=keep_removes, keep_faults=keep_faults)
        for entry in segment.entries:
            if entry.is_compacted:
                # Its first action on a file is the newest, wherever the second one stands.
                text = b"".join(block for _, block in snapshot.log.blocks(entry.file))
                replay.apply_compacted(text, entry.file.name)
                continue
            for first, block in snapshot.log.blocks(entry.file):
                replay.apply(block, entry.file.name, first)
        checkpoint = segment.checkpoint
        reader = snapshot.log.reader(checkpoint) if checkpoint else None
        state = TableState(base, replay, reader)
        then(state)
        return state

    # The listing was kept: what was the newest version then is still found by the same files.
    log, version = snapshot.log, snapshot.version
    target = None if log.newest_listed() == version else version
    state, _, notices = log.resolve(target, read, without, what="files")
    state.replay.notices.update(dict.fromkeys(notices))
    return state


def _at_odds(snapshot: Snapshot) -> BrokenLogError:
    checkpoint = snapshot.segment.checkpoint
    assert checkpoint is not None
    return BrokenLogError(
        "CHECKPOINT_UNREADABLE",
        f"checkpoint {checkpoint.files[0].name} cannot be read to its end, and older files do not "
        "have its protocol and metaData",
        hint=Command("verify-checksum", "--repair"),
    )


def prepare_state(snapshot: Snapshot, *, keep_stats: KeepStats = True) -> TableState:
    """Replay the commits, and look at every footer of the checkpoint before a file is given out."""

    def read(state: TableState) -> None:
        if state.reader is not None:
            state.reader.open_all()

    return read_state(snapshot, read, keep_stats=keep_stats)


def path_warnings(batch: pa.RecordBatch) -> Iterator[tuple[str, Notice]]:
    """Yield odd paths of a batch, and what is odd about them: the first one of each kind."""
    paths = batch.column("path")
    if not _may_be_odd(paths):
        return
    for pattern, code, odd, said in _ODD_PATHS:
        suspects = paths.filter(pc.match_substring_regex(paths, pattern))
        for path in suspects.to_pylist():
            if odd(path):
                yield path, Notice(code, f"{path} {said}")
                break


def vector_warnings(batch: pa.RecordBatch, records: pa.Int64Array | None) -> Iterator[Notice]:
    """Yield the first deletion vector of the batch that cannot be right, if any."""
    if not has_vectors(batch):
        return
    cardinality, kinds = batch.column("cardinality"), batch.column("storageType")
    checks = [
        (pc.less(cardinality, 0), "a negative cardinality"),
        (pc.invert(pc.is_in(kinds, pa.array(["u", "i", "p", None]))), "an unknown storage type"),
        (_bad_base85(batch), "a path or value that is not base85"),
    ]
    if records is not None:
        checks.append((pc.greater(cardinality, records), "a cardinality above the file's rows"))
    for mask, said in checks:
        for row in pc.indices_nonzero(mask.fill_null(False)).to_pylist()[:1]:
            path = batch.column("path")[row].as_py()
            yield Notice("BAD_DELETION_VECTOR", f"the deletion vector of {path} has {said}")


def _may_be_odd(paths: pa.StringArray) -> bool:
    """Return whether any of the paths, contiguous in memory, needs a closer look."""
    text = paths.buffers()[2]
    if text is None:
        return False
    octets = text.to_pybytes()
    return bool(
        octets.translate(None, _PLAIN)
        or b".." in octets
        or (b"%" in octets and (b"%2e" in octets or b"%2E" in octets))
        or pc.any(pc.starts_with(paths, "/")).as_py()
    )


_PLAIN = bytes(range(ord("!"), ord("~") + 1)).replace(b":", b"")
_ODD_PATHS = (
    (r"[^!-~]", "PATH_NOT_ENCODED", lambda p: not is_encoded(p), "is not URI-encoded"),
    (r"^/|:", "ABSOLUTE_PATH", is_absolute, "is an absolute path"),
    (r"\.\.|%2[eE]", "PATH_OUTSIDE_TABLE", escapes_root, "leads out of the table"),
)


def _bad_base85(batch: pa.RecordBatch) -> pa.BooleanArray:
    """Say whether Z85 is not in groups of five; a `u` vector ends in its file's 20-letter id."""
    texts, kinds = batch.column("pathOrInlineDv"), batch.column("storageType")
    alphabet = r"[0-9a-zA-Z.\-:+=^!/*?&<>()\[\]{}@%$#]"
    inline = pc.match_substring_regex(texts, rf"^(?:{alphabet}{{5}})+$")
    in_file = pc.match_substring_regex(texts, rf"{alphabet}{{20}}$")
    wrong_inline = pc.and_(pc.equal(kinds, "i"), pc.invert(inline))
    return pc.or_(wrong_inline, pc.and_(pc.equal(kinds, "u"), pc.invert(in_file)))


def vector_without_feature(batch: pa.RecordBatch) -> BrokenLogError:
    """Return the error of a batch with a deletion vector that the protocol does not allow."""
    row = pc.indices_nonzero(batch.column("storageType").is_valid())[0].as_py()
    return vector_not_allowed(batch.column("path")[row].as_py())


def vector_not_allowed(path: str) -> BrokenLogError:
    """Return the error of a file with a deletion vector that the protocol does not allow."""
    return BrokenLogError(
        "DELETION_VECTOR_WITHOUT_FEATURE",
        f"{path} has a deletion vector, but the protocol does not have deletionVectors",
        details={"path": path},
    )
