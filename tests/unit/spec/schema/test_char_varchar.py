"""Lengths of strings, beside the type of the column that has them at whatever depth."""

from typing import Any

import pytest
from small_tables import array, field, mapping, schema, struct

from deltactl.spec.schema.char_varchar import limit_of, with_limit
from deltactl.spec.schema.schema import find, parse_path
from deltactl.spec.schema.type_names import parse_typed
from deltactl.spec.schema.types import field_to_json

KEY = "__CHAR_VARCHAR_TYPE_STRING"
# As Spark writes them when it creates a table.
NESTED = field(
    "s",
    struct(
        field("x", "string"),
        field("y,z", "string"),
        field("m", mapping("string", array("integer"))),
        field("d", "decimal(5,2)"),
    ),
    **{KEY: "struct<x:varchar(5),`y,z`:char(2),m:map<varchar(7),array<int>>,d:decimal(5,2)>"},
)
LIST = field("ar", array("string"), **{KEY: "array<varchar(5)>"})


@pytest.mark.parametrize(
    ("column", "path", "limit"),
    [
        (field("v", "string", **{KEY: "varchar(5)"}), "v", "varchar(5)"),
        (field("v", "string"), "v", None),
        (LIST, "ar.element", "varchar(5)"),
        (NESTED, "s.x", "varchar(5)"),
        (NESTED, "s.`y,z`", "char(2)"),
        (NESTED, "s.m.key", "varchar(7)"),
        (NESTED, "s.m.value.element", None),
        # Other writers keep it at the field itself.
        (field("s", struct(field("x", "string", **{KEY: "varchar(3)"}))), "s.x", "varchar(3)"),
        # A text of another type, as is left by a rename, says nothing.
        (field("s", struct(field("y", "string")), **{KEY: "struct<x:varchar(5)>"}), "s.y", None),
        (field("v", "string", **{KEY: 5}), "v", None),
    ],
)
def test_the_length(column: Any, path: str, limit: str | None) -> None:
    table = schema(column)
    assert limit_of(table, find(table, parse_path(path))) == limit


@pytest.mark.parametrize(
    ("column", "path", "name", "text"),
    [
        (LIST, "ar.element", "varchar(9)", "array<varchar(9)>"),
        (LIST, "ar.element", "string", None),
        (
            NESTED, "s.x", "varchar(6)",
            "struct<x:varchar(6),`y,z`:char(2),m:map<varchar(7),array<int>>,d:decimal(5,2)>",
        ),
        (
            NESTED, "s.m.key", "string",
            "struct<x:varchar(5),`y,z`:char(2),m:map<string,array<int>>,d:decimal(5,2)>",
        ),
        # The text names the other types too, and Spark casts to these on its way in.
        (
            NESTED, "s.m.value.element", "long",
            "struct<x:varchar(5),`y,z`:char(2),m:map<varchar(7),array<bigint>>,d:decimal(5,2)>",
        ),
        (
            NESTED, "s.d", "decimal(7,2)",
            "struct<x:varchar(5),`y,z`:char(2),m:map<varchar(7),array<int>>,d:decimal(7,2)>",
        ),
        (field("v", "void"), "v", "varchar(3)", "varchar(3)"),
        (field("v", "integer"), "v", "long", None),
    ],
)  # fmt: skip
def test_another_length(column: Any, path: str, name: str, text: str | None) -> None:
    table = schema(column)
    changed = with_limit(table, find(table, parse_path(path)), parse_typed(name))
    expected = {**column, "metadata": {} if text is None else {KEY: text}}
    assert field_to_json(changed.fields[0]) == expected
