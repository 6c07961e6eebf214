"""Conditions: in how many rows Spark finds them not true, deltactl does, or it declines."""

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from spark_table import SparkTable

from deltactl.changes.draft import Draft
from deltactl.cli.app import main
from deltactl.operations.constraints.check import RowCheck, RowCheckResult
from deltactl.spec.constraints.condition import Condition
from deltactl.spec.constraints.parse import Declined, parse_expression, read_condition
from deltactl.table.table import open_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.jvm

COLUMNS = (
    "i INT, l BIGINT, b BOOLEAN, d DOUBLE, f FLOAT, n DECIMAL(10,2), m DECIMAL(38,18), s STRING, "
    "dt DATE, y TINYINT, ts TIMESTAMP, `a-b` INT, st STRUCT<x: INT, z: STRUCT<w: STRING>>"
)
# Numbers at the ends of their types, NaN, signed zero, texts that sort by bytes, all NULL.
ROWS = """VALUES
  (1, 1L, true, 1.5D, 1.1F, 1.25, 1.1, 'a', DATE'2020-01-01', 1Y, TIMESTAMP'2020-01-01', 1,
   named_struct('x', 1, 'z', named_struct('w', 'a'))),
  (-2147483648, -9223372036854775808L, false, double('NaN'), float('NaN'), -1.25,
   -99999999999999999999.999999999999999999, '', DATE'1999-12-31', -128Y, NULL, -3, NULL),
  (2147483647, 9223372036854775807L, NULL, double('-Infinity'), float('Infinity'), 99999999.99,
   99999999999999999999.999999999999999999, 'é', DATE'9999-12-31', 127Y, NULL, NULL,
   named_struct('x', NULL, 'z', NULL)),
  (0, 9007199254740993L, true, -0.0D, 16777216F, 0.00, 0, 'B', DATE'2020-01-02', 0Y, NULL, 0,
   named_struct('x', 7, 'z', named_struct('w', NULL))),
  (2, 2L, false, 0.1D, 0.1F, 1.20, 1.2, 'z', NULL, 5Y, NULL, 2, named_struct('x', 2, 'z', NULL)),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"""
EXACT = (
    "i > 1", "i >= 1.5", "i < 1.5", "i = 1.5", "i <> 1.5", "i = 1.0", "i <= -2147483648",
    "l = 9007199254740993", "l > 9007199254740992.5",
    "l >= -9223372036854775808", "l > 9223372036854775807",
    "y > 5Y", "y < 127S", "n > 1", "n = 1.25", "n < 1.255", "n >= 1.2", "m > 1.1",
    "m <= 99999999999999999999.999999999999999999", "m > 5", "n BETWEEN 0 AND 1.25", "i = n",
    "i > l", "l < n", "y <= i", "n <> m", "d > 1", "d >= 0", "d = 0", "d < 0.1", "d <= 0.1",
    "d <> 0.1", "d > 1e308", "d = -0.0", "f > 1.1", "f = 0.1", "f >= 16777216", "f < 1e-3", "d = f",
    "d > f", "d <= f", "f <> d", "d IN (0, 1.5)", "f IN (1, 16777216)", "s = 'a'", "s <> 'a'",
    "s < 'a'", "s >= 'z'", "s IN ('a', '', NULL)", "s NOT IN ('a', 'z')", "s NOT IN ('a', NULL)",
    "dt = '2020-01-01'", "dt > DATE '2020-01-01'", "dt <= '9999-12-31'",
    "dt IN ('2020-01-01', DATE '1999-12-31')", "dt BETWEEN '2000-01-01' AND '2020-01-02'",
    "b", "NOT b", "!b", "b = true", "b <> true", "b IS TRUE", "b IS NOT FALSE", "ts IS NULL",
    "NOT ts IS NOT NULL", "`a-b` >= 0", "st.x > 1", "st.z.w = 'a'", "st.x IS NULL", "5 > i",
    "i > 0 AND s = 'a' OR b", "i > 0 OR b AND s = 'a'", "NOT i > 0 AND b", "NOT (i > 0 AND b)",
    "i > 0 OR i IS NULL", "TRUE", "b OR TRUE", "b AND FALSE",
)  # fmt: skip


class Oracle(SparkTable):
    """One table, and what Spark and deltactl find in it."""

    def violations(self, *expressions: str) -> list[int]:
        counts = (f"count_if(NOT ({text}) OR ({text}) IS NULL)" for text in expressions)
        (row,) = self.sql(f"SELECT {', '.join(counts)} FROM TABLE_")
        return [*row]

    def draft(self) -> Draft:
        return Draft(open_table(self.folder).snapshot(), now=0, fresh=lambda prefix, what: prefix)

    def condition(self, expression: str) -> Condition | Declined:
        return read_condition(parse_expression(expression), self.draft().schema)

    def found(self, expression: str) -> RowCheckResult:
        condition = self.condition(expression)
        assert not isinstance(condition, Declined), condition
        return RowCheck().check(self.draft(), condition, lambda _: None)


@pytest.fixture(scope="module")
def oracle(spark: "SparkSession", tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    oracle = Oracle(spark, tmp_path_factory.mktemp("conditions") / "table")
    oracle.sql(f"CREATE TABLE TABLE_ ({COLUMNS}) USING delta")
    oracle.sql(f"INSERT INTO TABLE_ SELECT /*+ COALESCE(1) */ * FROM {ROWS}")
    return oracle


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_conditions_mean_what_they_mean_to_spark(oracle: Oracle, ansi: str) -> None:
    oracle.spark.conf.set("spark.sql.ansi.enabled", ansi)
    oracle.spark.conf.set("spark.sql.session.timeZone", "Pacific/Kiritimati")
    try:
        expected = dict(zip(EXACT, oracle.violations(*EXACT), strict=True))
    finally:
        oracle.spark.conf.unset("spark.sql.ansi.enabled")
        oracle.spark.conf.unset("spark.sql.session.timeZone")
    found = {text: oracle.found(text) for text in EXACT}
    assert {text: finding.violations for text, finding in found.items()} == expected
    assert {(finding.rows, finding.unsure) for finding in found.values()} == {(6, None)}


MAPPED = (
    "PARTITIONED BY (p, q) TBLPROPERTIES ('delta.columnMapping.mode' = 'name', "
    "'delta.enableTypeWidening' = 'true', 'delta.enableDeletionVectors' = 'true')"
)


def test_files_that_differ(spark: "SparkSession", tmp_path: Path) -> None:
    """Widened, renamed, added and partition columns; rows that are deleted."""
    oracle = Oracle(spark, tmp_path / "table")
    oracle.sql(f"CREATE TABLE TABLE_ (i INT, f FLOAT, p INT, q STRING) USING delta {MAPPED}")
    oracle.sql(
        "INSERT INTO TABLE_ VALUES (1, 1.5F, 1, 'x'), (2, 2.5F, NULL, ''), (3, 0.1F, 2, 'y')"
    )
    oracle.sql("ALTER TABLE TABLE_ ALTER COLUMN i TYPE BIGINT")
    oracle.sql("ALTER TABLE TABLE_ ALTER COLUMN f TYPE DOUBLE")
    oracle.sql("ALTER TABLE TABLE_ RENAME COLUMN i TO `the i`")
    oracle.sql("ALTER TABLE TABLE_ ADD COLUMN late INT")
    oracle.sql("INSERT INTO TABLE_ VALUES (3000000000, 4.5, 3, 'z', 1)")
    expected = (
        ("`the i` > 1", 1),
        ("`the i` < 3000000000", 1),
        ("f = 0.1", 4),
        ("f > 0", 0),
        ("late IS NULL", 1),
        ("late > 0", 3),
        ("p >= 2", 2),
        ("q <> 'x'", 2),
        ("p = `the i`", 3),
        ("`the i` IS NOT NULL AND (p IS NULL OR p > 0)", 0),
    )
    texts = [text for text, _ in expected]
    assert tuple(zip(texts, oracle.violations(*texts), strict=True)) == expected
    found = [oracle.found(text) for text in texts]
    assert [(finding.violations, finding.unsure) for finding in found] == [
        (violations, None) for _, violations in expected
    ]
    oracle.sql("INSERT INTO TABLE_ SELECT /*+ COALESCE(1) */ id, 1, 9, 'r', 1 FROM range(100, 110)")
    oracle.sql("DELETE FROM TABLE_ WHERE `the i` = 105")
    assert oracle.found("`the i` > 0").rows == 13
    assert oracle.found("`the i` > 0").violations == 0
    assert oracle.violations("`the i` > 0", "`the i` <> 105") == [0, 0]
    assert "rows are deleted" in str(oracle.found("`the i` <> 105").unsure)


def test_spark_enforces_what_was_added(spark: "SparkSession", tmp_path: Path) -> None:
    oracle = Oracle(spark, tmp_path / "table")
    oracle.sql("CREATE TABLE TABLE_ (i INT, s STRING, n DECIMAL(10,2)) USING delta")
    oracle.sql("INSERT INTO TABLE_ VALUES (1, 'a', 1.5), (2, NULL, 2.5)")
    folder = oracle.folder
    assert main(["constraint", "add", folder, "Known", "s = 'a'", "--yes"]) == 4
    assert main(["constraint", "add", folder, "Positive", "i > 0 AND n >= 1.5", "--yes"]) == 0
    assert main(["constraint", "add", folder, "short", "s IS NULL OR s IN ('a', 'b')"]) == 0
    assert main(["constraint", "add", folder, "size", "length(s) < 3"]) == 9
    for row in ("(0, 'a', 2)", "(NULL, 'a', 2)", "(1, 'c', 2)", "(1, 'a', 1.49)"):
        with pytest.raises(Exception, match="DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"):
            oracle.sql(f"INSERT INTO TABLE_ VALUES {row}")
    oracle.sql("INSERT INTO TABLE_ VALUES (7, NULL, 1.5)")
    history = oracle.sql("DESCRIBE HISTORY TABLE_")
    assert [row[4] for row in history[:3]] == ["WRITE", "ADD CONSTRAINT", "ADD CONSTRAINT"]
    assert history[2][5] == {"name": "Positive", "expr": "i > 0 AND n >= 1.5"}
    shown = dict(oracle.sql("SHOW TBLPROPERTIES TABLE_"))
    assert shown["delta.constraints.positive"] == "i > 0 AND n >= 1.5"
    oracle.sql("ALTER TABLE TABLE_ DROP CONSTRAINT positive")
    assert main(["constraint", "drop", folder, "SHORT"]) == 0
    oracle.sql("INSERT INTO TABLE_ VALUES (-1, 'c', 0)")
    assert oracle.sql("SELECT * FROM TABLE_ ORDER BY i")[0] == (-1, "c", Decimal("0.00"))
