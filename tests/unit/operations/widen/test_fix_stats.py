"""`widen --fix-stats`: bounds of floats become bounds of the doubles that they are read as."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_tables import Action, array, field, mapped, metadata, protocol, struct, write_log
from widened import NOW, change, codes, committed, on, planned, spark_config

from deltactl.changes.cached_scan import CachedScan
from deltactl.changes.draft import Draft
from deltactl.changes.plan import Plan
from deltactl.operations.widen.fix_stats import fixed_bounds
from deltactl.operations.widen.widen import plan_widen
from deltactl.table.state.files import prepare_state
from deltactl.table.state.live_adds import live_adds
from deltactl.table.table import open_table

VECTOR = {
    "storageType": "u",
    "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^",
    "offset": 1,
    "sizeInBytes": 4,
    "cardinality": 1,
}
WAS_FLOAT = field("f", "double", **{"delta.typeChanges": [change("float", "double")]})


def bounds(low: Any, high: Any, column: str = "f") -> str:
    held = {"numRecords": 3, "minValues": {column: low}, "maxValues": {column: high}}
    return json.dumps(held, separators=(",", ":"))


def add(path: str, stats: str | None = None, **more: Any) -> Action:
    known = {} if stats is None else {"stats": stats}
    body = {"path": path, "partitionValues": {}, "size": 9, "modificationTime": 5}
    return {"add": {**body, "dataChange": True, **known, **more}}


def plan(uri: str, text: str = "f double") -> Plan:
    draft = Draft(open_table(uri).snapshot(), now=NOW, fresh=lambda prefix, what: prefix)
    return plan_widen(draft, spark_config(text), fix=fixed_bounds)


def adds(plan: Plan) -> list[dict[str, Any]]:
    """The adds of the plan, as it streams them."""
    return [dict(body) for kind, body in plan.actions() if kind == "add"]


def live(uri: str) -> dict[tuple[str, str | None], str | None]:
    """The statistics of each logical file."""
    found = live_adds(prepare_state(open_table(uri).snapshot()))
    return {
        (a.path, a.deletion_vector and a.deletion_vector.unique_id): a.stats  # type: ignore[misc]
        for a in found
    }


def test_only_adds_with_wrong_bounds_are_committed_again(tmp_path) -> None:
    table = [
        *on(
            field("f", "float"), also=["deletionVectors"], writer=["appendOnly"], appendOnly="true"
        ),
        add("right", bounds(1.5, 2.5)),
        add("none"),
        add("words", bounds("NaN", "NaN")),
        add(
            "wrong%20one",
            bounds(1.1, "Infinity"),
            partitionValues={"p": None},
            tags={"T": "1"},
            deletionVector=VECTOR,
            baseRowId=7,
            defaultRowCommitVersion=0,
            clusteringProvider="liquid",
            own={"x": [1]},
        ),
    ]
    found = plan(write_log(tmp_path, [table]))
    assert codes(found) == []
    assert (found.operation, found.file_actions.number) == ("CHANGE COLUMN", 1)
    expected = {
        **table[-1]["add"],
        "stats": bounds(1.100000023841858, "Infinity"),
        "dataChange": False,
    }
    # The stream can be read again, and the sample shows the same.
    assert adds(found) == adds(found) == [expected]
    assert [dict(action) for action in found.file_actions.sample] == [{"add": expected}]
    assert [kind for kind, _ in found.actions()] == ["metaData", "add"]
    assert "FLOAT_STATISTICS" not in {notice.code for notice in found.warnings}


def test_without_the_option_files_stay_and_a_warning_says_so(tmp_path) -> None:
    table = [*on(field("f", "float")), add("a", bounds(1.1, 1.1))]
    found = planned(tmp_path, table, "f double")
    assert found.file_actions is None
    assert "FLOAT_STATISTICS" in {notice.code for notice in found.warnings}


def test_physical_names_and_structs(tmp_path) -> None:
    inside = struct(mapped("f", 2, "col-2", "float"))
    columns = [mapped("s", 1, "col-1", inside), mapped("g", 3, "col-3", "float")]
    settings = {"columnMapping.mode": "name", "columnMapping.maxColumnId": "3"}
    held = {"minValues": {"col-1": {"col-2": 1.1}, "col-3": 2.2, "s": {"f": 3.3}, "g": 4.4}}
    table = [
        *on(*columns, also=["columnMapping"], **settings),
        add("a", json.dumps(held, separators=(",", ":"))),
    ]
    uri = write_log(tmp_path, [table])
    assert adds(plan(uri, "s.f double"))[0]["stats"] == (
        '{"minValues":{"col-1":{"col-2":1.100000023841858},"col-3":2.2,"s":{"f":3.3},"g":4.4}}'
    )
    assert adds(plan(uri, "s.f double, g double"))[0]["stats"] == (
        '{"minValues":{"col-1":{"col-2":1.100000023841858},"col-3":2.200000047683716,'
        '"s":{"f":3.3},"g":4.4}}'
    )


@pytest.mark.parametrize("column", [field("f", array("float")), field("f", "integer")])
def test_columns_that_no_bounds_are_of_or_that_were_no_floats(tmp_path, column) -> None:
    table = [*on(column), add("a", bounds(1.1, 1.1))]
    text = "f double" if column["type"] == "integer" else "f.element double"
    assert plan(write_log(tmp_path, [table]), text).file_actions is None


def test_partition_columns_have_no_bounds(tmp_path) -> None:
    table = [*on(field("f", "float")), add("a", bounds(1.1, 1.1))]
    table[1]["metaData"]["partitionColumns"] = ["f"]
    found = plan(write_log(tmp_path, [table]))
    assert (codes(found), found.file_actions) == ([], None)


def test_an_add_that_lacks_what_it_must_have_is_not_committed_again(tmp_path) -> None:
    broken = add("a", bounds(1.1, 1.1))
    del broken["add"]["modificationTime"]
    found = plan(write_log(tmp_path, [[*on(field("f", "float")), broken]]))
    assert codes(found) == ["ADD_INCOMPLETE"]


def test_a_refused_change_looks_at_no_file(tmp_path) -> None:
    table = [protocol(reader=["typeWidening"]), metadata(field("f", "float"))]
    uri = write_log(tmp_path, [[*table, add("a", bounds(1.1, 1.1))]])
    draft = Draft(open_table(uri).snapshot(), now=NOW, fresh=lambda prefix, what: prefix)
    found = plan_widen(draft, spark_config("f double"), fix=pytest.fail, count=pytest.fail)
    assert codes(found) == ["TYPE_WIDENING_NOT_ENABLED"]


def test_many_adds_are_counted_and_some_shown(tmp_path) -> None:
    table = [*on(field("f", "float")), *(add(f"{n}", bounds(1.1, 1.1)) for n in range(30))]
    found = plan(write_log(tmp_path, [table]))
    assert (found.file_actions.number, len(found.file_actions.sample)) == (30, 20)
    assert [body["path"] for body in adds(found)] == [f"{n}" for n in range(30)]


def write(root: Path, name: str, values: Iterable[float], data_type: pa.DataType) -> None:
    pq.write_table(pa.table({"f": pa.array(values, data_type)}), root / name)


@pytest.fixture
def widened_before(tmp_path: Path) -> str:
    """A column that is double: one file holds floats, two hold doubles, one is gone."""
    table = [
        *on(WAS_FLOAT),
        add("float", bounds(1.1, 1.1)),
        add("double", bounds(1.1, 1.1)),
        add("right", bounds(1.5, 1.5)),
        add("gone", bounds(1.1, 1.1)),
        add("other", bounds(1.1, 1.1)),
    ]
    uri = write_log(tmp_path, [table])
    write(tmp_path, "float", [1.1], pa.float32())
    write(tmp_path, "double", [1.1], pa.float64())
    pq.write_table(pa.table({"g": [1]}), tmp_path / "other")
    return uri


def test_of_a_column_that_was_widened_before_footers_tell_the_floats(widened_before) -> None:
    found = plan(widened_before)
    assert codes(found) == []
    assert (found.operation, found.parameters) == ("COMPUTE STATS", {"predicate": "[]"})
    assert found.metadata is None
    assert [(body["path"], body["stats"]) for body in adds(found)] == [
        ("float", bounds(1.100000023841858, 1.100000023841858))
    ]
    assert [(notice.code, notice.message) for notice in found.warnings] == [
        ("DATA_FILE_MISSING", "gone is missing; its statistics stay as they are")
    ]
    assert found.undo is not None


def test_done_once_there_is_nothing_left_to_do(widened_before) -> None:
    def planner(draft: Draft) -> Plan:
        return plan_widen(draft, spark_config("f double"), fix=fixed_bounds)

    assert committed(widened_before, planner) == 1
    assert committed(widened_before, planner) is None
    assert plan(widened_before).is_empty


@pytest.mark.parametrize(
    "column", [field("f", "double"), field("f", "double", **{"delta.typeChanges": [
        change("integer", "double")]})]
)  # fmt: skip
def test_a_column_that_was_never_float(tmp_path, column) -> None:
    found = plan(write_log(tmp_path, [[*on(column), add("a", bounds(1.1, 1.1))]]))
    assert (codes(found), found.is_empty, found.undo) == ([], True, None)


def racing(uri: str, *actions: Action) -> Callable[[Draft], Plan]:
    """A planner whose first version is taken by a commit of these actions."""

    def planner(draft: Draft) -> Plan:
        found = plan_widen(draft, spark_config("f double"), fix=fixed_bounds)
        log = Path(uri, "_delta_log", f"{1:020d}.json")
        if not log.exists():
            info = {"commitInfo": {"operation": "DELETE", "operationParameters": {}}}
            log.write_text("".join(f"{json.dumps(a)}\n" for a in (info, *actions)))
        return found

    return planner


REMOVED = {"remove": {"path": "a", "deletionTimestamp": 6, "dataChange": True}}
FIXED = bounds(1.100000023841858, 1.100000023841858)


@pytest.mark.parametrize(
    ("winner", "left"),
    [
        ([REMOVED], {("b", None): FIXED}),
        (
            [REMOVED, add("a", bounds(1.1, 1.1), deletionVector=VECTOR)],
            {("a", "uab^-aqEH.-t@S}K{vb[*k^@1"): FIXED, ("b", None): FIXED},
        ),
        (
            [add("c", bounds(1.1, 1.5))],
            {
                ("a", None): FIXED,
                ("b", None): FIXED,
                ("c", None): bounds(1.100000023841858, 1.5),
            },
        ),
    ],
    ids=["removed", "rows deleted", "added"],
)
def test_what_another_writer_did_first_is_not_undone(tmp_path, winner, left) -> None:
    first = [
        *on(field("f", "float"), also=["deletionVectors"]),
        add("a", bounds(1.1, 1.1)),
        add("b", bounds(1.1, 1.1)),
    ]
    uri = write_log(tmp_path, [first])
    assert committed(uri, racing(uri, *winner)) == 2
    assert live(uri) == left


def test_files_are_looked_at_once_for_a_snapshot(tmp_path) -> None:
    uri = write_log(tmp_path, [[*on(field("f", "float")), add("a", bounds(1.1, 1.1))]])
    seen: list[int] = []
    look = CachedScan(lambda snapshot, nodes: fixed_bounds(snapshot, nodes, seen.append))
    planner = racing(uri, add("b", bounds(1.1, 1.1)))

    def once(draft: Draft) -> Plan:
        planner(draft)
        return plan_widen(draft, spark_config("f double"), fix=look)

    assert committed(uri, once) == 2
    # One file for the version that was lost, though it was planned twice, and two for the next.
    assert sum(seen) == 3
