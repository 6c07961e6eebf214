"""Checkpoints that `deltactl checkpoint` wrote, in the hands of Spark."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from checkpointed import (
    KINDS,
    NAMES,
    checkpointed,
    checkpointed_in_every_kind,
    checkpointed_in_one_kind,
    original,
)
from in_process import say
from spark_state import state

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.jvm

GOLDEN = Path(__file__).parent.parent / "golden"
# Of these Spark gives nothing to compare with.
READ_WRONGLY = {"kernel-rs-tar__compacted-log-files-table"}  # uses a line that a later one undoes
NOT_READ = {"generated__inv_tw_changes_without_feature"}
TABLES = [name for name in NAMES if name not in READ_WRONGLY | NOT_READ]


@pytest.mark.parametrize("name", TABLES)
def test_spark_reads_the_same_table(spark, shared_tables: Path, tmp_path: Path, name: str) -> None:
    """One kind of checkpoint a table, another one with each; the soak has all of them."""
    reads_the_same(spark, shared_tables / name, tmp_path, TABLES.index(name))


@pytest.mark.soak
@pytest.mark.parametrize("name", TABLES)
def test_spark_reads_it_from_every_kind(
    spark, shared_tables: Path, tmp_path: Path, name: str
) -> None:
    reads_the_same(spark, shared_tables / name, tmp_path, None)


def reads_the_same(spark: "SparkSession", table: Path, tmp_path: Path, number: int | None) -> None:
    """Compare the table with a copy of one kind, turning with `number`, or of all kinds."""
    copy = original(table / "delta", tmp_path / "original")
    expected = state(spark, copy)
    if number is None:
        made = checkpointed_in_every_kind(copy, tmp_path)
    else:
        made = checkpointed_in_one_kind(copy, tmp_path, number)
    assert made
    for kind, checkpoint in made.items():
        assert state(spark, checkpoint) == expected, kind


@pytest.mark.parametrize("name", ["all_types", "special_partition_paths", "tw_kitchen_sink"])
def test_spark_reads_the_same_rows(spark, tmp_path: Path, name: str) -> None:
    table = original(GOLDEN / name / "delta", tmp_path / "original", with_data=True)
    expected = rows(spark, table)
    assert expected
    for copy in checkpointed_in_every_kind(table, tmp_path).values():
        assert rows(spark, copy) == expected


def rows(spark: "SparkSession", table: Path) -> list[str]:
    found = spark.sql(f"select to_json(struct(*)) from delta.`{table}`").collect()
    return sorted(str(row[0]) for row in found)


@pytest.mark.parametrize("kind", ["classic", "multipart"])
def test_spark_writes_on_top(spark, tmp_path: Path, kind: str) -> None:
    table = checkpointed(GOLDEN / "tw_integers_floats" / "delta", kind, tmp_path / "table")
    assert table is not None
    before = rows(spark, table)
    spark.sql(f"insert into delta.`{table}` select * from delta.`{table}`")
    assert rows(spark, table) == sorted(before * 2)
    jvm: Any = spark._jvm
    log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, str(table))
    log.checkpoint()
    assert say(["checkpoint", str(table), "-o", "json"]).document["plan"]["files"] == []


def test_a_type_that_was_widened_is_there_with_its_past(spark, tmp_path: Path) -> None:
    path = tmp_path / "table"
    spark.sql(
        f"create table delta.`{path}` (n int, f float) using delta "
        "tblproperties ('delta.enableTypeWidening' = 'true')"
    )
    spark.sql(f"insert into delta.`{path}` values (1, float('nan')), (2, 2.5)")
    assert say(["widen", str(path), "n", "long", "--yes", "-o", "json"]).exit_code == 0
    spark.sql(f"insert into delta.`{path}` values (3000000000, 1.5)")
    assert say(["checkpoint", str(path), "-o", "json"]).exit_code == 0
    for version in range(3):
        for name in (f"{version:020d}.json", f"{version:020d}.crc", f".{version:020d}.json.crc"):
            (path / "_delta_log" / name).unlink(missing_ok=True)
    found = spark.sql(f"select n from delta.`{path}` where n > 1 order by n").collect()
    assert [row[0] for row in found] == [2, 3000000000]
    schema = json.loads(state(spark, path)["metadata"]["metaData"]["schemaString"])
    assert [field["type"] for field in schema["fields"]] == ["long", "float"]
    (change,) = schema["fields"][0]["metadata"]["delta.typeChanges"]
    assert (change["fromType"], change["toType"]) == ("integer", "long")


@pytest.mark.parametrize("kind", ["classic", "multipart", "v2 with JSON", "repair"])
def test_spark_reads_what_a_killed_checkpoint_leaves(spark, tmp_path: Path, kind) -> None:
    """The files are put and moved one by one, in the plan's order: any may be the last."""
    golden = "v2_checkpoint_parquet_sidecars" if kind.startswith("v2") else "crc_good"
    table = original(GOLDEN / golden / "delta", tmp_path / "original")
    if kind == "repair":
        assert say(["checkpoint", str(table), "-o", "json"]).exit_code == 0
        (file,) = (table / "_delta_log").glob("*.checkpoint.parquet")
        file.write_bytes(file.read_bytes()[:-20])
    whole = tmp_path / "whole"
    shutil.copytree(table, whole)
    words = ["--repair"] if kind == "repair" else KINDS[kind]
    done = say(["checkpoint", str(whole), *words, "-o", "json"]).document["plan"]["files"]
    assert len(done) == {"classic": 2, "multipart": 4, "v2 with JSON": 4, "repair": 3}[kind]
    expected = state(spark, whole)
    for number in range(len(done)):
        killed = tmp_path / str(number)
        shutil.copytree(table, killed)
        for change in done[:number]:
            if change["how"] == "move-aside":
                (killed / change["path"]).rename(killed / change["target"])
            else:
                (killed / change["path"]).parent.mkdir(exist_ok=True)
                shutil.copy(whole / change["path"], killed / change["path"])
        assert state(spark, killed) == expected, done[number]["path"]
