import json
from typing import Any

import pytest

from deltactl.spec.schema.schema import find, parse_path, parse_schema
from deltactl.spec.schema.type_changes import (
    TypeChange,
    changes_of,
    fields_with_changes,
    type_changes,
)
from deltactl.spec.schema.types import LONG, StructField


def change(old: str, new: str, path: str | None = None, version: int | None = None) -> TypeChange:
    return TypeChange(from_type=old, to_type=new, field_path=path, table_version=version)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (
            [
                {"toType": "short", "fromType": "byte"},
                {"fromType": "short", "toType": "integer"},
            ],
            (change("byte", "short"), change("short", "integer")),
        ),
        (
            [{"fromType": "short", "toType": "integer", "tableVersion": 2}],
            (change("short", "integer", version=2),),
        ),
        (
            [{"fromType": "integer", "toType": "long", "fieldPath": "value.element"}],
            (change("integer", "long", "value.element"),),
        ),
        ([], ()),
        (None, ()),
        (5, ()),
        ("[]", ()),
        ({"fromType": "byte", "toType": "short"}, ()),
        ([5, {"fromType": "byte"}, {"toType": "x", "fromType": 1}], ()),
        (
            [{"fromType": "a", "toType": "b", "fieldPath": 5, "tableVersion": "2"}],
            (change("a", "b"),),
        ),
    ],
    ids=str,
)
def test_entries_are_read_in_order_and_what_is_none_is_left_out(
    entries: Any, expected: tuple[TypeChange, ...]
) -> None:
    assert type_changes(StructField("a", LONG, metadata={"delta.typeChanges": entries})) == expected


def test_a_field_without_the_key_never_changed() -> None:
    assert type_changes(StructField("a", LONG)) == ()


MAP = {"type": "map", "keyType": "integer", "valueType": "double", "valueContainsNull": True}
ENTRIES = [
    {"fromType": "byte", "toType": "short", "fieldPath": "element.key"},
    {"fromType": "float", "toType": "double", "fieldPath": "element.value"},
    {"fromType": "short", "toType": "integer", "fieldPath": "element.key"},
]
SCHEMA = parse_schema(
    json.dumps(
        {
            "type": "struct",
            "fields": [
                {
                    "name": "am",
                    "type": {"type": "array", "elementType": MAP, "containsNull": True},
                    "nullable": True,
                    "metadata": {"delta.typeChanges": ENTRIES},
                },
                {"name": "plain", "type": "long", "nullable": True, "metadata": {}},
                {
                    "name": "emptied",
                    "type": "long",
                    "nullable": True,
                    "metadata": {"delta.typeChanges": []},
                },
            ],
        }
    )
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (
            "am.element.key",
            (
                change("byte", "short", "element.key"),
                change("short", "integer", "element.key"),
            ),
        ),
        ("am.element.value", (change("float", "double", "element.value"),)),
        ("am.element", ()),
        ("am", ()),
        ("plain", ()),
    ],
)
def test_changes_belong_to_one_node(path: str, expected: tuple[TypeChange, ...]) -> None:
    assert changes_of(find(SCHEMA, parse_path(path))) == expected


def test_fields_with_the_key_are_found_even_where_it_is_empty() -> None:
    assert [str(node) for node in fields_with_changes(SCHEMA)] == ["am", "emptied"]
