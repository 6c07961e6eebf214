"""The actions that refer to files, as values; each knows its JSON and forgets nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deltactl.errors import BrokenLogError
from deltactl.spec.actions import fields

# One for all: there may be millions of actions, and most have nothing that is not known.
_NOTHING: Mapping[str, Any] = {}


def _unknown() -> Any:
    return field(default_factory=lambda: _NOTHING, hash=False)


@dataclass(frozen=True, slots=True, repr=False)
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
            storage_type=fields.text("deletionVector", rest, "storageType") or "",
            path_or_inline=fields.text("deletionVector", rest, "pathOrInlineDv") or "",
            offset=fields.optional_integer("deletionVector", rest, "offset"),
            size_in_bytes=fields.optional_integer("deletionVector", rest, "sizeInBytes") or 0,
            cardinality=fields.optional_integer("deletionVector", rest, "cardinality") or 0,
            unknown=rest or _NOTHING,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the descriptor as actions hold it."""
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
    """Return the protocol's derived field `uniqueId` of a deletion vector."""
    suffix = "" if offset is None else f"@{offset}"
    return f"{storage_type}{path_or_inline}{suffix}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
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
    def from_json(
        cls,
        body: Mapping[str, Any],
        partitions: dict[tuple[str | None, ...], Mapping[str, str | None]] | None = None,
    ) -> "AddFile":
        """Return the action of that body; `partitions` keeps values that files share."""
        rest = dict(body)
        version = fields.optional_integer("add", rest, "defaultRowCommitVersion")
        vector = rest.pop("deletionVector", None)
        values = rest.pop("partitionValues", None)
        if not isinstance(values, dict | None):
            raise fields.malformed("add", "partitionValues is not an object")
        if values and not all(isinstance(value, str | None) for value in values.values()):
            raise fields.malformed("add", "partitionValues has a value that is not text")
        if values and partitions is not None:
            values = partitions.setdefault((*values, *values.values()), values)
        path = fields.text("add", rest, "path")
        if not path:
            raise BrokenLogError("EMPTY_PATH", "an add action has no path, or an empty one")
        return cls(
            path=path,
            partition_values=values or _NOTHING,
            size=fields.optional_integer("add", rest, "size") or 0,
            modification_time=fields.optional_integer("add", rest, "modificationTime"),
            data_change=rest.pop("dataChange", True) is not False,
            stats=fields.text("add", rest, "stats"),
            # Tags that are not an object stay in `rest`: only what is rewritten must be right.
            tags=rest.pop("tags") if isinstance(rest.get("tags"), dict) else None,
            deletion_vector=_vector(vector),
            base_row_id=fields.optional_integer("add", rest, "baseRowId"),
            default_row_commit_version=version,
            unknown=rest or _NOTHING,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the action's body; what it does not have is left out."""
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


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RemoveFile:
    """The `remove` action, as far as replay needs it; the rest stays in `unknown`."""

    path: str
    deletion_vector: DeletionVector | None = None
    unknown: Mapping[str, Any] = _unknown()

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "RemoveFile":
        rest = dict(body)
        path = fields.text("remove", rest, "path")
        if not path:
            raise BrokenLogError("EMPTY_PATH", "a remove action has no path, or an empty one")
        return cls(
            path=path,
            deletion_vector=_vector(rest.pop("deletionVector", None)),
            unknown=rest or _NOTHING,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the action's body."""
        vector = self.deletion_vector
        held = {} if vector is None else {"deletionVector": vector.to_json()}
        return {"path": self.path, **held, **self.unknown}


def _vector(body: Any) -> DeletionVector | None:
    if body is None:
        return None
    if not isinstance(body, dict):
        raise fields.malformed("deletionVector", "it is not an object")
    return DeletionVector.from_json(body)
