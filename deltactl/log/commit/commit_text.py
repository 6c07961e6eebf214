"""The text of a commit that deltactl writes: one action a line, each of the form engines decode."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from deltactl import __version__
from deltactl.spec.actions.fields import ACTIONS
from deltactl.text import strict_json

# What deltactl writes. One wrong type makes a whole table unreadable until a checkpoint covers it.
_WRITTEN = ("commitInfo", "protocol", "metaData", "add", "domainMetadata", "txn")


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
    """Return the first line of a commit, with the values that engines require as text.

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
    """Return one action as a line.

    Raises:
        ValueError: engines could not decode it; that is a fault of the caller.
    """
    if wrong := list(_wrong(kind, body)):
        raise ValueError(f"{kind}: {', '.join(wrong)}")
    return strict_json.dumps({kind: body}).encode() + b"\n"


def _wrong(kind: str, body: Mapping[str, Any]) -> Iterator[str]:
    if kind not in _WRITTEN:
        yield "no such action"
        return
    fields = ACTIONS[kind]
    required = (name for name, field in fields.items() if field.required)
    yield from (f"{name} is missing" for name in sorted(required) if name not in body)
    for name, value in body.items():
        known = fields[name].type if name in fields else None
        # An exact test, for a bool is an int in Python and not in JSON.
        if known is not None and type(value) is not known.json:
            yield f"{name} has the wrong type"
            continue
        if known is not None and known.of_text:
            parts = value.values() if known.json is dict else value
            if not all(isinstance(p, str) or (known.may_be_null and p is None) for p in parts):
                yield f"{name} holds what is not text"
        bits = (known and known.bits) or 64
        if type(value) is int and not -(1 << bits - 1) <= value < 1 << bits - 1:
            yield f"{name} is too large"
