"""Small schemas and logs, as JSON and on disk, for tests that need a table of their own."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from deltactl.spec.schema.schema import parse_schema
from deltactl.spec.schema.types import Struct

Field = dict[str, Any]
Action = dict[str, Any]

LEGACY: Action = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}


def field(name: str, data_type: Any, **metadata: Any) -> Field:
    return {"name": name, "type": data_type, "nullable": True, "metadata": metadata}


def mapped(name: str, number: int, physical: str, data_type: Any, **metadata: Any) -> Field:
    """A field with its keys of column mapping."""
    keys = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": physical}
    return field(name, data_type, **keys, **metadata)


def struct(*fields: Field) -> dict[str, Any]:
    return {"type": "struct", "fields": list(fields)}


def array(element: Any) -> dict[str, Any]:
    return {"type": "array", "elementType": element, "containsNull": True}


def mapping(key: Any, value: Any) -> dict[str, Any]:
    return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}


def schema(*fields: Field) -> Struct:
    return parse_schema(json.dumps(struct(*fields)))


def metadata(*fields: Field, **configuration: str) -> Action:
    """A metaData; a key of its configuration is given without the `delta.` before it."""
    return {
        "metaData": {
            "id": "5f3c3f0e-2f6b-4d0e-9a57-6f1f7c1d0001",
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps(struct(*fields)),
            "partitionColumns": [],
            "configuration": {f"delta.{key}": value for key, value in configuration.items()},
        }
    }


def protocol(*, reader: Sequence[str] = (), writer: Sequence[str] = ()) -> Action:
    """A protocol with features; those for readers stand in both lists."""
    both = {"writerFeatures": [*reader, *writer]}
    if not reader:
        return {"protocol": {"minReaderVersion": 1, "minWriterVersion": 7, **both}}
    lists = {"readerFeatures": [*reader], **both}
    return {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **lists}}


def commit_info(**more: Any) -> Action:
    return {"commitInfo": {"operation": "WRITE", "operationParameters": {}, **more}}


def write_log(
    root: Path,
    commits: Iterable[Sequence[Action] | str],
    *,
    first: int = 0,
    times: Sequence[int] | None = None,
    others: Mapping[str, bytes] | None = None,
) -> str:
    """Write commits from version `first` on, and other files of the log; the table's path.

    A commit is its actions, or its text where that is broken. `times` are those of the commits'
    files, in milliseconds.
    """
    log = root / "_delta_log"
    log.mkdir()
    for place, commit in enumerate(commits):
        file = log / f"{first + place:020d}.json"
        text = commit if isinstance(commit, str) else "".join(f"{json.dumps(a)}\n" for a in commit)
        file.write_text(text)
        if times is not None:
            os.utime(file, ns=(times[place] * 1_000_000,) * 2)
    for name, content in (others or {}).items():
        file = log / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
    return str(root)
