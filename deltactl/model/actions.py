"""The actions of a commit as values; each knows its JSON and forgets nothing it does not know."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deltactl.errors import BrokenLogError


def _unknown() -> Any:
    return field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
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
            min_reader_version=_integer("protocol", rest, "minReaderVersion"),
            min_writer_version=_integer("protocol", rest, "minWriterVersion"),
            reader_features=_names("protocol", rest, "readerFeatures"),
            writer_features=_names("protocol", rest, "writerFeatures"),
            unknown=rest,
        )

    def to_json(self) -> dict[str, Any]:
        """The action's body; feature lists appear where the action has them."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
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
            raise _malformed("metaData", "configuration or format is not an object")
        if not all(isinstance(value, str) for value in (configuration or {}).values()):
            raise _malformed("metaData", "configuration has a value that is not text")
        return cls(
            id=_text("metaData", rest, "id") or "",
            name=_text("metaData", rest, "name"),
            description=_text("metaData", rest, "description"),
            format=file_format or {},
            schema_string=_text("metaData", rest, "schemaString"),
            partition_columns=_names("metaData", rest, "partitionColumns") or (),
            created_time=_optional_integer("metaData", rest, "createdTime"),
            configuration=configuration or {},
            unknown=rest,
        )

    def to_json(self) -> dict[str, Any]:
        """The action's body."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
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
            app_id=_text("txn", rest, "appId") or "",
            version=_integer("txn", rest, "version"),
            last_updated=_optional_integer("txn", rest, "lastUpdated"),
            unknown=rest,
        )

    def to_json(self) -> dict[str, Any]:
        """The action's body."""
        updated = {} if self.last_updated is None else {"lastUpdated": self.last_updated}
        return {"appId": self.app_id, "version": self.version, **updated, **self.unknown}


@dataclass(frozen=True, slots=True, kw_only=True)
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
            domain=_text("domainMetadata", rest, "domain") or "",
            configuration=rest.pop("configuration", None),
            removed=rest.pop("removed", False) is True,
            unknown=rest,
        )

    def to_json(self) -> dict[str, Any]:
        """The action's body."""
        return {
            "domain": self.domain,
            "configuration": self.configuration,
            "removed": self.removed,
            **self.unknown,
        }


@dataclass(frozen=True, slots=True)
class DeletionVector:
    """Where the deleted rows of a file are written down, and how many they are."""

    storage_type: str
    path_or_inline: str
    offset: int | None
    size_in_bytes: int
    cardinality: int
    unknown: Mapping[str, Any] = _unknown()

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "DeletionVector":
        rest = dict(body)
        return cls(
            storage_type=_text("deletionVector", rest, "storageType") or "",
            path_or_inline=_text("deletionVector", rest, "pathOrInlineDv") or "",
            offset=_optional_integer("deletionVector", rest, "offset"),
            size_in_bytes=_optional_integer("deletionVector", rest, "sizeInBytes") or 0,
            cardinality=_optional_integer("deletionVector", rest, "cardinality") or 0,
            unknown=rest,
        )

    def to_json(self) -> dict[str, Any]:
        """The descriptor as actions hold it."""
        offset = {} if self.offset is None else {"offset": self.offset}
        return {
            "storageType": self.storage_type,
            "pathOrInlineDv": self.path_or_inline,
            **offset,
            "sizeInBytes": self.size_in_bytes,
            "cardinality": self.cardinality,
            **self.unknown,
        }

    @property
    def unique_id(self) -> str:
        """What tells two vectors of one file apart."""
        return unique_id(self.storage_type, self.path_or_inline, self.offset)


def unique_id(storage_type: str, path_or_inline: str, offset: int | None) -> str:
    """The protocol's derived field `uniqueId` of a deletion vector."""
    suffix = "" if offset is None else f"@{offset}"
    return f"{storage_type}{path_or_inline}{suffix}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddFile:
    """The `add` action: a logical file that is part of the table."""

    path: str
    partition_values: Mapping[str, str | None] = _unknown()
    size: int
    modification_time: int | None = None
    data_change: bool = True
    stats: str | None = None
    tags: Mapping[str, Any] | None = None
    deletion_vector: DeletionVector | None = None
    base_row_id: int | None = None
    default_row_commit_version: int | None = None
    unknown: Mapping[str, Any] = _unknown()

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "AddFile":
        rest = dict(body)
        vector = rest.pop("deletionVector", None)
        values = rest.pop("partitionValues", None)
        if not isinstance(values, dict | None):
            raise _malformed("add", "partitionValues is not an object")
        if values and not all(isinstance(value, str | None) for value in values.values()):
            raise _malformed("add", "partitionValues has a value that is not text")
        path = _text("add", rest, "path")
        if not path:
            raise BrokenLogError("EMPTY_PATH", "an add action has no path, or an empty one")
        return cls(
            path=path,
            partition_values=values or {},
            size=_optional_integer("add", rest, "size") or 0,
            modification_time=_optional_integer("add", rest, "modificationTime"),
            data_change=rest.pop("dataChange", True) is not False,
            stats=_text("add", rest, "stats"),
            tags=rest.pop("tags", None),
            deletion_vector=_vector(vector),
            base_row_id=_optional_integer("add", rest, "baseRowId"),
            default_row_commit_version=_optional_integer("add", rest, "defaultRowCommitVersion"),
            unknown=rest,
        )

    def to_json(self) -> dict[str, Any]:
        """The action's body; what it does not have is left out."""
        vector = self.deletion_vector
        optional = {
            "stats": self.stats,
            "tags": None if self.tags is None else dict(self.tags),
            "deletionVector": None if vector is None else vector.to_json(),
            "baseRowId": self.base_row_id,
            "defaultRowCommitVersion": self.default_row_commit_version,
        }
        return {
            "path": self.path,
            "partitionValues": dict(self.partition_values),
            "size": self.size,
            "modificationTime": self.modification_time,
            "dataChange": self.data_change,
            **{key: value for key, value in optional.items() if value is not None},
            **self.unknown,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveFile:
    """The `remove` action, as far as replay needs it; the rest stays in `unknown`."""

    path: str
    deletion_vector: DeletionVector | None = None
    unknown: Mapping[str, Any] = _unknown()

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "RemoveFile":
        rest = dict(body)
        path = _text("remove", rest, "path")
        if not path:
            raise BrokenLogError("EMPTY_PATH", "a remove action has no path, or an empty one")
        return cls(
            path=path, deletion_vector=_vector(rest.pop("deletionVector", None)), unknown=rest
        )

    def to_json(self) -> dict[str, Any]:
        """The action's body."""
        vector = self.deletion_vector
        held = {} if vector is None else {"deletionVector": vector.to_json()}
        return {"path": self.path, **held, **self.unknown}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidecar:
    """The `sidecar` action of a V2 checkpoint: a file of `_sidecars` that holds file actions."""

    path: str
    size_in_bytes: int | None = None

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "Sidecar":
        rest = dict(body)
        path = _text("sidecar", rest, "path")
        if not path:
            raise _malformed("sidecar", "path is missing")
        return cls(path=path, size_in_bytes=_optional_integer("sidecar", rest, "sizeInBytes"))


def _vector(body: Any) -> DeletionVector | None:
    if body is None:
        return None
    if not isinstance(body, dict):
        raise _malformed("deletionVector", "it is not an object")
    return DeletionVector.from_json(body)


def _malformed(action: str, why: str) -> BrokenLogError:
    return BrokenLogError("ACTION_MALFORMED", f"{action}: {why}")


def _integer(action: str, body: dict[str, Any], key: str) -> int:
    value = body.pop(key, None)
    if type(value) is not int:
        raise _malformed(action, f"{key} must be a whole number, found {value!r:.40}")
    return value


def _optional_integer(action: str, body: dict[str, Any], key: str) -> int | None:
    value = body.pop(key, None)
    if type(value) is int:
        if not -(2**63) <= value < 2**63:
            raise _malformed(action, f"{key} does not fit 64 bits")
        return value
    # Kept as found where it is no number: only what is rewritten must be right.
    if value is not None:
        body[key] = value
    return None


def _text(action: str, body: dict[str, Any], key: str) -> str | None:
    value = body.pop(key, None)
    if value is None or isinstance(value, str):
        return value
    raise _malformed(action, f"{key} must be text, found {value!r:.40}")


def _names(action: str, body: dict[str, Any], key: str) -> tuple[str, ...] | None:
    value = body.pop(key, None)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise _malformed(action, f"{key} must be a list of names")
    return tuple(value)
