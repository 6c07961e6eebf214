"""Tables that `deltactl widen` changed, in the hands of Spark and of deltalake."""

import json
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from deltalake import DeltaTable
from spark_table import Rows, SparkTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.jvm

ON = "TBLPROPERTIES ('delta.enableTypeWidening' = 'true'"
TOO_LONG = r"EXCEED_LIMIT_LENGTH|EXCEED_CHAR_VARCHAR_LIMIT"


@pytest.fixture
def table(spark: "SparkSession", tmp_path: Path) -> Iterator[SparkTable]:
    found = SparkTable(spark, tmp_path / "data")
    yield found
    # What Spark keeps of a table outlives its files.
    spark.catalog.clearCache()


def test_every_kind_of_widening_on_a_legacy_table_with_data(table: SparkTable) -> None:
    table.sql(
        "create table TABLE_ (b tinyint, i int not null comment 'how many', n int, "
        "dec decimal(5,2), f float, d date, s struct<x:short, l:array<struct<q:int>>>, "
        "ar array<int>, m map<int, array<short>>, p short) using delta partitioned by (p)"
    )
    old = (
        "1Y, 2, 3, 4.25, 1.5F, date'2020-01-02', named_struct('x', 5S, 'l', "
        "array(named_struct('q', 6))), array(7), map(8, array(9S)), 10S"
    )
    table.sql(f"insert into TABLE_ select {old}")
    table.deltactl("widen",
        "b", "short", "i", "long", "n", "decimal(12,2)", "dec", "decimal(7,4)", "f", "double",
        "d", "timestamp_ntz", "s.x", "long", "s.l.element.q", "double", "ar.element", "bigint",
        "m.key", "long", "m.value.element", "int", "p", "int", "--enable", "--fix-stats",
    )  # fmt: skip
    columns = "b, i, n, dec, f, d, s.x, s.l[0].q, ar[0], map_keys(m)[0], map_values(m)[0][0], p"
    first = (
        1, 2, Decimal("3.00"), Decimal("4.2500"), 1.5, datetime(2020, 1, 2), 5, 6.0, 7, 8, 9, 10,
    )  # fmt: skip
    assert table.sql(f"select {columns} from TABLE_") == [first]
    types = {name: kind for name, kind, *_ in table.sql("describe TABLE_")}
    assert types["s"] == "struct<x:bigint,l:array<struct<q:double>>>"
    assert types["m"] == "map<bigint,array<int>>"

    assert table.history("operation", "engineInfo like 'deltactl/%'") == [
        ("CHANGE COLUMNS", True),
        ("WRITE", False),
        ("CREATE TABLE", False),
    ]
    table.sql(
        "insert into TABLE_ select 300S, 5000000000, 12.34, 123.4567, 0.1D, "
        "timestamp_ntz'2021-01-01 10:00:00', named_struct('x', 6000000000, 'l', "
        "array(named_struct('q', 0.5D))), array(7000000000), map(8000000000, array(90000)), 70000"
    )
    table.sql("update TABLE_ set n = n + 0.5 where p = 10")
    # Further, by Spark.
    table.sql("alter table TABLE_ alter column b type int")
    table.sql("alter table TABLE_ alter column ar.element type decimal(20,0)")
    table.checkpoint()
    # And by deltactl on top of that, from the checkpoint.
    table.deltactl("widen", "b", "long", "p", "long", "--count")
    second = (
        300, 5000000000, Decimal("12.34"), Decimal("123.4567"), 0.1, datetime(2021, 1, 1, 10),
        6000000000, 0.5, Decimal(7000000000), 8000000000, 90000, 70000,
    )  # fmt: skip
    third = (1, 2, Decimal("3.50"), *first[3:8], Decimal(7), *first[9:])
    assert table.sql(f"select {columns} from TABLE_ order by p") == [third, second]
    for where in ("b = 300", "i > 4000000000", "d = timestamp_ntz'2021-01-01 10:00:00'", "p > 10"):
        assert table.sql(f"select p from TABLE_ where {where}") == [(70000,)]
    schema = DeltaTable(table.folder).schema()
    assert [str(field.type) for field in schema.fields][:2] == ['PrimitiveType("long")'] * 2


def test_a_date_partition(table: SparkTable) -> None:
    table.sql("create table TABLE_ (a int, d date) using delta partitioned by (d) " + ON + ")")
    table.sql("insert into TABLE_ values (1, date'2020-01-01')")
    table.deltactl("widen", "d", "timestamp_ntz", "--enable")
    table.sql("insert into TABLE_ values (2, timestamp_ntz'2020-01-02 10:00:00')")
    assert table.sql("select a, d from TABLE_ order by a") == [
        (1, datetime(2020, 1, 1)),
        (2, datetime(2020, 1, 2, 10)),
    ]
    assert table.sql("select a from TABLE_ where d < timestamp_ntz'2020-01-01 12:00:00'") == [(1,)]


def finds(table: SparkTable, column: str) -> dict[str, Rows]:
    """What Spark finds of one float 1.1, read as a double."""
    return {
        "above": table.sql(f"select count(*) from TABLE_ where {column} > 1.1D"),
        "equal": table.sql(f"select count(*) from TABLE_ where {column} = 1.100000023841858D"),
        "most": table.sql(f"select max({column}) from TABLE_"),
    }


WRONG = {"above": [(0,)], "equal": [(0,)], "most": [(1.1,)]}
RIGHT = {"above": [(1,)], "equal": [(1,)], "most": [(1.100000023841858,)]}


@pytest.mark.parametrize("later", [False, True], ids=["at once", "later"])
def test_statistics_of_floats_hide_rows_until_they_are_fixed(
    table: SparkTable, later: bool
) -> None:
    table.sql("create table TABLE_ (f float, s struct<f:float>) using delta " + ON + ")")
    table.sql("insert into TABLE_ select 1.1F, named_struct('f', 1.1F)")
    if later:
        table.deltactl("widen", "f", "double", "s.f", "double")
        assert finds(table, "f") == WRONG
        above = "select count(*) from TABLE_ where s.f > 1.1D"
        assert table.sql(above) == [(0,)]
        # Written as a double, its bounds are right though a float might have them.
        table.sql("insert into TABLE_ select 0.1D, named_struct('f', 0.1D)")
    table.deltactl("widen", "f", "double", "s.f", "double", "--fix-stats")
    assert finds(table, "f") == RIGHT
    assert table.sql("select count(*) from TABLE_ where s.f > 1.1D") == [(1,)]
    operation = "COMPUTE STATS" if later else "CHANGE COLUMNS"
    assert table.history("operation")[0] == (operation,)
    if later:
        assert table.sql("select count(*) from TABLE_ where f = 0.1D") == [(1,)]
        assert [next(iter(action)) for action in table.commit(4)] == ["commitInfo", "add"]
    table.sql("insert into TABLE_ select 2.2D, named_struct('f', 2.2D)")
    table.checkpoint()
    assert table.sql("select max(f) from TABLE_") == [(2.2,)]
    assert finds(table, "f")["equal"] == [(1,)]


def test_a_table_with_everything_keeps_its_row_ids_and_its_deleted_rows(table: SparkTable) -> None:
    features = ("enableRowTracking", "enableDeletionVectors", "enableChangeDataFeed")
    more = "".join(f", 'delta.{name}' = 'true'" for name in features)
    mode = ", 'delta.columnMapping.mode' = 'name'"
    table.sql(
        "create table TABLE_ (k int, f float, p int) using delta partitioned by (p) "
        f"{ON}{more}{mode})"
    )
    table.sql(
        "insert into TABLE_ select /*+ coalesce(1) */ * from values "
        "(1, 1.1F, 1), (2, 2.2F, 1), (3, 3.3F, 1)"
    )
    table.sql("delete from TABLE_ where k = 2")
    ids = "select k, _metadata.row_id, _metadata.row_commit_version from TABLE_ order by k"
    before = table.sql(ids)
    assert [row[0] for row in before] == [1, 3]
    table.deltactl("widen", "f", "double", "--fix-stats")
    assert table.sql(ids) == before
    assert table.sql("select k from TABLE_ where f > 1.1D order by k") == [(1,), (3,)]
    changes = f"table_changes_by_path('{table.folder}', 3)"
    assert table.spark.sql(f"select * from {changes}").collect() == []
    table.sql("update TABLE_ set f = f + 1 where k = 3")
    assert [row[:2] for row in table.sql(ids)] == [row[:2] for row in before]


def test_statistics_that_are_structs_only(table: SparkTable) -> None:
    more = (
        ", 'delta.checkpoint.writeStatsAsJson' = 'false', 'delta.enableDeletionVectors' = 'true')"
    )
    columns = "k int, f float, t timestamp, n timestamp_ntz, e decimal(9,3)"
    table.sql(f"create table TABLE_ ({columns}) using delta {ON}{more}")
    table.sql(
        "insert into TABLE_ select /*+ coalesce(1) */ * from values "
        "(1, 1.1F, timestamp'2020-01-02 03:04:05.678901', "
        "timestamp_ntz'2020-01-02 03:04:05.678', 1.5), (2, 1.0F, null, null, null)"
    )
    table.sql("delete from TABLE_ where k = 2")
    table.checkpoint()
    table.deltactl("widen", "f", "double", "--fix-stats")
    stats = json.loads(table.commit(3)[-1]["add"]["stats"])
    original = json.loads(table.commit(1)[-1]["add"]["stats"])
    for bound in ("minValues", "maxValues"):
        assert stats[bound].pop("f") == {"minValues": 1.0, "maxValues": 1.100000023841858}[bound]
        del original[bound]["f"]
    assert stats == {**original, "tightBounds": False}
    assert table.sql("select k from TABLE_ where f > 1.1D") == [(1,)]
    time = "timestamp'2020-01-02 03:04:05.678901'"
    assert table.sql(f"select k from TABLE_ where t = {time}") == [(1,)]
    table.sql("delete from TABLE_ where f > 1.1D")
    assert table.sql("select count(*) from TABLE_") == [(0,)]


def test_lengths_and_columns_of_no_type(table: SparkTable) -> None:
    table.sql(
        "create table TABLE_ (v varchar(5), ar array<varchar(3)>, "
        "s struct<x:varchar(3), n:int>, e void) using delta " + ON + ")"
    )
    values = "'abcde', array('abc'), named_struct('x', 'abc', 'n', 1), null"
    table.sql(f"insert into TABLE_ select {values}")
    lengths = ("v", "varchar(9)", "ar.element", "varchar(4)")
    table.deltactl("widen", *lengths, "s.n", "long", "e", "int")
    table.sql(
        "insert into TABLE_ select 'abcdefghi', array('abcd'), "
        "named_struct('x', 'abc', 'n', 5000000000), 7"
    )
    assert table.sql("select v, ar[0], s.n, e from TABLE_ order by v") == [
        ("abcde", "abc", 1, None),
        ("abcdefghi", "abcd", 5000000000, 7),
    ]
    for values in (
        "'abcdefghij', null, null, 1",
        "'a', array('abcde'), null, 1",
        "'a', null, named_struct('x', 'abcd', 'n', 1L), 1",
    ):
        with pytest.raises(Exception, match=TOO_LONG):
            table.sql(f"insert into TABLE_ select {values}")


def test_a_table_with_the_preview(table: SparkTable) -> None:
    table.sql(
        "create table TABLE_ (a short) using delta tblproperties "
        "('delta.feature.typeWidening-preview' = 'supported', 'delta.enableTypeWidening' = 'true')"
    )
    table.sql("insert into TABLE_ values (1S)")
    table.deltactl("widen", "a", "int")
    table.sql("alter table TABLE_ alter column a type bigint")
    fields = json.loads(table.commit(3)[-1]["metaData"]["schemaString"])["fields"]
    assert fields[0]["metadata"]["delta.typeChanges"] == [
        {"fromType": "short", "toType": "integer", "tableVersion": 2},
        {"fromType": "integer", "toType": "long", "tableVersion": 3},
    ]
    table.deltactl("widen", "a", "decimal(20,0)", "--migrate-preview")
    assert table.sql("select a from TABLE_") == [(Decimal(1),)]
    table.sql("insert into TABLE_ values (12345678901234567890)")
    assert table.sql("select max(a) from TABLE_") == [(Decimal("12345678901234567890"),)]


def test_commits_are_told_as_spark_tells_its_own(
    table: SparkTable, tmp_path: Path, spark: "SparkSession"
) -> None:
    ours, theirs = table, SparkTable(spark, tmp_path / "theirs")
    for each in (ours, theirs):
        each.sql(
            "create table TABLE_ (i int not null comment 'c', v varchar(5), m map<int,array<int>>, "
            "l array<struct<q:int>>) using delta " + ON + ")"
        )
    steps = [
        ("i", "bigint"),
        ("v", "varchar(9)"),
        ("m.key", "bigint"),
        ("m.key", "decimal(20,0)"),
        ("m.value.element", "bigint"),
        ("l.element.q", "bigint"),
    ]
    for version, (column, name) in enumerate(steps, 1):
        ours.deltactl("widen", column, name)
        theirs.sql(f"alter table TABLE_ alter column {column} type {name}")
        told = [_told(each.commit(version)[0]) for each in (ours, theirs)]
        assert told[0] == told[1]


def _told(action: dict[str, Any]) -> tuple[str, Any]:
    info = action["commitInfo"]
    column = json.loads(info["operationParameters"]["column"])
    for change in column["metadata"].get("delta.typeChanges", ()):
        change.pop("tableVersion", None)
    return info["operation"], column
