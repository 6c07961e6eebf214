"""A copy of a sound table, and ways to spoil one thing in it."""

import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

Change = Callable[[dict[str, Any]], object]


class Plant:
    """A table's files on disk; versions are named by their number."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.log = root / "_delta_log"

    def commit(self, version: int) -> Path:
        return self.log / f"{version:020d}.json"

    def checksum(self, version: int) -> Path:
        return self.log / f"{version:020d}.crc"

    def only(self, pattern: str) -> Path:
        """The one file of the table that fits."""
        (found,) = self.root.glob(pattern)
        return found

    def actions(self, version: int) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.commit(version).read_text().splitlines()]

    def write(self, version: int, actions: list[dict[str, Any]]) -> None:
        self.commit(version).write_text("".join(f"{json.dumps(action)}\n" for action in actions))

    def edit(self, version: int, kind: str, change: Change) -> None:
        """Change the body of the first action of the kind."""
        actions = self.actions(version)
        change(next(action[kind] for action in actions if kind in action))
        self.write(version, actions)

    def append(self, version: int, *actions: dict[str, Any]) -> None:
        self.write(version, [*self.actions(version), *actions])

    def edit_json(self, path: Path, change: Change) -> None:
        value = json.loads(path.read_text())
        change(value)
        path.write_text(json.dumps(value))

    def edit_schema(self, version: int, change: Change) -> None:
        """Change the schema in the commit's metaData."""

        def inside(body: dict[str, Any]) -> None:
            schema = json.loads(body["schemaString"])
            change(schema)
            body["schemaString"] = json.dumps(schema)

        self.edit(version, "metaData", inside)

    def edit_stats(self, version: int, change: Change) -> None:
        """Change the statistics of the commit's first add."""

        def inside(body: dict[str, Any]) -> None:
            stats = json.loads(body["stats"])
            change(stats)
            body["stats"] = json.dumps(stats)

        self.edit(version, "add", inside)

    def edit_checkpoint(
        self, name: str, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
    ) -> None:
        """Write the rows of a checkpoint's parquet file again."""
        path = self.only(f"_delta_log/{name}")
        table = pq.read_table(path)
        rows = change(table.to_pylist())
        pq.write_table(pa.Table.from_pylist(rows, table.schema), path)

    def rows(self, name: str) -> list[dict[str, Any]]:
        """The rows of a checkpoint's parquet file."""
        found: list[dict[str, Any]] = pq.read_table(self.only(f"_delta_log/{name}")).to_pylist()
        return found

    def side_file(self, path: Path) -> Path:
        """Write Hadoop's side file of a file, as it should be."""
        data = path.read_bytes()
        sums = [zlib.crc32(data[start : start + 512]) for start in range(0, len(data), 512)]
        side = path.with_name(f".{path.name}.crc")
        side.write_bytes(b"crc\0" + struct.pack(f">I{len(sums)}I", 512, *sums))
        return side


def flip(path: Path, place: int) -> None:
    """Turn one bit of a file's byte; a negative place counts from the end."""
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


class Fault(NamedTuple):
    """One fault, and what is to be found: each code, with part of its subject.

    Checksums say what was before, and are taken away from tables whose commits are changed.
    """

    name: str
    table: str
    plant: Callable[[Plant], object]
    found: dict[str, str]
    options: tuple[str, ...] = ()
    keeps_checksums: bool = False
