"""`commitInfo`: who did what, in words that engines chose."""

from collections.abc import Mapping
from functools import cache
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
_NONE = type(None)
_FLAT = ("operationParameters", "operationMetrics")

_ROWS_IN = ("numOutputRows", "numTargetRowsInserted", "numInsertedRows", "num_added_rows")
_ROWS_OUT = ("numDeletedRows", "numTargetRowsDeleted", "num_deleted_rows")
_ROWS_UPDATED = ("numUpdatedRows", "numTargetRowsUpdated", "num_updated_rows")


class RowCounts(NamedTuple):
    """How many rows came in, went out, and changed; None where the engine does not say."""

    came: int | None
    went: int | None
    updated: int | None


def wrong_types(info: Mapping[str, Any]) -> list[str]:
    """The fields of a type that Spark does not decode."""
    wrong = _misfits(tuple(map(type, map(info.get, _TYPES))))
    return [*wrong, *(field for field in _FLAT if _has_nested(info.get(field)))]


def rows(info: Mapping[str, Any]) -> RowCounts:
    """The rows that a commit touched, where the engine counted them."""
    metrics = info.get("operationMetrics")
    if not isinstance(metrics, dict):
        return RowCounts(None, None, None)
    return RowCounts(
        _first(metrics, _ROWS_IN), _first(metrics, _ROWS_OUT), _first(metrics, _ROWS_UPDATED)
    )


@cache
def _misfits(shape: tuple[type, ...]) -> tuple[str, ...]:
    """The fields whose type is wrong. Of a long history's commits most have one of few shapes."""
    found = zip(_TYPES.items(), shape, strict=True)
    return tuple(field for (field, wanted), kind in found if kind not in (wanted, _NONE))


def _first(metrics: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        value = metrics.get(name)
        if type(value) is int or (isinstance(value, str) and value.isdecimal()):
            return int(value)
    return None


def _has_nested(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    kinds = set(map(type, value.values()))
    return dict in kinds or list in kinds
