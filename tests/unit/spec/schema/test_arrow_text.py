"""Arrow's types by name, and schemas as pyarrow prints them."""

import pyarrow as pa
import pytest

from deltactl.errors import RefusedError
from deltactl.log.arrow.delta_types import delta_schema
from deltactl.spec.schema.arrow_text import leaf_type, parse_arrow_text

SCHEMAS = {
    "struct<a:byte,b: c:string>": pa.schema([("a", pa.int8()), ("b: c", pa.large_string())]),
    "struct<u:short,v:integer,w:long,x:decimal(20,0)>": pa.schema(
        [("u", pa.uint8()), ("v", pa.uint16()), ("w", pa.uint32()), ("x", pa.uint64())]
    ),
    "struct<d:date,t:timestamp,n:timestamp_ntz,f:binary,v:void>": pa.schema(
        [
            ("d", pa.date32()),
            ("t", pa.timestamp("ns", "Europe/Berlin")),
            ("n", pa.timestamp("ms")),
            ("f", pa.binary(16)),
            ("v", pa.null()),
        ]
    ),
    "struct<e:string,p:decimal(10,2)>": pa.schema(
        [("e", pa.dictionary(pa.int8(), pa.string())), ("p", pa.decimal256(10, 2))]
    ),
    "struct<l:array<struct<x:integer>>,m:map<string,array<long>>,s:struct<>,f:array<float>>": (
        pa.schema(
            [
                ("l", pa.large_list(pa.struct([("x", pa.int32())]))),
                ("m", pa.map_(pa.string(), pa.list_(pa.int64()))),
                ("s", pa.struct([])),
                ("f", pa.list_(pa.float32(), 3)),
            ]
        )
    ),
}


@pytest.mark.parametrize("expected", SCHEMAS)
def test_schemas(expected: str) -> None:
    assert str(delta_schema(SCHEMAS[expected])) == expected


@pytest.mark.parametrize("expected", SCHEMAS)
def test_printed_schemas(expected: str) -> None:
    assert str(parse_arrow_text(SCHEMAS[expected].to_string())) == expected


def test_nulls() -> None:
    element = pa.field("element", pa.int32(), nullable=False)
    schema = pa.schema(
        [pa.field("a", pa.list_(element), nullable=False), pa.field("m", pa.map_("int8", "int8"))],
        metadata={"pandas": "{}"},
    )
    for found in (delta_schema(schema), parse_arrow_text(schema.to_string())):
        assert found is not None
        first, second = found.fields
        assert (first.nullable, first.type.contains_null) == (False, False)
        assert (second.nullable, second.type.value_contains_null) == (True, True)


@pytest.mark.parametrize(
    "text",
    ["", "a INT", "a: int, b: string", "a: array<int>", "a: struct<x: int>", "a: int", "x"],
)
def test_what_is_no_printed_schema(text: str) -> None:
    assert parse_arrow_text(text) is None


@pytest.mark.parametrize(
    "name", ["time64[us]", "duration[ns]", "halffloat", "decimal256(40, 2)", "frob"]
)
def test_types_that_delta_does_not_have(name: str) -> None:
    with pytest.raises(RefusedError) as caught:
        leaf_type(name)
    assert caught.value.code == "TYPE_NOT_IN_DELTA"
