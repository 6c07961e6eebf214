"""`commitInfo`: who did what, in words that engines chose; and a commit's files, by bytes alone."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from deltactl.log.commit import BOM, parse_line

_FILE_ACTION = re.compile(rb'^[ \t]*\{[ \t]*"(add|remove|cdc)"[ \t]*:', re.MULTILINE)

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


class FileCounts(NamedTuple):
    """How many files a commit added, removed, and wrote for the change data feed."""

    added: int
    removed: int
    cdc: int


class RowCounts(NamedTuple):
    """How many rows came in, went out, and changed; None where the engine does not say."""

    came: int | None
    went: int | None
    updated: int | None


class Found(NamedTuple):
    """A commit's info, empty where it has none; `is_first`: it is the first line, as it must be."""

    info: dict[str, Any]
    is_first: bool


def read(block: bytes, name: str) -> Found:
    """The commitInfo of a commit.

    Raises:
        BrokenLogError: its line is not JSON.
    """
    position = block.find(b'"commitInfo"')
    while position >= 0:
        start = block.rfind(b"\n", 0, position) + 1
        end = block.find(b"\n", position)
        line = block[start : len(block) if end < 0 else end].strip().removeprefix(BOM)
        body = parse_line(line, name, block.count(b"\n", 0, start) + 1).get("commitInfo")
        if isinstance(body, dict):
            return Found(body, not block[:start].removeprefix(BOM).strip())
        position = block.find(b'"commitInfo"', position + 1)
    return Found({}, True)


def count_files(block: bytes) -> FileCounts:
    """The file actions of a block, without parsing it."""
    kinds = (b"add", b"remove", b"cdc")
    counts = [block.count(b'\n{"%s":' % k) + block.startswith(b'{"%s":' % k) for k in kinds]
    if b"\n{ " in block or b'" :' in block or block.startswith(BOM) or b"\n " in block:
        # Some writer puts spaces where engines put none.
        found = [match[1] for match in _FILE_ACTION.finditer(block.removeprefix(BOM))]
        counts = [found.count(kind) for kind in kinds]
    return FileCounts(*counts)


def wrong_types(info: Mapping[str, Any]) -> Iterator[str]:
    """The fields of a type that Spark does not decode."""
    for field, wanted in _TYPES.items():
        value = info.get(field)
        if value is not None and type(value) is not wanted:
            yield field
    for field in _FLAT:
        value = info.get(field)
        if type(value) is dict and any(type(v) in (dict, list) for v in value.values()):
            yield field


def rows(info: Mapping[str, Any]) -> RowCounts:
    """The rows that a commit touched, where the engine counted them."""
    metrics = info.get("operationMetrics")
    if not isinstance(metrics, dict):
        return RowCounts(None, None, None)
    return RowCounts(*(_first(metrics, names) for names in (_ROWS_IN, _ROWS_OUT, _ROWS_UPDATED)))


def _first(metrics: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        value = metrics.get(name)
        if type(value) is int or (isinstance(value, str) and value.isdecimal()):
            return int(value)
    return None
