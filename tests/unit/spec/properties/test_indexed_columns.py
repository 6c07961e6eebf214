import pytest
from small_tables import array, field, schema, struct

from deltactl.spec.properties.indexed_columns import has_bounds, has_statistics
from deltactl.spec.schema.schema import parse_path
from deltactl.spec.schema.types import parse_type

DEEP = schema(
    field("p", "date"),
    field("a", "long"),
    field("s", struct(field("x", "long"), field("l", array("long")), field("y", "long"))),
    field("b", "long"),
)


@pytest.mark.parametrize(
    ("properties", "indexed"),
    [
        ({}, ["a", "s.x", "s.l", "s.y", "b"]),
        ({"delta.dataSkippingNumIndexedCols": "3"}, ["a", "s.x", "s.l"]),
        ({"delta.dataSkippingNumIndexedCols": "0"}, []),
        ({"delta.dataSkippingNumIndexedCols": "-1"}, ["a", "s.x", "s.l", "s.y", "b"]),
        ({"delta.dataSkippingStatsColumns": "B, s.X"}, ["s.x", "b"]),
        ({"delta.dataSkippingStatsColumns": "s"}, ["s.x", "s.l", "s.y"]),
        # Named columns come before a number.
        (
            {
                "delta.dataSkippingStatsColumns": "b",
                "delta.dataSkippingNumIndexedCols": "3",
            },
            ["b"],
        ),
        ({"delta.dataSkippingStatsColumns": "a,,b"}, []),
    ],
)
def test_columns_with_statistics(properties: dict[str, str], indexed: list[str]) -> None:
    paths = ["p", "a", "s", "s.x", "s.l", "s.l.element", "s.y", "b"]
    found = [p for p in paths if has_statistics(parse_path(p), DEEP, properties, ("p",))]
    assert [p for p in found if p not in ("s", "s.l.element")] == indexed


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("byte", True),
        ("long", True),
        ("float", True),
        ("decimal(38,10)", True),
        ("string", True),
        ("date", True),
        ("timestamp", True),
        ("timestamp_ntz", True),
        ("boolean", False),
        ("binary", False),
        ("variant", False),
        ("void", False),
    ],
)
def test_types_with_bounds(name: str, expected: bool) -> None:
    assert has_bounds(parse_type(name)) is expected
