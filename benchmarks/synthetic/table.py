"""The synthetic table: its schema, its first actions, and how a commit of it is written."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

Action = Mapping[str, Any]

# A fixed start makes every log the same, whenever it is made. The retention below keeps the
# tombstones and the commits alive that a clock would call expired.
START_MS = 1_767_225_600_000  # 2026-01-01T00:00:00Z
MINUTE_MS = 60_000
ENGINE = "Apache-Spark/4.2.0 Delta-Lake/4.4.0"
RETENTION = {
    "delta.logRetentionDuration": "interval 3650 days",
    "delta.deletedFileRetentionDuration": "interval 3650 days",
}
PARTITION_COLUMN = "day"


def column(name: str, type_name: str, metadata: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"name": name, "type": type_name, "nullable": True, "metadata": dict(metadata or {})}


def type_change(old: str, new: str) -> dict[str, Any]:
    """Return the field metadata of a column that was widened once."""
    return {"delta.typeChanges": [{"toType": new, "fromType": old}]}


def event_columns(
    *, partitioned: bool, widened: bool, awkward: bool = False
) -> list[dict[str, Any]]:
    """Return the columns of a table of events; `user_id` is widened or still to be widened."""
    user_id = (
        column("user_id", "long", type_change("integer", "long"))
        if widened
        else column("user_id", "integer")
    )
    columns = [
        column("id", "long"),
        user_id,
        column("amount", "double"),
        column("country", "string"),
        column("ts", "timestamp"),
        *([column("due", "date"), column("score", "double")] if awkward else []),
    ]
    return [*columns, column(PARTITION_COLUMN, "date")] if partitioned else columns


def protocol(*features: str) -> dict[str, Any]:
    """Return protocol 3/7 with type widening, what 1/2 implied, and writers' `features`."""
    return {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["typeWidening"],
        "writerFeatures": ["appendOnly", "invariants", "typeWidening", *features],
    }


def metadata(
    columns: Iterable[Mapping[str, Any]], *, partitioned: bool, properties: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "id": str(UUID(int=0xDE17AC71)),
        "format": {"provider": "parquet", "options": {}},
        "schemaString": compact({"type": "struct", "fields": list(columns)}),
        "partitionColumns": [PARTITION_COLUMN] if partitioned else [],
        "configuration": {**RETENTION, **properties},
        "createdTime": START_MS,
    }


def commit_info(
    version: int,
    operation: str,
    parameters: Mapping[str, str],
    metrics: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return a commitInfo as Spark writes it: every parameter and metric is a string."""
    info = {
        "timestamp": START_MS + version * MINUTE_MS,
        "operation": operation,
        "operationParameters": dict(parameters),
        "readVersion": version - 1,
        "isolationLevel": "Serializable",
        "isBlindAppend": operation == "WRITE",
        "operationMetrics": dict(metrics or {}),
        "engineInfo": ENGINE,
        "txnId": str(UUID(int=(version << 64) + 0xC0FFEE)),
    }
    if version == 0:  # an unsigned number to some readers, so there is none before the first commit
        del info["readVersion"]
    return info


def write_commit(log: Path, version: int, actions: Iterable[Action]) -> None:
    """Write `actions` as `version`, modified one minute after the version before it."""
    path = log / f"{version:020}.json"
    path.write_text("".join(f"{compact(action)}\n" for action in actions), encoding="utf-8")
    seconds = (START_MS + version * MINUTE_MS) / 1000
    os.utime(path, (seconds, seconds))


def compact(value: object) -> str:
    """Return JSON without spaces, as engines write it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
