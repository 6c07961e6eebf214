"""Parts of collections that no writer can write."""

import pytest

from deltactl.spec.schema.merge import voids_in_collections
from deltactl.sql.parser import parse_columns


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("a INT, v VOID, s STRUCT<v: VOID>", []),
        ("a ARRAY<VOID>", [("a", "element")]),
        ("m MAP<VOID, VOID>", [("m", "key"), ("m", "value")]),
        ("m MAP<INT, INT>, a ARRAY<INT>", []),
        ("a ARRAY<ARRAY<VOID>>", [("a", "element", "element")]),
        ("a ARRAY<STRUCT<x: INT, v: VOID>>", [("a", "element", "v")]),
        (
            "s STRUCT<v: VOID, a: ARRAY<VOID>>, b ARRAY<VOID>",
            [("s", "a", "element"), ("b", "element")],
        ),
        ("m MAP<INT, STRUCT<v: VOID>>", [("m", "value", "v")]),
    ],
)
def test_voids_in_collections(columns: str, expected: list[tuple[str, ...]]) -> None:
    assert list(voids_in_collections(parse_columns(columns))) == expected
