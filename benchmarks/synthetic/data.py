"""A table with small data files, half of which hold one of two widened columns in its old type."""

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.synthetic.table import (
    Action,
    column,
    commit_info,
    event_columns,
    metadata,
    protocol,
    type_change,
    write_commit,
)

ROWS = 50
NEW = "quantity"  # the other one, which all files hold in its new type
TYPES = {NEW: pa.int64(), "id": pa.int64(), "amount": pa.float64(), "country": pa.string()}


def write_half_widened(table: Path, *, files: int) -> None:
    """Write `files` files of events in one commit; `user_id` is an int in every other one."""
    source = random.Random(files)
    adds = [{"add": _write(table, number, source)} for number in range(files)]
    quantity = column(NEW, "long", type_change("integer", "long"))
    columns = [*event_columns(partitioned=False, widened=True), quantity]
    heads: list[Action] = [
        {"commitInfo": commit_info(0, "WRITE", {"mode": "Append", "partitionBy": "[]"})},
        {"protocol": protocol()},
        {"metaData": metadata(columns, partitioned=False, properties={})},
    ]
    write_commit(table / "_delta_log", 0, [*heads, *adds])


def _write(table: Path, number: int, source: random.Random) -> Action:
    user_id = pa.int32() if number % 2 else pa.int64()
    values = {
        NEW: [source.randrange(100) for _ in range(ROWS)],
        "id": range(number * ROWS, (number + 1) * ROWS),
        "amount": [source.random() for _ in range(ROWS)],
        "country": [source.choice(("AR", "FI", "ZW")) for _ in range(ROWS)],
    }
    arrays = {name: pa.array(held, TYPES[name]) for name, held in values.items()}
    arrays["user_id"] = pa.array((source.randrange(10**6) for _ in range(ROWS)), user_id)
    file = table / f"part-{number:05}.parquet"
    pq.write_table(pa.table(arrays), file)
    return {
        "path": file.name,
        "partitionValues": {},
        "size": file.stat().st_size,
        "modificationTime": 1_767_225_600_000,
        "dataChange": True,
    }
