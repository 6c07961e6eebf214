"""`commitInfo`: who did what, in words that engines chose."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from deltactl.spec.actions.fields import ACTIONS, json_types

# The types with which Spark decodes commitInfo; another one makes the whole table unreadable.
# At those left out no engine was seen to fail.
_TYPES: Mapping[str, type] = json_types(
    ACTIONS["commitInfo"], without=("timestamp", "operation", "txnId", "isolationLevel")
)
_SCALARS = frozenset({str, int, float, bool, type(None)})
_FLAT = ("operationParameters", "operationMetrics")

# The metrics in which engines count rows, each with the place that it has in RowCounts.
ROW_METRICS: Mapping[str, int] = {
    "numOutputRows": 0, "numTargetRowsInserted": 0,
    "num_added_rows": 0, "num_target_rows_inserted": 0,
    "numDeletedRows": 1, "numTargetRowsDeleted": 1,
    "num_deleted_rows": 1, "num_target_rows_deleted": 1,
    "numUpdatedRows": 2, "numTargetRowsUpdated": 2,
    "num_updated_rows": 2, "num_target_rows_updated": 2,
}  # fmt: skip


class RowCounts(NamedTuple):
    """How many rows were added, removed and updated; None if the engine does not say."""

    added: int | None
    removed: int | None
    updated: int | None


_NO_ROWS = RowCounts(None, None, None)


def wrong_types(info: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fields of a type that Spark does not decode."""
    wrong: tuple[str, ...] = ()
    nested: tuple[str, ...] = ()
    for name, kind in _decoded(tuple(info)):
        value = info[name]
        if type(value) is not kind:
            if value is not None:
                wrong += (name,)
        elif name in _FLAT:
            for item in info[name].values():
                if type(item) not in _SCALARS:
                    nested += (name,)
                    break
    return wrong + nested


@lru_cache
def _decoded(names: tuple[str, ...]) -> tuple[tuple[str, type], ...]:
    """Return the fields that Spark decodes, with their types; cached, since engines repeat them."""
    return tuple((name, kind) for name, kind in _TYPES.items() if name in names)


def rows(info: Mapping[str, Any]) -> RowCounts:
    """Return the rows that a commit touched, if the engine counted them."""
    metrics = info.get("operationMetrics")
    if not isinstance(metrics, dict):
        return _NO_ROWS
    counts: list[int | None] = [None, None, None]
    for name in metrics:
        if name in ROW_METRICS:
            place = ROW_METRICS[name]
            # A MERGE also counts as output the rows that it only copied.
            if counts[place] is None or name != "numOutputRows":
                counts[place] = _count(metrics[name])
    return RowCounts(*counts)


def counting(info: Mapping[str, Any]) -> tuple[str | None, ...]:
    """Return the metrics that `rows` reads its counts from, where each of them is a number."""
    metrics = info.get("operationMetrics")
    names: list[str | None] = [None, None, None]
    for name in metrics if isinstance(metrics, dict) else ():
        if name in ROW_METRICS:
            place = ROW_METRICS[name]
            if names[place] is None or name != "numOutputRows":
                names[place] = name
    return tuple(names)


def _count(value: Any) -> int | None:
    if type(value) is int:
        return value
    return int(value) if isinstance(value, str) and value.isdecimal() else None
