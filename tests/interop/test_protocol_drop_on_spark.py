"""Features that deltactl dropped from tables of Spark, and writers that were under way."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from spark_table import SparkTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.jvm

IDS = "SELECT id, _metadata.row_id FROM TABLE_ ORDER BY id"


@pytest.fixture
def table(spark: "SparkSession", tmp_path: Path) -> SparkTable:
    return SparkTable(spark, tmp_path / "table")


def fill(table: SparkTable, clauses: str = "") -> None:
    """Create the table with the rows 1 to 6 in three files: versions 0 to 3."""
    table.sql(f"CREATE TABLE TABLE_ (id BIGINT) USING delta {clauses}")
    for low in (1, 3, 5):
        table.sql(f"INSERT INTO TABLE_ SELECT /*+ COALESCE(1) */ id FROM range({low}, {low + 2})")


LEGACY = {"minReaderVersion": 1, "minWriterVersion": 2}


def test_row_tracking(table: SparkTable) -> None:
    fill(table, "TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    table.deltactl("protocol drop", "rowTracking")
    table.deltactl("protocol drop", "domainMetadata")
    assert table.action(5, "protocol") == LEGACY
    table.sql("INSERT INTO TABLE_ VALUES (7)")
    table.sql("DELETE FROM TABLE_ WHERE id = 3")
    assert table.sql("SELECT id FROM TABLE_ ORDER BY id") == [(1,), (2,), (4,), (5,), (6,), (7,)]
    assert table.history("operation")[2:4] == [("DROP FEATURE",)] * 2
    table.sql("ALTER TABLE TABLE_ SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    table.sql("INSERT INTO TABLE_ VALUES (8)")
    found = table.sql(IDS)
    assert [row[0] for row in found] == [1, 2, 4, 5, 6, 7, 8]
    assert len({row[1] for row in found}) == 7


def test_row_tracking_dropped_and_enabled_again(table: SparkTable) -> None:
    """Ids that rewritten files keep under the old names must not come back."""
    fill(table, "TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    table.sql("UPDATE TABLE_ SET id = 60 WHERE id = 6")
    table.deltactl("protocol drop", "rowTracking")
    table.deltactl("protocol enable", "rowTracking")
    table.sql("INSERT INTO TABLE_ VALUES (70)")
    found = table.sql(IDS)
    assert [row[0] for row in found] == [1, 2, 3, 4, 5, 60, 70]
    assert len({row[1] for row in found}) == 7


def test_in_commit_timestamps(table: SparkTable) -> None:
    fill(table)
    table.sql("ALTER TABLE TABLE_ SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')")
    table.deltactl("protocol drop", "inCommitTimestamp")
    assert table.action(5, "protocol") == LEGACY
    table.sql("INSERT INTO TABLE_ VALUES (7)")
    assert table.sql("SELECT count(*) FROM TABLE_") == [(7,)]
    history = table.sql("DESCRIBE HISTORY TABLE_")
    assert [row[0] for row in history] == [6, 5, 4, 3, 2, 1, 0]
    times = [row[1] for row in history]
    assert times == sorted(times, reverse=True)
    table.sql("ALTER TABLE TABLE_ SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')")
    assert len(table.sql("DESCRIBE HISTORY TABLE_")) == 8


def test_check_constraints(table: SparkTable) -> None:
    fill(table)
    table.sql("ALTER TABLE TABLE_ ADD CONSTRAINT small CHECK (id < 10)")
    table.deltactl("protocol drop", "checkConstraints", exit_code=4)
    table.sql("ALTER TABLE TABLE_ DROP CONSTRAINT small")
    table.deltactl("protocol drop", "checkConstraints")
    assert table.action(6, "protocol") == LEGACY
    table.sql("INSERT INTO TABLE_ VALUES (11)")
    assert table.sql("SELECT count(*) FROM TABLE_") == [(7,)]


def test_materialized_partition_columns(table: SparkTable) -> None:
    fill(table, "TBLPROPERTIES ('delta.enableMaterializePartitionColumnsFeature' = 'true')")
    table.deltactl("protocol drop", "materializePartitionColumns")
    assert table.action(4, "protocol") == LEGACY
    table.sql("INSERT INTO TABLE_ VALUES (7)")
    assert table.sql("SELECT count(*) FROM TABLE_") == [(7,)]


# ---- Writers that began before the feature came, and commit after it


def begin(table: SparkTable, *, deletes: bool = False) -> Callable[[], int]:
    """Begin a transaction of Spark on the first file: it adds a copy, or deletes the file.

    What is returned commits it.
    """
    spark = table.spark
    delta = spark._jvm.org.apache.spark.sql.delta
    transaction = delta.DeltaLog.forTable(spark._jsparkSession, table.folder).startTransaction()
    add = table.action(1, "add")
    copy = "copy.parquet"
    Path(table.folder, copy).write_bytes(Path(table.folder, add["path"]).read_bytes())
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
def test_an_append_under_way_goes_on(table: SparkTable, feature: str) -> None:
    fill(table)
    commit = begin(table)
    table.deltactl("protocol enable", feature)
    assert commit() == 5
    if feature == "rowTracking":
        found = table.sql(IDS)
        assert len(found) == 8
        assert sorted(row[1] for row in found) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert table.sql("SELECT count(*) FROM TABLE_") == [(8,)]
    assert len(table.sql("DESCRIBE HISTORY TABLE_")) == 6


def test_a_delete_under_way_goes_on(table: SparkTable) -> None:
    """It does because the operation is the backfill; the file does not come back by it."""
    fill(table)
    commit = begin(table, deletes=True)
    table.deltactl("protocol enable", "rowTracking")
    assert commit() == 5
    table.sql("INSERT INTO TABLE_ VALUES (7)")
    found = table.sql(IDS)
    assert [row[0] for row in found] == [3, 4, 5, 6, 7]
    assert len({row[1] for row in found}) == 5


@pytest.mark.parametrize("feature", ["changeDataFeed", "appendOnly"])
def test_an_append_under_way_stops(table: SparkTable, feature: str) -> None:
    fill(table)
    commit = begin(table)
    table.deltactl("protocol enable", feature)
    with pytest.raises(Exception, match="DELTA_METADATA_CHANGED"):
        commit()
    assert table.sql("SELECT count(*) FROM TABLE_") == [(6,)]
    assert len(table.sql("DESCRIBE HISTORY TABLE_")) == 5


def test_a_feature_that_goes_stops_writers_under_way(table: SparkTable) -> None:
    fill(table, "TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    commit = begin(table)
    table.deltactl("protocol drop", "rowTracking")
    with pytest.raises(Exception, match="DELTA_PROTOCOL_CHANGED"):
        commit()
    table.sql("INSERT INTO TABLE_ VALUES (7)")
    assert all("baseRowId" not in a["add"] for a in table.commit(5) if "add" in a)
