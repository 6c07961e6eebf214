"""A table that uses all that there is, on which nothing is wrong, and ways to break it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

PROPERTIES = """
    'delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true',
    'delta.enableRowTracking' = 'true', 'delta.enableChangeDataFeed' = 'true',
    'delta.enableInCommitTimestamps' = 'true', 'delta.enableTypeWidening' = 'true',
    'delta.feature.timestampNtz' = 'supported', 'delta.feature.invariants' = 'supported',
    'delta.checkpointInterval' = '100'
"""
Action = dict[str, Any]


def make(spark: Any, path: Path) -> None:
    """Write the table: columns `id` and `day` are for engines to fill."""
    table = f"delta.`{path}`"
    spark.sql(
        f"""CREATE TABLE {table} (
        id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 10 INCREMENT BY 5), k INT NOT NULL,
        name STRING, n STRUCT<u: INT NOT NULL, v: STRING> NOT NULL, amount DECIMAL(10,2),
        f DOUBLE, g FLOAT, t TIMESTAMP, tn TIMESTAMP_NTZ, d DATE, b BOOLEAN, bin BINARY,
        l ARRAY<INT>, m MAP<STRING, STRUCT<x: INT>>, note STRING, p STRING,
        day DATE GENERATED ALWAYS AS (CAST(t AS DATE)))
        USING delta PARTITIONED BY (p) TBLPROPERTIES ({PROPERTIES})"""
    )
    spark.sql(f"ALTER TABLE {table} ADD CONSTRAINT fine CHECK (k >= 0 AND length(name) > 1)")
    for first in (0, 40):
        _insert(spark, table, first, first + 40)
    spark.sql(f"DELETE FROM {table} WHERE k % 10 = 3")
    spark.sql(f"UPDATE {table} SET note = 'new' WHERE k % 20 = 4")
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN note TO remark")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN d TYPE TIMESTAMP_NTZ")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN g TYPE DOUBLE")
    spark.sql(
        f"""INSERT INTO {table} (k, name, n, p, t) VALUES
        (1000000, 'last', named_struct('u', 1, 'v', 'w'), NULL, NULL)"""
    )


NAMES = "k, name, n, amount, f, g, t, tn, d, b, bin, l, m, note, p"


def _insert(spark: Any, table: str, first: int, end: int) -> None:
    spark.sql(
        f"""INSERT INTO {table} ({NAMES}) SELECT CAST(id AS INT), concat('name ', id),
        named_struct('u', CAST(id AS INT), 'v', if(id % 3 = 0, NULL, repeat('é', 20 + id))),
        if(id % 4 = 0, NULL, CAST(id * 1.25 AS DECIMAL(10,2))),
        if(id % 7 = 0, double('NaN'), if(id % 7 = 1, double('-Infinity'), id / 3)),
        CAST(id + 0.5 AS FLOAT),
        timestamp_micros(id * 1000003 - 20000000),
        CAST(timestamp_micros(id * 777777) AS TIMESTAMP_NTZ),
        date_add(DATE'1960-01-01', CAST(id AS INT)), id % 2 = 0, CAST(CAST(id AS STRING) AS BINARY),
        array(CAST(id AS INT), NULL), map('a', named_struct('x', CAST(id AS INT))),
        if(id % 5 = 0, NULL, repeat('long text ', 10)), if(id % 2 = 0, 'x y', 'ü%+')
        FROM range({first}, {end}, 1, 1)"""
    )


def edit(path: Path, change: Callable[[Action], None]) -> None:
    """Change the actions of every commit, and take away what would contradict them."""
    log = path / "_delta_log"
    for file in log.glob("*.crc"):
        file.unlink()
    for file in log.glob(".*.crc"):
        file.unlink()
    for file in log.glob("*.json"):
        actions = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for action in actions:
            change(action)
        file.write_text("".join(json.dumps(action) + "\n" for action in actions), encoding="utf-8")


def with_stats(change: Callable[[Action], None]) -> Callable[[Action], None]:
    """A change of the statistics of every add that has them."""

    def changed(action: Action) -> None:
        add = action.get("add")
        if add and "stats" in add:
            said = json.loads(add["stats"])
            change(said)
            add["stats"] = json.dumps(said)

    return changed


def with_schema(change: Callable[[dict[str, Action]], None]) -> Callable[[Action], None]:
    """A change of the columns, given by their names, in every schema that has them all."""

    def changed(action: Action) -> None:
        if metadata := action.get("metaData"):
            schema = json.loads(metadata["schemaString"])
            change({field["name"]: field for field in schema["fields"]})
            metadata["schemaString"] = json.dumps(schema)

    return changed


def physical_names(path: Path) -> dict[str, str]:
    """The names by which files know the columns that were there from the beginning."""
    for action in _actions(path):
        if metadata := action.get("metaData"):
            fields = json.loads(metadata["schemaString"])["fields"]
            return {f["name"]: f["metadata"]["delta.columnMapping.physicalName"] for f in fields}
    raise AssertionError("the log has no metadata")


def _actions(path: Path) -> Iterator[Action]:
    for file in sorted((path / "_delta_log").glob("*.json")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)
