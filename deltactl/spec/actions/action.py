"""The actions of a commit as values; each knows its JSON and forgets nothing it does not know."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from deltactl.spec.actions import fields


def _unknown() -> Any:
    return field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Protocol:
    """The `protocol` action: what a client must understand to touch the table.

    `has_draft_keys`: the versions stood under the keys of the draft's examples, which no engine
    reads.
    """

    min_reader_version: int
    min_writer_version: int
    reader_features: tuple[str, ...] | None = None
    writer_features: tuple[str, ...] | None = None
    has_draft_keys: bool = False
    unknown: Mapping[str, Any] = _unknown()

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "Protocol":
        rest = dict(body)
        has_draft_keys = "minReaderVersion" not in rest and "readerVersion" in rest
        if has_draft_keys:
            rest["minReaderVersion"] = rest.pop("readerVersion")
            rest["minWriterVersion"] = rest.pop("writerVersion", None)
        return cls(
            has_draft_keys=has_draft_keys,
            min_reader_version=fields.integer("protocol", rest, "minReaderVersion"),
            min_writer_version=fields.integer("protocol", rest, "minWriterVersion"),
            reader_features=fields.names("protocol", rest, "readerFeatures"),
            writer_features=fields.names("protocol", rest, "writerFeatures"),
            unknown=rest,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the action's body; feature lists appear if the action has them."""
        body: dict[str, Any] = {
            "minReaderVersion": self.min_reader_version,
            "minWriterVersion": self.min_writer_version,
        }
        if self.reader_features is not None:
            body["readerFeatures"] = list(self.reader_features)
        if self.writer_features is not None:
            body["writerFeatures"] = list(self.writer_features)
        return body | dict(self.unknown)

    @property
    def listed(self) -> frozenset[str]:
        """Every feature that either list names."""
        return frozenset(self.reader_features or ()) | frozenset(self.writer_features or ())


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Metadata:
    """The `metaData` action: the table's identity, schema, partitioning and properties."""

    id: str
    name: str | None = None
    description: str | None = None
    format: Mapping[str, Any] = _unknown()
    schema_string: str | None = None
    partition_columns: tuple[str, ...] = ()
    created_time: int | None = None
    configuration: Mapping[str, str] = _unknown()
    unknown: Mapping[str, Any] = _unknown()

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "Metadata":
        rest = dict(body)
        configuration = rest.pop("configuration", None)
        file_format = rest.pop("format", None)
        if not isinstance(configuration, dict | None) or not isinstance(file_format, dict | None):
            raise fields.malformed("metaData", "configuration or format is not an object")
        if not all(isinstance(value, str) for value in (configuration or {}).values()):
            raise fields.malformed("metaData", "configuration has a value that is not text")
        return cls(
            id=fields.text("metaData", rest, "id") or "",
            name=fields.text("metaData", rest, "name"),
            description=fields.text("metaData", rest, "description"),
            format=file_format or {},
            schema_string=fields.text("metaData", rest, "schemaString"),
            partition_columns=fields.names("metaData", rest, "partitionColumns") or (),
            created_time=fields.optional_integer("metaData", rest, "createdTime"),
            configuration=configuration or {},
            unknown=rest,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the action's body."""
        optional = {
            "name": self.name,
            "description": self.description,
            "createdTime": self.created_time,
        }
        return {
            "id": self.id,
            **{key: value for key, value in optional.items() if value is not None},
            "format": dict(self.format),
            "schemaString": self.schema_string,
            "partitionColumns": list(self.partition_columns),
            "configuration": dict(self.configuration),
            **self.unknown,
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Transaction:
    """The `txn` action: how far an application has come."""

    app_id: str
    version: int
    last_updated: int | None = None
    unknown: Mapping[str, Any] = _unknown()

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "Transaction":
        rest = dict(body)
        return cls(
            app_id=fields.text("txn", rest, "appId") or "",
            version=fields.integer("txn", rest, "version"),
            last_updated=fields.optional_integer("txn", rest, "lastUpdated"),
            unknown=rest,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the action's body."""
        updated = {} if self.last_updated is None else {"lastUpdated": self.last_updated}
        return {"appId": self.app_id, "version": self.version, **updated, **self.unknown}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DomainMetadata:
    """The `domainMetadata` action; `configuration` is JSON text, in the draft an object."""

    domain: str
    configuration: Any
    removed: bool = False
    unknown: Mapping[str, Any] = _unknown()

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "DomainMetadata":
        rest = dict(body)
        return cls(
            domain=fields.text("domainMetadata", rest, "domain") or "",
            configuration=rest.pop("configuration", None),
            removed=rest.pop("removed", False) is True,
            unknown=rest,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the action's body."""
        return {
            "domain": self.domain,
            "configuration": self.configuration,
            "removed": self.removed,
            **self.unknown,
        }


class Sidecar(NamedTuple):
    """The `sidecar` action of a V2 checkpoint: a file of `_sidecars` that holds file actions."""

    path: str
    size_in_bytes: int | None = None

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "Sidecar":
        rest = dict(body)
        path = fields.text("sidecar", rest, "path")
        if not path:
            raise fields.malformed("sidecar", "path is missing")
        return cls(path=path, size_in_bytes=fields.optional_integer("sidecar", rest, "sizeInBytes"))
