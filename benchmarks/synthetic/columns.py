"""A table of many columns, all of them widened, as a log, or with one small data file."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.synthetic.table import (
    START_MS,
    Action,
    column,
    commit_info,
    compact,
    metadata,
    protocol,
    type_change,
    write_commit,
)

DEPTH = 30
PROPERTIES = {"delta.enableTypeWidening": "true"}


def write_columns(table: Path, *, columns: int, nested: bool, with_file: bool) -> None:
    """Write so many columns, at the top or `nested`: each the only one below 29 structs."""
    made = [_nested(number) if nested else _widened(f"c{number}") for number in range(columns)]
    adds = [{"add": _file(table, columns)}] if with_file else []
    heads: list[Action] = [
        {"commitInfo": commit_info(0, "WRITE", {"mode": "Append", "partitionBy": "[]"})},
        {"protocol": protocol()},
        {"metaData": metadata(made, partitioned=False, properties=PROPERTIES)},
    ]
    write_commit(table / "_delta_log", 0, [*heads, *adds])


def _widened(name: str) -> dict[str, Any]:
    return column(name, "integer", type_change("short", "integer"))


def _nested(number: int) -> dict[str, Any]:
    made = _widened("leaf")
    for _ in range(DEPTH - 1):
        made = column("inside", "", None) | {"type": {"type": "struct", "fields": [made]}}
    return made | {"name": f"c{number}"}


def _file(table: Path, columns: int) -> Action:
    file = table / "part-00000.parquet"
    values = pa.array([1, 2, 3], pa.int32())
    pq.write_table(pa.table({f"c{number}": values for number in range(columns)}), file)
    return {
        "path": file.name,
        "partitionValues": {},
        "size": file.stat().st_size,
        "modificationTime": START_MS,
        "dataChange": True,
        "stats": compact({"numRecords": len(values)}),
    }
