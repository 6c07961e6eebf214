"""Checkpoints: complete, readable to the last page, and equal to what the commits say."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.errors import BrokenLogError, DeltactlError, UnreadableCheckpointError
from deltactl.log.file_table import COLUMNS as LEAVES
from deltactl.log.file_table import flatten, from_adds, without
from deltactl.log.names import LOG, CheckpointKind
from deltactl.log.replay import FileKey
from deltactl.log.segment import Checkpoint
from deltactl.log.verify import alike, said
from deltactl.log.verify.finding import Finding, shown
from deltactl.model.actions import DomainMetadata, Metadata, Protocol, Transaction
from deltactl.model.file_actions import AddFile
from deltactl.model.protocol import supported
from deltactl.operations.verify import live
from deltactl.operations.verify.live import Totals
from deltactl.operations.verify.partitions import Partitioning
from deltactl.storage.base import Storage
from deltactl.table.checkpoint_reader import CheckpointReader

_RECORDS = ("parsedRecords", "stats")
_SMALL = ("protocol", "metaData", "txn", "domainMetadata", "checkpointMetadata")
_RETENTION = "delta.setTransactionRetentionDuration"


@dataclass(slots=True)
class State:
    """All that a version is, but for its files one by one."""

    protocol: Protocol | None = None
    metadata: Metadata | None = None
    transactions: dict[str, Transaction] = field(default_factory=dict)
    domains: dict[str, DomainMetadata] = field(default_factory=dict)
    totals: Totals = field(default_factory=Totals)


@dataclass(slots=True)
class Content(State):
    """What a checkpoint holds; `rows` are those of its files, sidecars among them."""

    rows: int = 0
    size: int = 0
    columns: frozenset[str] = frozenset()
    paths: list[pa.Int64Array] = field(default_factory=list)


def name_of(checkpoint: Checkpoint) -> str:
    """The checkpoint in a word: the name of its first file."""
    return checkpoint.files[0].name


def read(
    storage: Storage, checkpoint: Checkpoint, content: Content, *, with_digest: bool
) -> Iterator[Finding]:
    """Read the whole checkpoint into `content`; what is wrong with it by itself.

    Raises:
        UnreadableCheckpointError: it cannot be read to its end.
    """
    name = name_of(checkpoint)
    if not checkpoint.is_complete:
        flaw = checkpoint.flaw()
        raise UnreadableCheckpointError(flaw.code, flaw.message)
    reader = CheckpointReader(storage, checkpoint)
    content.size = checkpoint.size
    yield from _sidecars(storage, reader, content, name)
    yield from _small(reader, content, name)
    features = supported(content.protocol) if content.protocol is not None else frozenset()
    if checkpoint.kind is CheckpointKind.MULTIPART and "v2Checkpoint" in features:
        expected = "no multi-part checkpoint, for the table has v2Checkpoint"
        yield _wrong("MULTIPART_FORBIDDEN", name, expected, f"{checkpoint.parts} parts")
    yield from _decoded(reader, content)
    partitioning = None if content.metadata is None else Partitioning(content.metadata)
    for batch in batches(reader, (*live.COLUMNS, *_RECORDS)):
        content.totals.count_batch(batch, with_digest=with_digest)
        hashes = [hash(path) for path in batch.column("path").to_pylist()]
        content.paths.append(pa.array(hashes, pa.int64()))
        if partitioning is not None:
            yield from partitioning.check_batch(batch, name)
    if content.paths:
        more = _repeated(content.paths)
        if more:
            found = f"{more} more adds than paths"
            yield _wrong("CHECKPOINT_FILE_TWICE", name, "one add for a path", found)
    content.paths.clear()


def _repeated(hashes: Sequence[pa.Int64Array]) -> int:
    """How many of the values were there before. Sorted, they take a fraction of a hash table."""
    values = pa.concat_arrays(hashes)
    ordered = values.take(pc.sort_indices(values))
    return pc.sum(pc.equal(ordered[1:], ordered[:-1]), min_count=0).as_py() or 0


def read_heads(storage: Storage, checkpoint: Checkpoint) -> State:
    """All that the checkpoint holds but for its files.

    Raises:
        UnreadableCheckpointError: it cannot be read.
    """
    content = Content()
    for _ in _small(CheckpointReader(storage, checkpoint), content, name_of(checkpoint)):
        pass
    return content


def batches(reader: CheckpointReader, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The adds of a checkpoint in the flat shape, every row one of them."""
    for adds in reader.file_batches([LEAVES[column][1] for column in columns]):
        if isinstance(adds, list):
            batch = from_adds(map(AddFile.from_json, adds), columns)
        else:
            batch = without(flatten(adds, columns), ())
        if batch.num_rows:
            yield batch


def compare(content: State, replayed: State, name: str) -> Iterator[Finding]:
    """Whether the checkpoint `name` is what replay gives, files in figures only."""
    for what, expected, found in (
        ("protocol", _body(replayed.protocol), _body(content.protocol)),
        ("metaData", _body(replayed.metadata), _body(content.metadata)),
    ):
        if expected != found:
            both = alike.differing(expected, found)
            yield _wrong("CHECKPOINT_WRONG", f"{name}: {what}", *both)
    keeps_all = replayed.metadata is None or _RETENTION not in replayed.metadata.configuration
    yield from _entries(
        "txn",
        {app: txn.version for app, txn in replayed.transactions.items()},
        {app: txn.version for app, txn in content.transactions.items()},
        name,
        complete=keeps_all,
    )
    yield from _entries(
        "domainMetadata",
        {n: d.configuration for n, d in replayed.domains.items() if not d.removed},
        {n: d.configuration for n, d in content.domains.items() if not d.removed},
        name,
    )
    rows = replayed.totals.records, content.totals.records
    if None not in rows and rows[0] != rows[1] and same_files(content, replayed):
        subject = f"{name}: numRecords"
        yield _wrong("CHECKPOINT_WRONG", subject, f"{rows[0]} rows", f"{rows[1]} rows")


def same_files(content: State, replayed: State) -> bool:
    """Whether both have the same files, told by a digest in which their order does not count."""
    one, other = content.totals, replayed.totals
    return (one.files, one.digest) == (other.files, other.digest)


def differences(
    expected: Mapping[FileKey, int], held: Iterator[pa.RecordBatch], name: str
) -> Iterator[Finding]:
    """What a checkpoint's files differ in from `expected`, digests by file; one finding a kind."""
    left, dead, other = dict(expected), list[str](), list[str]()
    for batch in held:
        for (path, vector), digest in zip(live.keys(batch), live.digests(batch), strict=True):
            known = left.pop((path, vector), None)
            if known is None:
                dead.append(path)
            elif known != digest:
                other.append(path)
    kinds = (
        ("CHECKPOINT_LACKS_FILES", [path for path, _ in left], "is missing"),
        ("CHECKPOINT_HAS_DEAD_FILES", dead, "is no live file"),
        ("CHECKPOINT_FILE_DIFFERS", other, "differs from its add"),
    )
    for code, paths, words in kinds:
        if paths:
            more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
            yield _wrong(code, name, "the files of the commits", f"{paths[0]} {words}{more}")


def unreadable(error: DeltactlError, name: str) -> Finding:
    """The finding that a checkpoint comes to which cannot be read."""
    return said.finding(error, name)


def _sidecars(
    storage: Storage, reader: CheckpointReader, content: Content, name: str
) -> Iterator[Finding]:
    for sidecar in reader.sidecars:
        path = reader.sidecar_path(sidecar)
        try:
            size = storage.head(path).size
        except FileNotFoundError as error:
            message = f"{path.removeprefix(f'{LOG}/')} is missing"
            raise UnreadableCheckpointError("SIDECAR_MISSING", message) from error
        content.size += size
        if sidecar.size_in_bytes not in (None, size):
            subject = f"{name}: {sidecar.path}"
            said_of = f"{sidecar.size_in_bytes} bytes", f"{size} bytes"
            yield _wrong("SIDECAR_SIZE_WRONG", subject, *said_of)


def _small(reader: CheckpointReader, content: Content, name: str) -> Iterator[Finding]:
    counts = dict.fromkeys(_SMALL, 0)
    try:
        for kind, body in reader.actions(_SMALL, enough=lambda: False):
            counts[kind] += 1
            _take(content, kind, body)
            if kind == "checkpointMetadata" and body.get("version") != reader.checkpoint.version:
                subject = f"{name}: checkpointMetadata"
                expected = f"version {reader.checkpoint.version}"
                yield _wrong(
                    "CHECKPOINT_WRONG", subject, expected, f"version {body.get('version')}"
                )
    except UnreadableCheckpointError:
        raise
    except BrokenLogError as error:
        raise UnreadableCheckpointError(error.code, error.message) from error
    for kind in ("protocol", "metaData"):
        if counts[kind] != 1:
            found = str(counts[kind])
            yield _wrong("CHECKPOINT_WRONG", f"{name}: {kind}", "one of them", found)
    if reader.checkpoint.kind is CheckpointKind.V2 and counts["checkpointMetadata"] != 1:
        found = str(counts["checkpointMetadata"])
        yield _wrong("CHECKPOINT_WRONG", f"{name}: checkpointMetadata", "one of them", found)


def _take(content: State, kind: str, body: dict[str, Any]) -> None:
    match kind:
        case "protocol":
            content.protocol = Protocol.from_json(body)
        case "metaData":
            content.metadata = Metadata.from_json(body)
        case "txn":
            transaction = Transaction.from_json(body)
            content.transactions[transaction.app_id] = transaction
        case "domainMetadata":
            domain = DomainMetadata.from_json(body)
            content.domains[domain.domain] = domain


def _decoded(reader: CheckpointReader, content: Content) -> Iterator[Finding]:
    for file in reader.checkpoint.files:
        if file.name.endswith(".json"):
            content.rows += sum(1 for _ in reader.json_actions(file))
    for batch in reader.read_through():
        content.rows += batch.num_rows
        content.columns |= set(batch.schema.names)
    yield from ()


def _entries(
    kind: str,
    expected: Mapping[str, Any],
    found: Mapping[str, Any],
    name: str,
    *,
    complete: bool = True,
) -> Iterator[Finding]:
    for key in sorted(expected.keys() | found.keys()):
        if key not in found and not complete:
            continue
        one, other = expected.get(key), found.get(key)
        if one != other:
            both = ("none" if side is None else shown(str(side)) for side in (one, other))
            yield _wrong("CHECKPOINT_WRONG", f"{name}: {kind} {key}", *both)


def _body(action: Protocol | Metadata | None) -> dict[str, Any]:
    body: dict[str, Any] = alike.plain({} if action is None else action.to_json())
    return body


def _wrong(code: str, subject: str, expected: str, found: str) -> Finding:
    return Finding(code, subject, expected, found, repairable=True)
