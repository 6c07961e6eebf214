"""The text of a commit that deltactl writes: one action a line, each of the form engines decode."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from deltactl import __version__
from deltactl.log.commit.commit_info import wrong_types
from deltactl.text import strict_json

_NUMBER, _TEXT, _FLAG, _OBJECT, _LIST = (int,), (str,), (bool,), (dict,), (list,)

# Each field's type, and below the fields without which Spark decodes nothing. One wrong type makes
# a whole table unreadable until a checkpoint covers it.
_FIELDS: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "commitInfo": {
        "timestamp": _NUMBER, "operation": _TEXT, "txnId": _TEXT, "isolationLevel": _TEXT,
    },
    "protocol": {
        "minReaderVersion": _NUMBER, "minWriterVersion": _NUMBER,
        "readerFeatures": _LIST, "writerFeatures": _LIST,
    },
    "metaData": {
        "id": _TEXT, "name": _TEXT, "description": _TEXT, "format": _OBJECT, "schemaString": _TEXT,
        "partitionColumns": _LIST, "createdTime": _NUMBER, "configuration": _OBJECT,
    },
    "add": {
        "path": _TEXT, "partitionValues": _OBJECT, "size": _NUMBER, "modificationTime": _NUMBER,
        "dataChange": _FLAG, "stats": _TEXT, "tags": _OBJECT, "deletionVector": _OBJECT,
        "baseRowId": _NUMBER, "defaultRowCommitVersion": _NUMBER, "clusteringProvider": _TEXT,
    },
    "domainMetadata": {"domain": _TEXT, "configuration": _TEXT, "removed": _FLAG},
    "txn": {"appId": _TEXT, "version": _NUMBER, "lastUpdated": _NUMBER},
}  # fmt: skip
_REQUIRED: Mapping[str, frozenset[str]] = {
    "commitInfo": frozenset({"timestamp", "operation", "operationParameters", "txnId"}),
    "protocol": frozenset({"minReaderVersion", "minWriterVersion"}),
    "metaData": frozenset({"id", "format", "schemaString", "partitionColumns", "configuration"}),
    "add": frozenset({"path", "partitionValues", "size", "modificationTime", "dataChange"}),
    "domainMetadata": frozenset({"domain", "configuration", "removed"}),
    "txn": frozenset({"appId", "version"}),
}
# Objects and lists of which Spark takes text only, an object's null apart.
_OF_TEXT = {
    "operationParameters", "operationMetrics", "configuration", "partitionValues", "tags",
    "readerFeatures", "writerFeatures", "partitionColumns",
}  # fmt: skip


# Numbers of 32 bits; all others have 64.
_SHORT = {"minReaderVersion", "minWriterVersion"}


class CommitContext(NamedTuple):
    """What a commit takes from the world outside; times are in milliseconds."""

    time: int
    txn_id: str
    engine: str = f"deltactl/{__version__}"
    in_commit_timestamp: int | None = None
    message: str | None = None


def commit_info(
    operation: str, parameters: Mapping[str, str], read_version: int | None, stamp: CommitContext
) -> dict[str, Any]:
    """The first line of a commit, with the values that engines require as text.

    `read_version` is None for the commit that creates a table.
    """
    own_time = (
        {}
        if stamp.in_commit_timestamp is None
        else {"inCommitTimestamp": stamp.in_commit_timestamp}
    )
    message = {} if stamp.message is None else {"userMetadata": stamp.message}
    return {
        **own_time,
        "timestamp": stamp.time,
        "operation": operation,
        "operationParameters": dict(parameters),
        **({} if read_version is None else {"readVersion": read_version}),
        "isolationLevel": "Serializable",
        "isBlindAppend": False,
        "operationMetrics": {},
        "engineInfo": stamp.engine,
        "txnId": stamp.txn_id,
        **message,
    }


def line(kind: str, body: Mapping[str, Any]) -> bytes:
    """One action as a line.

    Raises:
        ValueError: engines could not decode it; that is a fault of the caller.
    """
    if wrong := list(_wrong(kind, body)):
        raise ValueError(f"{kind}: {', '.join(wrong)}")
    return strict_json.dumps({kind: body}).encode() + b"\n"


def _wrong(kind: str, body: Mapping[str, Any]) -> Iterator[str]:
    if kind not in _FIELDS:
        yield "no such action"
        return
    yield from (f"{field} is missing" for field in sorted(_REQUIRED[kind] - set(body)))
    for field, types in _FIELDS[kind].items():
        # An exact test, for a bool is an int in Python and not in JSON.
        if field in body and type(body[field]) not in types:
            yield f"{field} has the wrong type"
    for field in _OF_TEXT & set(body):
        value = body[field]
        if not isinstance(value, dict | list | None):
            continue  # Of the wrong type, as was said.
        parts = value.values() if isinstance(value, dict) else value
        nulls = field == "partitionValues"
        if not all(isinstance(part, str) or (nulls and part is None) for part in parts or ()):
            yield f"{field} holds what is not text"
    for field, value in body.items():
        bits = 31 if field in _SHORT else 63
        if type(value) is int and not -(1 << bits) <= value < 1 << bits:
            yield f"{field} is too large"
    if kind == "commitInfo":
        yield from (f"{field} has the wrong type" for field in wrong_types(body))
