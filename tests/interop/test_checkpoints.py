"""Checkpoints that `deltactl checkpoint` wrote, in the hands of Spark and of deltalake."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from in_process import say

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.jvm

GOLDEN = Path(__file__).parent.parent / "golden"
KINDS = {
    "classic": ["--kind", "classic"],
    "multipart": ["--kind", "multipart", "--parts", "3"],
    "v2 with JSON": ["--kind", "v2", "--parts", "2"],
    "v2 with parquet": ["--kind", "v2", "--top", "parquet"],
}
V2 = {"v2_checkpoint_parquet_sidecars", "tw_kitchen_sink"}
NAMES = [
    "all_types", "clustering", "empty_table", "row_tracking", "special_partition_paths",
    "tw_integers_floats", "tw_kitchen_sink", "tw_partitioned", "unicode_schema",
    "v2_checkpoint_parquet_sidecars",
]  # fmt: skip


def allowed(name: str, kind: str) -> bool:
    return (name in V2) == kind.startswith("v2") or kind == "classic"


CASES = [(name, kind) for name in NAMES for kind in KINDS if allowed(name, kind)]
IDS = [" as ".join(case) for case in CASES]


def checkpointed(name: str, kind: str, place: Path) -> Path:
    """A copy of the table that can be read from its new checkpoint only."""
    table = place / "table"
    shutil.copytree(GOLDEN / name / "delta", table)
    said = say(["checkpoint", str(table), *KINDS[kind], "-o", "json"])
    assert said.exit_code == 0, said.document
    checkpoint = said.document["checkpoint"]
    own = {Path(part["path"]).name for part in checkpoint["parts"]}
    own |= {f"{checkpoint['version']:020d}.json", "_last_checkpoint"}
    for path in (table / "_delta_log").iterdir():
        if path.is_file() and path.name not in own:
            path.unlink()
    return table


def state(spark: "SparkSession", table: Path) -> dict[str, Any]:
    """All that Spark knows of the table."""
    jvm: Any = spark._jvm
    log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, str(table))
    snapshot = log.unsafeVolatileSnapshot()
    convert = jvm.scala.jdk.javaapi.CollectionConverters.asJava
    files = [json.loads(row) for row in snapshot.allFiles().toJSON().collectAsList()]
    return {
        "version": snapshot.version(),
        "files": sorted(
            # Whether a commit changed data says nothing of a file that is there.
            json.dumps({**file, "dataChange": None}, sort_keys=True)
            for file in files
        ),
        "metadata": json.loads(snapshot.metadata().json()),
        "protocol": sorted(snapshot.protocol().json()),
        "transactions": sorted(action.json() for action in convert(snapshot.setTransactions())),
        "domains": sorted(action.json() for action in convert(snapshot.domainMetadata())),
    }


@pytest.mark.parametrize(("name", "kind"), CASES, ids=IDS)
def test_spark_reads_the_same_table(spark, tmp_path: Path, name: str, kind: str) -> None:
    original = tmp_path / "original"
    shutil.copytree(GOLDEN / name / "delta", original)
    for path in (original / "_delta_log").glob("*.crc"):
        path.unlink()
    table = checkpointed(name, kind, tmp_path)
    assert state(spark, table) == state(spark, original)
    assert rows(spark, table) == rows(spark, original)


def rows(spark: "SparkSession", table: Path) -> list[str]:
    found = spark.sql(f"select to_json(struct(*)) from delta.`{table}`").collect()
    return sorted(str(row[0]) for row in found)


@pytest.mark.parametrize("kind", ["classic", "multipart"])
def test_spark_writes_on_top(spark, tmp_path: Path, kind: str) -> None:
    table = checkpointed("tw_integers_floats", kind, tmp_path)
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


@pytest.mark.parametrize(("name", "kind"), CASES, ids=IDS)
def test_deltalake_reads_the_same_table(tmp_path: Path, name: str, kind: str) -> None:
    original = GOLDEN / name / "delta"
    try:
        expected = DeltaTable(original)
    except Exception as error:
        pytest.skip(f"deltalake cannot open the table: {error}")
    found = DeltaTable(checkpointed(name, kind, tmp_path))
    assert found.version() == expected.version()
    assert found.schema() == expected.schema()
    assert adds(found) == adds(expected)


def adds(table: DeltaTable) -> list[str]:
    files = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    return sorted(json.dumps(file, default=str, sort_keys=True) for file in files)
