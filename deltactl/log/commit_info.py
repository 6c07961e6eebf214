"""`commitInfo`: who did what, in words that engines chose."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

# The types with which Spark decodes commitInfo; another one makes the whole table unreadable.
_TYPES: Mapping[str, type] = {
    "readVersion": int,
    "isBlindAppend": bool,
    "inCommitTimestamp": int,
    "operationParameters": dict,
    "operationMetrics": dict,
    "job": dict,
    "notebook": dict,
    "tags": dict,
    "userMetadata": str,
    "engineInfo": str,
}
_FLAT = ("operationParameters", "operationMetrics")

_ROWS_IN = ("numOutputRows", "numTargetRowsInserted", "numInsertedRows", "num_added_rows")
_ROWS_OUT = ("numDeletedRows", "numTargetRowsDeleted", "num_deleted_rows")
_ROWS_UPDATED = ("numUpdatedRows", "numTargetRowsUpdated", "num_updated_rows")


class RowCounts(NamedTuple):
    """How many rows came in, went out, and changed; None where the engine does not say."""

    came: int | None
    went: int | None
    updated: int | None


def wrong_types(info: Mapping[str, Any]) -> Iterator[str]:
    """The fields of a type that Spark does not decode."""
    for field, value in info.items():
        wanted = _TYPES.get(field)
        if wanted is None or value is None:
            continue
        if type(value) is not wanted:
            yield field
        elif field in _FLAT and any(map(_is_nested, value.values())):
            yield field


def rows(info: Mapping[str, Any]) -> RowCounts:
    """The rows that a commit touched, where the engine counted them."""
    metrics = info.get("operationMetrics")
    if not isinstance(metrics, dict):
        return RowCounts(None, None, None)
    return RowCounts(
        _first(metrics, _ROWS_IN), _first(metrics, _ROWS_OUT), _first(metrics, _ROWS_UPDATED)
    )


def _first(metrics: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        value = metrics.get(name)
        if type(value) is int or (isinstance(value, str) and value.isdecimal()):
            return int(value)
    return None


def _is_nested(value: Any) -> bool:
    return type(value) is dict or type(value) is list
