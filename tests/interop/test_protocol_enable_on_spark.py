"""Features that deltactl enabled on tables of Spark: Spark reads, writes and builds on them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from spark_table import SparkTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.jvm

Make = Callable[[str, str], SparkTable]


@pytest.fixture
def make(spark: "SparkSession", tmp_path: Path) -> Make:
    """Create a table from its columns and clauses, with the rows 1 to 6 in three files."""

    def make(columns: str, rows: str, clauses: str = "") -> SparkTable:
        table = SparkTable(spark, tmp_path / "table")
        table.sql(f"CREATE TABLE TABLE_ ({columns}) USING delta {clauses}")
        for low in (1, 3, 5):
            table.sql(
                f"INSERT INTO TABLE_ SELECT /*+ COALESCE(1) */ {rows} FROM range({low}, {low + 2})"
            )
        return table

    return make


IDS = "SELECT id, _metadata.row_id, _metadata.row_commit_version FROM TABLE_ ORDER BY id"


def test_row_tracking(make: Make) -> None:
    table = make("id BIGINT, v STRING", "id, concat('v', id)")
    table.sql("ALTER TABLE TABLE_ SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    table.sql("DELETE FROM TABLE_ WHERE id = 3")
    table.deltactl("protocol enable", "rowTracking")
    version = 6
    assert table.action(version, "commitInfo")["operation"] == "ROW TRACKING BACKFILL"
    before = table.sql(IDS)
    assert [row[0] for row in before] == [1, 2, 4, 5, 6]
    ids = {row[1] for row in before}
    assert len(ids) == 5
    assert ids <= set(range(6)), "six rows are in the files, one of them deleted"
    assert {row[2] for row in before} == {version}

    table.sql("INSERT INTO TABLE_ VALUES (7, 'new'), (8, 'new')")
    table.sql("UPDATE TABLE_ SET v = 'changed' WHERE id IN (2, 5)")
    table.sql("DELETE FROM TABLE_ WHERE id = 4")
    after = table.sql(IDS)
    known = {row[0]: row[1] for row in before}
    assert {row[0]: row[1] for row in after if row[0] in known} == {
        number: known[number] for number in (1, 2, 5, 6)
    }
    assert sorted(row[1] for row in after if row[0] > 6) == [6, 7]
    assert {row[0]: row[2] for row in after}[2] == version + 2
    table.sql("OPTIMIZE TABLE_")
    assert [row[:2] for row in table.sql(IDS)] == [row[:2] for row in after]
    operations = [row[4] for row in table.sql("DESCRIBE HISTORY TABLE_")]
    assert operations[:4] == ["OPTIMIZE", "DELETE", "UPDATE", "WRITE"]
    assert operations[4] == "ROW TRACKING BACKFILL"


def test_row_tracking_where_some_files_have_ids(make: Make) -> None:
    """Spark gives ids to new files of a table that supports row tracking and has it not on."""
    table = make("id BIGINT", "id")
    table.sql("ALTER TABLE TABLE_ SET TBLPROPERTIES ('delta.feature.rowTracking' = 'supported')")
    table.sql("INSERT INTO TABLE_ SELECT /*+ COALESCE(1) */ id FROM range(7, 10)")
    assert table.action(5, "add")["baseRowId"] == 0
    table.deltactl("protocol enable", "rowTracking")
    found = table.sql(IDS)
    assert [row[0] for row in found] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert len({row[1] for row in found}) == 9
    assert sorted(row[1] for row in found if row[0] >= 7) == [0, 1, 2]
    assert {row[2] for row in found if row[0] >= 7} == {5}
    assert {row[2] for row in found if row[0] < 7} == {6}
    table.sql("INSERT INTO TABLE_ VALUES (10)")
    assert [row[1] for row in table.sql(IDS) if row[0] == 10] == [9]


def test_row_tracking_of_a_table_without_rows(make: Make, spark: "SparkSession") -> None:
    table = make("id BIGINT", "id")
    table.sql("DELETE FROM TABLE_")
    table.deltactl("protocol enable", "rowTracking")
    table.sql("INSERT INTO TABLE_ SELECT /*+ COALESCE(1) */ id FROM range(2)")
    assert [row[1] for row in table.sql(IDS)] == [0, 1]


NESTED = (
    "id BIGINT, s STRUCT<a: INT, b: ARRAY<STRUCT<c: INT>>>, m MAP<STRING, STRUCT<d: INT>>, p INT"
)
NESTED_ROWS = (
    "id, named_struct('a', int(id), 'b', array(named_struct('c', int(id)))), "
    "map('k', named_struct('d', int(id))), int(id % 2)"
)
READ = "SELECT id, s.a, s.b[0].c, m['k'].d, p FROM TABLE_ ORDER BY id"
SIX = [(n, n, n, n, n % 2) for n in range(1, 7)]


def test_column_mapping(make: Make) -> None:
    table = make(
        NESTED,
        NESTED_ROWS,
        "PARTITIONED BY (p) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')",
    )
    table.deltactl("protocol enable", "columnMapping")
    protocol = table.action(4, "protocol")
    assert sorted(protocol) == ["minReaderVersion", "minWriterVersion", "writerFeatures"]
    assert (protocol["minReaderVersion"], protocol["minWriterVersion"]) == (2, 7)
    assert table.sql(READ) == SIX
    found = table.by_deltalake("SELECT id, s['a'] AS a FROM t ORDER BY id")
    assert found == [{"id": number, "a": number} for number in range(1, 7)]
    table.sql("ALTER TABLE TABLE_ RENAME COLUMN s.b.element.c TO z")
    table.sql("ALTER TABLE TABLE_ RENAME COLUMN p TO q")
    table.sql("ALTER TABLE TABLE_ ADD COLUMN (more INT)")
    table.sql("UPDATE TABLE_ SET more = 1 WHERE id = 1")
    table.sql(
        "INSERT INTO TABLE_ SELECT 7, named_struct('a', 7, 'b', array(named_struct('z', 7))), "
        "map('k', named_struct('d', 7)), 1, 7"
    )
    assert table.sql("SELECT id, s.a, s.b[0].z, m['k'].d, q, more FROM TABLE_ ORDER BY id") == [
        (1, 1, 1, 1, 1, 1),
        (2, 2, 2, 2, 0, None),
        (3, 3, 3, 3, 1, None),
        (4, 4, 4, 4, 0, None),
        (5, 5, 5, 5, 1, None),
        (6, 6, 6, 6, 0, None),
        (7, 7, 7, 7, 1, 7),
    ]


def test_many_features_in_one_commit(make: Make) -> None:
    table = make("id BIGINT, v INT", "id, int(id)")
    table.deltactl(
        "protocol enable", "deletionVectors", "inCommitTimestamp", "v2Checkpoint",
        "typeWidening", "changeDataFeed", "timestampNtz", "allowColumnDefaults",
        "vacuumProtocolCheck", "variantType", "materializePartitionColumns",
    )  # fmt: skip
    kinds = [kind for action in table.commit(4) for kind in action]
    assert kinds == ["commitInfo", "protocol", "metaData"]
    table.sql("INSERT INTO TABLE_ VALUES (7, 7)")
    table.sql("DELETE FROM TABLE_ WHERE id = 3")
    changes = (
        f"SELECT id, _change_type FROM table_changes_by_path('{table.folder}', 5, 6) ORDER BY 1"
    )
    assert table.sql(changes) == [(3, "delete"), (7, "insert")]
    table.sql("ALTER TABLE TABLE_ ALTER COLUMN v TYPE BIGINT")
    table.sql("ALTER TABLE TABLE_ ADD COLUMN (at TIMESTAMP_NTZ, any VARIANT)")
    table.sql("ALTER TABLE TABLE_ ALTER COLUMN v SET DEFAULT 9")
    table.sql("INSERT INTO TABLE_ (id) VALUES (8)")
    table.sql("UPDATE TABLE_ SET v = 8 WHERE id = 8")
    assert table.sql("SELECT id, v FROM TABLE_ ORDER BY id") == [
        (1, 1), (2, 2), (4, 4), (5, 5), (6, 6), (7, 7), (8, 8),
    ]  # fmt: skip
    history = table.sql("DESCRIBE HISTORY TABLE_")
    assert [row[4] for row in history][-5] == "SET TBLPROPERTIES"
    own = table.action(4, "commitInfo")["inCommitTimestamp"]
    stamps = {row[0]: int(row[1].timestamp() * 1000) for row in history}
    assert stamps[4] == own
    log = table.spark._jvm.org.apache.spark.sql.delta.DeltaLog
    log.forTable(table.spark._jsparkSession, table.folder).checkpoint()
    assert [file.suffix for file in Path(table.folder, "_delta_log").glob("*.checkpoint.*-*")]


def test_features_by_name_alone(make: Make) -> None:
    table = make("id BIGINT", "id")
    table.deltactl("protocol enable", "checkConstraints", "generatedColumns", "identityColumns")
    assert table.action(4, "commitInfo")["operation"] == "UPGRADE PROTOCOL"
    table.sql("INSERT INTO TABLE_ VALUES (7)")
    table.sql("ALTER TABLE TABLE_ ADD CONSTRAINT small CHECK (id < 10)")
    with pytest.raises(Exception, match="DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"):
        table.sql("INSERT INTO TABLE_ VALUES (11)")


@pytest.mark.parametrize(
    "feature",
    ["variantShredding", "variantShredding-preview", "variantType-preview", "typeWidening-preview"],
)
def test_previews_and_what_follows_them(make: Make, feature: str) -> None:
    table = make("id BIGINT, v INT", "id, int(id)")
    table.deltactl("protocol enable", feature)
    table.sql("INSERT INTO TABLE_ VALUES (7, 7)")
    if feature == "typeWidening-preview":
        table.sql("ALTER TABLE TABLE_ ALTER COLUMN v TYPE BIGINT")
    else:
        table.sql("ALTER TABLE TABLE_ ADD COLUMN (any VARIANT)")
        table.sql("INSERT INTO TABLE_ SELECT 8, 8, parse_json('{\"a\": 1}')")
        table.sql("DELETE FROM TABLE_ WHERE id = 8")
    assert table.sql("SELECT count(*), sum(v) FROM TABLE_") == [(7, 28)]


def test_append_only(make: Make) -> None:
    table = make("id BIGINT", "id")
    table.deltactl("protocol enable", "appendOnly")
    assert [kind for action in table.commit(4) for kind in action] == ["commitInfo", "metaData"]
    table.sql("INSERT INTO TABLE_ VALUES (7)")
    with pytest.raises(Exception, match="DELTA_CANNOT_MODIFY_APPEND_ONLY"):
        table.sql("DELETE FROM TABLE_ WHERE id = 1")


def test_clustering(make: Make) -> None:
    table = make("id BIGINT, s STRUCT<a: INT>", "id, named_struct('a', int(id))")
    table.deltactl("protocol enable", "columnMapping")
    table.sql("ALTER TABLE TABLE_ RENAME COLUMN s.a TO b")
    table.deltactl("protocol enable", "clustering", "--columns", "S.B,id")
    assert table.action(6, "commitInfo")["operation"] == "CLUSTER BY"
    assert json.loads(table.action(6, "domainMetadata")["configuration"]) == {
        "clusteringColumns": [["s", "a"], ["id"]],
        "domainName": "delta.clustering",
    }
    assert table.detail("clusteringColumns") == ["s.b", "id"]
    table.sql("OPTIMIZE TABLE_ FULL")
    assert table.action(7, "add")["clusteringProvider"] == "liquid"
    table.deltactl("protocol enable", "clustering", "--columns", "id")
    assert table.detail("clusteringColumns") == ["id"]
    table.sql("ALTER TABLE TABLE_ CLUSTER BY (s.b)")
    table.sql("INSERT INTO TABLE_ VALUES (7, named_struct('b', 7))")
    assert table.sql("SELECT count(*), max(s.b) FROM TABLE_") == [(7, 7)]


@pytest.mark.parametrize("feature", ["icebergCompatV1", "icebergCompatV2", "icebergCompatV3"])
def test_iceberg(make: Make, feature: str) -> None:
    if feature == "icebergCompatV1":
        table = make("id BIGINT, s STRUCT<a: INT>", "id, named_struct('a', int(id))")
    else:
        table = make(
            "id BIGINT, l ARRAY<ARRAY<INT>>, m MAP<STRING, INT>",
            "id, array(array(int(id))), map('k', int(id))",
        )
    table.deltactl("protocol enable", feature)
    table.sql("INSERT INTO TABLE_ SELECT * FROM TABLE_ WHERE id = 1")
    table.sql("UPDATE TABLE_ SET id = 7 WHERE id = 2")
    if feature != "icebergCompatV1":
        table.sql("ALTER TABLE TABLE_ ADD COLUMN (more ARRAY<INT>)")
    ids = [row[0] for row in table.sql("SELECT id FROM TABLE_ ORDER BY id")]
    assert ids == [1, 1, 3, 4, 5, 6, 7]
    schema = json.loads(table.action(4, "metaData")["schemaString"])
    nested = [f["metadata"].get("delta.columnMapping.nested.ids") for f in schema["fields"]]
    if feature == "icebergCompatV1":
        assert nested == [None, None]
    else:
        assert nested == [
            {},
            {"l.element": 4, "l.element.element": 5},
            {"m.key": 6, "m.value": 7},
        ]
        configuration = table.action(4, "metaData")["configuration"]
        assert configuration["delta.columnMapping.maxColumnId"] == "7"
    if feature == "icebergCompatV3":
        assert len({row[1] for row in table.sql(IDS)}) == 7


def test_versions(make: Make) -> None:
    table = make("id BIGINT", "id")
    table.deltactl("protocol upgrade", "--writer", "4")
    assert table.action(4, "protocol") == {"minReaderVersion": 1, "minWriterVersion": 4}
    table.sql("INSERT INTO TABLE_ VALUES (7)")
    table.sql("ALTER TABLE TABLE_ ADD CONSTRAINT small CHECK (id < 10)")
    table.deltactl("protocol upgrade", "--reader", "2", "--writer", "5")
    table.sql("ALTER TABLE TABLE_ SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    assert table.sql("SELECT count(*) FROM TABLE_") == [(7,)]
    assert [row[4] for row in table.sql("DESCRIBE HISTORY TABLE_")].count("UPGRADE PROTOCOL") == 2
