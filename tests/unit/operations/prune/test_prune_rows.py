"""The matrix of type widening on pruning, row by row, and every way to plant an old file."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pruned import INT, LONG, add, held, part, plan, prune, remembering, rows, widened
from small_tables import Action, array, field, mapped, mapping, struct, write_log
from widened import change, codes, committed, on

from deltactl.changes.draft import Draft
from deltactl.changes.plan import Plan
from deltactl.errors import ConflictError
from deltactl.operations.prune.physical_type_scan import FooterScanner

WAS_INT = widened("v", "long", "integer")


def one(root: Path, column: Any, *files: Action, **conf: str) -> Plan:
    """The plan for a table of the column with these files."""
    return plan(write_log(root, [[*on(column, **conf), *files]]))


def refused(found: Plan) -> bool:
    """Whether nothing is written, for files hold an old type."""
    assert found.metadata is None
    return codes(found) == ["OLD_TYPES_IN_FILES"]


# Rows 43 to 47.


def test_43_files_from_before_and_after_the_change(tmp_path) -> None:
    before, after = part(tmp_path, "before", {"v": INT}), part(tmp_path, "after", {"v": LONG})
    found = one(tmp_path, WAS_INT, before, after)
    assert refused(found)
    assert found.refusals[0].message == "v is long, but int in 1 of 2 files"
    assert held(found) == {"v": {"integer": 1, "long": 1}}
    assert found.rewrites is not None
    assert found.rewrites.to_json() == {
        "files": 1,
        "bytes": 700,
        "sample": ["before"],
        "comeFirst": False,
    }


def test_44_all_files_rewritten(tmp_path) -> None:
    uri = write_log(tmp_path, [[*on(WAS_INT), part(tmp_path, "new", {"v": LONG})]])
    found = plan(uri)
    assert (codes(found), found.operation) == ([], "CHANGE COLUMN")
    assert json.loads(found.parameters["column"]) == {
        "name": "v",
        "type": "long",
        "nullable": True,
        "metadata": {
            "delta.typeChanges": [{"fromType": "integer", "toType": "long", "tableVersion": 1}]
        },
    }
    footers = FooterScanner()
    assert committed(uri, lambda draft: prune(draft, footers=footers)) == 1
    text = Path(uri, "_delta_log", f"{1:020d}.json").read_text()
    info, meta = map(json.loads, text.splitlines())
    assert list(info) == ["commitInfo"]
    # The key is removed, and not left empty; the property stays, and with no action the protocol.
    assert json.loads(meta["metaData"]["schemaString"])["fields"] == [
        {"name": "v", "type": "long", "nullable": True, "metadata": {}}
    ]
    assert meta["metaData"]["configuration"] == {"delta.enableTypeWidening": "true"}
    assert plan(uri).is_empty


@pytest.mark.parametrize("files", [0, 2], ids=["no data", "only new files"])
def test_45_nothing_was_ever_old(tmp_path, files) -> None:
    found = one(tmp_path, WAS_INT, *(part(tmp_path, f"{n}", {"v": LONG}) for n in range(files)))
    assert (codes(found), remembering(found)) == ([], False)
    assert held(found) == {"v": {"long": 2} if files else {}}


def test_46_a_file_without_the_column(tmp_path) -> None:
    found = one(tmp_path, WAS_INT, part(tmp_path, "other", {"w": INT}))
    assert (codes(found), remembering(found)) == ([], False)
    assert held(found) == {"v": {None: 1}}


@pytest.mark.parametrize("content", [None, b"", b"PAR1 and so on", b"\0" * 900])
def test_47_a_file_that_is_missing_or_corrupt(tmp_path, content) -> None:
    good = part(tmp_path, "good", {"v": LONG})
    if content is not None:
        (tmp_path / "bad").write_bytes(content)
    found = one(tmp_path, WAS_INT, good, add("bad"))
    assert (codes(found), found.metadata) == (["FOOTERS_UNREADABLE"], None)
    assert found.refusals[0].message.startswith("1 of 2 files cannot be read")
    code = "DATA_FILE_MISSING" if content is None else "DATA_FILE_UNREADABLE"
    assert [notice.code for notice in found.warnings] == [code]
    error = found.error()
    assert error is not None
    assert error.exit_code == 8
    assert error.hint == (
        "bring them back from a copy, or RESTORE to a version without them; "
        "deltactl verify-checksum TABLE --data names them all"
    )


# Rows 48 and 49: what the draft takes for proof.


def test_48_row_tracking_that_was_switched_on_later(tmp_path) -> None:
    """A1: the backfill commits old files again, with a later defaultRowCommitVersion."""
    old = part(tmp_path, "old", {"v": INT}, baseRowId=0, defaultRowCommitVersion=4)
    found = one(tmp_path, WAS_INT, old)
    assert refused(found)
    assert rows(found)[0].changes[0]["draftRule"] == {
        "byTableVersion": True,
        "bySinceVersion": True,
    }
    assert found.refusals[0].message == (
        "v is long, but int in 1 of 1 files, though the defaultRowCommitVersion of each would "
        "permit it, which proves nothing"
    )


@pytest.mark.parametrize("number", [None, 0, 4], ids=["none", "of a clone", "of a restore"])
def test_49_files_of_a_clone_and_of_a_restore(tmp_path, number) -> None:
    numbers = {} if number is None else {"baseRowId": 0, "defaultRowCommitVersion": number}
    part(tmp_path, "source/old", {"v": INT})
    for place, scheme in enumerate(("", "file:", "file://")):
        root, spelt = tmp_path / f"clone{place}", f"{scheme}{tmp_path}/source/old"
        root.mkdir()
        found = plan(write_log(root, [[*on(WAS_INT), add(spelt, **numbers)]]))
        assert refused(found)
        assert found.rewrites is not None
        assert list(found.rewrites.stream()) == [(spelt, 700)]


def test_the_draft_may_say_no_and_the_files_yes(tmp_path) -> None:
    found = one(tmp_path, WAS_INT, part(tmp_path, "new", {"v": LONG}))
    assert rows(found)[0].changes[0]["draftRule"] == {
        "byTableVersion": False,
        "bySinceVersion": False,
    }
    assert (codes(found), remembering(found)) == ([], False)


# Row 50.


def racing(root: Path, footers: FooterScanner, *winner: Action) -> Any:
    """A planner whose first version is taken by a commit of these actions."""

    def planner(draft: Draft) -> Plan:
        found = prune(draft, footers=footers)
        log = root / "_delta_log" / f"{1:020d}.json"
        if not log.exists():
            info = {"commitInfo": {"operation": "WRITE", "operationParameters": {}}}
            log.write_text("".join(f"{json.dumps(action)}\n" for action in (info, *winner)))
        return found

    return planner


def test_50_a_new_file_that_came_first_is_looked_at_too(tmp_path) -> None:
    uri = write_log(tmp_path, [[*on(WAS_INT), part(tmp_path, "a", {"v": LONG})]])
    seen: list[int] = []

    class Counting(FooterScanner):
        def scan(self, snapshot: Any, nodes: Any, advance: Any = None) -> Any:
            return super().scan(snapshot, nodes, seen.append)

    late = part(tmp_path, "late", {"v": LONG})
    assert committed(uri, racing(tmp_path, Counting(), late)) == 2
    assert sum(seen) == 2, "one footer for each file, however often it was planned"


def test_50_an_old_file_that_came_first_is_seen(tmp_path) -> None:
    uri = write_log(tmp_path, [[*on(WAS_INT), part(tmp_path, "a", {"v": LONG})]])
    late = part(tmp_path, "late", {"v": INT})
    with pytest.raises(ConflictError, match="v is long, but int in 1 of 2 files"):
        committed(uri, racing(tmp_path, FooterScanner(), late))
    assert not (tmp_path / "_delta_log" / f"{2:020d}.json").exists()


def test_50_of_two_columns_one_cannot_any_more(tmp_path) -> None:
    columns = on(WAS_INT, widened("w", "long", "integer"))
    uri = write_log(tmp_path, [[*columns, part(tmp_path, "a", {"v": LONG, "w": LONG})]])
    late = part(tmp_path, "late", {"v": LONG, "w": INT})
    with pytest.raises(ConflictError, match="no longer be the one first planned"):
        committed(uri, racing(tmp_path, FooterScanner(), late))


# Row 28: partition columns, by the texts of their values.


def partitioned(root: Path, column: Any, text: str | None, in_file: Any = None) -> Plan:
    columns = {"a": INT} | ({} if in_file is None else {column["name"]: in_file})
    file = part(root, "x", columns, partitionValues={column["name"]: text})
    heads = on(column)
    heads[1]["metaData"]["partitionColumns"] = [column["name"]]
    return plan(write_log(root, [[*heads, file]]))


DAY = widened("d", "timestamp_ntz", "date")


@pytest.mark.parametrize(
    ("column", "text", "in_file", "as_type"),
    [
        (DAY, "2020-01-01", None, "date"),
        (DAY, "2020-01-01", pa.date32(), "date"),
        (DAY, "2020-01-01", pa.timestamp("us"), "date"),  # delta-rs reads the text
        (DAY, "2020-01-01 00:00:00", pa.date32(), "date"),
        (DAY, "yesterday", None, "string"),
        (widened("p", "decimal(12,2)", "integer"), "5", None, "integer"),
        (widened("p", "decimal(7,4)", "decimal(5,2)"), "2.50", None, "decimal(5,2)"),
        (widened("p", "double", "short"), "5", None, "short"),
        (widened("p", "long", "integer"), "5", INT, "integer"),
    ],
)
def test_28_old_values_of_a_partition(tmp_path, column, text, in_file, as_type) -> None:
    found = partitioned(tmp_path, column, text, in_file)
    assert refused(found)
    assert held(found) == {column["name"]: {as_type: 1}}


@pytest.mark.parametrize(
    ("column", "text", "in_file", "as_type"),
    [
        (DAY, "2020-01-01 00:00:00", None, "timestamp_ntz"),
        (DAY, "2020-01-01 00:00:00", pa.timestamp("us"), "timestamp_ntz"),
        (DAY, None, None, None),
        (DAY, "", None, None),
        (widened("p", "decimal(12,2)", "integer"), "5.00", None, "decimal(12,2)"),
        (widened("p", "long", "integer"), "5", None, "long"),
        (widened("p", "long", "integer"), "5", LONG, "long"),
        (widened("p", "double", "float"), "1.1", None, "double"),
    ],
)
def test_28_new_values_of_a_partition(tmp_path, column, text, in_file, as_type) -> None:
    found = partitioned(tmp_path, column, text, in_file)
    assert (codes(found), remembering(found)) == ([], False)
    assert held(found) == {column["name"]: {as_type: 1}}


def test_28_the_key_of_a_partition_value_is_the_physical_name(tmp_path) -> None:
    column = mapped("d", 1, "col-1", "timestamp_ntz", **DAY["metadata"])
    heads = on(column, also=["columnMapping"], **{"columnMapping.mode": "name"})
    heads[1]["metaData"]["partitionColumns"] = ["d"]
    file = part(tmp_path, "x", {"a": INT}, partitionValues={"col-1": "2020-01-01"})
    assert refused(plan(write_log(tmp_path, [[*heads, file]])))


# Rows 38 and 39: column mapping.

BY_NAME = {"columnMapping.mode": "name", "columnMapping.maxColumnId": "2"}
BY_ID = {"columnMapping.mode": "id", "columnMapping.maxColumnId": "2"}


def test_38_a_column_that_was_dropped_needs_no_rewrite(tmp_path) -> None:
    file = part(tmp_path, "x", {"col-1": INT, "col-2": LONG})
    heads = on(mapped("w", 2, "col-2", "long"), also=["columnMapping"], **BY_NAME)
    found = plan(write_log(tmp_path, [[*heads, file]]))
    assert (found.is_empty, codes(found), found.columns) == (True, [], ())


@pytest.mark.parametrize(("types", "is_old"), [((INT, LONG), False), ((LONG, INT), True)])
def test_39_after_names_were_swapped_the_physical_name_counts(tmp_path, types, is_old) -> None:
    changes = widened("b", "long", "integer")["metadata"]
    columns = [mapped("a", 1, "b", "integer"), mapped("b", 2, "a", "long", **changes)]
    file = part(tmp_path, "x", {"b": types[0], "a": types[1]})
    found = plan(write_log(tmp_path, [[*on(*columns, also=["columnMapping"], **BY_NAME), file]]))
    assert refused(found) if is_old else remembering(found) is False


def numbered(name: str, data_type: pa.DataType, number: int) -> pa.Field:
    return pa.field(name, data_type, metadata={"PARQUET:field_id": str(number)})


@pytest.mark.parametrize(
    ("file", "types"),
    [
        ([numbered("other", INT, 2)], {"integer": 1}),
        ([numbered("other", LONG, 2)], {"long": 1}),
        ([numbered("col-2", INT, 9)], {"integer": 1}),  # to be on the safe side
        ([pa.field("col-2", INT)], {"integer": 1}),  # of a table that was not mapped then
        ([pa.field("b", INT)], {None: 1}),
    ],
)
def test_in_id_mode_the_field_id_counts_and_then_the_name(tmp_path, file, types) -> None:
    column = mapped("b", 2, "col-2", "long", **WAS_INT["metadata"])
    heads = on(column, also=["columnMapping"], **BY_ID)
    found = plan(write_log(tmp_path, [[*heads, part(tmp_path, "x", file)]]))
    assert held(found) == {"b": types}
    assert (found.metadata is None) is ("integer" in types)


# Elements, keys and values, and fields in structs in them.

NESTED = [
    (widened("c", array("long"), "integer", path="element"), "c.element", pa.list_),
    (
        widened("c", mapping("long", "string"), "integer", path="key"),
        "c.key",
        lambda kind: pa.map_(kind, pa.string()),
    ),
    (
        widened("c", mapping("string", array("long")), "integer", path="value.element"),
        "c.value.element",
        lambda kind: pa.map_(pa.string(), pa.list_(kind)),
    ),
    (
        field("c", array(struct(widened("x", "long", "integer")))),
        "c.element.x",
        lambda kind: pa.list_(pa.struct({"x": kind})),
    ),
    (
        field("c", struct(widened("element", "long", "integer"))),
        "c.element",
        lambda kind: pa.struct({"element": kind}),
    ),
]


@pytest.mark.parametrize(("column", "path", "holding"), NESTED, ids=[row[1] for row in NESTED])
def test_what_is_inside(tmp_path, column, path, holding) -> None:
    old, new = (
        part(tmp_path, "old", {"c": holding(INT)}),
        part(tmp_path, "new", {"c": holding(LONG)}),
    )
    none = part(tmp_path, "none", {"other": INT})
    uri = write_log(tmp_path, [[*on(column), old, new, none]])
    found = plan(uri)
    assert refused(found)
    assert held(found) == {path: {"integer": 1, "long": 1, None: 1}}
    gone = {"remove": {"path": "old", "deletionTimestamp": 6, "dataChange": True}}
    Path(uri, "_delta_log", f"{1:020d}.json").write_text(f"{json.dumps(gone)}\n")
    assert remembering(plan(uri)) is False


@pytest.mark.parametrize(
    ("column", "in_file", "as_type"),
    [
        (NESTED[0][0], INT, "integer"),
        (NESTED[0][0], pa.struct({"array": pa.list_(INT)}), "struct"),
        (NESTED[1][0], pa.list_(INT), "array"),
        (NESTED[3][0], pa.list_(INT), "integer"),
        (NESTED[4][0], pa.list_(INT), "array"),
        (WAS_INT, pa.struct({"v": LONG}), "struct"),
    ],
)
def test_a_file_with_another_shape_proves_nothing(tmp_path, column, in_file, as_type) -> None:
    found = one(tmp_path, column, part(tmp_path, "x", {column["name"]: in_file}))
    assert refused(found)
    assert list(held(found).values()) == [{as_type: 1}]


def test_the_changes_of_a_map_are_forgotten_together_or_not_at_all(tmp_path) -> None:
    changes = [change("integer", "long", "key"), change("short", "integer", "value")]
    column = field("m", mapping("long", "integer"), **{"delta.typeChanges": changes})
    half = part(tmp_path, "half", {"m": pa.map_(LONG, pa.int16())})
    found = one(tmp_path, column, half)
    assert refused(found)
    assert found.refusals[0].message == "m.value is int, but short in 1 of 1 files"
    assert [(row.path, row.is_prunable) for row in rows(found)] == [
        ("m.key", False),
        ("m.value", False),
    ]


# How files hold a type.


@pytest.mark.parametrize(
    ("data_type", "in_file", "options"),
    [
        ("long", LONG, {}),
        ("short", pa.int16(), {}),
        ("double", pa.float64(), {}),
        ("decimal(10,2)", pa.decimal128(10, 2), {}),
        ("decimal(10,2)", pa.decimal128(10, 2), {"store_decimal_as_integer": True}),
        ("decimal(5,2)", pa.decimal128(5, 2), {"store_decimal_as_integer": True}),
        ("timestamp_ntz", pa.timestamp("us"), {}),
    ],
)
def test_all_forms_of_todays_type(tmp_path, data_type, in_file, options) -> None:
    file = part(tmp_path, "x", {"v": in_file}, options=options)
    assert remembering(one(tmp_path, widened("v", data_type, "byte"), file)) is False


@pytest.mark.parametrize(
    ("data_type", "in_file", "options"),
    [
        ("short", INT, {}),  # without the annotation that says how many bits count
        ("long", pa.uint32(), {}),
        ("long", pa.uint64(), {}),
        ("decimal(10,2)", pa.decimal128(10, 1), {}),
        ("decimal(10,2)", pa.decimal128(9, 2), {"store_decimal_as_integer": True}),
        ("decimal(10,0)", LONG, {}),
        ("timestamp_ntz", pa.timestamp("us", "UTC"), {}),
        ("timestamp_ntz", pa.timestamp("us"), {"use_deprecated_int96_timestamps": True}),
        ("timestamp_ntz", pa.date32(), {}),
        ("double", pa.float32(), {}),
        ("long", pa.string(), {}),
    ],
)
def test_any_other_type_is_refused(tmp_path, data_type, in_file, options) -> None:
    for name in ("v", "a.v"):
        root = tmp_path / name
        root.mkdir()
        file = part(root, "x", {name: in_file}, options=options)
        assert refused(one(root, widened(name, data_type, "byte"), file))


def test_deletion_vectors_change_nothing(tmp_path) -> None:
    vector = {"storageType": "i", "pathOrInlineDv": "wi5b=", "sizeInBytes": 4, "cardinality": 1}
    file = part(tmp_path, "x", {"v": INT}, deletionVector=vector)
    heads = on(WAS_INT, also=["deletionVectors"])
    assert refused(plan(write_log(tmp_path, [[*heads, file]])))
