import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltactl.errors import BrokenLogError, InvalidUsageError
from deltactl.spec.schema.types import (
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    VOID,
    Array,
    DataType,
    Decimal,
    Map,
    Struct,
    StructField,
    Unknown,
    parse_type,
    short_name,
    type_from_json,
    type_to_json,
)

NESTED: dict[str, Any] = {
    "type": "struct",
    "fields": [
        {"name": "id", "type": "integer", "nullable": False, "metadata": {}},
        {
            "name": "tags",
            "type": {"type": "array", "elementType": "string", "containsNull": False},
            "nullable": True,
            "metadata": {"comment": "free text", "own.key": [1, {"a": None}]},
        },
        {
            "name": "prices",
            "type": {
                "type": "map",
                "keyType": "string",
                "valueType": {
                    "type": "struct",
                    "fields": [
                        {"name": "p", "type": "decimal(10,2)", "nullable": True, "metadata": {}}
                    ],
                },
                "valueContainsNull": True,
            },
            "nullable": True,
            "metadata": {},
        },
    ],
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bigint", LONG),
        ("LONG", LONG),
        ("int", INTEGER),
        ("integer", INTEGER),
        ("smallint", SHORT),
        ("tinyint", BYTE),
        ("byte", BYTE),
        ("real", FLOAT),
        ("double", DOUBLE),
        (" date ", DATE),
        ("timestamp", TIMESTAMP),
        ("timestamp_ltz", TIMESTAMP),
        ("timestamp_ntz", TIMESTAMP_NTZ),
        ("variant", VARIANT),
        ("void", VOID),
        ("decimal", Decimal(10, 0)),
        ("decimal(5)", Decimal(5, 0)),
        ("Decimal( 10 , 2 )", Decimal(10, 2)),
        ("numeric(38,38)", Decimal(38, 38)),
        ("dec(1,0)", Decimal(1, 0)),
    ],
)
def test_people_may_type_sql_and_delta_names(text: str, expected: DataType) -> None:
    assert parse_type(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "wibble", "decimal()",
        "array<int>", "struct<a:int>", "bigint unsigned", "varchar(5)", "decimal(10,2",
    ],
)  # fmt: skip
def test_what_is_no_type_is_refused_with_the_types_that_are(text: str) -> None:
    with pytest.raises(InvalidUsageError) as caught:
        parse_type(text)
    assert caught.value.code == "NOT_A_TYPE"
    assert "bigint" in (caught.value.hint or "") or "long" in (caught.value.hint or "")


@pytest.mark.parametrize("text", ["decimal(39,0)", "decimal(5,6)", "decimal(5,-1)", "decimal(0,0)"])
def test_a_decimal_has_bounds(text: str) -> None:
    with pytest.raises(InvalidUsageError) as caught:
        parse_type(text)
    assert caught.value.code == "NOT_A_TYPE"
    assert caught.value.hint == "of decimal(p,s), p is from 1 to 38, and s from 0 to p"


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("integr", "did you mean integer or int? "),
        ("bigint2", "did you mean bigint or int? "),
        ("varcha(5)", "did you mean varchar or variant or char? "),
        ("wibble", "The types are tinyint (byte), "),
    ],
)
def test_what_comes_near_a_type_is_told_first(text: str, asks: str) -> None:
    with pytest.raises(InvalidUsageError) as caught:
        parse_type(text)
    assert (caught.value.hint or "").startswith(asks)


def test_a_nested_schema_is_read() -> None:
    assert type_from_json(NESTED) == Struct(
        (
            StructField("id", INTEGER, nullable=False),
            StructField(
                "tags",
                Array(STRING, contains_null=False),
                metadata={"comment": "free text", "own.key": [1, {"a": None}]},
            ),
            StructField(
                "prices",
                Map(
                    STRING,
                    Struct((StructField("p", Decimal(10, 2)),)),
                    value_contains_null=True,
                ),
            ),
        )
    )


def test_a_nested_schema_is_written_as_it_was_read() -> None:
    assert type_to_json(type_from_json(NESTED)) == NESTED


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("interval", "interval"),
        ("varchar(5)", "varchar(5)"),
        ("decimal(39,0)", "decimal(39,0)"),
        ("geometry(OGC:CRS84)", "geometry(OGC:CRS84)"),
        ({"type": "udt", "class": "x.Y"}, "unknown type {'type': 'udt', 'class': 'x.Y'}"),
        (7, "unknown type 7"),
        (None, "unknown type None"),
    ],
    ids=str,
)
def test_what_the_protocol_does_not_know_is_kept_as_it_stands(value: Any, text: str) -> None:
    unknown = type_from_json(value)
    assert unknown == Unknown(value)
    assert str(unknown) == text
    assert type_to_json(unknown) == value


@pytest.mark.parametrize(
    "value",
    [
        {"type": "struct"},
        {"type": "struct", "fields": {}},
        {"type": "array"},
        {"type": "map", "keyType": "string"},
        {"type": "struct", "fields": [{"name": "a"}]},
        {"type": "struct", "fields": [{"name": 1, "type": "long"}]},
        {"type": "struct", "fields": ["a"]},
    ],
    ids=json.dumps,
)
def test_a_type_without_its_parts_is_a_broken_log(value: Any) -> None:
    with pytest.raises(BrokenLogError) as caught:
        type_from_json(value)
    assert caught.value.code == "SCHEMA_MALFORMED"


def test_what_a_field_leaves_out_is_what_engines_take_it_for() -> None:
    schema = type_from_json({"type": "struct", "fields": [{"name": "a", "type": "long"}]})
    assert schema == Struct((StructField("a", LONG, nullable=True, metadata={}),))


@pytest.mark.parametrize(
    ("data_type", "delta", "people"),
    [
        (INTEGER, "integer", "int"),
        (LONG, "long", "long"),
        (Decimal(10, 2), "decimal(10,2)", "decimal(10,2)"),
        (Array(INTEGER, True), "array<integer>", "array<int>"),
        (Map(INTEGER, Array(BYTE, True), True), "map<integer,array<byte>>", "map<int,array<byte>>"),
        (
            Struct((StructField("integer", INTEGER), StructField("b", LONG))),
            "struct<integer:integer,b:long>",
            "struct<integer:int,b:long>",
        ),
    ],
    ids=str,
)
def test_types_have_a_name_in_delta_and_one_for_people(
    data_type: DataType, delta: str, people: str
) -> None:
    assert str(data_type) == delta
    assert short_name(data_type) == people


def test_types_can_be_keys_whatever_their_metadata_holds() -> None:
    assert len({type_from_json(NESTED), type_from_json(NESTED)}) == 1


names = st.text(min_size=1, max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=2),
    max_leaves=4,
)
metadata = st.dictionaries(names, json_values, max_size=3)
FIELD_KEYS = {"name", "type", "nullable", "metadata"}
unknown_keys = st.dictionaries(names.filter(lambda n: n not in FIELD_KEYS), json_values, max_size=2)


def fields(types: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A field of a schema in JSON, with keys that nobody knows."""
    known = st.fixed_dictionaries(
        {"name": names, "type": types, "nullable": st.booleans(), "metadata": metadata}
    )
    return st.builds(lambda field, unknown: field | unknown, known, unknown_keys)


types = st.recursive(
    st.sampled_from(["long", "string", "decimal(5,2)", "integer", "void", "made-up"]),
    lambda inner: (
        st.fixed_dictionaries(
            {"type": st.just("array"), "elementType": inner, "containsNull": st.booleans()}
        )
        | st.fixed_dictionaries(
            {
                "type": st.just("map"),
                "keyType": inner,
                "valueType": inner,
                "valueContainsNull": st.booleans(),
            }
        )
        | st.fixed_dictionaries(
            {"type": st.just("struct"), "fields": st.lists(fields(inner), max_size=3)}
        )
    ),
    max_leaves=6,
)


@given(types)
def test_reading_and_writing_a_schema_changes_nothing(value: Any) -> None:
    assert type_to_json(type_from_json(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        "interval year to month", "interval year", "interval month", "interval day to second",
        "interval day", "interval hour", "interval minute", "interval second",
        "interval day to hour", "interval day to minute", "interval hour to minute",
        "interval hour to second", "interval minute to second",
    ],
)  # fmt: skip
def test_intervals_are_types_in_every_spelling(text: str) -> None:
    # protocol_rfcs/interval-types.md, "Type Definitions"; read back as they were spelt.
    found = type_from_json(text)
    assert not isinstance(found, Unknown)
    assert type_to_json(found) == text


@pytest.mark.parametrize(
    "text",
    [
        "interval month to second", "interval second to day", "interval month to year",
        "INTERVAL Year To Month", "interval", "interval day to day", "interval  day",
    ],
)  # fmt: skip
def test_other_intervals_are_no_types(text: str) -> None:
    assert isinstance(type_from_json(text), Unknown)
