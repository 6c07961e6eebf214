"""`prune-type-changes`: which fields are chosen, what is looked at, what is told of the rest."""

import gc
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pruned import INT, LONG, add, held, part, plan, prune, remembering, rows, widened
from small_tables import array, field, metadata, protocol, struct, write_log
from widened import NOW, codes, committed, fields, on

from deltactl.changes.draft import Draft
from deltactl.changes.plan import Plan
from deltactl.operations.prune.physical_type_scan import FooterScanner
from deltactl.operations.prune.prune_type_changes import FileScan, plan_prune
from deltactl.table.table import open_table
from deltactl.text.hints import text_of

INT96 = {"use_deprecated_int96_timestamps": True}
COLUMNS = [
    widened("new", "long", "integer"),
    widened("old", "long", "short", "integer"),
    field("s", struct(widened("new", "long", "integer"), widened("old", "long", "integer"))),
    widened("ar", array("long"), "integer", path="element"),
    field("plain", "long"),
]
INSIDE = {"new": LONG, "old": INT}


@pytest.fixture
def table(tmp_path: Path) -> str:
    """A table of which one file holds half of the columns in an old type."""
    columns = {"new": LONG, "old": INT, "s": pa.struct(INSIDE), "ar": pa.list_(LONG), "plain": INT}
    return write_log(tmp_path, [[*on(*COLUMNS), part(tmp_path, "x", columns)]])


def pruned(found: Plan) -> list[str]:
    return [change.path for change in found.schema_changes]


def test_what_can_be_pruned_is_and_the_rest_is_told(table) -> None:
    found = plan(table)
    assert (codes(found), found.operation) == ([], "CHANGE COLUMNS")
    assert pruned(found) == ["new", "s.new", "ar"]
    assert [(row.path, row.is_prunable) for row in rows(found)] == [
        ("new", True), ("old", False), ("s.new", True), ("s.old", False), ("ar.element", True),
    ]  # fmt: skip
    assert [(notice.code, notice.message) for notice in found.warnings] == [
        ("OLD_TYPES_IN_FILES", "old is long, but int in 1 of 1 files: its type changes stay"),
        ("OLD_TYPES_IN_FILES", "s.old is long, but int in 1 of 1 files: its type changes stay"),
    ]
    now = fields(found)
    assert now["new"]["metadata"] == {}
    assert now["old"] == COLUMNS[1]
    assert now["ar"]["metadata"] == {}
    # Once more there is nothing that can be pruned.
    footers = FooterScanner()
    assert committed(table, lambda draft: prune(draft, footers=footers)) == 1
    again = plan(table)
    assert (codes(again), again.metadata) == (["OLD_TYPES_IN_FILES"] * 2, None)


@pytest.mark.parametrize(
    ("columns", "chosen"),
    [
        (["new"], ["new"]),
        (["NEW"], ["new"]),
        (["s.new"], ["s.new"]),
        (["ar"], ["ar"]),
        (["ar.element"], ["ar"]),
        (["new", "ar", "new"], ["new", "ar"]),
        (["plain"], []),
        (["plain", "new"], ["new"]),
    ],
)
def test_columns_that_are_named(table, columns, chosen) -> None:
    found = plan(table, *columns)
    assert (codes(found), pruned(found), found.warnings) == ([], chosen, ())
    assert found.is_empty is (not chosen)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (["old"], ["old is long, but int in 1 of 1 files"]),
        (["new", "old"], ["old is long, but int in 1 of 1 files"]),
        (["s"], ["s.old is long, but int in 1 of 1 files"]),
    ],
)
def test_one_that_was_named_and_cannot_be_refuses_them_all(table, columns, said) -> None:
    found = plan(table, *columns)
    assert [refusal.message for refusal in found.refusals] == said
    footers = FooterScanner()
    assert committed(table, lambda draft: prune(draft, *columns, footers=footers)) is None
    options = "".join(f" --column {column}" for column in columns)
    assert text_of(found.refusals[0].hint) == (
        f"rewrite these files first: deltactl prune-type-changes TABLE{options} --rewrite"
    )


def test_a_column_that_is_not_there(table) -> None:
    found = plan(table, "nope", "new")
    assert codes(found) == ["COLUMN_NOT_FOUND"]
    assert found.columns == (), "no file was looked at"


def test_a_table_that_nobody_may_change_is_not_looked_at(tmp_path) -> None:
    features = protocol(reader=["typeWidening"], writer=["someNewFeature"])
    uri = write_log(tmp_path, [[features, metadata(COLUMNS[0]), add("x")]])
    draft = Draft(open_table(uri).snapshot(), now=NOW, fresh=lambda prefix, what: prefix)
    found = plan_prune(draft, (), FileScan(pytest.fail, pytest.fail))  # type: ignore[arg-type]
    assert codes(found) == ["UNSUPPORTED_WRITER_FEATURE"]


def test_without_type_changes_there_is_nothing_to_do(tmp_path) -> None:
    uri = write_log(tmp_path, [[*on(field("v", "long")), add("x")]])
    draft = Draft(open_table(uri).snapshot(), now=NOW, fresh=lambda prefix, what: prefix)
    found = plan_prune(draft, (), FileScan(pytest.fail, pytest.fail))  # type: ignore[arg-type]
    assert (found.is_empty, found.refusals, found.columns) == (True, (), ())


@pytest.mark.parametrize(
    ("conf", "features"),
    [({"enableTypeWidening": "false"}, ["typeWidening"]), ({}, ["typeWidening-preview"])],
)
def test_the_property_may_be_off_and_the_feature_the_preview(tmp_path, conf, features) -> None:
    heads = [protocol(reader=features), metadata(COLUMNS[0], **conf)]
    found = plan(write_log(tmp_path, [[*heads, part(tmp_path, "x", {"new": LONG})]]))
    assert (codes(found), remembering(found), found.protocol) == ([], False, None)


@pytest.mark.parametrize(
    "entries",
    [
        [],
        "integer",
        [{"toType": "long"}],
        [{"fromType": "integer", "toType": "long"}, "more"],
        [{"fromType": "integer", "toType": "long", "fieldPath": "element"}],
    ],
    ids=str,
)
@pytest.mark.parametrize("in_file", [INT, LONG], ids=str)
def test_what_is_no_list_of_changes_goes_where_all_files_hold_todays_type(
    tmp_path, entries, in_file
) -> None:
    column = field("v", "long", **{"delta.typeChanges": entries})
    found = plan(write_log(tmp_path, [[*on(column), part(tmp_path, "x", {"v": in_file})]]))
    assert held(found) == {"v": {"integer" if in_file == INT else "long": 1}}
    assert codes(found) == (["OLD_TYPES_IN_FILES"] if in_file == INT else [])


def test_a_struct_with_changes_is_everything_in_it(tmp_path) -> None:
    inside = struct(field("x", "long"), field("y", array("long")))
    column = field("s", inside, **{"delta.typeChanges": []})
    file = part(tmp_path, "x", {"s": pa.struct({"x": LONG, "y": pa.list_(INT)})})
    found = plan(write_log(tmp_path, [[*on(column), file]]))
    assert held(found) == {"s.x": {"long": 1}, "s.y.element": {"integer": 1}}
    assert found.metadata is None


def test_the_files_to_rewrite_are_those_that_hold_an_old_type_of_what_was_chosen(tmp_path) -> None:
    columns = [widened("a", "long", "integer"), widened("b", "long", "integer")]
    files = [
        part(tmp_path, "a old", {"a": INT, "b": LONG}) | {},
        part(tmp_path, "b", {"a": LONG, "b": INT}),
        part(tmp_path, "none", {"a": LONG}),
        part(tmp_path, "both", {"a": INT, "b": INT}),
    ]
    files[0]["add"]["path"] = "a%20old"
    uri = write_log(tmp_path, [[*on(*columns), *files]])

    def paths(*chosen: str) -> list[str]:
        found = plan(uri, *chosen).rewrites
        assert found is not None
        # The stream can be read again.
        assert list(found.stream()) == list(found.stream())
        assert list(found.stream()) == [(path, 700) for path in found.sample]
        assert (found.files, found.size) == (len(found.sample), 700 * len(found.sample))
        return list(found.sample)

    assert paths("a") == ["a%20old", "both"]
    assert paths("b") == ["b", "both"]
    assert paths() == ["a%20old", "b", "both"]


def test_many_old_files_are_counted_and_some_are_named(tmp_path) -> None:
    file = part(tmp_path, "x", {"new": INT})
    for number in range(1, 60):
        (tmp_path / str(number)).hardlink_to(tmp_path / "x")
    files: list[Any] = [file, *(add(str(number)) for number in range(1, 60))]
    found = plan(write_log(tmp_path, [[*on(COLUMNS[0]), *files]])).rewrites
    assert found is not None
    assert (found.files, len(found.sample), len(list(found.stream()))) == (60, 20, 60)


def test_footers_of_many_files_are_let_go(tmp_path) -> None:
    """The interpreter looks for rings of objects, which Arrow leaves, too rarely for that."""
    file = part(tmp_path, "x", {"t": pa.timestamp("us")}, options=INT96)
    for number in range(1, 2500):
        (tmp_path / str(number)).hardlink_to(tmp_path / "x")
    files: list[Any] = [file, *(add(str(number)) for number in range(1, 2500))]
    uri = write_log(tmp_path, [[*on(widened("t", "timestamp_ntz", "date")), *files]])
    gc.collect()
    gc.disable()
    try:
        assert held(plan(uri)) == {"t": {"timestamp": 2500}}
        kinds = [type(found).__name__ for found in gc.get_objects()]
    finally:
        gc.enable()
    assert kinds.count("FileMetaData") <= 1024
