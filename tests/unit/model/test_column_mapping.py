import json
from typing import Any

import pytest

from deltactl.errors import BrokenLogError
from deltactl.model.column_mapping import check_complete, column_id, mode, physical_path
from deltactl.model.schema import find, parse_path, parse_schema
from deltactl.model.types import LONG, Struct, StructField


def field(name: str, data_type: Any, number: int | None) -> dict[str, Any]:
    keys = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"col-{number}"}
    return {"name": name, "type": data_type, "nullable": True, "metadata": keys if number else {}}


def schema(*fields: dict[str, Any]) -> Struct:
    return parse_schema(json.dumps({"type": "struct", "fields": list(fields)}))


INNER = {"type": "struct", "fields": [field("x", "long", 3)]}
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
