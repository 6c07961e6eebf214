"""Checkpoints of every kind, made with pyarrow alone from the actions that they hold."""

import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Action = dict[str, Any]

UUID = "80a083e8-7026-4e79-81be-64bd76c43a11"
_TEXT, _LONG, _INT = pa.string(), pa.int64(), pa.int32()
_TEXTS = pa.map_(_TEXT, _TEXT)
_VECTOR = pa.struct(
    [
        ("storageType", _TEXT),
        ("pathOrInlineDv", _TEXT),
        ("offset", _INT),
        ("sizeInBytes", _INT),
        ("cardinality", _LONG),
    ]
)
_FORMAT = pa.struct([("provider", _TEXT), ("options", _TEXTS)])
SCHEMA = pa.schema(
    {
        "txn": pa.struct([("appId", _TEXT), ("version", _LONG)]),
        "add": pa.struct(
            [
                ("path", _TEXT),
                ("partitionValues", _TEXTS),
                ("size", _LONG),
                ("modificationTime", _LONG),
                ("dataChange", pa.bool_()),
                ("stats", _TEXT),
                ("deletionVector", _VECTOR),
            ]
        ),
        "remove": pa.struct([("path", _TEXT), ("deletionVector", _VECTOR)]),
        "metaData": pa.struct(
            [
                ("id", _TEXT),
                ("format", _FORMAT),
                ("schemaString", _TEXT),
                ("partitionColumns", pa.list_(_TEXT)),
                ("configuration", _TEXTS),
            ]
        ),
        "protocol": pa.struct(
            [
                ("minReaderVersion", _INT),
                ("minWriterVersion", _INT),
                ("readerFeatures", pa.list_(_TEXT)),
                ("writerFeatures", pa.list_(_TEXT)),
            ]
        ),
        "domainMetadata": pa.struct(
            [("domain", _TEXT), ("configuration", _TEXT), ("removed", pa.bool_())]
        ),
        "sidecar": pa.struct([("path", _TEXT), ("sizeInBytes", _LONG)]),
    }
)
MAPS = ("partitionValues", "configuration", "options")

Files = dict[str, bytes]


def parquet(actions: list[Action], *, rows_before: int = 0, **options: Any) -> bytes:
    """The actions as a checkpoint's parquet, in row groups of three.

    `rows_before` puts so many rows without any action before them, all in one row group.
    """
    sink = pa.BufferOutputStream()
    table = pa.Table.from_pylist([_pairs(action) for action in actions], schema=SCHEMA)
    if rows_before:
        empty = [pa.nulls(rows_before, field.type) for field in SCHEMA]
        table = pa.concat_tables([pa.table(empty, schema=SCHEMA), table])
    row_group_size = len(table) if rows_before else 3
    pq.write_table(table, sink, row_group_size=row_group_size, **options)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def classic(version: int, actions: list[Action]) -> Files:
    return {f"{version:020d}.checkpoint.parquet": parquet(actions)}


def multipart(version: int, actions: list[Action]) -> Files:
    parts = [actions[start::3] for start in range(3)]
    return {
        f"{version:020d}.checkpoint.{number:010d}.0000000003.parquet": parquet(part)
        for number, part in enumerate(parts, 1)
    }


def v2_json(version: int, actions: list[Action]) -> Files:
    """V2 with a JSON top, and the files in two sidecars."""
    files, top = _split(actions)
    sidecars, pointers = _sidecars(files)
    text = "\n".join(
        map(json.dumps, [{"checkpointMetadata": {"version": version}}, *top, *pointers])
    )
    return {f"{version:020d}.checkpoint.{UUID}.json": text.encode(), **sidecars}


def v2_parquet(version: int, actions: list[Action]) -> Files:
    """V2 with a parquet top, and the files in two sidecars."""
    files, top = _split(actions)
    sidecars, pointers = _sidecars(files)
    return {f"{version:020d}.checkpoint.{UUID}.parquet": parquet([*top, *pointers]), **sidecars}


def v2_without_sidecars(version: int, actions: list[Action]) -> Files:
    text = "\n".join(json.dumps(action) for action in actions)
    return {f"{version:020d}.checkpoint.{UUID}.json": text.encode()}


KINDS: list[Callable[[int, list[Action]], Files]] = [
    classic,
    multipart,
    v2_json,
    v2_parquet,
    v2_without_sidecars,
]


def _split(actions: list[Action]) -> tuple[list[Action], list[Action]]:
    files = [action for action in actions if {"add", "remove"} & set(action)]
    return files, [action for action in actions if action not in files]


def _sidecars(files: list[Action]) -> tuple[Files, list[Action]]:
    contents = {f"{n}.parquet": parquet(files[n::2]) for n in range(2)}
    pointers = [
        {"sidecar": {"path": name, "sizeInBytes": len(content)}}
        for name, content in contents.items()
    ]
    return {f"_sidecars/{name}": content for name, content in contents.items()}, pointers


def _pairs(value: Any, key: str = "") -> Any:
    """Objects that Arrow holds as maps, as lists of pairs."""
    if not isinstance(value, dict):
        return value
    if key in MAPS:
        return list(value.items())
    return {name: _pairs(member, name) for name, member in value.items()}
