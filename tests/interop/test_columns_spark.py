"""Columns that deltactl changed in tables of Spark: Spark and deltalake read every row right."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deltalake import DeltaTable
from spark_table import Rows, SparkTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.jvm

MAPPING = "'delta.columnMapping.mode' = 'name'"
BY_ID = "'delta.columnMapping.mode' = 'id'"
NESTED = (
    "id INT, p STRING, s STRUCT<x: INT, y: STRING>, ar ARRAY<STRUCT<x: INT, y: STRING>>, "
    "m MAP<STRING, STRUCT<x: INT, y: STRING>>"
)
ROWS = (
    "(1, 'a', named_struct('x', 10, 'y', 'p'), array(named_struct('x', 11, 'y', 'q')), "
    "map('k', named_struct('x', 12, 'y', 'r'))), "
    "(2, 'b', NULL, array(), NULL)"
)


class Table(SparkTable):
    """A table whose columns deltactl changes."""

    def column(self, line: str, exit_code: int = 0) -> None:
        """Run `column LINE` on the table."""
        verb, *words = shlex.split(line)
        self.deltactl(f"column {verb}", *words, exit_code=exit_code)

    def operations(self) -> Rows:
        """What Spark says of deltactl's commits, oldest first."""
        told = self.history("operation", "operationParameters", "engineInfo")
        return [(name, given) for name, given, by in reversed(told) if "deltactl/" in (by or "")]


Make = Callable[..., Table]


@pytest.fixture
def make(spark: "SparkSession", tmp_path: Path) -> Make:
    def make(columns: str, rows: str, *settings: str, more: str = "") -> Table:
        table = Table(spark, tmp_path / "t")
        properties = f"TBLPROPERTIES ({', '.join(settings)})" if settings else ""
        table.sql(f"CREATE TABLE TABLE_ ({columns}) USING delta {more} {properties}")
        table.sql(f"INSERT INTO TABLE_ VALUES {rows}")
        return table

    return make


class TestAdd:
    def test_at_every_depth_of_a_plain_table(self, make: Make) -> None:
        table = make(NESTED, ROWS)
        for line in (
            "add n BIGINT --first --comment 'of us'",
            "add s.z DOUBLE --after x",
            "add ar.element.z DATE",
            "add m.value.z 'ARRAY<INT>' --first",
        ):
            table.column(line)
        assert table.sql("SELECT * FROM TABLE_ ORDER BY id") == [
            (None, 1, "a", (10, None, "p"), [(11, "q", None)], {"k": (None, 12, "r")}),
            (None, 2, "b", None, [], None),
        ]
        table.sql(
            "INSERT INTO TABLE_ SELECT 5, 3, 'a', named_struct('x', 1, 'z', 2.5D, 'y', 'v'), "
            "array(named_struct('x', 1, 'y', 'v', 'z', DATE'2024-05-31')), "
            "map('k', named_struct('z', array(1, 2), 'x', 3, 'y', 'w'))"
        )
        assert table.sql("SELECT n, s.z, ar[0].y, m['k'].z FROM TABLE_ WHERE id = 3") == [
            (5, 2.5, "v", [1, 2])
        ]
        table.sql("ALTER TABLE TABLE_ ADD COLUMN (s.w INT AFTER z)")
        table.sql("UPDATE TABLE_ SET n = 7 WHERE id = 1")
        assert table.sql("SELECT n, s.w, s.y FROM TABLE_ ORDER BY id") == [
            (7, None, "p"),
            (None, None, None),
            (5, None, "v"),
        ]
        assert [name for name, _ in table.operations()] == ["ADD COLUMNS"] * 4
        told = json.loads(table.operations()[0][1]["columns"])
        assert told == [
            {
                "column": {
                    "name": "n",
                    "type": "long",
                    "nullable": True,
                    "metadata": {"comment": "of us"},
                },
                "position": "FIRST",
            }
        ]
        assert table.by_deltalake("SELECT n, id FROM t ORDER BY id") == [
            {"n": 7, "id": 1},
            {"n": None, "id": 2},
            {"n": 5, "id": 3},
        ]

    @pytest.mark.parametrize("settings", [(), (MAPPING,), (BY_ID,)], ids=["plain", "name", "id"])
    def test_with_new_features(self, make: Make, settings: tuple[str, ...]) -> None:
        table = make("id INT", "(1)", *settings)
        table.column("add t timestamp_ntz --enable")
        table.column("add v variant --enable")
        table.column("add d 'decimal(10,2)' --default 1.50 --enable")
        table.column("add c 'varchar(3)'")
        assert table.sql("SELECT id, t, d, c FROM TABLE_") == [(1, None, None, None)]
        table.sql("INSERT INTO TABLE_ (id, v, c) VALUES (2, parse_json('{\"a\": 1}'), 'abc')")
        assert table.sql("SELECT string(d), v:a::int, c FROM TABLE_ WHERE id = 2") == [
            ("1.50", 1, "abc")
        ]
        with pytest.raises(Exception, match="EXCEED_CHAR_VARCHAR_LIMIT"):
            table.sql("INSERT INTO TABLE_ (id, c) VALUES (3, 'abcd')")

    def test_a_name_that_only_mapping_allows(self, make: Make) -> None:
        table = make("id INT", "(1)")
        table.column("add 'a b' int", exit_code=4)
        table.column("add 'a b' int --enable")
        table.sql("INSERT INTO TABLE_ VALUES (2, 20)")
        assert table.sql("SELECT id, `a b` FROM TABLE_ ORDER BY id") == [(1, None), (2, 20)]

    def test_a_dropped_name_comes_back_empty(self, make: Make) -> None:
        table = make("id INT, n INT", "(1, 77)", MAPPING)
        table.column("drop n")
        table.column("add n int")
        assert table.sql("SELECT * FROM TABLE_") == [(1, None)]
        assert table.by_deltalake("SELECT * FROM t") == [{"id": 1, "n": None}]

    def test_not_null_on_an_empty_table(self, spark: "SparkSession", tmp_path: Path) -> None:
        table = Table(spark, tmp_path / "t")
        table.sql("CREATE TABLE TABLE_ (id INT) USING delta")
        table.column("add n int --not-null")
        table.sql("INSERT INTO TABLE_ VALUES (1, 2)")
        with pytest.raises(Exception, match="NOT NULL"):
            table.sql("INSERT INTO TABLE_ VALUES (1, NULL)")
        table.column("drop-not-null n")
        table.sql("INSERT INTO TABLE_ VALUES (3, NULL)")
        assert table.sql("SELECT * FROM TABLE_ ORDER BY id") == [(1, 2), (3, None)]

    def test_nested_ids_for_iceberg(self, make: Make) -> None:
        table = make(
            "id INT, a ARRAY<INT>", "(1, array(1))", "'delta.enableIcebergCompatV2'='true'"
        )
        table.column("add n 'map<string, array<int>>'")
        table.sql("INSERT INTO TABLE_ VALUES (2, array(2), map('k', array(3)))")
        assert table.sql("SELECT id, n FROM TABLE_ ORDER BY id") == [(1, None), (2, {"k": [3]})]
        table.sql("ALTER TABLE TABLE_ ADD COLUMN z ARRAY<STRING>")
        log = sorted(Path(table.folder, "_delta_log").glob("*.json"))[-1]
        found = [json.loads(line) for line in log.read_text().splitlines()]
        metadata = next(action["metaData"] for action in found if "metaData" in action)
        ids = []
        for field in json.loads(metadata["schemaString"])["fields"]:
            keys = field["metadata"]
            ids += [keys["delta.columnMapping.id"]]
            ids += keys["delta.columnMapping.nested.ids"].values()
        assert sorted(ids) == list(range(1, len(ids) + 1))


@pytest.mark.parametrize("settings", [(), (MAPPING,)], ids=["enabled-with-it", "mapped"])
@pytest.mark.parametrize("partition", ["", "PARTITIONED BY (p)"], ids=["whole", "partitioned"])
def test_rename_and_drop(make: Make, settings: tuple[str, ...], partition: str) -> None:
    feed = "'delta.enableChangeDataFeed' = 'true'"
    stats = "'delta.dataSkippingStatsColumns' = 'id,s.x,s.y'"
    table = make(NESTED, ROWS, *settings, feed, stats, more=partition)
    for line in (
        "rename p `part.ition` --enable",
        "rename s.x x1",
        "rename ar.element.x x2",
        "rename m.value.y y2",
        "rename s struct",
        "drop struct.y ar.element.y m.value.x",
    ):
        table.column(line)
    query = "SELECT id, `part.ition`, struct, ar, m FROM TABLE_ ORDER BY id"
    assert table.sql(query) == [
        (1, "a", (10,), [(11,)], {"k": ("r",)}),
        (2, "b", None, [], None),
    ]
    [first, _] = table.by_deltalake('SELECT id, "part.ition", "struct", ar FROM t ORDER BY id')
    assert first == {"id": 1, "part.ition": "a", "struct": {"x1": 10}, "ar": [{"x2": 11}]}

    table.sql(
        "INSERT INTO TABLE_ (id, `part.ition`, struct, ar, m) VALUES (3, 'a', "
        "named_struct('x1', 30), array(named_struct('x2', 31)), map('k', named_struct('y2', 'z')))"
    )
    table.sql("UPDATE TABLE_ SET struct.x1 = 20 WHERE id = 1")
    table.sql("DELETE FROM TABLE_ WHERE `part.ition` = 'b'")
    changes = f"table_changes_by_path('{table.folder}', 8)"
    assert sorted(table.sql(f"SELECT id, _change_type FROM {changes}")) == [
        (1, "update_postimage"),
        (1, "update_preimage"),
        (2, "delete"),
        (3, "insert"),
    ]
    table.sql("ALTER TABLE TABLE_ RENAME COLUMN struct.x1 TO x")
    table.sql("ALTER TABLE TABLE_ ADD COLUMN n INT")
    table.sql("ALTER TABLE TABLE_ DROP COLUMN n")
    assert table.sql("SELECT id, struct.x, ar[0].x2, m['k'].y2 FROM TABLE_ ORDER BY id") == [
        (1, 20, 11, "r"),
        (3, 30, 31, "z"),
    ]
    assert table.sql("SELECT id FROM TABLE_ WHERE struct.x > 25") == [(3,)]
    assert [row[0] for row in table.sql("SHOW TBLPROPERTIES TABLE_") if "StatsColumns" in row[0]]
    assert table.operations()[1:] == [
        ("RENAME COLUMN", {"oldColumnPath": "s.x", "newColumnPath": "s.x1"}),
        ("RENAME COLUMN", {"oldColumnPath": "ar.element.x", "newColumnPath": "ar.element.x2"}),
        ("RENAME COLUMN", {"oldColumnPath": "m.value.y", "newColumnPath": "m.value.y2"}),
        ("RENAME COLUMN", {"oldColumnPath": "s", "newColumnPath": "struct"}),
        ("DROP COLUMNS", {"columns": '["struct.y","ar.element.y","m.value.x"]'}),
    ]


def test_statistics_columns_that_are_all_dropped(make: Make) -> None:
    stats = "'delta.dataSkippingStatsColumns' = 'b'"
    table = make("id INT, b INT", "(1, 2)", MAPPING, stats)
    table.column("drop b")
    table.sql("INSERT INTO TABLE_ VALUES (2)")
    table.sql("ALTER TABLE TABLE_ RENAME COLUMN id TO key")
    assert table.sql("SELECT key FROM TABLE_ ORDER BY key") == [(1,), (2,)]


def test_clustering_follows_a_rename(make: Make) -> None:
    table = make("id INT, b INT", "(1, 2)", MAPPING, more="CLUSTER BY (b)")
    table.column("drop b", exit_code=4)
    table.column("rename b c")
    table.sql("INSERT INTO TABLE_ VALUES (3, 4)")
    table.sql("OPTIMIZE TABLE_")
    assert table.sql("SELECT id, c FROM TABLE_ ORDER BY id") == [(1, 2), (3, 4)]
    assert table.detail("clusteringColumns") == ["c"]


def test_constraints_hold_their_columns(make: Make) -> None:
    table = make("id INT, b INT, g INT GENERATED ALWAYS AS (b + 1)", "(1, 2, 3)", MAPPING)
    table.sql("ALTER TABLE TABLE_ ADD CONSTRAINT c CHECK (id > 0)")
    for line in ("drop id", "rename id x", "drop b", "rename b x"):
        table.column(line, exit_code=4)
    table.column("rename g h")
    table.sql("INSERT INTO TABLE_ (id, b) VALUES (5, 6)")
    assert table.sql("SELECT id, b, h FROM TABLE_ ORDER BY id") == [(1, 2, 3), (5, 6, 7)]
    table.column("drop h")
    table.column("drop b")
    assert table.sql("SELECT * FROM TABLE_ ORDER BY id") == [(1,), (5,)]


def test_several_in_one_commit(make: Make, tmp_path: Path) -> None:
    table = make("a INT, b INT, c INT", "(1, 2, 3)", MAPPING)
    lines = tmp_path / "lines"
    lines.write_text(
        "rename a t\nrename b a   # they change places\nrename t b\n"
        "drop c\nadd c string --comment \"new\"\ncomment b 'was a'\n"
    )
    table.column(f"apply {shlex.quote(str(lines))}")
    assert table.sql("SELECT b, a, c FROM TABLE_") == [(1, 2, None)]
    table.sql("INSERT INTO TABLE_ (a, b, c) VALUES (20, 10, 'x')")
    assert table.sql("SELECT a, b, c FROM TABLE_ ORDER BY a") == [(2, 1, None), (20, 10, "x")]
    [(operation, parameters)] = table.operations()
    assert (operation, sorted(parameters)) == ("UPDATE SCHEMA", ["newSchema", "oldSchema"])
    described = {row[0]: row[2] for row in table.sql("DESCRIBE TABLE TABLE_")}
    assert (described["b"], described["c"]) == ("was a", "new")


# The type, the default, and what Spark makes of it in a row that leaves the column out.
DEFAULTS = [
    ("int", "-42", "-42"),
    ("int", "42L", "42"),
    ("short", "+ 1", "1"),
    ("byte", "1Y", "1"),
    ("float", "1.5", "1.5"),
    ("double", "1e300", "1.0E300"),
    ("double", "5.D", "5.0"),
    ("decimal(5,2)", "-1.5BD", "-1.50"),
    ("decimal(3,0)", "1e2", "100"),
    ("boolean", "TRUE", "true"),
    ("string", "'it\\'s'", "it's"),
    ("string", "'a' 'b'", "ab"),
    ("string", '"x"', "x"),
    ("varchar(3)", "'abc'", "abc"),
    ("binary", "X'41'", "A"),
    ("date", "DATE'2024-02-29'", "2024-02-29"),
    ("date", "'2024-02-29'", "2024-02-29"),
    ("timestamp", "TIMESTAMP'2024-05-31 12:00:00'", "2024-05-31 12:00:00"),
    ("timestamp", "DATE'2024-05-31'", "2024-05-31 00:00:00"),
    ("timestamp_ntz", "TIMESTAMP_NTZ'2024-05-31 12:00:00'", "2024-05-31 12:00:00"),
    ("timestamp_ntz", "DATE'2024-05-31'", "2024-05-31 00:00:00"),
    ("int", "NULL", None),
    ("variant", "NULL", None),
]
CONSTANT_FUNCTIONS = [
    ("date", "current_date()", "current_date()"),
    ("date", "CURRENT_DATE", "current_date()"),
    ("timestamp", "now()", "current_timestamp()"),
    ("timestamp", "current_timestamp", "current_timestamp()"),
    ("timestamp_ntz", "localtimestamp()", "localtimestamp()"),
    ("string", "current_user()", "current_user()"),
]


def test_spark_takes_every_default_that_we_take(make: Make, tmp_path: Path) -> None:
    table = make("id INT", "(1)", "'delta.feature.allowColumnDefaults' = 'supported'")
    lines = [
        shlex.join(["add", f"--default={default}", f"c{place}", kind])
        for place, (kind, default, _) in enumerate([*DEFAULTS, *CONSTANT_FUNCTIONS])
    ]
    (tmp_path / "lines").write_text("\n".join(lines))
    table.column(f"apply {tmp_path}/lines --enable")
    table.sql("INSERT INTO TABLE_ (id) VALUES (2)")
    columns = ", ".join(f"CAST(c{place} AS STRING)" for place in range(len(DEFAULTS)))
    assert table.sql(f"SELECT {columns} FROM TABLE_ WHERE id = 2") == [
        tuple(value for _, _, value in DEFAULTS)
    ]
    for place, (_, _, expected) in enumerate(CONSTANT_FUNCTIONS, start=len(DEFAULTS)):
        difference = f"c{place} <= {expected}"
        assert table.sql(f"SELECT {difference} FROM TABLE_ WHERE id = 2") == [(True,)]
    assert table.sql(f"SELECT {columns} FROM TABLE_ WHERE id = 1") == [(None,) * len(DEFAULTS)]


def test_settings_of_columns_and_of_the_table(make: Make) -> None:
    table = make("id INT, n INT", "(1, 1)", "'delta.feature.allowColumnDefaults' = 'supported'")
    table.column("set-default n 5")
    table.column("comment n 'five'")
    table.sql("INSERT INTO TABLE_ (id) VALUES (2)")
    table.column("drop-default n")
    table.sql("INSERT INTO TABLE_ (id) VALUES (3)")
    assert table.sql("SELECT id, n FROM TABLE_ ORDER BY id") == [(1, 1), (2, 5), (3, None)]
    table.deltactl("table comment", "for people")
    table.deltactl("table set-name", "numbers")
    assert (table.detail("name"), table.detail("description")) == ("numbers", "for people")
    table.sql("ALTER TABLE TABLE_ ALTER COLUMN n SET DEFAULT 6")
    table.sql("COMMENT ON TABLE TABLE_ IS 'by Spark'")
    assert [name for name, _ in table.operations()] == [
        "CHANGE COLUMN",
        "CHANGE COLUMN",
        "CHANGE COLUMN",
        "SET TBLPROPERTIES",
        "UPDATE TABLE METADATA",
    ]
    dt = DeltaTable(table.folder)
    assert (dt.metadata().name, dt.metadata().description) == ("numbers", "by Spark")
