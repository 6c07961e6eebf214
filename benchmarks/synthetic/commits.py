"""A table with thousands of commits and no checkpoint, whose schema changes now and then."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

from benchmarks.synthetic.table import (
    Action,
    column,
    commit_info,
    compact,
    event_columns,
    metadata,
    protocol,
    type_change,
    write_commit,
)

CHANGE_EVERY = 500
METRICS = 27  # with the events' own columns these make the 32 that Delta keeps statistics of
UPGRADES = ("changeDataFeed", "checkConstraints", "generatedColumns", "allowColumnDefaults")
MINIMUM = {
    "integer": 17,
    "long": 1_000_003,
    "double": 0.25,
    "string": "AR",
    "timestamp": "2026-01-05T00:00:03.000Z",
}
MAXIMUM = {
    "integer": 998_244,
    "long": 9_876_543_210,
    "double": 5000.75,
    "string": "ZW",
    "timestamp": "2026-01-05T23:59:57.000Z",
}


def write_commit_log(log: Path, *, commits: int) -> None:
    """Write `commits` commits: one file each, but every 500th changes the table itself."""
    table = _Table()
    source = random.Random(commits)
    changes = table.changes()
    for version in range(commits):
        if version == 0:
            actions = table.creation()
        elif version % CHANGE_EVERY == 0:
            actions = next(changes)(version)
        else:
            actions = table.append(version, UUID(int=source.getrandbits(128), version=4))
        write_commit(log, version, actions)


class _Table:
    """What the commits so far have made of the table; each method returns one more commit."""

    def __init__(self) -> None:
        metrics = [column(f"line_{n:02}_temperature_celsius", "integer") for n in range(METRICS)]
        self._columns = [*event_columns(partitioned=False, widened=False), *metrics]
        self._properties: dict[str, str] = {}
        self._upgrades: list[str] = []

    def creation(self) -> list[Action]:
        info = commit_info(0, "CREATE TABLE", {"partitionBy": "[]", "properties": "{}"})
        legacy = {"minReaderVersion": 1, "minWriterVersion": 2}
        return [{"commitInfo": info}, {"protocol": legacy}, self._metadata()]

    def append(self, version: int, uuid: UUID) -> list[Action]:
        records = 50_000 + version % 8192
        indexed = self._columns[:32]
        stats = {
            "numRecords": records,
            "minValues": {c["name"]: MINIMUM[c["type"]] for c in indexed},
            "maxValues": {c["name"]: MAXIMUM[c["type"]] for c in indexed},
            "nullCount": {c["name"]: version % 7 for c in indexed},
        }
        size = records * 64
        info = commit_info(
            version,
            "WRITE",
            {"mode": "Append", "partitionBy": "[]"},
            {"numFiles": "1", "numOutputRows": str(records), "numOutputBytes": str(size)},
        )
        add = {
            "path": f"part-00000-{uuid}-c000.snappy.parquet",
            "partitionValues": {},
            "size": size,
            "modificationTime": info["timestamp"],
            "dataChange": True,
            "stats": compact(stats),
        }
        return [{"commitInfo": info}, {"add": add}]

    def changes(self) -> Iterator[Callable[[int], list[Action]]]:
        """Yield the changes to make, forever; the first enables what the others need."""
        yield self._enable_type_widening
        while True:
            yield self._add_column
            yield self._widen_column
            yield self._set_property
            yield self._upgrade_protocol

    def _enable_type_widening(self, version: int) -> list[Action]:
        return [
            *self._property_change(version, "delta.enableTypeWidening", "true"),
            self._protocol(),
        ]

    def _set_property(self, version: int) -> list[Action]:
        return self._property_change(version, "pipeline.release", f"2026.{version}")

    def _property_change(self, version: int, name: str, value: str) -> list[Action]:
        self._properties[name] = value
        parameters = {"properties": compact({name: value})}
        info = commit_info(version, "SET TBLPROPERTIES", parameters)
        return [{"commitInfo": info}, self._metadata()]

    def _add_column(self, version: int) -> list[Action]:
        added = column(f"note_{version:05}", "string")
        self._columns.append(added)
        info = commit_info(version, "ADD COLUMNS", {"columns": compact([{"column": added}])})
        return [{"commitInfo": info}, self._metadata()]

    def _widen_column(self, version: int) -> list[Action]:
        """Widen the first column that still can be; with none left, add another."""
        places = [n for n, c in enumerate(self._columns) if c["type"] == "integer"]
        if not places:
            return self._add_column(version)
        name = self._columns[places[0]]["name"]
        info = commit_info(version, "CHANGE COLUMN", {"column": compact(column(name, "long"))})
        self._columns[places[0]] = column(name, "long", type_change("integer", "long"))
        return [{"commitInfo": info}, self._metadata()]

    def _upgrade_protocol(self, version: int) -> list[Action]:
        """Add the next feature; with none left, set a property."""
        if len(self._upgrades) == len(UPGRADES):
            return self._set_property(version)
        self._upgrades.append(UPGRADES[len(self._upgrades)])
        action = self._protocol()
        parameters = {"newProtocol": compact(action["protocol"])}
        return [{"commitInfo": commit_info(version, "UPGRADE PROTOCOL", parameters)}, action]

    def _protocol(self) -> Action:
        return {"protocol": protocol(*self._upgrades)}

    def _metadata(self) -> Action:
        return {"metaData": metadata(self._columns, partitioned=False, properties=self._properties)}
