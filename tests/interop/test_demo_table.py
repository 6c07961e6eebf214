"""The table of `deltactl demo`, in the hands of others."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deltalake import DeltaTable
from deltalake.exceptions import DeltaProtocolError

from deltactl.cli.app import main
from deltactl.operations.demo.writer import write_demo_table
from deltactl.table.table import open_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def folder(tmp_path: Path) -> str:
    folder = str(tmp_path / "orders")
    write_demo_table(folder)
    return folder


def test_deltalake_opens_every_version(folder: str) -> None:
    types = []
    for version in range(5):
        table = DeltaTable(folder, version=version)
        assert table.version() == version
        types.append([(field.name, str(field.type)) for field in table.schema().fields])
    assert types[1][2] == ("amount", 'PrimitiveType("integer")')
    assert types[2][2] == ("amount", 'PrimitiveType("long")')
    assert types[4][4] == ("note", 'PrimitiveType("string")')
    assert len(table.file_uris()) == 2
    assert [commit["operation"] for commit in table.history()] == [
        "ADD COLUMNS",
        "WRITE",
        "CHANGE COLUMN",
        "WRITE",
        "CREATE TABLE",
    ]


def test_deltalake_refuses_the_rows_of_a_widened_table(folder: str) -> None:
    with pytest.raises(DeltaProtocolError, match="typeWidening"):
        DeltaTable(folder).to_pyarrow_table()


@pytest.mark.jvm
def test_spark_reads_and_writes_it(spark: "SparkSession", folder: str) -> None:
    table = f"delta.`{folder}`"

    def rows(query: str) -> list[tuple[object, ...]]:
        return [tuple(row) for row in spark.sql(query).collect()]

    early = [(1, "Ada", 1250), (2, "Grace", 48000), (3, None, 990)]
    late = [(4, "Edsger", 3200000000), (5, "Barbara", 1750)]
    columns = "SELECT id, customer, amount FROM"
    assert rows(f"{columns} {table} ORDER BY id") == early + late
    assert rows(f"{columns} {table} VERSION AS OF 1 ORDER BY id") == early
    assert rows(f"SELECT id, items.sku, note FROM {table} WHERE amount > 2147483647") == [
        (4, [], None)
    ]

    spark.sql(f"INSERT INTO {table} VALUES (6, 'Alan', 5, array(), 'by Spark')")
    spark.sql(f"UPDATE {table} SET note = 'small' WHERE amount < 1000")
    assert rows(f"SELECT id, note FROM {table} WHERE note IS NOT NULL ORDER BY id") == [
        (3, "small"),
        (6, "small"),
    ]
    history = spark.sql(f"DESCRIBE HISTORY {table}")
    by_us = history.selectExpr("version", "operation", "engineInfo LIKE 'deltactl/%'")
    assert [tuple(row) for row in by_us.collect()] == [
        (6, "UPDATE", False),
        (5, "WRITE", False),
        (4, "ADD COLUMNS", True),
        (3, "WRITE", True),
        (2, "CHANGE COLUMN", True),
        (1, "WRITE", True),
        (0, "CREATE TABLE", True),
    ]
    assert open_table(folder).snapshot().version == 6
    assert main(["history", folder]) == 0
