"""Tables that use all that there is, and had their columns widened; Spark makes them."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from deltactl.table.state.files import prepare_state
from deltactl.table.state.live_adds import live_adds
from deltactl.table.table import open_table

PROPERTIES = """
    'delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true',
    'delta.enableRowTracking' = 'true', 'delta.enableChangeDataFeed' = 'true',
    'delta.enableInCommitTimestamps' = 'true', 'delta.enableTypeWidening' = 'true',
    'delta.feature.timestampNtz' = 'supported'
"""
WIDENED = {
    "b": "BIGINT",
    "amount": "DECIMAL(12,4)",
    "f": "DOUBLE",
    "l.element": "BIGINT",
    "m.key": "BIGINT",
    "m.value": "INT",
    "s.x": "BIGINT",
    "s.u.element.z": "INT",
}
OF_PARTITIONS = {"d": "TIMESTAMP_NTZ", "p": "INT"}
# The leaves of a file of the table as it is, by their names in Parquet's schema without groups.
TODAY = {
    "b": "INT64",
    "amount": "decimal(12,4)",
    "f": "DOUBLE",
    "l": "INT64",
    "m.key": "INT64",
    "m.value": "INT32",
    "x": "INT64",
    "z": "INT32",
}


def insert(spark: Any, table: str, first: int, end: int) -> None:
    spark.sql(
        f"""INSERT INTO {table} SELECT id, id, CAST(id % 100 + 0.25 AS DECIMAL(5,2)),
        CAST(id + 0.1 AS FLOAT), array(CAST(id AS INT), NULL),
        map(CAST(id AS INT), CAST(id % 7 AS SMALLINT)),
        named_struct('x', CAST(id AS INT), 'u', array(named_struct('z', CAST(id % 9 AS SMALLINT)))),
        if(id % 5 = 0, NULL, concat('n', id)), id, CAST(id % 2 AS SMALLINT), DATE'2020-01-01'
        FROM range({first}, {end}, 1, 1)"""
    )


def make(spark: Any, path: Path, *, clustered: bool) -> None:
    """Write the table: with partitions, or with clustering columns, and one cube of files."""
    table = f"delta.`{path}`"
    layout = "CLUSTER BY (k)" if clustered else "PARTITIONED BY (p, d)"
    spark.sql(
        f"""CREATE TABLE {table} (k INT, a INT, amount DECIMAL(5,2), f FLOAT, l ARRAY<INT>,
        m MAP<INT, SMALLINT>, s STRUCT<x: INT, u: ARRAY<STRUCT<z: SMALLINT>>>, note STRING,
        checked INT, p SMALLINT, d DATE) USING delta {layout} TBLPROPERTIES ({PROPERTIES})"""
    )
    spark.sql(f"ALTER TABLE {table} ADD CONSTRAINT fine CHECK (checked >= 0)")
    insert(spark, table, 0, 40)
    insert(spark, table, 40, 80)
    if clustered:
        spark.sql(f"OPTIMIZE {table}")
    spark.sql(f"DELETE FROM {table} WHERE k % 10 = 3")
    spark.sql(f"UPDATE {table} SET note = 'new' WHERE k % 20 = 4")
    spark.sql(f"ALTER TABLE {table} RENAME COLUMN a TO b")
    for column, data_type in (WIDENED if clustered else {**WIDENED, **OF_PARTITIONS}).items():
        spark.sql(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {data_type}")
    insert(spark, table, 80, 90)


def rows(spark: Any, path: Path, at: int | None = None, *, ids: bool = True) -> list[str]:
    """Every row, with its id and the version that wrote it."""
    more = ", _metadata.row_id, _metadata.row_commit_version" if ids else ""
    version = "" if at is None else f" VERSION AS OF {at}"
    found = spark.sql(f"SELECT *{more} FROM delta.`{path}`{version}").collect()
    return sorted(map(str, found))


def leaves(path: Path) -> set[tuple[str, str]]:
    """The leaves of all live files: their names for people, and their physical types."""
    snapshot = open_table(str(path)).snapshot()
    names = {}

    def note(fields: list[dict[str, Any]]) -> None:
        for field in fields:
            metadata = field["metadata"]
            names[metadata.get("delta.columnMapping.physicalName", field["name"])] = field["name"]
            inner = field["type"]
            while isinstance(inner, dict) and inner["type"] == "array":
                inner = inner["elementType"]
            if isinstance(inner, dict) and inner["type"] == "struct":
                note(inner["fields"])

    note(json.loads(snapshot.metadata.schema_string or "")["fields"])
    found = set()
    for add in live_adds(prepare_state(snapshot)):
        schema = pq.read_metadata(path / add.path).schema
        for place in range(len(schema)):
            column = schema.column(place)
            steps = [names.get(step, step) for step in column.path.split(".")]
            known = [s for s in steps if s not in ("list", "element", "key_value")]
            name = ".".join(known[-2:] if known[-1] in ("key", "value") else known[-1:])
            logical = json.loads(column.logical_type.to_json())
            if logical["Type"] == "Decimal":
                kind = f"decimal({logical['precision']},{logical['scale']})"
            else:
                kind = column.physical_type
            found.add((name, kind))
    return found


def commit(path: Path, version: int) -> list[dict[str, Any]]:
    text = (path / "_delta_log" / f"{version:020d}.json").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def newest(path: Path) -> int:
    return max(int(file.name[:20]) for file in (path / "_delta_log").glob("*.json"))
