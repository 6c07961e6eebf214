"""Every way in which a table comes to old files, as Spark makes them; and tables after a prune."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from in_process import Said, say
from interloper import interloping
from spark_table import SparkTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.jvm

ON = "TBLPROPERTIES ('delta.enableTypeWidening' = 'true'"
SMALL = "/*+ coalesce(1) */"


@pytest.fixture
def table(spark: "SparkSession", tmp_path: Path) -> Iterator[SparkTable]:
    found = SparkTable(spark, tmp_path / "data")
    yield found
    # What Spark keeps of a table outlives its files.
    spark.catalog.clearCache()


def prune(path: str, *words: str) -> Said:
    return say(["prune-type-changes", path, *words, "--yes", "-o", "json"])


def held(said: Said) -> dict[str, dict[str | None, int]]:
    """The number of files by the type in which they hold each column."""
    return {
        column["path"]: {t["type"]: t["files"] for t in column["physicalTypes"]}
        for column in said.document["columns"]
    }


def assert_refused(said: Said) -> None:
    codes = [refusal["code"] for refusal in said.document["plan"]["refusals"]]
    assert (said.exit_code, codes) == (4, ["OLD_TYPES_IN_FILES"]), said


def old_and_widened(table: SparkTable, more: str = "") -> None:
    """Version 1 has a file of ints; from version 2 on the column is long."""
    table.sql(f"create table TABLE_ (v int) using delta {ON}{more})")
    table.sql(f"insert into TABLE_ select {SMALL} * from values (1), (2)")
    table.deltactl("widen", "v", "long")


def test_row_tracking_that_was_switched_on_later(table: SparkTable) -> None:
    """By the draft's rule the changes could go, though every file holds an old type."""
    old_and_widened(table)
    table.sql("alter table TABLE_ set tblproperties ('delta.enableRowTracking' = 'true')")
    said = prune(table.folder)
    assert_refused(said)
    column = said.document["columns"][0]
    assert column["typeChanges"][0]["tableVersion"] == 2
    assert column["typeChanges"][0]["draftRule"]["byTableVersion"] is True
    assert held(said) == {"v": {"integer": 1}}
    # RESTORE keeps the number, and a clone gives the file its own.
    before = table.history("max(version)")[0][0]
    table.sql("update TABLE_ set v = v + 10")
    assert prune(table.folder, "--dry-run").exit_code == 0
    table.sql(f"restore table TABLE_ to version as of {before}")
    assert_refused(prune(table.folder))
    clone = SparkTable(table.spark, Path(f"{table.folder}-clone"))
    clone.sql(f"create table TABLE_ shallow clone {table.name}")
    assert_refused(prune(clone.folder))
    clone.sql("update TABLE_ set v = v + 10")
    assert prune(clone.folder).committed is not None
    assert clone.sql("select v from TABLE_ order by v") == [(11,), (12,)]


def test_a_restore_brings_old_files_back(table: SparkTable) -> None:
    old_and_widened(table)
    table.sql("update TABLE_ set v = v + 5000000000")
    assert prune(table.folder).committed == 4
    assert table.sql("select max(v) from TABLE_") == [(5000000002,)]
    # The version before the prune is read as it was, and so is the one before the widening.
    assert table.sql("select max(v) from TABLE_ version as of 2") == [(2,)]
    assert table.sql("select max(v) from TABLE_ version as of 1") == [(2,)]
    table.sql("restore table TABLE_ to version as of 2")
    said = prune(table.folder)
    assert_refused(said)
    assert held(said) == {"v": {"integer": 1}}


def test_a_restore_that_comes_first_is_seen(table: SparkTable) -> None:
    old_and_widened(table)
    table.sql("update TABLE_ set v = v + 1")

    def restore(_: Path) -> None:
        table.sql("restore table TABLE_ to version as of 2")

    with interloping(restore):
        said = prune(table.folder)
    assert (said.exit_code, said.error["code"]) == (6, "LOST_RACE")
    assert [operation for (operation,) in table.history("operation")][:2] == ["RESTORE", "UPDATE"]


def test_an_append_that_comes_first_is_looked_at(table: SparkTable) -> None:
    old_and_widened(table)
    table.sql("update TABLE_ set v = v + 1")

    def append(_: Path) -> None:
        table.sql("insert into TABLE_ values (7000000000)")

    with interloping(append):
        said = prune(table.folder)
    assert (said.exit_code, said.committed) == (0, 5)
    assert held(said) == {"v": {"long": 2}}
    assert table.sql("select v from TABLE_ order by v") == [(2,), (3,), (7000000000,)]


def test_an_append_that_began_before_and_ends_after_fails(table: SparkTable) -> None:
    """It writes the old type, and would commit when everything was looked at."""
    table.sql(f"create table TABLE_ (v int, slept string) using delta {ON})")
    slow = "java_method('java.lang.Thread', 'sleep', if(id = 1, 8000L, 0L))"
    said: list[str] = []

    def append() -> None:
        try:
            table.sql(f"insert into TABLE_ select cast(id as int), {slow} from range(0, 2, 1, 1)")
        except Exception as error:
            said.append(str(error))

    writer = threading.Thread(target=append)
    writer.start()
    end = time.monotonic() + 60
    while not list(Path(table.folder).glob("*.parquet")):
        assert time.monotonic() < end, "it has not begun"
        time.sleep(0.05)
    table.deltactl("widen", "v", "long")
    assert prune(table.folder).committed == 2
    assert writer.is_alive(), "it is still at work"
    writer.join()
    [refused] = said
    assert "DELTA_METADATA_CHANGED" in refused
    table.sql("insert into TABLE_ values (7000000000, null)")
    assert table.sql("select v from TABLE_") == [(7000000000,)]
    [file] = DeltaTable(table.folder).file_uris()
    assert pq.read_schema(file).field("v").type == pa.int64()


def test_a_file_without_the_annotation(table: SparkTable) -> None:
    table.sql(f"create table TABLE_ (v tinyint) using delta {ON})")
    table.sql("insert into TABLE_ values (1)")
    table.deltactl("widen", "v", "short")
    table.sql("update TABLE_ set v = 300")
    # As a foreign writer has it: what parquet keeps in 32 bits, not marked as smaller.
    file = Path(table.folder, "foreign.parquet")
    pq.write_table(pa.table({"v": pa.array([5], pa.int32())}), file)
    body = {"path": file.name, "partitionValues": {}, "size": file.stat().st_size}
    add = {"add": {**body, "modificationTime": 5, "dataChange": True}}
    info = {"commitInfo": {"operation": "WRITE", "operationParameters": {}}}
    log = Path(table.folder, "_delta_log", f"{4:020d}.json")
    log.write_text("".join(f"{json.dumps(action)}\n" for action in (info, add)))
    assert_refused(prune(table.folder))
    table.sql("update TABLE_ set v = v + 1 where v = 5")
    assert prune(table.folder).committed == 6
    assert table.sql("select v from TABLE_ order by v") == [(6,), (300,)]


def test_a_table_that_was_converted(table: SparkTable) -> None:
    Path(table.folder).mkdir()
    pq.write_table(
        pa.table({"v": pa.array([1], pa.int32()), "ar": pa.array([[2]], pa.list_(pa.int32()))}),
        Path(table.folder, "part.parquet"),
    )
    table.spark.sql(f"convert to delta parquet.`{table.folder}`")
    table.deltactl("widen", "v", "long", "ar.element", "long", "--enable")
    said = prune(table.folder)
    assert said.exit_code == 4
    assert held(said) == {"v": {"integer": 1}, "ar.element": {"integer": 1}}
    table.sql("update TABLE_ set v = 5000000000")
    assert held(prune(table.folder)) == {"v": {"long": 1}, "ar.element": {"long": 1}}
    assert table.sql("select * from TABLE_") == [(5000000000, [2])]


def test_partitions_by_their_values(table: SparkTable) -> None:
    table.sql(f"create table TABLE_ (a int, d date, p int) using delta partitioned by (d, p) {ON})")
    table.sql("insert into TABLE_ values (1, date'2020-01-01', 1)")
    table.deltactl("widen", "d", "timestamp_ntz", "p", "decimal(12,2)", "--enable")
    said = prune(table.folder)
    assert held(said) == {"d": {"date": 1}, "p": {"integer": 1}}
    assert said.exit_code == 4
    with pytest.raises(Exception, match="Failed to parse value '2020-01-01' as 'timestamp_ntz'"):
        DeltaTable(table.folder)
    table.sql("update TABLE_ set a = 2")
    said = prune(table.folder)
    assert (said.exit_code, held(said)) == (
        0,
        {"d": {"timestamp_ntz": 1}, "p": {"decimal(12,2)": 1}},
    )
    assert len(DeltaTable(table.folder).file_uris()) == 1
    assert table.sql("select a, cast(d as string), p from TABLE_")[0][:2] == (
        2,
        "2020-01-01 00:00:00",
    )


def test_iceberg_takes_the_table_after_a_prune(table: SparkTable) -> None:
    more = ", 'delta.columnMapping.mode' = 'name', 'delta.minReaderVersion' = '3'"
    table.sql(
        f"create table TABLE_ (v int) using delta {ON}{more}, 'delta.minWriterVersion' = '7')"
    )
    table.sql("insert into TABLE_ values (1)")
    table.deltactl("widen", "v", "double")
    table.sql("update TABLE_ set v = v + 0.5D")
    enable = "alter table TABLE_ set tblproperties ('delta.enableIcebergCompatV2' = 'true')"
    with pytest.raises(Exception, match="UNSUPPORTED_TYPE_WIDENING"):
        table.sql(enable)
    ours = ["protocol", "enable", table.folder, "icebergCompatV2", "--yes", "-o", "json"]
    assert say(ours).exit_code == 4
    assert prune(table.folder).committed is not None
    assert say([*ours, "--dry-run"]).exit_code == 0
    table.sql(enable)
    assert table.sql("select v from TABLE_") == [(1.5,)]


def test_a_table_with_everything(table: SparkTable) -> None:
    features = ("enableRowTracking", "enableDeletionVectors", "enableChangeDataFeed")
    more = "".join(f", 'delta.{name}' = 'true'" for name in features)
    mode = ", 'delta.columnMapping.mode' = 'name'"
    table.sql(
        "create table TABLE_ (k int, v int, s struct<x:short>, m map<int,array<int>>, p int) "
        f"using delta partitioned by (p) {ON}{more}{mode})"
    )
    row = "{0}, {0}, named_struct('x', {0}S), map({0}, array({0})), 1"
    rows = " union all ".join(f"select {row.format(n)}" for n in (1, 2, 3))
    table.sql(f"insert into TABLE_ select {SMALL} * from ({rows})")
    table.sql("alter table TABLE_ rename column v to value")
    table.deltactl(
        "widen", "value", "long", "s.x", "int", "m.key", "long", "m.value.element", "double"
    )
    table.sql("delete from TABLE_ where k = 2")
    said = prune(table.folder)
    assert (said.exit_code, held(said)["m.value.element"]) == (4, {"integer": 1})
    table.sql("update TABLE_ set value = value + 5000000000, s = named_struct('x', 100000)")
    ids = "select k, _metadata.row_id, _metadata.row_commit_version from TABLE_ order by k"
    before, values = table.sql(ids), table.sql("select * from TABLE_ order by k")
    stream = Stream(table)
    assert stream.run() == 2
    version = prune(table.folder).committed
    assert version is not None
    assert [next(iter(action)) for action in table.commit(version)] == ["commitInfo", "metaData"]
    assert "delta.typeChanges" not in json.dumps(table.commit(version)[1])
    assert "typeWidening" in DeltaTable(table.folder).protocol().reader_features
    assert table.sql(ids) == before
    assert table.sql("select * from TABLE_ order by k") == values
    changes = f"select * from table_changes_by_path('{table.folder}', {version})"
    assert table.spark.sql(changes).collect() == []
    # A stream goes on over it.
    table.sql("insert into TABLE_ values (9, 9, null, null, 1)")
    assert stream.run() == 3
    # Widening goes on, in Spark and here; and what that leaves is seen again.
    table.spark.sql(f"alter table {table.name} alter column s.x type bigint")
    table.deltactl("widen", "value", "decimal(20,0)")
    table.checkpoint()
    said = prune(table.folder)
    assert said.exit_code == 4
    assert set(held(said)) == {"value", "s.x"}
    assert table.sql("select count(*) from TABLE_ where value > 5000000000") == [(2,)]


def test_the_feature_can_be_dropped_after_a_prune(table: SparkTable) -> None:
    old_and_widened(table)
    table.sql("update TABLE_ set v = v + 1")
    assert prune(table.folder).committed == 4
    table.sql("alter table TABLE_ drop feature typeWidening")
    assert table.sql("select v from TABLE_ order by v") == [(2,), (3,)]
    protocol: Any = DeltaTable(table.folder).protocol()
    assert "typeWidening" not in (protocol.writer_features or [])
    types = {str(pq.read_schema(Path(table.folder, f)).field("v").type) for f in files(table)}
    assert types == {"int64"}


def files(table: SparkTable) -> list[str]:
    return [path for (path,) in table.sql("select distinct _metadata.file_name from TABLE_")]


class Stream:
    """A stream of the table that goes on from where it was when it last ran."""

    def __init__(self, table: SparkTable) -> None:
        self.table = table
        self.sink = f"{table.folder}-sink"

    def run(self) -> int:
        """Take over what is new; return the number of rows."""
        spark = self.table.spark
        source = spark.readStream.format("delta").option("ignoreChanges", "true")
        rows = source.load(self.table.folder).select("k").writeStream.format("delta")
        rows = rows.option("checkpointLocation", f"{self.sink}-state").trigger(availableNow=True)
        rows.start(self.sink).awaitTermination()
        return spark.read.format("delta").load(self.sink).count()
