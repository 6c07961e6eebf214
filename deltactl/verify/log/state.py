"""What a version is, as commits or a checkpoint say it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from deltactl.errors import BrokenLogError, UnreadableCheckpointError
from deltactl.findings import Finding
from deltactl.log.filenames import CheckpointKind
from deltactl.log.segment import Checkpoint
from deltactl.log.state import StateWithoutFiles
from deltactl.spec.keys import ROW_TRACKING_DOMAIN
from deltactl.storage.base import Storage
from deltactl.table.checkpoint.reader import CheckpointReader
from deltactl.verify.files.live_totals import Totals
from deltactl.verify.files.tombstones import Tombstones
from deltactl.verify.log.commits import row_id_mark

# The columns that tell the rows of a file.
RECORDS = ("parsedRecords", "stats")
_SMALL = ("protocol", "metaData", "txn", "domainMetadata", "checkpointMetadata")


@dataclass(slots=True)
class State(StateWithoutFiles):
    """All that a version is, but for its files one by one."""

    totals: Totals = field(default_factory=Totals)
    tombstones: Tombstones = field(default_factory=Tombstones)


@dataclass(slots=True)
class Content(State):
    """What a checkpoint holds; `rows` are those of its files, sidecars among them.

    `sidecars` are their names, each with its bytes.
    """

    rows: int = 0
    size: int = 0
    columns: frozenset[str] = frozenset()
    sidecars: dict[str, int] = field(default_factory=dict)


def name_of(checkpoint: Checkpoint) -> str:
    """Return the checkpoint in a word: the name of its first file."""
    return checkpoint.files[0].name


def read_without_files(storage: Storage, checkpoint: Checkpoint) -> State:
    """Return all that the checkpoint holds but for its files.

    Raises:
        UnreadableCheckpointError: it cannot be read.
    """
    content = Content()
    for _ in read_small(CheckpointReader(storage, checkpoint), content, name_of(checkpoint)):
        pass
    return content


def read_small(reader: CheckpointReader, content: State, name: str) -> Iterator[Finding]:
    """Take over all but the files into `content`; what is wrong with it.

    Raises:
        UnreadableCheckpointError: it cannot be read.
    """
    counts = dict.fromkeys(_SMALL, 0)
    try:
        for kind, body in reader.actions(_SMALL, enough=lambda: False):
            counts[kind] += 1
            content.apply_action(kind, body)
            if kind == "checkpointMetadata" and body.get("version") != reader.checkpoint.version:
                subject = f"{name}: checkpointMetadata"
                expected = f"version {reader.checkpoint.version}"
                yield _wrong(subject, expected, f"version {body.get('version')}")
    except UnreadableCheckpointError:
        raise
    except BrokenLogError as error:
        raise UnreadableCheckpointError(error.code, error.message) from error
    for kind in ("protocol", "metaData"):
        if counts[kind] != 1:
            found = str(counts[kind])
            yield _wrong(f"{name}: {kind}", "one of them", found)
    if reader.checkpoint.kind is CheckpointKind.V2 and counts["checkpointMetadata"] != 1:
        found = str(counts["checkpointMetadata"])
        yield _wrong(f"{name}: checkpointMetadata", "one of them", found)


def row_id_high_water_mark(state: State) -> int | None:
    """Return the highest row id that was given out, as the state's domain says."""
    domain = state.domains.get(ROW_TRACKING_DOMAIN)
    if domain is None or domain.removed:
        return None
    return row_id_mark(domain.configuration)


def _wrong(subject: str, expected: str, found: str) -> Finding:
    return Finding("CHECKPOINT_WRONG", subject, expected, found, repairable=True)
