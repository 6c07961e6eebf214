"""`protocol show`: what a table requires of its clients, and which of them can open it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from deltactl.errors import BrokenLogError, DeltactlError, Notice
from deltactl.report import Report, TableRef
from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.spec.protocol import features
from deltactl.spec.protocol.clients import CLIENTS, Client, Verdict, verdict_on
from deltactl.spec.protocol.features import DRAFT_NAMES, By, Feature, Support
from deltactl.spec.protocol.protocol import check_form, protocol_warnings, schema_markers, supported
from deltactl.spec.schema.schema import parse_schema
from deltactl.table.snapshot import (
    ProtocolAndMetadata,
    check,
    load,
    read_protocol_and_metadata,
    unreadable,
)
from deltactl.table.table import At, Table
from deltactl.table.version_facts import protocol_json, table_ref

if TYPE_CHECKING:
    from deltactl.table.state.files import TableState


class FeatureRow(NamedTuple):
    """A feature of the table; `row` is None for an unknown name."""

    name: str
    row: Feature | None
    in_reader_list: bool
    in_writer_list: bool
    is_active: bool | None

    @property
    def is_implied(self) -> bool:
        return not (self.in_reader_list or self.in_writer_list)

    @property
    def draft_of(self) -> str | None:
        """The released name of what the table has under its draft name."""
        return DRAFT_NAMES.get(self.name)

    def to_json(self) -> dict[str, Any]:
        support = features.support(self.name)
        return {
            "name": self.name,
            "kind": None if self.row is None else self.row.kind.value,
            "purpose": None if self.row is None else self.row.purpose,
            "implied": self.is_implied,
            "inReaderFeatures": self.in_reader_list,
            "inWriterFeatures": self.in_writer_list,
            "active": self.is_active,
            "draftNameOf": self.draft_of,
            "deltactl": {"reads": Support.READ in support, "writes": Support.WRITE in support},
        }


@dataclass(frozen=True, kw_only=True)
class ProtocolReport(Report):
    """The protocol at one version.

    Attributes:
        table: its place, its id and its name.
        version: the version that was read.
        protocol: the protocol action.
        features: the features of the table, implied ones too.
        clients: which clients read and write the table; empty if the protocol is malformed.
        warnings: what is odd, each with a `code` and a `message`.
    """

    table: TableRef
    version: int
    protocol: Protocol
    features: tuple[FeatureRow, ...]
    clients: tuple[tuple[Client, Verdict], ...]
    warnings: tuple[Notice, ...] = field(default=())

    def body(self) -> Mapping[str, Any]:
        return {
            "version": self.version,
            "protocol": protocol_json(self.protocol),
            "features": [row.to_json() for row in self.features],
            "clients": [
                {
                    "client": client.name,
                    "version": client.version,
                    "evidence": client.evidence,
                    "reads": found.reads.value,
                    "writes": found.writes.value,
                    "because": list(found.because),
                }
                for client, found in self.clients
            ],
        }


def report_protocol(table: Table, at: At = None) -> ProtocolReport:
    """Return the protocol at a version, even of a table that cannot be read.

    Raises:
        BrokenLogError: there is no protocol, or it is not known which one holds.
    """
    heads, notices = _protocol_and_metadata(table, at)
    protocol = heads.protocol
    if protocol is None:
        version = heads.segment.version
        raise BrokenLogError("NO_PROTOCOL", f"the log up to version {version} has no protocol")
    try:
        check(heads)
    except DeltactlError as error:
        notices.append(unreadable(error))
    return ProtocolReport(
        table=table_ref(table, heads.metadata),
        version=heads.segment.version,
        protocol=protocol,
        features=tuple(_rows(table, heads, protocol)),
        clients=tuple(_clients(protocol)),
        warnings=tuple(dict.fromkeys((*notices, *protocol_warnings(protocol)))),
    )


def _protocol_and_metadata(table: Table, at: At) -> tuple[ProtocolAndMetadata, list[Notice]]:
    """Return protocol and metadata, or as much of them as the log still holds."""
    version, notices = table.version(at)
    try:
        heads = read_protocol_and_metadata(table.log, version)
        return heads, [*notices, *heads.notices]
    except BrokenLogError as error:
        fault = error
    try:
        # The commit is broken, but perhaps not where its protocol stands.
        heads = read_protocol_and_metadata(table.log, version, parses_newest=False)
        return heads, [*notices, unreadable(fault), *heads.notices]
    except BrokenLogError:
        if at is not None:
            raise
    heads = table.protocol_and_metadata_below_fault()
    older = heads.segment.version
    said = f"{unreadable(fault).message}; this is the protocol of version {older}"
    return heads, [Notice("SNAPSHOT_UNREADABLE", said), *heads.notices]


def _rows(table: Table, heads: ProtocolAndMetadata, protocol: Protocol) -> Iterator[FeatureRow]:
    have = supported(protocol) - (frozenset(features.OTHER_NAMES.values()) - protocol.listed)
    known = [name for name in features.FEATURES if name in have]
    listed = (protocol.reader_features or (), protocol.writer_features or ())
    markers = _markers(heads.metadata)
    domains: set[str] = set()
    if any(features.FEATURES[name].activation.by is By.DOMAIN for name in known):
        domains = _domains(table, heads.segment.version)
    for name in (*known, *sorted(have - set(known))):
        row = features.FEATURES.get(name)
        active = None
        if row is not None and heads.metadata is not None:
            active = features.is_active(row, heads.metadata.configuration, markers, domains)
        yield FeatureRow(name, row, name in listed[0], name in listed[1], active)


def _markers(metadata: Metadata | None) -> set[str]:
    """Return the type names and metadata keys of the schema; none if it does not parse."""
    if metadata is None or metadata.schema_string is None:
        return set()
    try:
        return schema_markers(parse_schema(metadata.schema_string))
    except BrokenLogError:
        return set()  # The snapshot's notice says what is wrong with it.


def _domains(table: Table, version: int) -> set[str]:
    """Return the names of the metadata domains that exist, if the table can be read."""
    try:
        # Loads Arrow, for the few tables with a feature that a domain makes active.
        read_state = import_module("deltactl.table.state.files").read_state
        found: dict[str, None] = {}

        def read(state: "TableState") -> None:
            found.clear()
            found.update(dict.fromkeys(domain.domain for domain in state.domains()))

        read_state(load(table.log, version), read, keep_stats=False)
    except DeltactlError:
        return set()  # The notice on the snapshot says what is wrong with it.
    return set(found)


def _clients(protocol: Protocol) -> Iterator[tuple[Client, Verdict]]:
    try:
        check_form(protocol)
    except BrokenLogError:
        return  # Clients differ in what they make of it; the notice says what is wrong.
    except DeltactlError:
        pass  # Too new for all of them, which their verdict says.
    for client in CLIENTS:
        yield client, verdict_on(client, protocol)
