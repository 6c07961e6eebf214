import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltactl.errors import BrokenLogError, InvalidUsageError, NotFoundError, Notice
from deltactl.spec.schema.schema import (
    check_usable,
    faults,
    find,
    format_path,
    parse_path,
    parse_schema,
    walk,
)
from deltactl.spec.schema.types import Struct

LONGS = {"type": "array", "elementType": "long", "containsNull": False}


def field(name: str, data_type: Any, *, nullable: bool = True, **metadata: Any) -> dict[str, Any]:
    return {"name": name, "type": data_type, "nullable": nullable, "metadata": metadata}


def struct(*fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "struct", "fields": list(fields)}


def schema(*fields: dict[str, Any]) -> Struct:
    return parse_schema(json.dumps(struct(*fields)))


SCHEMA = schema(
    field("id", "long", nullable=False),
    field("s", struct(field("x", "integer"), field("Y", LONGS))),
    field("ar", {"type": "array", "elementType": struct(field("q", "date")), "containsNull": True}),
    field("m", {"type": "map", "keyType": "string", "valueType": LONGS, "valueContainsNull": True}),
    field("a.b", "string"),
    field("element", "string"),
    field("tick`s", "string"),
)


def test_walk_gives_each_node_once_parents_first() -> None:
    assert [(str(n), str(n.type), n.nullable, n.field.name, n.below) for n in walk(SCHEMA)] == [
        ("id", "long", False, "id", ()),
        ("s", "struct<x:integer,Y:array<long>>", True, "s", ()),
        ("s.x", "integer", True, "x", ()),
        ("s.Y", "array<long>", True, "Y", ()),
        ("s.Y.element", "long", False, "Y", ("element",)),
        ("ar", "array<struct<q:date>>", True, "ar", ()),
        ("ar.element", "struct<q:date>", True, "ar", ("element",)),
        ("ar.element.q", "date", True, "q", ()),
        ("m", "map<string,array<long>>", True, "m", ()),
        ("m.key", "string", False, "m", ("key",)),
        ("m.value", "array<long>", True, "m", ("value",)),
        ("m.value.element", "long", False, "m", ("value", "element")),
        ("`a.b`", "string", True, "a.b", ()),
        ("element", "string", True, "element", ()),
        ("`tick``s`", "string", True, "tick`s", ()),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", ("a",)),
        ("a.b.c", ("a", "b", "c")),
        ("`a.b`", ("a.b",)),
        ("s.`a.b`.c", ("s", "a.b", "c")),
        ("`tick``s`", ("tick`s",)),
        ("````", ("`",)),
        ("m.value.element", ("m", "value", "element")),
        ("with space", ("with space",)),
        ("größe.日本", ("größe", "日本")),
    ],
)
def test_paths_are_read(text: str, expected: tuple[str, ...]) -> None:
    assert parse_path(text) == expected


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a..b", "`a", "a`b", "`a`b", "``", "`a`."])
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(InvalidUsageError) as caught:
        parse_path(text)
    assert caught.value.code == "BAD_COLUMN_PATH"
    assert "backticks" in (caught.value.hint or "")


@given(st.lists(st.text(min_size=1), min_size=1).map(tuple))
def test_a_path_that_is_written_can_be_read(path: tuple[str, ...]) -> None:
    assert parse_path(format_path(path)) == path


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ID", "id"),
        ("S.X", "s.x"),
        ("s.y.ELEMENT", "s.Y.element"),
        ("ar.element.q", "ar.element.q"),
        ("m.KEY", "m.key"),
        ("m.value.element", "m.value.element"),
        ("`A.B`", "`a.b`"),
        ("element", "element"),
    ],
)
def test_names_match_without_regard_to_case_and_keep_the_tables_spelling(
    text: str, found: str
) -> None:
    assert str(find(SCHEMA, parse_path(text))) == found


def test_the_exact_spelling_is_preferred() -> None:
    both = schema(field("A", "long"), field("a", "string"))
    assert str(find(both, ("a",)).type) == "string"
    assert str(find(both, ("A",)).type) == "long"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("idd", "no column idd", "did you mean id?"),
        ("s.z", "no column s.z: s has no z", "columns: s.x, s.Y"),
        ("s.xx", "no column s.xx: s has no xx", "did you mean s.x?"),
        ("id.x", "no column id.x: id is long and has nothing below it", None),
        ("ar.q", "no column ar.q: ar has no q", "columns: ar.element"),
        ("m.values", "no column m.values: m has no values", "did you mean m.value?"),
    ],
)
def test_a_column_that_is_not_there_names_what_comes_near(
    text: str, message: str, hint: str | None
) -> None:
    with pytest.raises(NotFoundError) as caught:
        find(SCHEMA, parse_path(text))
    assert (caught.value.code, caught.value.message) == ("COLUMN_NOT_FOUND", message)
    assert caught.value.hint == hint


def test_a_table_of_many_columns_does_not_list_them_all() -> None:
    wide = schema(*(field(f"column{n}", "long") for n in range(500)))
    with pytest.raises(NotFoundError) as caught:
        find(wide, ("zzz",))
    assert (caught.value.hint or "").endswith("column9, …")
    assert len(caught.value.details["known"]) == 100


def test_no_path_names_no_column() -> None:
    with pytest.raises(InvalidUsageError):
        find(SCHEMA, ())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "SCHEMA_NOT_JSON"),
        ("{nope", "SCHEMA_NOT_JSON"),
        ('"long"', "SCHEMA_MALFORMED"),
        ("[]", "SCHEMA_MALFORMED"),
        ('{"type":"array","elementType":"long","containsNull":true}', "SCHEMA_MALFORMED"),
        ("[" * 100_000, "SCHEMA_TOO_DEEP"),
        ('{"type":"struct","fields":[],"x":NaN}', "SCHEMA_NOT_JSON"),
        ('{"type":"struct","fields":[],"x":1e999}', "SCHEMA_NOT_JSON"),
        (json.dumps(struct(field("half a pair: \ud800", "long"))), "SCHEMA_NOT_JSON"),
    ],
    ids=[
        "empty",
        "no json",
        "no struct",
        "list",
        "array",
        "too deep",
        "NaN",
        "beyond a double",
        "half a surrogate pair",
    ],
)
def test_what_is_no_schema_is_a_broken_log(text: str, code: str) -> None:
    with pytest.raises(BrokenLogError) as caught:
        parse_schema(text)
    assert caught.value.code == code


def test_a_name_outside_the_basic_plane_may_be_escaped() -> None:
    assert schema(field("\U0001f600", "long")).fields[0].name == "\U0001f600"


def test_200_levels_are_read_and_walked() -> None:
    deep: Any = "long"
    for _ in range(200):
        deep = {"type": "array", "elementType": deep, "containsNull": True}
    nodes = list(walk(schema(field("a", deep))))
    assert len(nodes) == 201
    assert str(nodes[-1]) == "a" + 200 * ".element"
    assert str(find(schema(field("a", deep)), nodes[-1].path).type) == "long"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ([field("a", "long"), field("a", "long")], "the schema has both a and a"),
        ([field("Id", "long"), field("id", "long")], "the schema has both Id and id"),
        ([field("STRASSE", "long"), field("straße", "long")], "the schema has both STRASSE and"),
        (
            [field("s", struct(field("x.y", "long"), field("X.Y", "long")))],
            "the schema has both s.`x.y` and s.`X.Y`",
        ),
    ],
    ids=["same", "case", "sharp s", "nested"],
)
def test_names_that_differ_in_case_only_are_a_fault(
    fields: list[dict[str, Any]], expected: str
) -> None:
    (fault,) = faults(schema(*fields))
    assert fault.code == "DUPLICATE_COLUMNS"
    assert fault.message.startswith(expected)


def test_one_name_in_two_structs_is_no_fault() -> None:
    nested = schema(field("x", "long"), field("s", struct(field("x", "long"))))
    assert list(faults(nested)) == []
    check_usable(nested)


def test_an_unknown_type_is_a_fault_and_stops_schema_commands() -> None:
    odd = schema(field("ar", {"type": "array", "elementType": "wibble", "containsNull": True}))
    said = "column ar.element has the unknown type wibble"
    assert list(faults(odd)) == [Notice("UNKNOWN_TYPE", said)]
    with pytest.raises(BrokenLogError, match=said):
        check_usable(odd)
