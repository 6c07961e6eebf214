"""Checkpoints: complete, readable to the last page, and equal to what the commits say."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.errors import BrokenLogError, DeltactlError, UnreadableCheckpointError
from deltactl.findings import Finding, shown
from deltactl.log.arrow.file_table import COLUMNS as LEAVES
from deltactl.log.arrow.file_table import flatten, from_adds, without
from deltactl.log.filenames import LOG, CheckpointKind, commit_name
from deltactl.log.replay import FileKey
from deltactl.log.segment import Checkpoint, Listing
from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.spec.actions.file_action import AddFile
from deltactl.spec.actions.plain_form import plain
from deltactl.spec.keys import TRANSACTION_RETENTION, V2_CHECKPOINT_FEATURE
from deltactl.spec.protocol.protocol import supported
from deltactl.storage.base import Storage
from deltactl.table.checkpoint.reader import Action, CheckpointReader
from deltactl.table.log import TableLog
from deltactl.table.state.sorted_runs import Columns, SortedRuns
from deltactl.verify.checkpoint import checkpoint_adds, file_texts
from deltactl.verify.checkpoint.checkpoint_types import mistyped_columns
from deltactl.verify.checkpoint.kept_statistics import KeptStatistics
from deltactl.verify.checkpoint.parsed_statistics import contradictions
from deltactl.verify.files import live_totals, tombstones
from deltactl.verify.files.partitions import Partitioning
from deltactl.verify.files.tombstones import dropped_until
from deltactl.verify.log import compare_actions
from deltactl.verify.log.notices import finding_from_notice
from deltactl.verify.log.state import RECORDS, Content, State, name_of, read_small

# Is shown the adds of a checkpoint, a batch at a time.
OnBatch = Callable[[pa.RecordBatch], None]


def read(
    storage: Storage,
    checkpoint: Checkpoint,
    content: Content,
    *,
    to_compare: bool,
    with_statistics: bool = False,
    kept: KeptStatistics | None = None,
    on_batch: OnBatch = lambda _: None,
) -> Iterator[Finding]:
    """Read the whole checkpoint into `content`; yield what is wrong in itself.

    `to_compare`: with what `compare` and `differences` need, which also tell of files that stand
    there twice. `with_statistics`: the two forms of each must be as they should, and say the
    same, which takes several times as long; `kept` is shown them. `on_batch` gets the adds, so that
    they are not read twice.

    Raises:
        UnreadableCheckpointError: it cannot be read to its end.
        StorageError: there is no room for the paths of a large one to be sorted.
    """
    name = name_of(checkpoint)
    if not checkpoint.is_complete:
        flaw = checkpoint.flaw()
        raise UnreadableCheckpointError(flaw.code, flaw.message)
    reader = CheckpointReader(storage, checkpoint)
    content.size = checkpoint.size
    yield from _sidecars(storage, reader, content, name)
    yield from _types(reader, name)
    yield from read_small(reader, content, name)
    yield from _kind(checkpoint, content, name)
    partitioning = None if content.metadata is None else Partitioning(content.metadata)
    columns = (*file_texts.COLUMNS, *(RECORDS if with_statistics else _records(reader)))
    with SortedRuns() as hashes:
        for rows in reader.leaf_batches():
            if to_compare:
                content.tombstones.load(rows)
            yield from _held(rows, name)
            batch = _adds(rows, columns)
            if isinstance(rows, pa.RecordBatch):
                content.columns |= set(rows.schema.names)
            content.rows += len(rows) if isinstance(rows, list) else rows.num_rows
            if batch is None:
                continue
            content.totals.count_batch(batch, live_totals.digests(batch) if to_compare else ())
            if not to_compare:
                paths = map(hash, batch.column("path").to_pylist())
                hashes.add(pa.array(paths, pa.int64(), size=batch.num_rows))
            if partitioning is not None:
                yield from partitioning.check_batch(batch, name)
            if with_statistics:
                yield from checkpoint_adds.check_statistics(batch, name)
                if isinstance(rows, pa.RecordBatch):
                    yield from _structs(rows.column("add"), kept, name)
            if kept is not None:
                kept.note_texts(batch)
            on_batch(batch)
        if more := sum(map(_repeated, hashes.ordered())):
            found = f"{more} more adds than paths"
            yield _wrong("CHECKPOINT_FILE_TWICE", name, "one add for a path", found)


def _types(reader: CheckpointReader, name: str) -> Iterator[Finding]:
    """Yield whether the columns have the types of the protocol; each is told of once."""
    found = (mistyped for schema in reader.schemas() for mistyped in mistyped_columns(schema))
    for column, mistyped in {mistyped.column: mistyped for mistyped in found}.items():
        both = shown(str(mistyped.expected)), shown(str(mistyped.found))
        yield _wrong("CHECKPOINT_WRONG", f"{name}: {column}", *both)


def _kind(checkpoint: Checkpoint, content: Content, name: str) -> Iterator[Finding]:
    """Yield whether the table may have such a checkpoint."""
    features = supported(content.protocol) if content.protocol is not None else frozenset()
    if checkpoint.kind is CheckpointKind.MULTIPART and V2_CHECKPOINT_FEATURE in features:
        expected = "no multi-part checkpoint, for the table has v2Checkpoint"
        yield _wrong("MULTIPART_FORBIDDEN", name, expected, f"{checkpoint.parts} parts")


def _structs(adds: pa.StructArray, kept: KeptStatistics | None, name: str) -> Iterator[Finding]:
    """Yield whether the structs of statistics contradict their texts; `kept` is shown them."""
    if kept is not None:
        kept.note_structs(adds)
    for leaf, path, text, parsed in contradictions(adds):
        subject = f"{name}: stats_parsed.{leaf}"
        yield _wrong("CHECKPOINT_WRONG", subject, f"{text}, as in stats", f"{parsed}, of {path}")


def _records(reader: CheckpointReader) -> tuple[str, ...]:
    """Return the columns that tell the rows of files; to look into texts is dear."""
    parsed, text = RECORDS
    return (parsed,) if reader.is_complete(LEAVES[parsed][1]) else (parsed, text)


def _held(rows: pa.RecordBatch | list[Action], name: str) -> Iterator[Finding]:
    if isinstance(rows, list):
        yield from checkpoint_adds.check_actions(rows, name)
        return
    place = rows.schema.get_field_index("add")
    if place >= 0 and rows.column(place).null_count < rows.num_rows:
        yield from checkpoint_adds.check(rows.column(place), name)


def _adds(rows: pa.RecordBatch | list[Action], columns: Sequence[str]) -> pa.RecordBatch | None:
    """Return the adds among the rows in the flat shape; None if there is nothing."""
    if isinstance(rows, list):
        try:
            found = [AddFile.from_json(body) for kind, body in rows if kind == "add"]
        except BrokenLogError as error:
            raise UnreadableCheckpointError(error.code, error.message) from error
        return from_adds(found, columns) if found else None
    place = rows.schema.get_field_index("add")
    if place < 0 or rows.column(place).null_count == rows.num_rows:
        return None
    batch = without(flatten(rows.column(place), columns), ())
    return batch if batch.num_rows else None


def _repeated(ordered: Columns) -> int:
    """Return how many of the values, which are in order, were there before."""
    (values,) = ordered
    return pc.sum(pc.equal(values[1:], values[:-1]), min_count=0).as_py() or 0


def batches(reader: CheckpointReader, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield the adds of a checkpoint in the flat shape, every row one of them."""
    leaves = [LEAVES[column][1] for column in columns]
    for adds in reader.file_batches(leaves, even_without_path=True):
        if isinstance(adds, list):
            batch = from_adds(map(AddFile.from_json, adds), columns)
        else:
            batch = without(flatten(adds, columns), ())
        if batch.num_rows:
            yield batch


def compare(checkpoint: Checkpoint, content: State, replayed: State) -> Iterator[Finding]:
    """Yield whether the checkpoint is what replay gives, files in figures only."""
    for finding in _differing(checkpoint, content, replayed):
        yield finding._replace(since_version=checkpoint.version)


def _differing(checkpoint: Checkpoint, content: State, replayed: State) -> Iterator[Finding]:
    name = name_of(checkpoint)
    for what, expected, found in (
        ("protocol", _body(replayed.protocol), _body(content.protocol)),
        ("metaData", _body(replayed.metadata), _body(content.metadata)),
    ):
        if expected != found:
            both = compare_actions.differing(expected, found)
            yield _wrong("CHECKPOINT_WRONG", f"{name}: {what}", *both)
    keeps_all = (
        replayed.metadata is None or TRANSACTION_RETENTION not in replayed.metadata.configuration
    )
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
    until = dropped_until(checkpoint, content.metadata)
    yield from tombstones.compare(replayed.tombstones, content.tombstones, until, name)


def same_files(content: State, replayed: State) -> bool:
    """Return whether both have the same files, by a digest that ignores their order."""
    one, other = content.totals, replayed.totals
    return (one.files, one.digest) == (other.files, other.digest)


def differences(
    storage: Storage, checkpoint: Checkpoint, expected: Mapping[FileKey, int] | None
) -> Iterator[Finding]:
    """Yield how a checkpoint's files differ from the `expected` digests; one finding a kind.

    None if nothing but their digest is known, which is another one.
    """
    if expected is None:
        name, others = name_of(checkpoint), "other files"
        finding = _wrong("CHECKPOINT_FILE_DIFFERS", name, "the files of the version", others)
        yield finding._replace(since_version=checkpoint.version)
        return
    left, dead, other, twice = dict(expected), list[str](), list[str](), list[str]()
    for batch in batches(CheckpointReader(storage, checkpoint), file_texts.COLUMNS):
        for (path, vector), digest in zip(
            live_totals.keys(batch), live_totals.digests(batch), strict=True
        ):
            known = left.pop((path, vector), None)
            if known is None:
                (twice if (path, vector) in expected else dead).append(path)
            elif known != digest:
                other.append(path)
    kinds = (
        ("CHECKPOINT_LACKS_FILES", [path for path, _ in left], "is missing"),
        ("CHECKPOINT_HAS_DEAD_FILES", dead, "is no live file"),
        ("CHECKPOINT_FILE_DIFFERS", other, "differs from its add"),
        ("CHECKPOINT_FILE_TWICE", twice, "is there once more"),
    )
    for code, paths, words in kinds:
        if paths:
            more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
            found = f"{paths[0]} {words}{more}"
            finding = _wrong(code, name_of(checkpoint), "the files of the commits", found)
            yield finding._replace(since_version=checkpoint.version)


def statistics(
    log: TableLog, checkpoint: Checkpoint, metadata: Metadata | None, kept: KeptStatistics
) -> Iterator[Finding]:
    """Yield whether the checkpoint, which `kept` was shown, has the statistics of its commits."""
    if metadata is None:
        return
    name = name_of(checkpoint)
    try:
        for leaf, path, text, other in kept.contradictions(log, checkpoint.version, metadata):
            both = f"{text}, as in its commit", f"{other}, of {path}"
            yield _wrong("CHECKPOINT_WRONG", f"{name}: stats.{leaf}", *both)
    except DeltactlError:
        return  # The schema is told of where it is checked.


def above_commits(listing: Listing) -> Iterator[Finding]:
    """Yield checkpoints whose commit is gone while older commits exist: no cleanup does that."""
    for checkpoint in listing.above_commits():
        last = max(listing.commits)
        yield Finding(
            "CHECKPOINT_ABOVE_COMMITS",
            name_of(checkpoint),
            f"{commit_name(checkpoint.version)} next to it",
            f"no commit after {commit_name(last)}",
            since_version=checkpoint.version,
        )


def unreadable(error: DeltactlError, name: str) -> Finding:
    """Return the finding that a checkpoint comes to which cannot be read, whatever it is in it."""
    return finding_from_notice(error, name)._replace(repairable=True)


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
        content.sidecars[sidecar.path.rpartition("/")[2]] = size
        if sidecar.size_in_bytes not in (None, size):
            subject = f"{name}: {sidecar.path}"
            said_of = f"{sidecar.size_in_bytes} bytes", f"{size} bytes"
            yield _wrong("SIDECAR_SIZE_WRONG", subject, *said_of)


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
    body: dict[str, Any] = plain({} if action is None else action.to_json())
    return body


def _wrong(code: str, subject: str, expected: str, found: str) -> Finding:
    return Finding(code, subject, expected, found, repairable=True)
