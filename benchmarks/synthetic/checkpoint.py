"""A table with a checkpoint of any number of files, and a tail of commits on top of it."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.synthetic.files import DELETION_VECTOR, STRING_MAP, Layout, adds
from benchmarks.synthetic.table import (
    START_MS,
    commit_info,
    compact,
    event_columns,
    metadata,
    protocol,
    write_commit,
)

RowGroups = Literal["one", "many"]

CHECKPOINT_VERSION = 1000  # the commits below it are gone, as after log cleanup
TOMBSTONES = 2000
FIRST_TOMBSTONE = 100_000_000  # a number that no live file has
BATCH_ROWS = 200_000
ADDS_PER_COMMIT = 2
STRING_LIST = pa.list_(pa.string())
OTHER_COLUMNS = {
    "txn": pa.struct({"appId": pa.string(), "version": pa.int64(), "lastUpdated": pa.int64()}),
    "remove": pa.struct(
        {
            "path": pa.string(),
            "deletionTimestamp": pa.int64(),
            "dataChange": pa.bool_(),
            "extendedFileMetadata": pa.bool_(),
            "partitionValues": STRING_MAP,
            "size": pa.int64(),
            "deletionVector": DELETION_VECTOR,
            "baseRowId": pa.int64(),
            "defaultRowCommitVersion": pa.int64(),
        }
    ),
    "metaData": pa.struct(
        {
            "id": pa.string(),
            "name": pa.string(),
            "description": pa.string(),
            "format": pa.struct({"provider": pa.string(), "options": STRING_MAP}),
            "schemaString": pa.string(),
            "partitionColumns": STRING_LIST,
            "configuration": STRING_MAP,
            "createdTime": pa.int64(),
        }
    ),
    "protocol": pa.struct(
        {
            "minReaderVersion": pa.int32(),
            "minWriterVersion": pa.int32(),
            "readerFeatures": STRING_LIST,
            "writerFeatures": STRING_LIST,
        }
    ),
    "domainMetadata": pa.struct(
        {"domain": pa.string(), "configuration": pa.string(), "removed": pa.bool_()}
    ),
}


def write_checkpointed_log(
    log: Path, layout: Layout, *, commits: int, row_groups: RowGroups, settings_at: float
) -> None:
    """Write a checkpoint of `layout.files` files into `log`, and `commits` commits after it.

    `settings_at` says after which part of the files protocol and metadata stand. Each commit adds
    two files and removes one of the checkpoint's; there must be as many files as commits.
    Memory holds one row group: a few hundred MB for "many", about 500 bytes a file for "one".
    """
    step = layout.files // max(commits, 1)
    doomed = range(0, step * commits, step)
    removed = _write_checkpoint(log, layout, row_groups, settings_at, doomed)
    # A checkpoint without the commit of its own version is legal, but rare.
    write_commit(log, CHECKPOINT_VERSION, [_update_info(CHECKPOINT_VERSION, 0, 0)])
    in_json = replace(layout, stats="json")  # commits have their statistics as JSON only
    added = adds(layout.files, ADDS_PER_COMMIT * commits, in_json).to_pylist()
    for number, file in enumerate(removed):
        version = CHECKPOINT_VERSION + 1 + number
        new = added[ADDS_PER_COMMIT * number : ADDS_PER_COMMIT * (number + 1)]
        actions = [
            _update_info(version, len(new), 1),
            *({"add": _add_json(add)} for add in new),
            {"remove": _tombstone(file, version)},
        ]
        write_commit(log, version, actions)


def _write_checkpoint(
    log: Path, layout: Layout, row_groups: RowGroups, settings_at: float, doomed: range
) -> list[dict[str, Any]]:
    """Write the checkpoint and its hint; return the files at the numbers in `doomed`."""
    path = log / f"{CHECKPOINT_VERSION:020}.checkpoint.parquet"
    schema = _schema(layout)
    others = pa.RecordBatch.from_pylist(_other_actions(layout), schema)
    rows = 0
    found: list[dict[str, Any]] = []
    with pq.ParquetWriter(path, schema, use_dictionary=_repetitive(layout)) as writer:
        held: list[pa.RecordBatch] = []
        for start in range(0, layout.files, BATCH_ROWS):
            stop = min(start + BATCH_ROWS, layout.files)
            if start <= settings_at * layout.files < stop:
                held.append(others)
            files = adds(start, stop - start, layout)
            wanted = [n - start for n in doomed if start <= n < stop]
            found += files.take(pa.array(wanted, pa.int64())).to_pylist()
            held.append(_file_rows(files, schema))
            if row_groups == "many":
                rows += _write_row_group(writer, held)
        if held:
            rows += _write_row_group(writer, held)
    _write_hint(log, rows=rows, size=path.stat().st_size, files=layout.files)
    return found


def _schema(layout: Layout) -> pa.Schema:
    """Return the columns in Spark's order."""
    txn, *others = OTHER_COLUMNS.items()
    return pa.schema([txn, ("add", adds(0, 1, layout).type), *others])


def _file_rows(files: pa.StructArray, schema: pa.Schema) -> pa.RecordBatch:
    columns = {field.name: pa.nulls(len(files), field.type) for field in schema}
    return pa.RecordBatch.from_pydict({**columns, "add": files}, schema)


def _other_actions(layout: Layout) -> list[dict[str, Any]]:
    properties = {"delta.enableTypeWidening": "true"}
    if layout.stats == "struct":
        properties["delta.checkpoint.writeStatsAsJson"] = "false"
    columns = event_columns(partitioned=layout.partitioned, widened=True, awkward=layout.awkward)
    meta = metadata(columns, partitioned=layout.partitioned, properties=properties)
    dead = adds(FIRST_TOMBSTONE, TOMBSTONES, layout).to_pylist()
    removes = [{"remove": _tombstone(file, CHECKPOINT_VERSION - 1)} for file in dead]
    return [{"protocol": protocol()}, {"metaData": meta}, *removes]


def _write_row_group(writer: pq.ParquetWriter, held: list[pa.RecordBatch]) -> int:
    """Write `held` as one row group, empty it, and return the number of rows."""
    table = pa.Table.from_batches(held)
    held.clear()
    writer.write_table(table, row_group_size=table.num_rows)
    return int(table.num_rows)


def _repetitive(layout: Layout) -> list[str]:
    """Return the columns in which a dictionary saves space; elsewhere it only costs time."""
    columns = ["add.partitionValues.key_value.key", "add.partitionValues.key_value.value"]
    if layout.stats != "json":
        columns += [f"add.stats_parsed.nullCount.{name}" for name in ("id", "user_id", "ts")]
    return columns


def _write_hint(log: Path, *, rows: int, size: int, files: int) -> None:
    """Write `_last_checkpoint`; its checksum is the MD5 of the fields in order of their names."""
    hint: dict[str, int | str] = {
        "version": CHECKPOINT_VERSION,
        "size": rows,
        "sizeInBytes": size,
        "numOfAddFiles": files,
    }
    canonical = ",".join(f'"{name}"={hint[name]}' for name in sorted(hint))
    hint["checksum"] = hashlib.md5(canonical.encode(), usedforsecurity=False).hexdigest()
    (log / "_last_checkpoint").write_text(compact(hint), encoding="utf-8")


def _update_info(version: int, added: int, removed: int) -> dict[str, Any]:
    metrics = {"numAddedFiles": str(added), "numRemovedFiles": str(removed)}
    info = commit_info(version, "UPDATE", {"predicate": '["(id#1L >= 0)"]'}, metrics)
    return {"commitInfo": info}


def _add_json(add: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a checkpoint as a commit has it: only what is set."""
    known = {key: value for key, value in add.items() if value is not None}
    return {**known, "partitionValues": dict(add["partitionValues"]), "dataChange": True}


def _tombstone(add: Mapping[str, Any], version: int) -> dict[str, Any]:
    return {
        "path": add["path"],
        "deletionTimestamp": START_MS + version * 60_000,
        "dataChange": True,
        "extendedFileMetadata": True,
        "partitionValues": dict(add["partitionValues"]),
        "size": add["size"],
    }
