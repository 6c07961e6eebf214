"""What differs between two states of a table: schema, protocol, metadata and domains."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from deltactl.spec.actions.action import DomainMetadata, Metadata, Protocol
from deltactl.spec.keys import CLUSTERING_DOMAIN, CONSTRAINT_PREFIX, ROW_TRACKING_DOMAIN
from deltactl.spec.protocol.protocol import supported
from deltactl.spec.schema.diff import (
    ColumnPair,
    MappingSwitch,
    SchemaChange,
    flattened,
    mapping_switch,
)
from deltactl.table.version_facts import protocol_json

PARTITION_COLUMNS = "partitionColumns"


class ProtocolChange(NamedTuple):
    """The protocol before a commit, None if there was none or it is not known, and after."""

    before: Protocol | None
    after: Protocol

    @property
    def added(self) -> tuple[str, ...]:
        """The features that only the newer protocol supports, by name.

        What older versions implied is listed from then on, and is nothing new.
        """
        return tuple(sorted(supported(self.after) - self._had))

    @property
    def removed(self) -> tuple[str, ...]:
        """The features that only the older protocol supports, by name."""
        return tuple(sorted(self._had - supported(self.after)))

    @property
    def _had(self) -> frozenset[str]:
        return frozenset() if self.before is None else frozenset(supported(self.before))

    def to_json(self) -> dict[str, Any]:
        before = None if self.before is None else protocol_json(self.before)
        return {"before": before, "after": protocol_json(self.after)}


class ValueChange(NamedTuple):
    """A property, a domain or a field of the metadata; a side is None if it does not have it."""

    name: str
    before: Any
    after: Any


class Differences(NamedTuple):
    """What differs; `pairs` is the whole schema, changed or not.

    `properties` hold the constraints, too; `table` has fields of the metadata that say nothing of
    columns: `name`, `description`, `partitionColumns`.
    """

    pairs: tuple[ColumnPair, ...] = ()
    protocol: ProtocolChange | None = None
    properties: tuple[ValueChange, ...] = ()
    table: tuple[ValueChange, ...] = ()
    domains: tuple[ValueChange, ...] = ()

    @property
    def schema_changes(self) -> tuple[SchemaChange, ...]:
        return tuple(flattened(self.pairs))

    @property
    def mapping_switch(self) -> MappingSwitch | None:
        """What became of column mapping, if all columns got ids or lost them."""
        return mapping_switch(self.pairs)

    @property
    def clustering(self) -> ValueChange | None:
        """The domain with the clustering columns, if that differs."""
        return next((domain for domain in self.domains if domain.name == CLUSTERING_DOMAIN), None)

    @property
    def constraints(self) -> tuple[ValueChange, ...]:
        """CHECK constraints by their names, with their expressions."""
        return tuple(
            change._replace(name=change.name.removeprefix(CONSTRAINT_PREFIX))
            for change in self.properties
            if change.name.startswith(CONSTRAINT_PREFIX)
        )

    def __bool__(self) -> bool:
        others = self.protocol or self.properties or self.table or self.domains
        return bool(others) or bool(self.schema_changes)


def protocol_change(before: Protocol | None, after: Protocol) -> ProtocolChange | None:
    """Return the change; None if both say the same: lists are sets, which writers shuffle."""
    if before is not None and _shape(before) == _shape(after):
        return None
    return ProtocolChange(before, after)


def property_changes(before: Metadata | None, after: Metadata) -> Iterator[ValueChange]:
    """Yield each property that differs, in the order of the older metadata."""
    old: Mapping[str, str] = {} if before is None else before.configuration
    for key in {**old, **after.configuration}:
        if old.get(key) != after.configuration.get(key):
            yield ValueChange(key, old.get(key), after.configuration.get(key))


def table_changes(before: Metadata | None, after: Metadata) -> Iterator[ValueChange]:
    """Yield the fields that differ; the name of a table that has just been created is no change."""
    if before is not None and before.name != after.name:
        yield ValueChange("name", before.name, after.name)
    description = None if before is None else before.description
    if description != after.description:
        yield ValueChange("description", description, after.description)
    partitioned = () if before is None else before.partition_columns
    if partitioned != after.partition_columns:
        old = None if before is None else list(partitioned)
        yield ValueChange(PARTITION_COLUMNS, old, list(after.partition_columns))


def domain_changes(
    before: Mapping[str, DomainMetadata], after: Mapping[str, DomainMetadata]
) -> Iterator[ValueChange]:
    """Yield each domain that differs, by name, without that which counts rows."""
    for name in sorted({*before, *after} - {ROW_TRACKING_DOMAIN}):
        old, new = (side[name].configuration if name in side else None for side in (before, after))
        if old != new:
            yield ValueChange(name, old, new)


def _shape(protocol: Protocol) -> tuple[object, ...]:
    return (
        protocol.min_reader_version,
        protocol.min_writer_version,
        frozenset(protocol.reader_features or ()),
        frozenset(protocol.writer_features or ()),
    )
