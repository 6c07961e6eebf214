"""A table in the hands of Spark, deltactl and deltalake by turns."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder

from deltactl.cli.app import main

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Rows = list[tuple[Any, ...]]


class SparkTable:
    """A table by its path."""

    def __init__(self, spark: "SparkSession", folder: Path) -> None:
        self.spark = spark
        self.folder = str(folder)
        self.name = f"delta.`{folder}`"

    def sql(self, statement: str) -> Rows:
        """Run a statement of Spark, in which TABLE_ is the table."""
        found = self.spark.sql(statement.replace("TABLE_", self.name)).collect()
        return [tuple(row) for row in found]

    def detail(self, field: str) -> Any:
        return self.spark.sql(f"DESCRIBE DETAIL {self.name}").collect()[0][field]

    def history(self, *columns: str) -> Rows:
        """Columns of Spark's history, newest first."""
        found = self.spark.sql(f"DESCRIBE HISTORY {self.name}").selectExpr(*columns)
        return [tuple(row) for row in found.collect()]

    def deltactl(self, command: str, *words: str, exit_code: int = 0) -> None:
        """Run a command of deltactl on the table, as in `deltactl("widen", "n", "long")`."""
        assert main([*command.split(), self.folder, *words, "--yes"]) == exit_code

    def checkpoint(self) -> None:
        """Have Spark write a checkpoint."""
        log = self.spark._jvm.org.apache.spark.sql.delta.DeltaLog
        log.forTable(self.spark._jsparkSession, self.folder).checkpoint()

    def by_deltalake(self, query: str) -> list[dict[str, Any]]:
        """Run a query of deltalake, to which the table is `t`."""
        found = QueryBuilder().register("t", DeltaTable(self.folder)).execute(query)
        return pa.table(found).to_pylist()

    def commit(self, version: int) -> list[dict[str, Any]]:
        name = Path(self.folder, "_delta_log", f"{version:020d}.json")
        return [json.loads(line) for line in name.read_text().splitlines()]

    def action(self, version: int, kind: str) -> dict[str, Any]:
        """The first action of that kind in a commit."""
        return next(action[kind] for action in self.commit(version) if kind in action)
