"""What a checkpoint says of a table, to be compared with what the log says without it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.errors import DeltactlError, StorageError, UnreadableCheckpointError
from deltactl.log.arrow.file_table import COLUMNS as FLAT
from deltactl.log.arrow.file_table import flatten, from_adds
from deltactl.log.arrow.files_digest import COLUMNS, FilesDigest
from deltactl.log.state import StateWithoutFiles
from deltactl.spec.actions import plain_form
from deltactl.spec.actions.action import DomainMetadata
from deltactl.spec.actions.file_action import AddFile, RemoveFile
from deltactl.table.checkpoint.reader import CheckpointReader
from deltactl.table.parallel import prefetch
from deltactl.table.state.files import TableState

_SMALL = ("protocol", "metaData", "txn", "domainMetadata")
# The leaves of what files are compared by.
_KEYS = frozenset(
    leaf.replace("add.", f"{kind}.", 1)
    for kind in ("add", "remove")
    for _, leaf in (FLAT[column] for column in COLUMNS)
)


@dataclass(slots=True)
class Contents(StateWithoutFiles):
    """The state of a table at a version; `removes` are its tombstones."""

    adds: FilesDigest = field(default_factory=FilesDigest)
    removes: FilesDigest = field(default_factory=FilesDigest)


def contents_of_state(state: TableState) -> Contents:
    """Return what the log says: all but the tombstones, which do not count for readers."""
    contents = Contents(
        protocol=state.snapshot.protocol,
        metadata=state.snapshot.metadata,
        transactions={t.app_id: t for t in state.transactions()},
        domains={d.domain: d for d in state.domains()},
    )
    with prefetch(state.batches(("size",))) as batches:
        for batch in batches:
            contents.adds.add(batch)
    return contents


def contents_of(reader: CheckpointReader) -> Contents:
    """Return what a checkpoint says, every page of it read.

    Raises:
        UnreadableCheckpointError: a file of it cannot be read, or an action lacks what it must
            have.
    """
    contents = Contents()
    try:
        for kind, body in reader.actions(_SMALL, enough=lambda: False):
            contents.apply_action(kind, body)
        # What is not compared is only looked at, at the same time.
        with (
            prefetch(reader.leaf_batches(_KEYS)) as batches,
            prefetch(reader.scanned(_KEYS), depth=0) as others,
        ):
            for found in batches:
                if isinstance(found, list):
                    _add_json(contents, found)
                else:
                    _add_batch(contents, found)
            for _ in others:
                pass
    except (UnreadableCheckpointError, StorageError):
        raise  # A store that fails says nothing of the checkpoint.
    except DeltactlError as error:
        raise UnreadableCheckpointError(error.code, error.message) from error
    return contents


def differences(expected: Contents, found: Contents, *, tombstones: bool) -> Iterator[str]:
    """Yield what parts the two, in words: what is expected first."""
    pairs: list[tuple[str, Any, Any]] = [
        ("the number of files", expected.adds.files, found.adds.files),
        ("the bytes of all files", expected.adds.bytes, found.adds.bytes),
        ("the number of deletion vectors", expected.adds.vectors, found.adds.vectors),
        ("the number of transactions", len(expected.transactions), len(found.transactions)),
        ("the number of domains", len(expected.domains), len(found.domains)),
    ]
    if tombstones:
        pairs.append(("the number of tombstones", expected.removes.files, found.removes.files))
    for what, wanted, held in pairs:
        if wanted != held:
            yield f"{what} is {held:,} instead of {wanted:,}"
    if expected.adds.mark != found.adds.mark and expected.adds.files == found.adds.files:
        yield "there are other files, or other deletion vectors"
    if tombstones and expected.removes != found.removes:
        yield "there are other tombstones"
    yield from _small_differences(expected, found)


def _small_differences(expected: Contents, found: Contents) -> Iterator[str]:
    if plain_form.plain_protocol(expected.protocol) != plain_form.plain_protocol(found.protocol):
        yield "the protocol is another one"
    if plain_form.plain_metadata(expected.metadata) != plain_form.plain_metadata(found.metadata):
        yield "the metadata is another one"
    versions = [{t.app_id: t.version for t in c.transactions.values()} for c in (expected, found)]
    if versions[0] != versions[1] and len(versions[0]) == len(versions[1]):
        yield "the transactions are others"
    texts = [{k: domain_text(d) for k, d in c.domains.items()} for c in (expected, found)]
    if texts[0] != texts[1] and len(texts[0]) == len(texts[1]):
        yield "the domains are others"


def domain_text(domain: DomainMetadata) -> str:
    """Return the configuration as checkpoints hold it: text, which in the draft was an object."""
    value = domain.configuration
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _add_json(contents: Contents, actions: Sequence[tuple[str, dict[str, Any]]]) -> None:
    adds = [AddFile.from_json(body) for kind, body in actions if kind == "add"]
    removes = [RemoveFile.from_json(body) for kind, body in actions if kind == "remove"]
    if adds:
        contents.adds.add(from_adds(adds, COLUMNS))
    if removes:
        as_adds = [AddFile(path=r.path, size=0, deletion_vector=r.deletion_vector) for r in removes]
        contents.removes.add(from_adds(as_adds, COLUMNS))


def _add_batch(contents: Contents, batch: pa.RecordBatch) -> None:
    for kind, digest in (("add", contents.adds), ("remove", contents.removes)):
        place = batch.schema.get_field_index(kind)
        if place < 0 or batch.column(place).type.get_field_index("path") < 0:
            continue
        actions = batch.column(place)
        path = pc.struct_field(actions, "path")
        if path.null_count:
            actions = actions.filter(path.is_valid())
        digest.add(flatten(actions, COLUMNS))
