"""The same changes of columns by DuckLake and by deltactl: the same rows are read afterwards."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, QueryBuilder, write_deltalake
from needs import do_without

from deltactl.cli.app import main

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PACKAGES = ["duckdb==1.5.5", "duckdb-extension-ducklake==1.5.5"]
SCRIPT = Path(__file__).parent / "ducklake_rows.py"

Row = dict[str, Any]
States = list[list[Row]]
DuckLake = Callable[[list[str]], States]

MAKE = (
    "CREATE TABLE t (id INTEGER, n INTEGER, f FLOAT, s STRUCT(x INTEGER, y VARCHAR), ar INTEGER[])"
)
FILL = "INSERT INTO t VALUES (1, 10, 1.5, {'x': 100, 'y': 'a'}, [1]), (2, 20, NULL, NULL, [])"
ROWS = [
    {"id": 1, "n": 10, "f": 1.5, "s": {"x": 100, "y": "a"}, "ar": [1]},
    {"id": 2, "n": 20, "f": None, "s": None, "ar": []},
]
SCHEMA = pa.schema(
    [
        ("id", pa.int32()),
        ("n", pa.int32()),
        ("f", pa.float32()),
        ("s", pa.struct([("x", pa.int32()), ("y", pa.string())])),
        ("ar", pa.list_(pa.int32())),
    ]
)
# Each statement of DuckLake's documentation, and what is typed for it here.
CHANGES = [
    ("ALTER TABLE t ADD COLUMN new_column INTEGER", "column add TABLE new_column INTEGER"),
    ("ALTER TABLE t ADD COLUMN s.new_field INTEGER", "column add TABLE s.new_field INTEGER"),
    ("ALTER TABLE t DROP COLUMN f", "column drop TABLE f --enable --yes"),
    ("ALTER TABLE t DROP COLUMN s.y", "column drop TABLE s.y --yes"),
    ("ALTER TABLE t RENAME n TO m", "column rename TABLE n m"),
    ("ALTER TABLE t RENAME s.x TO w", "column rename TABLE s.x w"),
    # The names are free again, and what they named does not come back.
    ("ALTER TABLE t ADD COLUMN f VARCHAR", "column add TABLE f string"),
    ("ALTER TABLE t ADD COLUMN s.y INTEGER", "column add TABLE s.y int"),
    ("ALTER TABLE t ADD COLUMN n BIGINT", "column add TABLE n bigint"),
    ("ALTER TABLE t RENAME m TO n2", "column rename TABLE m n2"),
]
WIDENINGS = [
    ("ALTER TABLE t ALTER id SET TYPE BIGINT", "widen TABLE id BIGINT --enable --yes"),
    ("ALTER TABLE t ALTER n SET TYPE BIGINT", "widen TABLE n int64"),
    ("ALTER TABLE t ALTER f SET TYPE DOUBLE", "widen TABLE f float64"),
]


@pytest.fixture(scope="session")
def ducklake(tmp_path_factory: pytest.TempPathFactory) -> DuckLake:
    """The rows of a table of DuckLake after each statement; DuckLake in an environment of its own.

    Its packages come from PyPI.
    """
    root = tmp_path_factory.mktemp("ducklake")
    subprocess.run([sys.executable, "-m", "venv", root / "venv"], check=True)
    python = root / "venv" / "bin" / "python"
    install: list[str | Path] = [python, "-m", "pip", "install", "--quiet", *PACKAGES]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        do_without(f"DuckLake cannot be installed: {done.stderr.strip()[-300:]}")

    def run(statements: list[str]) -> States:
        folder = tmp_path_factory.mktemp("lake")
        found = subprocess.run(
            [python, SCRIPT, folder],
            input=json.dumps(statements),
            capture_output=True,
            text=True,
            check=False,
        )
        assert found.returncode == 0, found.stderr
        states: States = json.loads(found.stdout)
        return states

    return run


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """The Delta table with the same rows."""
    folder = str(tmp_path / "t")
    write_deltalake(folder, pa.Table.from_pylist(ROWS, SCHEMA))
    return folder


def deltactl(folder: str, line: str) -> None:
    assert main([folder if word == "TABLE" else word for word in line.split()]) == 0


def delta_rows(folder: str) -> list[Row]:
    found = QueryBuilder().register("t", DeltaTable(folder)).execute("SELECT * FROM t ORDER BY id")
    rows: list[Row] = pa.table(found).to_pylist()
    return rows


def in_order(rows: list[Row]) -> list[list[tuple[str, Any]]]:
    """The rows with the order of their columns."""
    return [list(row.items()) for row in rows]


def test_add_drop_and_rename(ducklake: DuckLake, folder: str) -> None:
    states = ducklake([MAKE, FILL, *(sql for sql, _ in CHANGES)])[1:]
    assert in_order(delta_rows(folder)) == in_order(states[0])
    for (_, line), expected in zip(CHANGES, states[1:], strict=True):
        deltactl(folder, line)
        assert in_order(delta_rows(folder)) == in_order(expected), line
    first = {"w": 100, "new_field": None, "y": None}
    assert states[-1][0] == {
        "id": 1, "n2": 10, "s": first, "ar": [1], "new_column": None, "f": None, "n": None,
    }  # fmt: skip


def test_defaults_differ_in_rows_that_were_there(ducklake: DuckLake, folder: str) -> None:
    """DuckLake keeps a value for rows from before the column; Delta has no such thing."""
    default = "ALTER TABLE t ADD COLUMN d VARCHAR DEFAULT 'my_default'"
    [*_, state] = ducklake([MAKE, FILL, default])
    words = ["d", "string", "--default", "'my_default'", "--enable", "--yes"]
    assert main(["column", "add", folder, *words]) == 0
    assert [row.pop("d") for row in state] == ["my_default", "my_default"]
    rows = delta_rows(folder)
    assert [row.pop("d") for row in rows] == [None, None]
    assert in_order(rows) == in_order(state)


@pytest.mark.jvm
def test_widening_and_what_comes_after(
    ducklake: DuckLake, folder: str, spark: "SparkSession"
) -> None:
    table = f"delta.`{folder}`"

    def spark_rows() -> list[Row]:
        found = spark.sql(f"SELECT * FROM {table} ORDER BY id").collect()
        return [row.asDict(recursive=True) for row in found]

    inserts = [
        "INSERT INTO {} (id, n, f) VALUES (4000000000, 5000000000, 0.1)",
        "INSERT INTO {} (id, n2) VALUES (3, 6000000000)",
    ]
    steps = [*WIDENINGS, (inserts[0].format("t"), None), *CHANGES, (inserts[1].format("t"), None)]
    states = ducklake([MAKE, FILL, *(sql for sql, _ in steps)])[1:]
    for _, line in WIDENINGS:
        deltactl(folder, line)
    spark.sql(inserts[0].format(table))
    assert in_order(spark_rows()) == in_order(states[len(WIDENINGS) + 1])
    for _, line in CHANGES:
        deltactl(folder, line)
    assert in_order(spark_rows()) == in_order(states[-2])
    spark.sql(inserts[1].format(table))
    assert in_order(spark_rows()) == in_order(states[-1])
