"""Facts on a version that several documents share."""

import json
from collections.abc import Iterator
from typing import Any

from deltactl.errors import Notice
from deltactl.log.segment import Checkpoint
from deltactl.report import TableRef
from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.table.commit_times import file_times, in_commit_since
from deltactl.table.snapshot import Snapshot
from deltactl.table.table import Table


def table_ref(table: Table, metadata: Metadata | None) -> TableRef:
    """Return which table a document refers to."""
    if metadata is None:
        return TableRef(table.uri)
    return TableRef(table.uri, metadata.id or None, metadata.name)


def protocol_json(protocol: Protocol) -> dict[str, Any]:
    """Return the protocol with both lists, null if the action has none; each name once."""
    reader, writer = protocol.reader_features, protocol.writer_features
    return {
        "minReaderVersion": protocol.min_reader_version,
        "minWriterVersion": protocol.min_writer_version,
        "readerFeatures": None if reader is None else list(dict.fromkeys(reader)),
        "writerFeatures": None if writer is None else list(dict.fromkeys(writer)),
    }


def checkpoint_json(checkpoint: Checkpoint) -> dict[str, Any]:
    """Return the checkpoint that a version is read from."""
    return {
        "version": checkpoint.version,
        "kind": checkpoint.kind.value,
        "parts": checkpoint.parts,
    }


def schema_json(metadata: Metadata) -> Any:
    """Return the schema as the log has it, unknown parts included; None if there is nothing."""
    return None if metadata.schema_string is None else json.loads(metadata.schema_string)


def commit_time(table: Table, snapshot: Snapshot) -> tuple[int | None, list[Notice]]:
    """Return when the snapshot's version was committed; None if its commit is gone."""
    listing = snapshot.log.listing()
    file = listing.commits.get(snapshot.version)
    if file is None:
        return None, []
    since = in_commit_since(snapshot.protocol, snapshot.metadata)
    time = file_times(listing)[snapshot.version]
    if since is None or snapshot.version < since:
        return time, []
    own = table.in_commit_time(snapshot.version)
    if own is not None:
        return own, []
    said = f"{file.name} has no in-commit timestamp; its file's time is shown"
    return time, [Notice("ICT_MISSING", said)]


def checksum_warnings(table: Table, version: int) -> Iterator[Notice]:
    """Yield whether the version's `.crc` parses; its content is for verify-checksum."""
    name = f"{version:020d}.crc"
    text = table.log.small_file(name)
    if text is None:
        return
    try:
        parses = isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        parses = False
    if not parses:
        yield Notice("CHECKSUM_UNREADABLE", f"{name} is not JSON; engines take it for missing")
