"""Changes of a schema leave all else to the letter as it was."""

import json
from dataclasses import replace

import pytest

from deltactl.spec.schema.edit import (
    After,
    First,
    Last,
    Place,
    schema_string,
    with_field,
    with_new_field,
    with_type,
    without_field,
)
from deltactl.spec.schema.schema import parse_schema
from deltactl.spec.schema.types import INTEGER, LONG, STRING, DataType, StructField

# With what engines and people keep in the metadata of a field, known to deltactl or not.
TEXT = (
    '{"type":"struct","fields":['
    '{"name":"a","type":"integer","nullable":false,"metadata":{"comment":"é","own":{"x":[1,null]}}},'
    '{"name":"s","type":{"type":"struct","fields":['
    '{"name":"x","type":"integer","nullable":true,"metadata":{}}]},"nullable":true,"metadata":{}},'
    '{"name":"ar","type":{"type":"array","elementType":"integer","containsNull":false},'
    '"nullable":true,"metadata":{"delta.typeChanges":[{"toType":"integer","fromType":"byte",'
    '"fieldPath":"element","tableVersion":3}]}},'
    '{"name":"m","type":{"type":"map","keyType":"integer","valueType":"integer",'
    '"valueContainsNull":true},"nullable":true,"metadata":{}}]}'
)
SCHEMA = parse_schema(TEXT)


def test_what_is_not_changed_is_written_as_it_was() -> None:
    assert json.loads(schema_string(SCHEMA)) == json.loads(TEXT)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (("a",), '"a","type":"integer"', '"a","type":"long"'),
        (("s", "x"), '"x","type":"integer"', '"x","type":"long"'),
        (("ar", "element"), '"elementType":"integer"', '"elementType":"long"'),
        (("m", "key"), '"keyType":"integer"', '"keyType":"long"'),
        (("m", "value"), '"valueType":"integer"', '"valueType":"long"'),
    ],
)
def test_a_type_changes_at_any_depth(path: tuple[str, ...], old: str, new: str) -> None:
    def longer(was: DataType) -> DataType:
        assert was == INTEGER
        return LONG

    assert TEXT.count(old) == 1
    changed = with_type(SCHEMA, path, longer)
    assert json.loads(schema_string(changed)) == json.loads(TEXT.replace(old, new))


def test_a_field_changes() -> None:
    changed = with_field(SCHEMA, ("s", "x"), lambda field: replace(field, name="y"))
    assert json.loads(schema_string(changed)) == json.loads(
        TEXT.replace('"x","type"', '"y","type"')
    )


@pytest.mark.parametrize(
    ("place", "names"),
    [
        (First(), ["new", "a", "s", "ar", "m"]),
        (After("s"), ["a", "s", "new", "ar", "m"]),
        (After("m"), ["a", "s", "ar", "m", "new"]),
        (Last(), ["a", "s", "ar", "m", "new"]),
    ],
)
def test_a_field_gets_its_place(place: Place, names: list[str]) -> None:
    longer = with_new_field(SCHEMA, (), StructField("new", STRING), place)
    assert [field.name for field in longer.fields] == names
    assert without_field(longer, ("new",)) == SCHEMA


def test_a_field_inside_another() -> None:
    longer = with_new_field(SCHEMA, ("s",), StructField("y", STRING), First())
    field = '{"name":"y","type":"string","nullable":true,"metadata":{}},{"name":"x"'
    assert json.loads(schema_string(longer)) == json.loads(TEXT.replace('{"name":"x"', field))
    assert without_field(longer, ("s", "y")) == SCHEMA
