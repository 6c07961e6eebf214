"""Parquet bytes for the builders: one-row data files, checkpoints and sidecars."""

import io
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from malformed.table import METADATA, PROTOCOL, add_fields

TEXT_MAP = pa.map_(pa.string(), pa.string())
CHECKPOINT_SCHEMA = pa.schema(
    {
        "protocol": pa.struct(
            {
                "minReaderVersion": pa.int32(),
                "minWriterVersion": pa.int32(),
                "readerFeatures": pa.list_(pa.string()),
                "writerFeatures": pa.list_(pa.string()),
            }
        ),
        "metaData": pa.struct(
            {
                "id": pa.string(),
                "name": pa.string(),
                "description": pa.string(),
                "format": pa.struct({"provider": pa.string(), "options": TEXT_MAP}),
                "schemaString": pa.string(),
                "partitionColumns": pa.list_(pa.string()),
                "configuration": TEXT_MAP,
                "createdTime": pa.int64(),
            }
        ),
        "add": pa.struct(
            {
                "path": pa.string(),
                "partitionValues": TEXT_MAP,
                "size": pa.int64(),
                "modificationTime": pa.int64(),
                "dataChange": pa.bool_(),
                "stats": pa.string(),
            }
        ),
        "remove": pa.struct(
            {"path": pa.string(), "deletionTimestamp": pa.int64(), "dataChange": pa.bool_()}
        ),
    }
)


def file_actions(*numbers: int) -> list[dict[str, Any]]:
    """The adds of the base table's files, as a checkpoint holds them."""
    return [{"add": add_fields(f"part-{n}.parquet", dataChange=False)} for n in numbers]


def checkpoint(actions: Iterable[Mapping[str, Any]]) -> bytes:
    """A checkpoint of these actions, one a row."""
    return to_bytes(pa.Table.from_pylist([_row(a) for a in actions], schema=CHECKPOINT_SCHEMA))


def classic_checkpoint(*numbers: int) -> bytes:
    """A whole checkpoint of the base table with these files."""
    return checkpoint([{"protocol": PROTOCOL}, {"metaData": METADATA}, *file_actions(*numbers)])


def data_file() -> bytes:
    """One row of the base table's schema."""
    return to_bytes(pa.table({"id": pa.array([1], pa.int64())}))


def to_bytes(table: pa.Table) -> bytes:
    """The table as one parquet file."""
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def _row(action: Mapping[str, Any]) -> dict[str, Any]:
    """The action with its objects as pairs where the checkpoint's column is a map."""
    (name, fields), *_ = action.items()
    row = dict(fields)
    for key in ("partitionValues", "configuration"):
        if key in row:
            row[key] = list(row[key].items())
    if name == "metaData":
        row["format"] = {"provider": "parquet", "options": []}
    return {name: row}
