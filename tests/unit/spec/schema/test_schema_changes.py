import json
from typing import Any

import pytest

from deltactl.spec.schema.diff import (
    ColumnPair,
    MappingSwitch,
    changes,
    compare,
    mapping_switch,
    without_column_mapping,
)
from deltactl.spec.schema.schema import parse_schema
from deltactl.spec.schema.types import Struct


def field(name: str, data_type: Any, **metadata: Any) -> dict[str, Any]:
    return {"name": name, "type": data_type, "nullable": True, "metadata": metadata}


def required(name: str, data_type: Any) -> dict[str, Any]:
    return field(name, data_type) | {"nullable": False}


def mapped(name: str, number: int, data_type: Any, **metadata: Any) -> dict[str, Any]:
    """A field with a column-mapping id."""
    keys = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"col-{number}"}
    return field(name, data_type) | {"metadata": {**keys, **metadata}}


def struct(*fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "struct", "fields": list(fields)}


def array(element: Any, *, nulls: bool = True) -> dict[str, Any]:
    return {"type": "array", "elementType": element, "containsNull": nulls}


def mapping(key: Any, value: Any) -> dict[str, Any]:
    return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}


def schema(*fields: dict[str, Any]) -> Struct:
    return parse_schema(json.dumps(struct(*fields)))


def widened(old: str, new: str, path: str | None = None) -> dict[str, Any]:
    """One entry of `delta.typeChanges`."""
    return {"fromType": old, "toType": new} | ({} if path is None else {"fieldPath": path})


KEY = "delta.typeChanges"
CASES: dict[str, tuple[Struct, Struct, list[tuple[str, str, Any, Any, str]]]] = {
    "nothing": (schema(field("a", "long")), schema(field("a", "long")), []),
    "only the order": (
        schema(field("a", "long"), field("b", "long")),
        schema(field("b", "long"), field("a", "long")),
        [("metadata", "b", {"(position)": 1}, {"(position)": 0}, "b: moved from place 2 to 1")],
    ),
    "added": (
        schema(),
        schema(field("note", "string"), field("s", struct(field("x", "integer")))),
        [
            ("added", "note", None, "string", "+ note string"),
            ("added", "s", None, "struct<x:integer>", "+ s struct<x:int>"),
        ],
    ),
    "dropped": (
        schema(field("a", "long"), field("m", mapping("integer", "string"))),
        schema(field("a", "long")),
        [("dropped", "m", "map<integer,string>", None, "- m map<int,string>")],
    ),
    "a name without regard to case is the same column": (
        schema(field("Amount", "long")),
        schema(field("amount", "long")),
        [("renamed", "amount", "Amount", "amount", "Amount renamed amount")],
    ),
    "renamed by id": (
        schema(mapped("old", 1, "long")),
        schema(mapped("new", 1, "long")),
        [("renamed", "new", "old", "new", "old renamed new")],
    ),
    "renamed and widened": (
        schema(mapped("old", 1, "integer")),
        schema(mapped("new", 1, "long", **{KEY: [widened("integer", "long")]})),
        [
            ("renamed", "new", "old", "new", "old renamed new"),
            ("widened", "new", "integer", "long", "new int → long"),
        ],
    ),
    "names swapped": (
        schema(mapped("a", 1, "long"), mapped("b", 2, "string")),
        schema(mapped("b", 1, "long"), mapped("a", 2, "string")),
        [
            ("renamed", "b", "a", "b", "a renamed b"),
            ("renamed", "a", "b", "a", "b renamed a"),
        ],
    ),
    "dropped and added again": (
        schema(mapped("a", 1, "long")),
        schema(mapped("a", 2, "long")),
        [("dropped", "a", "long", None, "- a long"), ("added", "a", None, "long", "+ a long")],
    ),
    "a struct renamed, a field below it added": (
        schema(mapped("s", 1, struct(mapped("x", 2, "long")))),
        schema(mapped("t", 1, struct(mapped("x", 2, "long"), mapped("y", 3, "date")))),
        [
            ("renamed", "t", "s", "t", "s renamed t"),
            ("added", "t.y", None, "date", "+ t.y date"),
        ],
    ),
    "column mapping switched on": (
        schema(field("a", "long")),
        schema(mapped("a", 1, "long")),
        [
            (
                "metadata",
                "a",
                {},
                {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "col-1"},
                "a: column id 1, name in files 'col-1'",
            )
        ],
    ),
    "widened": (
        schema(field("amount", "integer")),
        schema(field("amount", "long", **{KEY: [widened("integer", "long")]})),
        [("widened", "amount", "integer", "long", "amount int → long")],
    ),
    "widened again": (
        schema(field("d", "decimal(5,2)", **{KEY: [widened("decimal(4,2)", "decimal(5,2)")]})),
        schema(
            field(
                "d",
                "decimal(9,4)",
                **{
                    KEY: [
                        widened("decimal(4,2)", "decimal(5,2)"),
                        widened("decimal(5,2)", "decimal(9,4)"),
                    ]
                },
            )
        ),
        [("widened", "d", "decimal(5,2)", "decimal(9,4)", "d decimal(5,2) → decimal(9,4)")],
    ),
    "widened below maps and arrays": (
        schema(field("m", mapping("byte", array("short")))),
        schema(
            field(
                "m",
                mapping("short", array("long")),
                **{
                    KEY: [
                        widened("byte", "short", "key"),
                        widened("short", "long", "value.element"),
                    ]
                },
            )
        ),
        [
            ("widened", "m.key", "byte", "short", "m.key byte → short"),
            ("widened", "m.value.element", "short", "long", "m.value.element short → long"),
        ],
    ),
    "widened in a struct of an array": (
        schema(field("s", array(struct(field("x", "integer"))))),
        schema(field("s", array(struct(field("x", "long"))))),
        [("widened", "s.element.x", "integer", "long", "s.element.x int → long")],
    ),
    "retyped": (
        schema(field("a", "long"), field("b", "string")),
        schema(field("a", "integer"), field("b", array("string"))),
        [
            ("retyped", "a", "long", "integer", "a long → int"),
            ("retyped", "b", "string", "array<string>", "b string → array<string>"),
        ],
    ),
    "nullable": (
        schema(required("a", "long"), field("b", array("long", nulls=False))),
        schema(field("a", "long"), field("b", array("long"))),
        [
            ("metadata", "a", {"nullable": False}, {"nullable": True}, "a: nullable"),
            (
                "metadata",
                "b.element",
                {"nullable": False},
                {"nullable": True},
                "b.element: nullable",
            ),
        ],
    ),
    "metadata": (
        schema(field("a", "long", comment="old", gone="x"), field("b", "long")),
        schema(field("a", "long", comment="new"), field("b", "long", own={"k": 1})),
        [
            (
                "metadata",
                "a",
                {"comment": "old", "gone": "x"},
                {"comment": "new"},
                "a: comment 'old' → 'new', gone 'x' removed",
            ),
            ("metadata", "b", {}, {"own": {"k": 1}}, 'b: own {"k": 1}'),
        ],
    ),
    "type changes pruned": (
        schema(field("a", "long", **{KEY: [widened("byte", "long")]})),
        schema(field("a", "long")),
        [("metadata", "a", {KEY: [widened("byte", "long")]}, {}, "a: type changes pruned")],
    ),
    "type changes rewritten": (
        schema(field("a", "long", **{KEY: [widened("byte", "long")]})),
        schema(field("a", "long", **{KEY: [widened("short", "long")]})),
        [
            (
                "metadata",
                "a",
                {KEY: [widened("byte", "long")]},
                {KEY: [widened("short", "long")]},
                "a: type changes rewritten",
            )
        ],
    ),
    "type changes that are no list": (
        schema(field("a", "long", **{KEY: 5})),
        schema(field("a", "long", **{KEY: []})),
        [("metadata", "a", {KEY: 5}, {KEY: []}, "a: type changes pruned")],
    ),
    "names that hold a type's name": (
        schema(),
        schema(field("integers", struct(field("integer", "integer")))),
        [
            (
                "added",
                "integers",
                None,
                "struct<integer:integer>",
                "+ integers struct<integer:int>",
            )
        ],
    ),
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_changes_are_found_and_said(case: str) -> None:
    before, after, expected = CASES[case]
    found = [(*change[:4], str(change)) for change in changes(before, after)]
    assert found == expected


def test_no_column_is_paired_twice() -> None:
    before = schema(mapped("a", 1, "long"))
    after = schema(field("a", "long"), mapped("b", 1, "long"))
    assert [str(change) for change in changes(before, after)] == ["+ a long, first", "a renamed b"]


def sides(pairs: tuple[ColumnPair, ...]) -> list[Any]:
    return [
        (pair.before and str(pair.before), pair.after and str(pair.after), sides(pair.below))
        for pair in pairs
    ]


def test_the_two_schemas_are_one_tree() -> None:
    before = schema(field("a", "long"), field("s", struct(field("x", "long"), field("y", "long"))))
    after = schema(field("s", struct(field("x", "long"))), field("n", array("date")))
    assert sides(compare(before, after)) == [
        ("a", None, []),
        ("s", "s", [("s.x", "s.x", []), ("s.y", None, [])]),
        (None, "n", [(None, "n.element", [])]),
    ]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # What Spark 4.2 with Delta 4.4 did with a DataFrame that was opened before the change.
        (schema(field("a", "long")), schema(field("a", "long"), field("b", "long")), [True]),
        (
            schema(field("s", struct(field("x", "long")))),
            schema(field("s", struct(field("x", "long"), field("y", "long")))),
            [True],
        ),
        (
            schema(field("a", "long"), field("b", "long")),
            schema(field("b", "long"), field("a", "long")),
            [True],
        ),
        (schema(field("a", "long")), schema(field("a", "long", comment="x")), [True]),
        (schema(field("a", "long"), field("b", "long")), schema(field("a", "long")), [False]),
        (
            schema(field("s", struct(field("x", "long"), field("y", "long")))),
            schema(field("s", struct(field("x", "long")))),
            [False],
        ),
        (schema(mapped("a", 1, "long")), schema(mapped("b", 1, "long")), [False]),
        (schema(mapped("b", 1, "long")), schema(mapped("B", 1, "long")), [False]),
        (schema(field("a", "integer")), schema(field("a", "long")), [False]),
        (schema(field("a", array("integer"))), schema(field("a", array("long"))), [False]),
        (schema(required("a", "long")), schema(field("a", "long")), [False]),
        (
            schema(field("s", struct(required("x", "long")))),
            schema(field("s", struct(field("x", "long")))),
            [False],
        ),
        (
            schema(field("a", array("long", nulls=False))),
            schema(field("a", array("long"))),
            [False],
        ),
        (schema(field("a", "long")), schema(required("a", "long")), [True]),
        # Mapping a table keeps the names in its files; anything else moves them.
        (
            schema(field("a", "long")),
            schema(field("a", "long") | {"metadata": {
                "delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "a"}}),
            [True],
        ),
        (schema(field("a", "long")), schema(mapped("a", 1, "long")), [False]),
        (schema(mapped("a", 1, "long")), schema(field("a", "long")), [False]),
        (
            schema(field("a", "long") | {"metadata": {
                "delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "a"}}),
            schema(field("a", "long")),
            [True],
        ),
        (schema(mapped("a", 1, "long")), schema(mapped("a", 2, "long")), [False, True]),
        # Delta's check lets this pass, and Spark then fails on the first file with values.
        (schema(field("a", "void")), schema(field("a", "long")), [False]),
    ],
)  # fmt: skip
def test_whether_readers_go_on(before: Struct, after: Struct, expected: list[bool]) -> None:
    found = [change.to_json()["readersGoOn"] for change in changes(before, after)]
    assert found == expected


def in_files(name: str, number: int, data_type: Any, physical: str) -> dict[str, Any]:
    keys = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": physical}
    return field(name, data_type) | {"metadata": keys}


class TestMappingSwitchedOn:
    BEFORE = schema(
        field("a", "long"), field("b", "string"), field("s", struct(field("x", "long")))
    )

    def said(self, after: Struct) -> tuple[MappingSwitch | None, list[str]]:
        pairs = compare(self.BEFORE, after)
        return mapping_switch(pairs), [
            str(change) for change in without_column_mapping(changes(self.BEFORE, after))
        ]

    def test_a_rename_is_one(self) -> None:
        after = schema(
            in_files("a", 1, "long", "a"),
            in_files("c", 2, "string", "b"),
            in_files("s", 3, struct(in_files("y", 4, "long", "x")), "s"),
        )
        assert self.said(after) == (
            MappingSwitch(is_on=True, columns=4),
            ["b renamed c", "s.x renamed s.y"],
        )

    def test_names_that_change_places(self) -> None:
        after = schema(
            in_files("b", 1, "long", "a"),
            in_files("a", 2, "string", "b"),
            in_files("s", 3, struct(in_files("x", 4, "long", "x")), "s"),
        )
        assert self.said(after) == (
            MappingSwitch(is_on=True, columns=4),
            ["a renamed b", "b renamed a"],
        )

    def test_a_new_column_is_no_old_one(self) -> None:
        after = schema(
            in_files("a", 1, "long", "a"),
            in_files("n", 5, "string", "col-7f"),
            in_files("s", 3, struct(in_files("x", 4, "long", "x")), "s"),
        )
        assert self.said(after) == (
            MappingSwitch(is_on=True, columns=4),
            ["- b string", "+ n string, after a"],
        )

    def test_not_all_of_them(self) -> None:
        after = schema(
            in_files("a", 1, "long", "a"),
            field("b", "string"),
            field("s", struct(field("x", "long"))),
        )
        assert mapping_switch(compare(self.BEFORE, after)) is None

    def test_a_new_table_is_no_switch(self) -> None:
        assert mapping_switch(compare(schema(), schema(in_files("a", 1, "long", "a")))) is None


class TestMappingSwitchedOff:
    BEFORE = schema(
        in_files("a", 1, "long", "col-1"),
        in_files("c", 2, "string", "b"),
        in_files("s", 3, struct(in_files("x", 4, "long", "x")), "s"),
    )

    def said(self, after: Struct) -> tuple[MappingSwitch | None, list[str]]:
        pairs = compare(self.BEFORE, after)
        return mapping_switch(pairs), [
            str(change) for change in without_column_mapping(changes(self.BEFORE, after))
        ]

    def test_files_that_were_rewritten_under_the_names_of_columns(self) -> None:
        plain = schema(
            field("a", "long"), field("c", "string"), field("s", struct(field("x", "long")))
        )
        assert self.said(plain) == (MappingSwitch(is_on=False, columns=4), [])

    def test_a_column_that_has_its_name_in_files_again(self) -> None:
        before_it_was_mapped = schema(
            field("a", "long"), field("b", "string"), field("s", struct(field("x", "long")))
        )
        assert self.said(before_it_was_mapped) == (
            MappingSwitch(is_on=False, columns=4), ["c renamed b"]
        )  # fmt: skip

    def test_not_all_of_them(self) -> None:
        after = schema(in_files("a", 1, "long", "col-1"), field("c", "string"))
        assert mapping_switch(compare(self.BEFORE, after)) is None

    def test_an_id_that_moved_to_another_column_is_paired_once(self) -> None:
        after = schema(in_files("d", 2, "string", "b"), field("b", "string"))
        assert [str(c) for c in changes(self.BEFORE, after)] == [
            "- a long", "c renamed d", "- s struct<x:long>", "+ b string"
        ]  # fmt: skip


def test_what_a_new_column_has_beside_its_type() -> None:
    settings = {"CURRENT_DEFAULT": "5", "comment": "a z", "delta.columnMapping.id": 7}
    new = required("z", "integer") | {"metadata": settings}
    (change,) = changes(schema(field("a", "long")), schema(new, field("a", "long")))
    assert str(change) == "+ z int not null, default 5, first — a z"
    assert change.to_json() == {
        "kind": "added",
        "path": "z",
        "before": None,
        "after": "integer",
        "field": {
            "nullable": False,
            "metadata": {"CURRENT_DEFAULT": "5", "comment": "a z"},
            "position": "first",
        },
        "typeChanges": {"before": [], "after": []},
        "readersGoOn": True,
    }


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({"CURRENT_DEFAULT": "3"}, {"CURRENT_DEFAULT": "4"}, "default 3 → 4"),
        ({"CURRENT_DEFAULT": "3"}, {}, "default 3 removed"),
        ({}, {"comment": "it's"}, "comment 'it's'"),
        ({"comment": "hi"}, {}, "comment 'hi' removed"),
        ({}, {"delta.generationExpression": "b + 1"}, "generated as b + 1"),
    ],
)
def test_settings_in_words(before: dict[str, Any], after: dict[str, Any], said: str) -> None:
    sides = (schema(field("a", "long", **side)) for side in (before, after))
    assert [str(change) for change in changes(*sides)] == [f"a: {said}"]


def test_a_name_in_files_that_another_column_had_as_its_own() -> None:
    """Only of a column without an id its name is also its name in files."""
    key = "delta.columnMapping.physicalName"
    before = schema(mapped("b", 1, "long", **{key: "a"}))
    after = schema(mapped("c", 7, "long", **{key: "b"}))
    kinds = [(change.kind.value, change.path) for change in changes(before, after)]
    assert kinds == [("dropped", "b"), ("added", "c")]


def test_mapping_that_was_switched_on_before_a_rename() -> None:
    before = schema(field("a", "long"), field("b", array("long")))
    after = schema(
        mapped("c", 1, "long", **{"delta.columnMapping.physicalName": "a"}),
        mapped("b", 2, array("long"), **{"delta.columnMapping.physicalName": "b"}),
    )
    renamed = [(c.path, c.before) for c in changes(before, after) if c.kind.value == "renamed"]
    assert renamed == [("c", "a")]
