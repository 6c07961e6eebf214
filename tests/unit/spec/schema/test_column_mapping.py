import json
from typing import Any

import pytest

from deltactl.errors import BrokenLogError
from deltactl.spec.schema.column_mapping import (
    assigned,
    check_complete,
    column_id,
    max_column_id,
    mode,
    physical_path,
    with_nested_ids,
)
from deltactl.spec.schema.schema import find, parse_path, parse_schema
from deltactl.spec.schema.types import LONG, Struct, StructField, type_to_json


def field(name: str, data_type: Any, number: int | None) -> dict[str, Any]:
    keys = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"col-{number}"}
    return {"name": name, "type": data_type, "nullable": True, "metadata": keys if number else {}}


def schema(*fields: dict[str, Any]) -> Struct:
    return parse_schema(json.dumps({"type": "struct", "fields": list(fields)}))


INNER = {"type": "struct", "fields": [field("x", "long", 3)]}
INNER_PLAIN = {"type": "struct", "fields": [field("x", "long", None)]}
ITEMS = {"type": "array", "elementType": INNER, "containsNull": True}
MAPPED = schema(field("id", "long", 1), field("items", ITEMS, 2))


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ({}, "none"),
        ({"delta.columnMapping.mode": "name"}, "name"),
        ({"delta.columnMapping.mode": "ID"}, "id"),
        ({"delta.columnMapping.mode": "none"}, "none"),
    ],
    ids=str,
)
def test_the_mode_is_a_property(configuration: dict[str, str], expected: str) -> None:
    assert mode(configuration) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("id", ("col-1",)),
        ("items", ("col-2",)),
        ("items.element", ("col-2", "element")),
        ("items.element.x", ("col-2", "element", "col-3")),
    ],
)
def test_data_files_have_physical_names(path: str, expected: tuple[str, ...]) -> None:
    assert physical_path(MAPPED, find(MAPPED, parse_path(path))) == expected


def test_without_mapping_the_physical_name_is_the_name() -> None:
    plain = schema(field("a", "long", None))
    assert physical_path(plain, find(plain, ("a",))) == ("a",)


@pytest.mark.parametrize("odd", ["5", True, None, 1.0], ids=str)
def test_an_id_is_a_whole_number(odd: object) -> None:
    assert column_id(StructField("a", LONG, metadata={"delta.columnMapping.id": odd})) is None


def test_a_mapped_table_has_an_id_and_a_name_for_each_field() -> None:
    by_name = {"delta.columnMapping.mode": "name"}
    check_complete(MAPPED, by_name)
    half = {"type": "struct", "fields": [field("x.y", "long", None)]}
    holes = schema(field("s", half, 1))
    check_complete(holes, {})
    with pytest.raises(
        BrokenLogError, match=r"column s\.`x\.y` has no column-mapping id"
    ) as caught:
        check_complete(holes, by_name)
    assert caught.value.code == "COLUMN_MAPPING_INCOMPLETE"


def test_new_fields_get_the_names_that_are_given() -> None:
    found, last = assigned(schema(field("a", INNER_PLAIN, None)), 7, lambda f, n: f"{f.name}-{n}")
    assert last == 9
    assert type_to_json(found)["fields"] == [
        {
            "name": "a",
            "type": {
                "type": "struct",
                "fields": [
                    {
                        "name": "x",
                        "type": "long",
                        "nullable": True,
                        "metadata": {
                            "delta.columnMapping.id": 9,
                            "delta.columnMapping.physicalName": "x-9",
                        },
                    }
                ],
            },
            "nullable": True,
            "metadata": {
                "delta.columnMapping.id": 8,
                "delta.columnMapping.physicalName": "a-8",
            },
        }
    ]


class TestNestedIds:
    """The form that Delta writes for IcebergCompatV2: by path from the field's physical name."""

    def nested(self, found: Struct) -> list[Any]:
        return [f.metadata["delta.columnMapping.nested.ids"] for f in found.fields]

    def test_every_element_key_and_value_gets_one(self) -> None:
        inner = {"type": "array", "elementType": "long", "containsNull": True}
        both = {"type": "map", "keyType": "long", "valueType": inner, "valueContainsNull": True}
        found, last = with_nested_ids(schema(field("id", "long", 1), field("m", both, 2)), 5)
        assert self.nested(found) == [
            {},
            {"col-2.key": 6, "col-2.value": 7, "col-2.value.element": 8},
        ]
        assert last == 8

    def test_those_that_are_there_stay(self) -> None:
        known = field("a", {"type": "array", "elementType": "long", "containsNull": True}, 1)
        known["metadata"]["delta.columnMapping.nested.ids"] = {"col-1.element": 4}
        found, last = with_nested_ids(schema(known), 4)
        assert (self.nested(found), last) == ([{"col-1.element": 4}], 4)

    def test_a_struct_inside_begins_anew(self) -> None:
        found, _ = with_nested_ids(MAPPED, 3)
        items = found.fields[1]
        assert items.metadata["delta.columnMapping.nested.ids"] == {"col-2.element": 4}
        inner = type_to_json(items.type)["elementType"]["fields"][0]["metadata"]
        assert inner["delta.columnMapping.nested.ids"] == {}

    def test_they_count_as_given(self) -> None:
        found, last = with_nested_ids(MAPPED, 3)
        assert (last, max_column_id(found, {})) == (4, 4)
        assert max_column_id(found, {"delta.columnMapping.maxColumnId": "9"}) == 9
