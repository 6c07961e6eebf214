"""Several verbs, one plan."""

from pathlib import Path

from column_plans import codes, fields, mapped_table, parameters, plan
from drafts import back
from small_tables import LEGACY, field, mapped, metadata

TABLE = mapped_table(
    mapped("a", 1, "a", "integer"), mapped("b", 2, "b", "integer"), mapped("c", 3, "c", "integer"),
    last=3,
)  # fmt: skip


def test_each_verb_sees_what_those_before_it_did(tmp_path: Path) -> None:
    made = plan(tmp_path, TABLE, "rename a x", "add a long --after x", "drop b", "comment x first")
    assert fields(made) == [
        mapped("x", 1, "a", "integer", comment="first"),
        mapped("a", 4, "col-column-4", "long"),
        mapped("c", 3, "c", "integer"),
    ]
    assert made.operation == "UPDATE SCHEMA"
    told = parameters(made)
    assert [f["name"] for f in told["oldSchema"]["fields"]] == ["a", "b", "c"]
    assert told["newSchema"] == {"type": "struct", "fields": fields(made)}


def test_names_can_change_places(tmp_path: Path) -> None:
    made = plan(tmp_path, TABLE, "rename a t", "rename b a", "rename t b")
    assert [(f["name"], f["metadata"]["delta.columnMapping.id"]) for f in fields(made)] == [
        ("b", 1),
        ("a", 2),
        ("c", 3),
    ]
    assert back(made) == [
        "deltactl column rename TABLE b t",
        "deltactl column rename TABLE a b",
        "deltactl column rename TABLE t a",
    ]


def test_a_dropped_name_comes_back_without_its_values(tmp_path: Path) -> None:
    made = plan(tmp_path, TABLE, "drop c", "add c integer")
    assert fields(made)[2] == mapped("c", 4, "col-column-4", "integer")


def test_one_operation_where_spark_has_one_for_all(tmp_path: Path) -> None:
    made = plan(tmp_path, TABLE, "add x int", "add y int --first")
    assert made.operation == "ADD COLUMNS"
    assert [c["column"]["name"] for c in parameters(made)["columns"]] == ["x", "y"]
    (tmp_path / "b").mkdir()
    made = plan(tmp_path / "b", TABLE, "drop a", "drop b c --if-exists", "add z int")
    assert made.operation == "UPDATE SCHEMA"
    (tmp_path / "c").mkdir()
    made = plan(tmp_path / "c", TABLE, "comment a x", "comment b y")
    assert made.operation == "CHANGE COLUMNS"
    assert [c["name"] for c in parameters(made)["columns"]] == ["a", "b"]


def test_only_restore_takes_a_drop_back(tmp_path: Path) -> None:
    made = plan(tmp_path, TABLE, "rename a x", "drop b", "add d int")
    assert back(made) == [
        "RESTORE TABLE ... TO VERSION AS OF 0",
        "Spark SQL only; also discards rows written after version 0",
    ]


def test_all_reasons_are_told_with_their_lines(tmp_path: Path) -> None:
    made = plan(tmp_path, TABLE, "# nothing", "drop nope", "", "add a long", "rename b c # why")
    assert [(r.code, r.message.split(": ")[0]) for r in made.refusals] == [
        ("COLUMN_NOT_FOUND", "line 2"),
        ("COLUMN_EXISTS", "line 4"),
        ("COLUMN_EXISTS", "line 5"),
    ]


def test_conflicting_changes(tmp_path: Path) -> None:
    made = plan(tmp_path, TABLE, "add d int", "add d long", "drop a", "rename a e")
    assert [(r.code, r.message.split(": ")[0]) for r in made.refusals] == [
        ("COLUMN_EXISTS", "line 2"),
        ("COLUMN_NOT_FOUND", "line 4"),
    ]


def test_features_are_added_once_for_all(tmp_path: Path) -> None:
    table = [LEGACY, metadata(field("a", "integer"), field("b", "integer"))]
    made = plan(tmp_path, table, "rename a x", "add c int --default 1", "drop b", enabling=True)
    assert codes(made) == []
    assert made.protocol is not None
    assert {"columnMapping", "allowColumnDefaults"} <= made.protocol.listed
    assert fields(made) == [
        mapped("x", 1, "a", "integer"),
        {**mapped("c", 3, "col-column-3", "integer"),
         "metadata": {"CURRENT_DEFAULT": "1", "delta.columnMapping.id": 3,
                      "delta.columnMapping.physicalName": "col-column-3"}},
    ]  # fmt: skip


def test_nothing_at_all(tmp_path: Path) -> None:
    assert plan(tmp_path, TABLE, "# nothing", "", "drop nope --if-exists").is_empty


def test_what_comes_to_nothing_is_no_change(tmp_path: Path) -> None:
    assert plan(tmp_path, TABLE, "add d int", "drop d").is_empty
