"""`column set-not-null`: every row has a value, as statistics, footers or rows prove."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from column_plans import codes, fields, mapped_table, partitioned
from column_plans import plan as plan_in
from drafts import back
from faulty_storage import FaultyStorage, loses_to
from small_tables import LEGACY, Action, array, commit_info, field, metadata, protocol, struct
from small_tables import mapped as mapped_field

from deltactl.changes.change_report import ChangeReport
from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.executor import ChangeExecutor
from deltactl.changes.plan import Plan
from deltactl.changes.rows import RowsChecked
from deltactl.cli.columns import read_steps
from deltactl.errors import ConflictError
from deltactl.operations.columns.verbs import plan_columns
from deltactl.table.table import Table, open_table
from deltactl.text.hints import text_of

ID = field("id", "integer")
TABLE = [LEGACY, metadata(ID, field("s", struct(field("x", "integer"))), field("p", "string"))]
VECTOR = {
    "storageType": "i",
    "pathOrInlineDv": "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L",
    "sizeInBytes": 40,
    "cardinality": 6,
}


def plan(root: Path, table: list[Action], *lines: str) -> Plan:
    """The plan for verbs on a table that this folder is to hold, whatever log it held before."""
    shutil.rmtree(root / "_delta_log", ignore_errors=True)
    return plan_in(root, table, *lines)


def add(name: str, stats: Mapping[str, Any] | None = None, **more: Any) -> Action:
    """The add of a file that nobody has written."""
    body = {"path": name, "partitionValues": {}, "size": 1, "modificationTime": 1, **more}
    said = {} if stats is None else {"stats": json.dumps(stats)}
    return {"add": {**body, **said, "dataChange": True}}


def file(root: Path, name: str, columns: Mapping[str, Any], **more: Any) -> Action:
    """Write a data file without saying in the log what is in it."""
    statistics = more.pop("statistics", True)
    pq.write_table(pa.table(dict(columns)), root / name, write_statistics=statistics)
    return add(name, **more)


def ints(*values: int | None) -> pa.Array:
    return pa.array(values, pa.int32())


def nullable(made: Plan) -> dict[str, bool]:
    return {field["name"]: field["nullable"] for field in fields(made)}


def test_statistics_are_enough(tmp_path: Path) -> None:
    adds = [add(f"{n}.parquet", {"numRecords": 5, "nullCount": {"id": 0}}) for n in (1, 2)]
    made = plan(tmp_path, [*TABLE, *adds], "set-not-null id")
    assert codes(made) == []
    assert nullable(made) == {"id": False, "s": True, "p": True}
    assert made.rows_checked == RowsChecked(files=2, rows=10)
    assert back(made) == ["deltactl column drop-not-null TABLE id"]
    assert json.loads(made.parameters["column"])["nullable"] is False


@pytest.mark.parametrize("statistics", [True, False], ids=["footers", "rows"])
def test_files_tell_where_the_log_does_not(tmp_path: Path, statistics: bool) -> None:
    one = file(tmp_path, "a.parquet", {"id": ints(1, 2)}, statistics=statistics)
    made = plan(tmp_path, [*TABLE, one], "set-not-null id")
    assert (codes(made), made.rows_checked) == ([], RowsChecked(files=1, rows=2))
    other = file(tmp_path, "b.parquet", {"id": ints(None, 2, None)}, statistics=statistics)
    made = plan(tmp_path, [*TABLE, one, other], "set-not-null id")
    assert codes(made) == ["ROWS_HAVE_NULL"]
    [refusal] = made.refusals
    assert refusal.message == "id is NULL in 2 of 5 rows, the first of them in b.parquet"
    assert text_of(refusal.hint) == (
        f"give these rows a value first, in Spark SQL: UPDATE delta.`{tmp_path}` "
        "SET id = ... WHERE id IS NULL"
    )
    row = {"file": "b.parquet", "values": {"id": None, "p": None}}
    assert made.to_json()["counterexamples"] == [row, row]


def test_statistics_that_count_nulls(tmp_path: Path) -> None:
    one = file(tmp_path, "a.parquet", {"id": ints(7, None), "p": ["x", "y"]})
    one["add"]["stats"] = json.dumps({"numRecords": 2, "nullCount": {"id": 1}})
    made = plan(tmp_path, [*TABLE, one], "set-not-null id")
    assert made.to_json()["counterexamples"] == [
        {"file": "a.parquet", "values": {"id": None, "p": "y"}}
    ]


def test_a_file_that_does_not_have_the_column(tmp_path: Path) -> None:
    one = file(tmp_path, "a.parquet", {"p": ["x", "y"]})
    made = plan(tmp_path, [*TABLE, one], "set-not-null id")
    assert codes(made) == ["ROWS_HAVE_NULL"]
    assert "in 2 of 2 rows" in made.refusals[0].message


def test_at_most_ten_rows_are_shown(tmp_path: Path) -> None:
    files = [file(tmp_path, f"{n}.parquet", {"id": ints(*[None] * 6)}) for n in range(3)]
    made = plan(tmp_path, [*TABLE, *files], "set-not-null id")
    assert "18 of 18 rows" in made.refusals[0].message
    assert len(made.counterexamples) == 10


def test_a_struct_and_then_what_is_in_it(tmp_path: Path) -> None:
    full = file(tmp_path, "a.parquet", {"s": pa.array([{"x": 1}, {"x": 2}])})
    assert codes(plan(tmp_path, [*TABLE, full], "set-not-null s.x")) == ["NESTED_NOT_NULL"]
    made = plan(tmp_path, [*TABLE, full], "set-not-null s", "set-not-null s.x")
    assert codes(made) == []
    assert fields(made)[1]["type"]["fields"][0]["nullable"] is False
    empty = file(tmp_path, "b.parquet", {"s": pa.array([{"x": 1}, None])})
    made = plan(tmp_path, [*TABLE, full, empty], "set-not-null s")
    assert codes(made) == ["ROWS_HAVE_NULL"]
    assert "s is NULL in 1 of 4 rows" in made.refusals[0].message


def test_a_partition_column(tmp_path: Path) -> None:
    table = partitioned(TABLE, "p")
    said = {"numRecords": 3}
    good = add("a.parquet", said, partitionValues={"p": "x"})
    assert codes(plan(tmp_path, [*table, good], "set-not-null p")) == []
    null = file(tmp_path, "b.parquet", {"id": ints(1, 2)}, partitionValues={"p": None})
    made = plan(tmp_path, [*table, good, null], "set-not-null p")
    assert "p is NULL in 2 of 5 rows" in made.refusals[0].message
    assert made.counterexamples[0].to_json() == {
        "file": "b.parquet",
        "values": {"p": None, "id": 1},
    }


@pytest.mark.parametrize(
    ("stats", "expected"),
    [
        # PROTOCOL.md, "Per-file Statistics": wide, the number is exact at its two ends only.
        ({"numRecords": 8, "nullCount": {"id": 0}, "tightBounds": False}, []),
        ({"numRecords": 8, "nullCount": {"id": 8}, "tightBounds": False}, ["ROWS_HAVE_NULL"]),
        ({"numRecords": 8, "nullCount": {"id": 3}, "tightBounds": False}, ["SPARK_NEEDED"]),
    ],
)
def test_deleted_rows(tmp_path: Path, stats: Mapping[str, Any], expected: list[str]) -> None:
    own = protocol(reader=["deletionVectors"], writer=["invariants"])
    nulls = stats["nullCount"]["id"]
    values = ints(*[None] * nulls, *range(8 - nulls))
    one = file(tmp_path, "a.parquet", {"id": values}, deletionVector=VECTOR)
    one["add"]["stats"] = json.dumps(stats)
    made = plan(tmp_path, [own, TABLE[1], one], "set-not-null id")
    assert codes(made) == expected
    if not expected:
        assert made.rows_checked == RowsChecked(files=1, rows=2)


def test_files_have_columns_by_other_names(tmp_path: Path) -> None:
    table = mapped_table(mapped_field("id", 1, "col-1", "integer"))
    said = add("a.parquet", {"numRecords": 1, "nullCount": {"col-1": 0}})
    held = file(tmp_path, "b.parquet", {"col-1": ints(1, 2)})
    made = plan(tmp_path, [*table, said, held], "set-not-null id")
    assert (codes(made), made.rows_checked) == ([], RowsChecked(files=2, rows=3))


def test_what_can_never_be(tmp_path: Path) -> None:
    table = [LEGACY, metadata(field("ar", array(struct(field("x", "integer")))))]
    assert codes(plan(tmp_path, table, "set-not-null ar.element.x")) == ["NESTED_NOT_NULL"]
    assert codes(plan(tmp_path, table, "set-not-null ar.element")) == ["NOT_A_FIELD"]
    assert codes(plan(tmp_path, table, "set-not-null no")) == ["COLUMN_NOT_FOUND"]


def test_the_feature_that_it_takes(tmp_path: Path) -> None:
    table = [protocol(writer=["appendOnly"]), metadata(ID)]
    assert codes(plan(tmp_path, table, "set-not-null id")) == ["FEATURE_NEEDED"]
    made = plan(tmp_path, table, "set-not-null id --enable")
    assert made.protocol is not None
    assert "invariants" in (made.protocol.writer_features or ())


def test_it_is_so_already(tmp_path: Path) -> None:
    table = [LEGACY, metadata({**ID, "nullable": False})]
    assert plan(tmp_path, table, "set-not-null id").is_empty
    assert back(plan(tmp_path, table, "drop-not-null id")) == [
        "deltactl column set-not-null TABLE id",
        "that looks at every row once more",
    ]


def changed(storage: FaultyStorage) -> ChangeReport:
    def planner(draft: Any) -> Plan:
        return plan_columns(draft, steps)

    steps = read_steps(["set-not-null id"])
    return ChangeExecutor(Table(storage), planner, CommitOptions()).execute(lambda _: None)


def test_rows_that_come_in_between(tmp_path: Path) -> None:
    good = add("a.parquet", {"numRecords": 1, "nullCount": {"id": 0}})
    plan(tmp_path, [*TABLE, good], "set-not-null id")
    more = add("b.parquet", {"numRecords": 2, "nullCount": {"id": 0}})
    report = changed(FaultyStorage(str(tmp_path), loses_to(commit_info(), more)))
    assert (report.version, report.plan.rows_checked) == (2, RowsChecked(files=2, rows=3))


def test_nulls_that_come_in_between(tmp_path: Path) -> None:
    good = add("a.parquet", {"numRecords": 1, "nullCount": {"id": 0}})
    plan(tmp_path, [*TABLE, good], "set-not-null id")
    bad = file(tmp_path, "b.parquet", {"id": ints(None)})
    with pytest.raises(ConflictError, match="id is NULL in 1 of 2 rows"):
        changed(FaultyStorage(str(tmp_path), loses_to(commit_info(), bad)))
    assert open_table(str(tmp_path)).snapshot().version == 1
