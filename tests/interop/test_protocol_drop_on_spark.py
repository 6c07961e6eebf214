"""Features that deltactl dropped from tables of Spark, and writers that were under way."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from deltactl.cli.app import main

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.jvm

Sql = Callable[..., list[tuple[Any, ...]]]
IDS = "SELECT id, _metadata.row_id FROM {} ORDER BY id"


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "table")


@pytest.fixture
def sql(spark: "SparkSession", folder: str) -> Sql:
    """Run a statement, in which {} is the table."""

    def run(statement: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in spark.sql(statement.format(f"delta.`{folder}`")).collect()]

    return run


def fill(sql: Sql, clauses: str = "") -> None:
    """Create the table with the rows 1 to 6 in three files: versions 0 to 3."""
    sql(f"CREATE TABLE {{}} (id BIGINT) USING delta {clauses}")
    for low in (1, 3, 5):
        sql(f"INSERT INTO {{}} SELECT /*+ COALESCE(1) */ id FROM range({low}, {low + 2})")


def actions(folder: str, version: int) -> list[dict[str, Any]]:
    name = Path(folder, "_delta_log", f"{version:020d}.json")
    return [json.loads(line) for line in name.read_text().splitlines()]


def protocol(folder: str, version: int) -> dict[str, Any]:
    return next(a["protocol"] for a in actions(folder, version) if "protocol" in a)


def drop(folder: str, feature: str) -> None:
    assert main(["protocol", "drop", folder, feature, "--yes"]) == 0


LEGACY = {"minReaderVersion": 1, "minWriterVersion": 2}


def test_row_tracking(sql: Sql, folder: str) -> None:
    fill(sql, "TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    drop(folder, "rowTracking")
    drop(folder, "domainMetadata")
    assert protocol(folder, 5) == LEGACY
    sql("INSERT INTO {} VALUES (7)")
    sql("DELETE FROM {} WHERE id = 3")
    assert sql("SELECT id FROM {} ORDER BY id") == [(1,), (2,), (4,), (5,), (6,), (7,)]
    assert [row[4] for row in sql("DESCRIBE HISTORY {}")][2:4] == ["DROP FEATURE", "DROP FEATURE"]
    sql("ALTER TABLE {} SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    sql("INSERT INTO {} VALUES (8)")
    found = sql(IDS)
    assert [row[0] for row in found] == [1, 2, 4, 5, 6, 7, 8]
    assert len({row[1] for row in found}) == 7


def test_row_tracking_dropped_and_enabled_again(sql: Sql, folder: str) -> None:
    """Ids that rewritten files keep under the old names must not come back."""
    fill(sql, "TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    sql("UPDATE {} SET id = 60 WHERE id = 6")
    drop(folder, "rowTracking")
    assert main(["protocol", "enable", folder, "rowTracking", "--yes"]) == 0
    sql("INSERT INTO {} VALUES (70)")
    found = sql(IDS)
    assert [row[0] for row in found] == [1, 2, 3, 4, 5, 60, 70]
    assert len({row[1] for row in found}) == 7


def test_in_commit_timestamps(sql: Sql, folder: str) -> None:
    fill(sql)
    sql("ALTER TABLE {} SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')")
    drop(folder, "inCommitTimestamp")
    assert protocol(folder, 5) == LEGACY
    sql("INSERT INTO {} VALUES (7)")
    assert sql("SELECT count(*) FROM {}") == [(7,)]
    history = sql("DESCRIBE HISTORY {}")
    assert [row[0] for row in history] == [6, 5, 4, 3, 2, 1, 0]
    times = [row[1] for row in history]
    assert times == sorted(times, reverse=True)
    sql("ALTER TABLE {} SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')")
    assert len(sql("DESCRIBE HISTORY {}")) == 8


def test_check_constraints(sql: Sql, folder: str) -> None:
    fill(sql)
    sql("ALTER TABLE {} ADD CONSTRAINT small CHECK (id < 10)")
    assert main(["protocol", "drop", folder, "checkConstraints", "--yes"]) == 4
    sql("ALTER TABLE {} DROP CONSTRAINT small")
    drop(folder, "checkConstraints")
    assert protocol(folder, 6) == LEGACY
    sql("INSERT INTO {} VALUES (11)")
    assert sql("SELECT count(*) FROM {}") == [(7,)]


def test_materialized_partition_columns(sql: Sql, folder: str) -> None:
    fill(sql, "TBLPROPERTIES ('delta.enableMaterializePartitionColumnsFeature' = 'true')")
    drop(folder, "materializePartitionColumns")
    assert protocol(folder, 4) == LEGACY
    sql("INSERT INTO {} VALUES (7)")
    assert sql("SELECT count(*) FROM {}") == [(7,)]


# ---- Writers that began before the feature came, and commit after it


def begin(spark: "SparkSession", folder: str, *, deletes: bool = False) -> Callable[[], int]:
    """Begin a transaction of Spark on the first file: it adds a copy, or deletes the file.

    What is returned commits it.
    """
    delta = spark._jvm.org.apache.spark.sql.delta
    transaction = delta.DeltaLog.forTable(spark._jsparkSession, folder).startTransaction()
    add = next(a["add"] for a in actions(folder, 1) if "add" in a)
    copy = "copy.parquet"
    Path(folder, copy).write_bytes(Path(folder, add["path"]).read_bytes())
    action: dict[str, Any] = {"add": {**add, "path": copy}}
    if deletes:
        transaction.filterFiles()
        body = {
            "path": add["path"],
            "deletionTimestamp": 1,
            "dataChange": True,
            "size": add["size"],
        }
        action = {"remove": body}
    parsed = delta.actions.Action.fromJson(json.dumps(action))
    operation = getattr(getattr(delta, "DeltaOperations$ManualUpdate$"), "MODULE$")
    lot = spark._jvm.java.util.ArrayList()
    lot.add(parsed)
    converters = spark._jvm.scala.jdk.javaapi.CollectionConverters
    return lambda: transaction.commit(converters.asScala(lot).toSeq(), operation)


@pytest.mark.parametrize(
    "feature", ["rowTracking", "columnMapping", "inCommitTimestamp", "domainMetadata"]
)
def test_an_append_under_way_goes_on(
    spark: "SparkSession", sql: Sql, folder: str, feature: str
) -> None:
    fill(sql)
    commit = begin(spark, folder)
    assert main(["protocol", "enable", folder, feature, "--yes"]) == 0
    assert commit() == 5
    if feature == "rowTracking":
        found = sql(IDS)
        assert len(found) == 8
        assert sorted(row[1] for row in found) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert sql("SELECT count(*) FROM {}") == [(8,)]
    assert len(sql("DESCRIBE HISTORY {}")) == 6


def test_a_delete_under_way_goes_on(spark: "SparkSession", sql: Sql, folder: str) -> None:
    """It does because the operation is the backfill; the file does not come back by it."""
    fill(sql)
    commit = begin(spark, folder, deletes=True)
    assert main(["protocol", "enable", folder, "rowTracking", "--yes"]) == 0
    assert commit() == 5
    sql("INSERT INTO {} VALUES (7)")
    found = sql(IDS)
    assert [row[0] for row in found] == [3, 4, 5, 6, 7]
    assert len({row[1] for row in found}) == 5


@pytest.mark.parametrize("feature", ["changeDataFeed", "appendOnly"])
def test_an_append_under_way_stops(
    spark: "SparkSession", sql: Sql, folder: str, feature: str
) -> None:
    fill(sql)
    commit = begin(spark, folder)
    assert main(["protocol", "enable", folder, feature, "--yes"]) == 0
    with pytest.raises(Exception, match="DELTA_METADATA_CHANGED"):
        commit()
    assert sql("SELECT count(*) FROM {}") == [(6,)]
    assert len(sql("DESCRIBE HISTORY {}")) == 5


def test_a_feature_that_goes_stops_writers_under_way(
    spark: "SparkSession", sql: Sql, folder: str
) -> None:
    fill(sql, "TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    commit = begin(spark, folder)
    drop(folder, "rowTracking")
    with pytest.raises(Exception, match="DELTA_PROTOCOL_CHANGED"):
        commit()
    sql("INSERT INTO {} VALUES (7)")
    assert all("baseRowId" not in a["add"] for a in actions(folder, 5) if "add" in a)
