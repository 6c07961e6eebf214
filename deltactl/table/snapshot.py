"""A table at one version: its protocol, its metadata, and what is odd about them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from deltactl.errors import BrokenLogError, DeltactlError, Notice, RefusedError
from deltactl.log.commit import commit_lines
from deltactl.log.filenames import commit_name
from deltactl.log.segment import Checkpoint, ReplayFile, Segment
from deltactl.spec.actions import plain_form
from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.spec.keys import ENABLE_IN_COMMIT_TIMESTAMPS, TYPE_WIDENING_FEATURES
from deltactl.spec.protocol.protocol import (
    check_form,
    check_readable,
    check_types,
    protocol_warnings,
    supported,
)
from deltactl.spec.schema import column_mapping, type_changes
from deltactl.spec.schema.schema import check_usable, faults, format_path, parse_schema
from deltactl.spec.schema.types import Struct
from deltactl.table.commit_times import in_commit_since
from deltactl.table.log import TableLog

# Up to this size the newest commit is parsed whole: that is where a torn write would be.
PARSED_WHOLE = 1 << 20


class ProtocolAndMetadata(NamedTuple):
    """The two actions that say what a table is, as the log has them, sound or not."""

    protocol: Protocol | None
    metadata: Metadata | None
    segment: Segment
    notices: tuple[Notice, ...]


@dataclass(frozen=True, repr=False)
class Snapshot:
    """A table at `version`, sound enough for every engine to read its metadata."""

    log: TableLog
    segment: Segment
    protocol: Protocol
    metadata: Metadata
    notices: tuple[Notice, ...]

    @property
    def version(self) -> int:
        return self.segment.version

    @property
    def configuration(self) -> Mapping[str, str]:
        return self.metadata.configuration

    def with_notices(self, notices: Iterable[Notice]) -> "Snapshot":
        """Return the same snapshot, with more to say about it."""
        return replace(self, notices=tuple(dict.fromkeys((*notices, *self.notices))))

    @cached_property
    def schema(self) -> Struct | None:
        """The parsed schema; None if the metadata has none."""
        text = self.metadata.schema_string
        return None if text is None else parse_schema(text)

    @cached_property
    def usable_schema(self) -> Struct:
        """The schema, if commands about columns can answer for it.

        Raises:
            BrokenLogError: the table has none, or unknown types, or names that differ in case only.
            RefusedError: it has types of a feature that deltactl does not know.
        """
        if self.schema is None:
            raise BrokenLogError(
                "SCHEMA_MISSING", "the metadata has no schemaString: the table has no schema"
            )
        check_types(self.protocol, self.schema)
        check_usable(self.schema)
        return self.schema


def read_protocol_and_metadata(
    log: TableLog, target: int | None = None, *, parses_newest: bool = True
) -> ProtocolAndMetadata:
    """Find protocol and metadata: newest commit first, the checkpoint only for what is left.

    `parses_newest`: the newest commit must be sound as a whole, not only where they stand.

    Raises:
        BrokenLogError: the version cannot be put together.
        NotFoundError: there is no such version.
    """
    notices: dict[Notice, None] = {}

    def read(segment: Segment) -> tuple[Protocol | None, Metadata | None]:
        return _searched(_Search(log, notices), segment, parses_newest=parses_newest)

    (protocol, metadata), segment, remarked = log.resolve(
        target, read, what="protocol and metadata"
    )
    return ProtocolAndMetadata(protocol, metadata, segment, (*remarked, *notices))


def load(
    log: TableLog, target: int | None = None, *, even_if_unsupported: bool = False
) -> Snapshot:
    """Return the table at `target`, by default at its newest version.

    `even_if_unsupported` is for commands that only show the schema: what deltactl cannot read
    becomes a notice.

    Raises:
        BrokenLogError: the log contradicts the protocol.
        RefusedError: the table needs a reader version or feature that deltactl does not know.
        NotFoundError: there is no such version.
    """
    heads = read_protocol_and_metadata(log, target)
    notices = list(heads.notices)
    try:
        protocol, metadata = check(heads)
    except RefusedError as error:
        if not even_if_unsupported or heads.protocol is None or heads.metadata is None:
            raise
        notices.append(unreadable(error))
        protocol, metadata = heads.protocol, heads.metadata
    notices += protocol_warnings(protocol)
    notices += _schema_warnings(protocol, metadata)
    return Snapshot(log, heads.segment, protocol, metadata, tuple(dict.fromkeys(notices)))


def from_files(snapshot: Snapshot, segment: Segment) -> Snapshot:
    """Return the same version with the protocol and the metadata that other files of the log have.

    Raises:
        BrokenLogError: they have none, or none that is sound.
        RefusedError: they have a protocol that deltactl does not know, and the snapshot another.
    """
    search = _Search(snapshot.log, {})
    protocol, metadata = _searched(search, segment, parses_newest=False)
    if not has_same_protocol_and_metadata(snapshot, protocol, metadata):
        protocol, metadata = check(ProtocolAndMetadata(protocol, metadata, segment, ()))
        return replace(snapshot, segment=segment, protocol=protocol, metadata=metadata)
    return replace(snapshot, segment=segment)


def has_same_protocol_and_metadata(
    snapshot: Snapshot, protocol: Protocol | None, metadata: Metadata | None
) -> bool:
    """Return whether the snapshot's protocol and metadata say the same as these."""
    pairs = (
        (plain_form.plain_protocol(protocol), plain_form.plain_protocol(snapshot.protocol)),
        (plain_form.plain_metadata(metadata), plain_form.plain_metadata(snapshot.metadata)),
    )
    return all(one == other for one, other in pairs)


def check(heads: ProtocolAndMetadata) -> tuple[Protocol, Metadata]:
    """Return the two actions, if a snapshot can be made of them.

    Raises:
        BrokenLogError: one is missing, or they contradict the protocol or each other.
        RefusedError: the table needs a reader version or feature that deltactl does not know.
    """
    protocol, metadata = heads.protocol, heads.metadata
    version = heads.segment.version
    if protocol is None:
        raise BrokenLogError("NO_PROTOCOL", f"the log up to version {version} has no protocol")
    check_form(protocol)
    if metadata is None:
        raise BrokenLogError("NO_METADATA", f"the log up to version {version} has no metaData")
    check_metadata(metadata)
    check_readable(protocol)
    return protocol, metadata


def check_metadata(metadata: Metadata) -> None:
    """Refuse metadata that no engine could read.

    Raises:
        BrokenLogError: the schema does not parse, or partitioning or column mapping do not fit it.
    """
    if metadata.schema_string is None:
        return
    schema = parse_schema(metadata.schema_string)
    names = {field.name.casefold() for field in schema.fields}
    for column in metadata.partition_columns:
        if column.casefold() not in names:
            raise BrokenLogError(
                "PARTITION_COLUMN_NOT_IN_SCHEMA",
                f"the table is partitioned by {format_path((column,))}, which is not in its schema",
            )
    column_mapping.check_complete(schema, metadata.configuration)


def unreadable(error: DeltactlError) -> Notice:
    """Return the notice with which commands continue that do not need a snapshot."""
    return Notice("SNAPSHOT_UNREADABLE", f"the table cannot be read: {error.message}")


def last_commit_time(snapshot: Snapshot, *, in_commit: bool) -> int:
    """Return when the version was made: by its commit with `in_commit`, or its file's time.

    Raises:
        RefusedError: it should give its time and does not.
        BrokenLogError: the commit cannot be read.
    """
    log, version = snapshot.log, snapshot.version
    name = commit_name(version)
    file = log.commit_file(version)
    if file is None:
        raise RefusedError(
            "COMMIT_GONE",
            f"{name} is gone: the time of the newest version is not known",
            hint="any commit of Spark makes a new newest version",
        )
    if not in_commit:
        return file.modified
    if (own := log.in_commit_time(version)) is not None:
        return own
    raise RefusedError(
        "ICT_MISSING",
        f"{name} has no inCommitTimestamp, though {ENABLE_IN_COMMIT_TIMESTAMPS} is true: "
        "Spark cannot write either",
        hint="the newest commit was made by a writer that does not know in-commit timestamps",
    )


def own_time(snapshot: Snapshot) -> int | None:
    """Return the time that the snapshot's commit gives itself; None if commits give none.

    Raises:
        RefusedError: it should give its time and does not.
        BrokenLogError: the commit cannot be read.
    """
    if in_commit_since(snapshot.protocol, snapshot.metadata) is None:
        return None
    return last_commit_time(snapshot, in_commit=True)


def _schema_warnings(protocol: Protocol, metadata: Metadata) -> Iterator[Notice]:
    if metadata.schema_string is None:
        yield Notice("SCHEMA_MISSING", "the metadata has no schemaString: the table has no schema")
        return
    schema = parse_schema(metadata.schema_string)
    yield from faults(schema)
    if not supported(protocol) & TYPE_WIDENING_FEATURES:
        for node in type_changes.fields_with_changes(schema):
            said = f"column {node} has type changes, but the protocol has no typeWidening"
            yield Notice("TYPE_CHANGES_WITHOUT_FEATURE", said)


def _searched(
    search: "_Search", segment: Segment, *, parses_newest: bool
) -> tuple[Protocol | None, Metadata | None]:
    for entry in reversed(segment.entries):
        search.commit(entry, whole=parses_newest and entry is segment.entries[-1])
        if search.is_done:
            break
    if not search.is_done and segment.checkpoint is not None:
        search.checkpoint(segment.checkpoint)
    return search.protocol, search.metadata


class _Search:
    """Looks for protocol and metadata from the newest file down."""

    def __init__(self, log: TableLog, notices: dict[Notice, None]) -> None:
        self.protocol: Protocol | None = None
        self.metadata: Metadata | None = None
        self._log = log
        self._notices = notices

    @property
    def is_done(self) -> bool:
        return self.protocol is not None and self.metadata is not None

    def commit(self, entry: ReplayFile, *, whole: bool) -> None:
        name, notices = entry.file.name, list[Notice]()
        protocols, metadatas = [], []
        block = b""
        for first, block in self._log.blocks(entry.file):
            notices += commit_lines.text_warnings(
                name, bom=block.startswith(commit_lines.BOM), blank_lines=False
            )
            if whole and entry.file.size <= PARSED_WHOLE:
                for _ in commit_lines.actions(block, name, first):
                    pass
            if self.protocol is None:
                protocols += commit_lines.search(block, "protocol", name, first)
            if self.metadata is None:
                metadatas += commit_lines.search(block, "metaData", name, first)
        if whole:
            commit_lines.check_ends(block, name)
        # A compacted file has its newest actions first.
        place = 0 if entry.is_compacted else -1
        if protocols:
            self.protocol = commit_lines.read_protocol(protocols[place], name, notices)
        if metadatas:
            self.metadata = commit_lines.read_metadata(metadatas[place], name, notices)
        if not entry.is_compacted:
            notices += commit_lines.at_most_one(len(protocols), len(metadatas), name)
        self._notices.update(dict.fromkeys(notices))

    def checkpoint(self, checkpoint: Checkpoint) -> None:
        reader = self._log.reader(checkpoint)
        missing = ["protocol"] if self.protocol is None else []
        missing += ["metaData"] if self.metadata is None else []
        name, notices = reader.checkpoint.files[0].name, list[Notice]()
        for kind, body in reader.actions(missing, enough=lambda: self.is_done):
            found = commit_lines.ActionAtLine(body, b"")
            if kind == "protocol":
                self.protocol = commit_lines.read_protocol(found, name, notices)
            else:
                self.metadata = commit_lines.read_metadata(found, name, notices)
        self._notices.update(dict.fromkeys(notices))
