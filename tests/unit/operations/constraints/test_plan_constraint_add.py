"""CHECK constraints: rows are read first, by the names, types and partitions that files have."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from drafts import back, codes, configuration, draft_of, warned
from faulty_storage import FaultyStorage, add_commit, loses_to
from small_tables import LEGACY, Action, array, commit_info, field, mapped, metadata, protocol

from deltactl.changes import executor
from deltactl.changes.change_report import ChangeReport
from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.draft import Draft
from deltactl.changes.executor import ChangeExecutor
from deltactl.changes.plan import Plan
from deltactl.changes.rows import RowsChecked
from deltactl.errors import ConflictError, StorageError
from deltactl.operations.constraints import check as constraint_check
from deltactl.operations.constraints.add import plan_add_constraint
from deltactl.operations.constraints.check import RowCheck
from deltactl.table.table import Table, open_table
from deltactl.text.hints import text_of

ID, S = field("id", "integer"), field("s", "string")
TABLE = [LEGACY, metadata(ID, S)]
INLINE = {
    "storageType": "i",
    "pathOrInlineDv": "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L",
    "sizeInBytes": 40,
    "cardinality": 6,
}


def file(root: Path, name: str, columns: Mapping[str, Any], **more: Any) -> Action:
    """Write a data file, and return the add of it."""
    pq.write_table(pa.table(dict(columns)), root / name)
    body = {"path": name, "partitionValues": {}, "size": 1, "modificationTime": 1}
    return {"add": {**body, "dataChange": True, **more}}


def plan(root: Path, actions: list[Action], text: str, name: str = "C", **more: Any) -> Plan:
    return plan_add_constraint(draft_of(root, actions), name, text, rows=RowCheck(), **more)


def test_rows_that_satisfy_it(tmp_path: Path) -> None:
    files = [file(tmp_path, f"{n}.parquet", {"id": pa.array([n, 5], pa.int32())}) for n in (1, 2)]
    made = plan(tmp_path, [*TABLE, *files], " id > 0 ")
    assert codes(made) == []
    assert made.rows_checked == RowsChecked(files=2, rows=4)
    assert configuration(made) == {"delta.constraints.c": "id > 0"}
    assert (made.operation, made.parameters) == ("ADD CONSTRAINT", {"name": "C", "expr": "id > 0"})
    assert back(made) == [
        "deltactl constraint drop TABLE C",
        "the protocol keeps checkConstraints",
    ]
    assert made.protocol is not None
    assert sorted(made.protocol.writer_features or ()) == [
        "appendOnly", "checkConstraints", "invariants",
    ]  # fmt: skip


def test_rows_that_do_not(tmp_path: Path) -> None:
    files = [
        file(tmp_path, "a.parquet", {"id": pa.array([1, 2], pa.int32())}),
        file(tmp_path, "b.parquet", {"id": pa.array([0, None, 3], pa.int32())}),
    ]
    (refusal,) = plan(tmp_path, [*TABLE, *files], "id > 0").refusals
    assert refusal.code == "ROWS_VIOLATE_CONSTRAINT"
    assert refusal.message == (
        "id > 0 is not true (false, or NULL) in 2 of 5 rows, the first of them in b.parquet"
    )
    assert refusal.error().details == {
        "files": 2,
        "rows": 5,
        "violations": 2,
        "firstFile": "b.parquet",
    }


def test_a_column_that_a_file_does_not_have_is_null(tmp_path: Path) -> None:
    add = file(tmp_path, "a.parquet", {"id": pa.array([1, 2], pa.int32())})
    assert codes(plan(tmp_path, [*TABLE, add], "s IS NULL")) == []


def test_a_table_without_files(tmp_path: Path) -> None:
    made = plan(tmp_path, TABLE, "id > 0")
    assert (made.rows_checked, codes(made)) == (RowsChecked(files=0, rows=0), [])


def test_what_spark_must_evaluate(tmp_path: Path) -> None:
    add = file(tmp_path, "a.parquet", {"id": pa.array([1], pa.int32())})
    made = plan(tmp_path, [*TABLE, add], "length(s) < 3")
    (refusal,) = made.refusals
    assert (refusal.code, text_of(refusal.hint)) == (
        "SPARK_NEEDED",
        "leave --engine local out, or run in Spark SQL: "
        f"ALTER TABLE delta.`{tmp_path}` ADD CONSTRAINT `C` CHECK (length(s) < 3)",
    )
    error = made.error()
    assert error is not None
    assert error.exit_code == 9


def test_what_spark_must_evaluate_on_a_table_without_files(tmp_path: Path) -> None:
    made = plan(tmp_path, TABLE, "length(s) < 3")
    assert (codes(made), warned(made)) == ([], ["CONSTRAINT_NOT_RESOLVED"])


@pytest.mark.parametrize("text", ["foo(id) > 1", "length(id) > 1", "nosuch.length(s) > 1"])
def test_what_spark_may_not_resolve(tmp_path: Path, text: str) -> None:
    (refusal,) = plan(tmp_path, TABLE, text).refusals
    assert (refusal.code, refusal.needs_spark) == ("SPARK_NEEDED", True)
    assert refusal.message.startswith("whether engines can evaluate it cannot be told")


def test_what_may_be_no_truth_value(tmp_path: Path) -> None:
    assert codes(plan(tmp_path, TABLE, "some_function(s)")) == ["SPARK_NEEDED"]


@pytest.mark.parametrize(
    ("text", "code", "exit_code"),
    [
        ("nope > 0", "COLUMN_NOT_FOUND", 3),
        ("id >", "BAD_EXPRESSION", 4),
        ("id", "BAD_EXPRESSION", 4),
        ("max(id) > 1", "BAD_EXPRESSION", 4),
    ],
)
def test_a_text_that_is_wrong_reads_no_rows(
    tmp_path: Path, text: str, code: str, exit_code: int
) -> None:
    add = {"add": {"path": "missing.parquet", "partitionValues": {}, "size": 1,
                   "modificationTime": 1, "dataChange": True}}  # fmt: skip
    made = plan(tmp_path, [*TABLE, add], text)
    error = made.error()
    assert error is not None
    assert (codes(made), error.exit_code) == ([code], exit_code)


CHECKED = [protocol(writer=["checkConstraints"]), metadata(ID, S, **{"constraints.c": "id > 0"})]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("c", "id > 0", []),
        ("C", "id>0", []),
        ("C", "id > 1", ["CONSTRAINT_EXISTS"]),
        ("c", "s = 'A'", ["CONSTRAINT_EXISTS"]),
        (" ", "id > 0", ["CONSTRAINT_NAME_EMPTY"]),
    ],
)
def test_names(tmp_path: Path, name: str, text: str, expected: list[str]) -> None:
    made = plan(tmp_path, CHECKED, text, name)
    assert (codes(made), made.is_empty) == (expected, True)


def test_if_not_exists(tmp_path: Path) -> None:
    made = plan(tmp_path, CHECKED, "id > 1", if_not_exists=True)
    assert (codes(made), made.is_empty) == ([], True)


def test_texts_in_another_case_are_others(tmp_path: Path) -> None:
    on = [CHECKED[0], metadata(S, **{"constraints.c": "s = 'a'"})]
    assert codes(plan(tmp_path, on, "s = 'A'")) == ["CONSTRAINT_EXISTS"]


def test_physical_names_and_partitions(tmp_path: Path) -> None:
    schema = metadata(
        mapped("id", 1, "c1", "integer"),
        mapped("p", 2, "c2", "integer"),
        mapped("odd.name", 3, "c.3", "string"),
        **{"columnMapping.mode": "name", "columnMapping.maxColumnId": "3"},
    )
    schema["metaData"]["partitionColumns"] = ["p"]
    columns = {"c1": pa.array([1, 2], pa.int32()), "c.3": pa.array(["x", "y"])}
    add = file(tmp_path, "a.parquet", columns, partitionValues={"c2": "7"})
    protocol_ = {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}
    on = [protocol_, schema, add]
    text = "id < 3 AND p = 7 AND `odd.name` IN ('x', 'y')"
    made = plan(tmp_path, on, text)
    assert (codes(made), made.rows_checked) == ([], RowsChecked(1, 2))


def test_columns_by_id(tmp_path: Path) -> None:
    schema = metadata(
        mapped("id", 4, "whatever", "integer"),
        **{"columnMapping.mode": "id", "columnMapping.maxColumnId": "4"},
    )
    stored = pa.schema([pa.field("other", pa.int32(), metadata={"PARQUET:field_id": "4"})])
    pq.write_table(pa.table([pa.array([3], pa.int32())], schema=stored), tmp_path / "a.parquet")
    add = {"add": {"path": "a.parquet", "partitionValues": {}, "size": 1, "modificationTime": 1,
                   "dataChange": True}}  # fmt: skip
    on = [{"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}, schema, add]
    assert codes(plan(tmp_path, on, "id = 3")) == []


@pytest.mark.parametrize(("text", "expected"), [("id >= 0", []), ("id > 0", ["SPARK_NEEDED"])])
def test_deleted_rows_are_no_proof_against_it(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    add = file(
        tmp_path, "a.parquet", {"id": pa.array(range(10), pa.int32())}, deletionVector=INLINE
    )
    made = plan(tmp_path, [protocol(reader=["deletionVectors"]), metadata(ID), add], text)
    assert codes(made) == expected
    if not expected:
        assert made.rows_checked == RowsChecked(files=1, rows=4)


@pytest.mark.parametrize(
    ("data_type", "values", "text", "expected"),
    [
        ("long", pa.array([1], pa.int32()), "id = 1", []),
        ("double", pa.array([0.5], pa.float32()), "id = 0.5", []),
        ("decimal(12,2)", pa.array([1], pa.int32()), "id = 1.00", []),
        ("integer", pa.array([1], pa.int64()), "id = 1", ["SPARK_NEEDED"]),
        ("integer", pa.array(["1"]), "id = 1", ["SPARK_NEEDED"]),
        ("timestamp", pa.array([1], pa.timestamp("ns")), "id IS NOT NULL", []),
    ],
)
def test_the_types_that_files_have(
    tmp_path: Path, data_type: str, values: pa.Array, text: str, expected: list[str]
) -> None:
    add = file(tmp_path, "a.parquet", {"id": values})
    assert codes(plan(tmp_path, [LEGACY, metadata(field("id", data_type)), add], text)) == expected


def test_a_field_of_a_struct(tmp_path: Path) -> None:
    inner = {"type": "struct", "fields": [field("x", "integer"), field("new", "integer")]}
    values = pa.array([{"x": 1, "z": 2}, {"x": 3, "z": 4}])
    add = file(tmp_path, "a.parquet", {"st": values.cast(pa.struct({"x": "int32", "z": "int32"}))})
    on = [LEGACY, metadata(field("st", inner), field("ar", array("integer"))), add]
    assert codes(plan(tmp_path, on, "st.X > 0 AND st.new IS NULL")) == []


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    add = file(tmp_path, "a.parquet", {"id": pa.array([1], pa.int32())})
    (tmp_path / "a.parquet").unlink()
    with pytest.raises(StorageError) as caught:
        plan(tmp_path, [*TABLE, add], "id > 0")
    assert caught.value.code == "DATA_FILE_MISSING"
    assert (caught.value.hint or "").startswith("bring it back from a copy, or RESTORE to ")


def test_a_constraint_that_nobody_obeyed_is_not_woken(tmp_path: Path) -> None:
    on = [protocol(), metadata(ID, **{"constraints.old": "id > 5"})]
    assert "DORMANT_RULE" in codes(plan(tmp_path, on, "id > 0", "new"))


def changed(storage: FaultyStorage, rows: RowCheck, monkeypatch: Any) -> ChangeReport:
    monkeypatch.setattr(executor.time, "sleep", lambda seconds: None)

    def planner(draft: Draft) -> Plan:
        return plan_add_constraint(draft, "c", "id > 0", rows=rows)

    return ChangeExecutor(Table(storage), planner, CommitOptions()).execute(lambda plan: None)


def test_an_append_between_the_check_and_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    really = constraint_check.read_batches
    monkeypatch.setattr(
        constraint_check, "read_batches",
        lambda storage, path, columns: read.append(path) or really(storage, path, columns),
    )  # fmt: skip
    first = file(tmp_path, "a.parquet", {"id": pa.array([1], pa.int32())})
    good = file(tmp_path, "b.parquet", {"id": pa.array([2, 3], pa.int32())})
    draft_of(tmp_path, [*TABLE, first])
    storage = FaultyStorage(str(tmp_path), loses_to(commit_info(), good))
    report = changed(storage, RowCheck(), monkeypatch)
    assert (report.version, report.plan.rows_checked) == (2, RowsChecked(files=2, rows=3))
    assert read == ["a.parquet", "b.parquet"]


def test_an_append_that_violates_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = file(tmp_path, "a.parquet", {"id": pa.array([1], pa.int32())})
    bad = file(tmp_path, "b.parquet", {"id": pa.array([-2], pa.int32())})
    draft_of(tmp_path, [*TABLE, first])
    storage = FaultyStorage(str(tmp_path), loses_to(commit_info(), bad))
    with pytest.raises(ConflictError, match="not true"):
        changed(storage, RowCheck(), monkeypatch)
    assert open_table(str(tmp_path)).snapshot().version == 1


def test_a_change_of_the_type_in_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found of a file under another schema does not count."""
    first = file(tmp_path, "a.parquet", {"id": pa.array([1], pa.int32())})
    draft_of(tmp_path, [*TABLE, first])
    text = json.dumps({"type": "struct", "fields": [field("id", "string")]})
    body = {**metadata(ID)["metaData"], "schemaString": text}
    storage = FaultyStorage(str(tmp_path), loses_to(commit_info(), {"metaData": body}))
    with pytest.raises(ConflictError, match="Spark"):
        changed(storage, RowCheck(), monkeypatch)
    assert add_commit(str(tmp_path), commit_info()) == 2
