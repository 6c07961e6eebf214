"""The fields of each action, and how they are read.

The table is that of the protocol. Whoever checks, reads or writes a form of an action takes types,
order, and what must be there, from it.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from deltactl.errors import BrokenLogError


class FieldType(NamedTuple):
    """A type in JSON; `bits` of a whole number, `fields` of an object whose fields are known.

    `of_text`: the object or the list holds text alone; `may_be_null`: or null instead.
    """

    json: type
    bits: int | None = None
    of_text: bool = False
    may_be_null: bool = False
    fields: "Mapping[str, ActionField] | None" = None


class ActionField(NamedTuple):
    """A field; `required`: engines fail without it. `in_checkpoints`: columns have it, too."""

    type: FieldType
    required: bool = False
    in_checkpoints: bool = True


_TEXT, _FLAG = FieldType(str), FieldType(bool)
_INT, _LONG = FieldType(int, bits=32), FieldType(int, bits=64)
_TEXTS, _NAMES = FieldType(dict, of_text=True), FieldType(list, of_text=True)
_OBJECT = FieldType(dict)
_VALUES = FieldType(dict, of_text=True, may_be_null=True)

DELETION_VECTOR: Mapping[str, ActionField] = {
    "storageType": ActionField(_TEXT, required=True),
    "pathOrInlineDv": ActionField(_TEXT, required=True),
    "offset": ActionField(_INT),
    "sizeInBytes": ActionField(_INT, required=True),
    "cardinality": ActionField(_LONG, required=True),
    "maxRowIndex": ActionField(_LONG),
}
_VECTOR = FieldType(dict, fields=DELETION_VECTOR)
_FORMAT = FieldType(dict, fields={"provider": ActionField(_TEXT), "options": ActionField(_TEXTS)})

ACTIONS: Mapping[str, Mapping[str, ActionField]] = {
    "add": {
        "path": ActionField(_TEXT, required=True),
        "partitionValues": ActionField(_VALUES, required=True),
        "size": ActionField(_LONG, required=True),
        "modificationTime": ActionField(_LONG, required=True),
        "dataChange": ActionField(_FLAG, required=True),
        "tags": ActionField(_TEXTS),
        "deletionVector": ActionField(_VECTOR),
        "baseRowId": ActionField(_LONG),
        "defaultRowCommitVersion": ActionField(_LONG),
        "clusteringProvider": ActionField(_TEXT),
        "stats": ActionField(_TEXT),
    },
    "remove": {
        "path": ActionField(_TEXT, required=True),
        "deletionTimestamp": ActionField(_LONG),
        "dataChange": ActionField(_FLAG),
        "extendedFileMetadata": ActionField(_FLAG),
        "partitionValues": ActionField(_VALUES),
        "size": ActionField(_LONG),
        "deletionVector": ActionField(_VECTOR),
        "baseRowId": ActionField(_LONG),
        "defaultRowCommitVersion": ActionField(_LONG),
        "stats": ActionField(_TEXT, in_checkpoints=False),
        "tags": ActionField(_TEXTS, in_checkpoints=False),
    },
    "cdc": {
        "path": ActionField(_TEXT, required=True, in_checkpoints=False),
        "size": ActionField(_LONG, required=True, in_checkpoints=False),
        "partitionValues": ActionField(_VALUES, required=True, in_checkpoints=False),
        "dataChange": ActionField(_FLAG, required=True, in_checkpoints=False),
        "tags": ActionField(_TEXTS, in_checkpoints=False),
    },
    "txn": {
        "appId": ActionField(_TEXT, required=True),
        "version": ActionField(_LONG, required=True),
        "lastUpdated": ActionField(_LONG),
    },
    "metaData": {
        "id": ActionField(_TEXT, required=True),
        "name": ActionField(_TEXT),
        "description": ActionField(_TEXT),
        "format": ActionField(_FORMAT, required=True),
        "schemaString": ActionField(_TEXT, required=True),
        "partitionColumns": ActionField(_NAMES, required=True),
        "configuration": ActionField(_TEXTS, required=True),
        "createdTime": ActionField(_LONG),
    },
    "protocol": {
        "minReaderVersion": ActionField(_INT, required=True),
        "minWriterVersion": ActionField(_INT, required=True),
        "readerFeatures": ActionField(_NAMES),
        "writerFeatures": ActionField(_NAMES),
    },
    "domainMetadata": {
        "domain": ActionField(_TEXT, required=True),
        "configuration": ActionField(_TEXT, required=True),
        "removed": ActionField(_FLAG, required=True),
    },
    # Engines write what they like; these they agree on, or decode.
    "commitInfo": {
        "timestamp": ActionField(_LONG, required=True, in_checkpoints=False),
        "operation": ActionField(_TEXT, required=True, in_checkpoints=False),
        "txnId": ActionField(_TEXT, required=True, in_checkpoints=False),
        "isolationLevel": ActionField(_TEXT, in_checkpoints=False),
        "readVersion": ActionField(_LONG, in_checkpoints=False),
        "isBlindAppend": ActionField(_FLAG, in_checkpoints=False),
        "inCommitTimestamp": ActionField(_LONG, in_checkpoints=False),
        "operationParameters": ActionField(_TEXTS, required=True, in_checkpoints=False),
        "operationMetrics": ActionField(_TEXTS, in_checkpoints=False),
        "job": ActionField(_OBJECT, in_checkpoints=False),
        "notebook": ActionField(_OBJECT, in_checkpoints=False),
        "tags": ActionField(_TEXTS, in_checkpoints=False),
        "userMetadata": ActionField(_TEXT, in_checkpoints=False),
        "engineInfo": ActionField(_TEXT, in_checkpoints=False),
    },
    # Of V2 checkpoints only.
    "checkpointMetadata": {
        "version": ActionField(_LONG, required=True),
        "tags": ActionField(_TEXTS),
    },
    "sidecar": {
        "path": ActionField(_TEXT, required=True),
        "sizeInBytes": ActionField(_LONG, required=True),
        "modificationTime": ActionField(_LONG, required=True),
        "tags": ActionField(_TEXTS),
    },
}
"""Every action, its fields in the order that checkpoints have; all but the last two are in commits.

Of an add, checkpoints have `stats` behind all others, and next to it what is made of it.
"""


def json_types(
    fields: Mapping[str, ActionField],
    *,
    required: bool | None = None,
    without: tuple[str, ...] = (),
) -> dict[str, type]:
    """Return the Python types of the fields as JSON is read; only those required, or not."""
    return {
        name: field.type.json
        for name, field in fields.items()
        if name not in without and required in (None, field.required)
    }


def malformed(action: str, why: str) -> BrokenLogError:
    """Return the error of an action that is not as it must be."""
    return BrokenLogError("ACTION_MALFORMED", f"{action}: {why}")


def integer(action: str, body: dict[str, Any], key: str) -> int:
    """Take a whole number that must be there."""
    value = body.pop(key, None)
    if type(value) is not int:
        raise malformed(action, f"{key} must be a whole number, found {value!r:.40}")
    return value


def optional_integer(action: str, body: dict[str, Any], key: str) -> int | None:
    """Take a whole number, be it written as 4.0; None if there is nothing."""
    value = body.pop(key, None)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is int:
        if not -(2**63) <= value < 2**63:
            raise malformed(action, f"{key} does not fit 64 bits")
        return value
    # Kept as found where it is not a number: only what is rewritten must be right.
    if value is not None:
        body[key] = value
    return None


def text(action: str, body: dict[str, Any], key: str) -> str | None:
    """Take a text; None if there is nothing."""
    value = body.pop(key, None)
    if value is None or isinstance(value, str):
        return value
    raise malformed(action, f"{key} must be text, found {value!r:.40}")


def names(action: str, body: dict[str, Any], key: str) -> tuple[str, ...] | None:
    """Take a list of names; None if there is nothing."""
    value = body.pop(key, None)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise malformed(action, f"{key} must be a list of names")
    return tuple(value)
