"""A small table to damage: version 0 creates it, versions 1 to 3 add one file each."""

import json
from pathlib import Path
from typing import Any

CREATE = (
    '{"commitInfo":{"timestamp":1700000000000,"operation":"CREATE TABLE","operationParameters":'
    '{"isManaged":"false","description":null,"partitionBy":"[]","properties":"{}"},'
    '"isolationLevel":"Serializable","isBlindAppend":true,"operationMetrics":{},'
    '"engineInfo":"Apache-Spark/4.2.0 Delta-Lake/4.4.0",'
    '"txnId":"00000000-0000-4000-8000-00000000000a"}}'
)
PROTOCOL: dict[str, Any] = {"minReaderVersion": 1, "minWriterVersion": 2}
ID_COLUMN: dict[str, Any] = {"name": "id", "type": "long", "nullable": True, "metadata": {}}
METADATA: dict[str, Any] = {
    "id": "5f3c3f0e-2f6b-4d0e-9a57-6f1f7c1d0001",
    "format": {"provider": "parquet", "options": {}},
    "schemaString": '{"type":"struct","fields":'
    '[{"name":"id","type":"long","nullable":true,"metadata":{}}]}',
    "partitionColumns": [],
    "configuration": {},
    "createdTime": 1700000000000,
}


def commit(version: int) -> str:
    """The name of the commit file of `version`."""
    return f"{version:020d}.json"


def line(action: str, value: object) -> str:
    """One line of a commit, as writers put it: no blanks, one key."""
    return json.dumps({action: value}, separators=(",", ":"))


def schema(*fields: dict[str, Any]) -> str:
    """A schemaString of these fields."""
    return json.dumps({"type": "struct", "fields": list(fields)})


def commit_info(version: int, **more: object) -> str:
    """The commitInfo line of an append, with `more` fields in it or replaced."""
    return line(
        "commitInfo",
        {
            "timestamp": 1700000000000 + version * 1000,
            "operation": "WRITE",
            "operationParameters": {"mode": "Append", "partitionBy": "[]"},
            "readVersion": version - 1,
            "isolationLevel": "Serializable",
            "isBlindAppend": True,
            "operationMetrics": {"numFiles": "1", "numOutputRows": "1", "numOutputBytes": "500"},
            "engineInfo": "Apache-Spark/4.2.0 Delta-Lake/4.4.0",
            "txnId": f"00000000-0000-4000-8000-{version:012d}",
            **more,
        },
    )


def add_fields(path: str, **more: object) -> dict[str, Any]:
    """The fields of an `add` of one row, with `more` fields in it or replaced."""
    return {
        "path": path,
        "partitionValues": {},
        "size": 500,
        "modificationTime": 1700000000000,
        "dataChange": True,
        "stats": '{"numRecords":1,"minValues":{"id":1},"maxValues":{"id":1},"nullCount":{"id":0}}',
        **more,
    }


def add(path: str, **more: object) -> str:
    """The line of `add_fields`."""
    return line("add", add_fields(path, **more))


def remove(path: str, **more: object) -> str:
    """The line that removes `path`."""
    return line(
        "remove", {"path": path, "deletionTimestamp": 1700000009000, "dataChange": True, **more}
    )


class Table:
    """A table under construction: change `commits` and `extra`, then `write`.

    `commits` holds the lines of each version; `extra` holds other files, or replaces a commit
    with raw bytes, by path below the table. Data files are made only where a case needs them.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.commits: dict[int, list[str]] = {
            0: [CREATE, line("protocol", PROTOCOL), line("metaData", METADATA)]
        }
        for version in (1, 2, 3):
            self.commits[version] = [commit_info(version), add(f"part-{version}.parquet")]
        self.extra: dict[str, bytes] = {}

    def protocol(self, reader: int, writer: int, **lists: list[str]) -> None:
        """Replace the protocol of version 0."""
        fields = {"minReaderVersion": reader, "minWriterVersion": writer, **lists}
        self.commits[0][1] = line("protocol", fields)

    def metadata(self, **more: object) -> None:
        """Replace fields of the metaData of version 0."""
        self.commits[0][2] = line("metaData", {**METADATA, **more})

    def add_line(self, version: int, *lines: str) -> None:
        """Append lines to a commit, which is made with its commitInfo if it is not there."""
        self.commits.setdefault(version, [commit_info(version)]).extend(lines)

    def log_file(self, name: str, content: bytes | str) -> None:
        """Put a file below `_delta_log`."""
        self.extra[f"_delta_log/{name}"] = (
            content if isinstance(content, bytes) else content.encode()
        )

    def write(self) -> None:
        """Put everything on disk."""
        for version, lines in self.commits.items():
            content = "".join(f"{text}\n" for text in lines).encode()
            self.extra.setdefault(f"_delta_log/{commit(version)}", content)
        for path, content in self.extra.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
