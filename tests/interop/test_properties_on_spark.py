"""Properties and domains that deltactl set: Spark lists them, obeys them, and builds on them."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deltalake import DeltaTable
from spark_table import SparkTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.jvm


@pytest.fixture
def table(spark: "SparkSession", tmp_path: Path) -> SparkTable:
    table = SparkTable(spark, tmp_path / "table")
    table.sql("CREATE TABLE TABLE_ (id INT, s STRING) USING delta")
    table.sql("INSERT INTO TABLE_ SELECT /*+ COALESCE(1) */ CAST(id AS INT), 'a' FROM range(6)")
    return table


def properties(table: SparkTable) -> dict[str, str]:
    found = table.sql("SHOW TBLPROPERTIES TABLE_")
    return {key: value for key, value in found if not key.startswith("delta.feature.")}


def test_plain_properties(table: SparkTable) -> None:
    settings = ("delta.logRetentionDuration=interval 9 days", "team=a 'b'", "DELTA.appendonly=TRUE")
    table.deltactl("property set", *settings)
    shown = properties(table)
    assert shown["delta.logRetentionDuration"] == "interval 9 days"
    assert (shown["team"], shown["delta.appendOnly"]) == ("a 'b'", "true")
    with pytest.raises(Exception, match="DELTA_CANNOT_MODIFY_APPEND_ONLY"):
        table.sql("DELETE FROM TABLE_ WHERE id = 1")
    table.deltactl("property unset", "team", "delta.appendOnly")
    assert "team" not in properties(table)
    table.sql("DELETE FROM TABLE_ WHERE id = 1")
    table.sql("ALTER TABLE TABLE_ SET TBLPROPERTIES ('more' = '1')")
    history = table.sql("DESCRIBE HISTORY TABLE_")
    assert [row[4] for row in history[:5]] == [
        "SET TBLPROPERTIES", "DELETE", "UNSET TBLPROPERTIES", "SET TBLPROPERTIES", "WRITE",
    ]  # fmt: skip
    assert json.loads(history[3][5]["properties"])["team"] == "a 'b'"
    assert history[2][5] == {
        "properties": '["team","delta.appendOnly"]',
        "ifExists": "false",
    }


def test_features_by_property(table: SparkTable) -> None:
    """All in one commit; rows, change feed, vectors and row ids are right afterwards."""
    table.deltactl(
        "property set", "delta.enableChangeDataFeed=true", "delta.enableDeletionVectors=true",
        "delta.columnMapping.mode=name", "delta.enableRowTracking=true",
        "delta.enableInCommitTimestamps=true", "delta.checkpointPolicy=v2",
        "delta.enableTypeWidening=true",
    )  # fmt: skip
    table.sql("INSERT INTO TABLE_ VALUES (6, 'b')")
    table.sql("DELETE FROM TABLE_ WHERE id = 2")
    table.sql("UPDATE TABLE_ SET s = 'c' WHERE id = 3")
    assert table.sql("SELECT id, s FROM TABLE_ ORDER BY id") == [
        (0, "a"), (1, "a"), (3, "c"), (4, "a"), (5, "a"), (6, "b"),
    ]  # fmt: skip
    ids = table.sql("SELECT id, _metadata.row_id FROM TABLE_ ORDER BY id")
    assert ids == [(0, 0), (1, 1), (3, 3), (4, 4), (5, 5), (6, 6)]
    feed = table.sql(
        f"SELECT _change_type, id FROM table_changes_by_path('{table.folder}', 3) ORDER BY ALL"
    )
    assert feed == [
        ("delete", 2), ("insert", 6), ("update_postimage", 3), ("update_preimage", 3),
    ]  # fmt: skip
    table.sql("ALTER TABLE TABLE_ ALTER COLUMN id TYPE BIGINT")
    table.deltactl("property set", "delta.enableDeletionVectors=false")
    table.deltactl("property unset", "delta.enableChangeDataFeed")
    table.sql("INSERT INTO TABLE_ VALUES (3000000000, 'z')")
    assert table.sql("SELECT max(id) FROM TABLE_") == [(3000000000,)]
    assert table.sql("DESCRIBE HISTORY TABLE_")[0][4] == "WRITE"


def test_deltalake_reads_it_too(table: SparkTable) -> None:
    table.deltactl("property set", "delta.enableDeletionVectors=true", "team=x")
    table.sql("DELETE FROM TABLE_ WHERE id = 2")
    assert DeltaTable(table.folder).metadata().configuration["team"] == "x"
    assert table.by_deltalake("SELECT count(*) AS n FROM t") == [{"n": 5}]


def test_a_domain_of_an_application(table: SparkTable) -> None:
    table.deltactl("domain set", "app.x", '{"a": 1}', "--enable")
    table.sql("INSERT INTO TABLE_ VALUES (7, 'd')")
    table.deltactl("domain set", "app.x", '{"a": 2}')
    table.deltactl("domain set", "app.y", "text")
    table.deltactl("domain unset", "app.y")
    table.sql("UPDATE TABLE_ SET s = 'e' WHERE id = 7")
    assert table.sql("SELECT s FROM TABLE_ WHERE id = 7") == [("e",)]
    table.checkpoint()
    told = [row[4] for row in table.sql("DESCRIBE HISTORY TABLE_")]
    assert told[1:5] == [
        "UNSET DOMAIN METADATA", "SET DOMAIN METADATA", "SET DOMAIN METADATA", "WRITE",
    ]  # fmt: skip
    table.deltactl("domain set", "app.x", '{"a": 2}', "--dry-run", "--exit-code")
