"""The answers that `schema check` rests on, asked of Spark again."""

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from append_cases import CASES, MODES, WIDENING, Case, Refused

from deltactl.spec.schema.schema import parse_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.jvm

# One of each kind of answer; the others are asked when a new Delta is taken up.
ASKED = {
    "left out", "new", "nested", "partition column", "widening is on",
    "date to timestamp_ntz without the feature", "long from int", "byte to int", "int from byte",
    "case", "not null left out with its struct", "partition left out",
    "only the partition column", "void beside the partition column", "no columns",
    "check on a narrower type",
    "source of a generated column", "identity given", "void in the table", "void in an array",
    "space in a name", "name of the change feed", "append only",
}  # fmt: skip


def make(spark: "SparkSession", table: Path, case: Case, properties: dict[str, str]) -> None:
    partitioned = f" PARTITIONED BY ({case.partition})" if case.partition else ""
    settings = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    listed = f" TBLPROPERTIES ({settings})" if settings else ""
    spark.sql(f"CREATE TABLE delta.`{table}` ({case.table}) USING delta{partitioned}{listed}")
    if case.check:
        spark.sql(f"ALTER TABLE delta.`{table}` ADD CONSTRAINT c CHECK ({case.check})")


def empty(spark: "SparkSession", text: str) -> "DataFrame":
    from pyspark.sql.types import StructType

    if not text.startswith("{"):
        text = spark._jvm.org.apache.spark.sql.types.StructType.fromDDL(text).json()
    return spark.createDataFrame([], StructType.fromJson(json.loads(text)))


def stored_schema(table: Path) -> str:
    """The newest schema in the log, in Delta's names."""
    found: Any = None
    for commit in sorted((table / "_delta_log").glob("*.json")):
        for line in commit.read_text().splitlines():
            found = json.loads(line).get("metaData", found)
    return str(parse_schema(found["schemaString"]))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", [c for c in CASES if c.name in ASKED], ids=lambda case: case.name)
def test_a_write(spark: "SparkSession", tmp_path: Path, case: Case, mode: str) -> None:
    expected = case.answers[MODES.index(mode)]
    properties = case.properties | (WIDENING if mode == "typeWidening" else {})
    table = tmp_path / "table"
    make(spark, table, case, properties)
    kind = "overwrite" if mode == "overwriteSchema" else "append"
    writer = empty(spark, case.data).write.format("delta").mode(kind)
    if mode != "append":
        writer = writer.option("mergeSchema" if mode == "typeWidening" else mode, "true")
    if isinstance(expected, Refused):
        with pytest.raises(Exception, match=expected.spark):
            writer.save(str(table))
    else:
        writer.save(str(table))
        assert stored_schema(table) == expected


def test_the_cases_asked_exist() -> None:
    assert {case.name for case in CASES} >= ASKED


@pytest.mark.parametrize(
    ("columns", "change", "goes_on"),
    [
        ("a INT", "ADD COLUMNS (b INT FIRST)", True),
        ("s STRUCT<x: INT>", "ADD COLUMNS (s.y INT)", True),
        ("a INT", "ALTER COLUMN a COMMENT 'x'", True),
        ("a INT", "SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')", True),
        ("a INT NOT NULL", "ALTER COLUMN a DROP NOT NULL", False),
        ("a ARRAY<INT>", "ALTER COLUMN a.element TYPE BIGINT", False),
    ],
)
def test_a_reader_that_was_opened_before(
    spark: "SparkSession", tmp_path: Path, columns: str, change: str, goes_on: bool
) -> None:
    table = tmp_path / "table"
    make(spark, table, Case("", columns, "", ("",) * 4), WIDENING)
    opened = spark.read.format("delta").load(str(table))
    spark.sql(f"ALTER TABLE delta.`{table}` {change}")
    if goes_on:
        assert opened.collect() == []
    else:
        with pytest.raises(Exception, match="DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS"):
            opened.collect()


def test_a_reader_of_a_table_that_deltactl_widens(spark: "SparkSession", tmp_path: Path) -> None:
    table = tmp_path / "table"
    make(spark, table, Case("", "a INT", "", ("",) * 4), WIDENING)
    spark.sql(f"INSERT INTO delta.`{table}` VALUES (1)")
    opened = spark.read.format("delta").load(str(table))
    widen = [sys.executable, "-m", "deltactl", "widen", str(table), "a", "long", "-o", "json"]
    done = subprocess.run(widen, check=True, capture_output=True, text=True)
    (change,) = json.loads(done.stdout)["plan"]["changes"]
    assert (change["path"], change["readersGoOn"]) == ("a", False)
    with pytest.raises(Exception, match="DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS"):
        opened.collect()
    again = spark.read.format("delta").load(str(table))
    assert [row.asDict() for row in again.collect()] == [{"a": 1}]
