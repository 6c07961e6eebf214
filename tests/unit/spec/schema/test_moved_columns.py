from typing import Any

import pytest
from small_tables import Field, array, field, mapped, mapping, schema, struct

from deltactl.spec.schema.diff import changes
from deltactl.spec.schema.types import Struct

Change = tuple[str, str, Any, Any]


def long(*names: str) -> Struct:
    return schema(*longs(*names))


def longs(*names: str) -> list[Field]:
    return [field(name, "long") for name in names]


def found(before: Struct, after: Struct) -> list[Change]:
    return [(c.kind.value, c.path, c.before, c.after) for c in changes(before, after)]


def moved(path: str, before: int, after: int) -> Change:
    return ("metadata", path, {"(position)": before}, {"(position)": after})


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a b c", "a b c", []),
        ("a b c", "c a b", [moved("c", 2, 0)]),
        ("a b c", "b c a", [moved("a", 0, 2)]),
        ("a b c d", "a c d b", [moved("b", 1, 3)]),
        ("a b", "b a", [moved("b", 1, 0)]),
        ("a b c d", "b a d c", [moved("b", 1, 0), moved("d", 3, 2)]),
        ("a b c", "c b a", [moved("c", 2, 0), moved("b", 1, 1)]),
        # Its place differs, and yet it only makes room.
        ("a b", "new a b", [("added", "new", None, "long")]),
        ("gone a b", "a b", [("dropped", "gone", "long", None)]),
        ("a b", "new b a", [("added", "new", None, "long"), moved("b", 1, 1)]),
        (
            "gone a b c",
            "c new a b",
            [("dropped", "gone", "long", None), moved("c", 3, 0), ("added", "new", None, "long")],
        ),
    ],
)
def test_the_fewest_columns_that_explain_the_order_are_moved(
    before: str, after: str, expected: list[Change]
) -> None:
    assert found(long(*before.split()), long(*after.split())) == expected


@pytest.mark.parametrize(
    ("wrap", "prefix"),
    [
        (lambda inner: inner, "s"),
        (array, "s.element"),
        (lambda inner: mapping(inner, "long"), "s.key"),
        (lambda inner: mapping("string", inner), "s.value"),
    ],
)
def test_fields_are_moved_inside_their_struct(wrap: Any, prefix: str) -> None:
    before = schema(field("s", wrap(struct(*longs("x", "y", "z")))), field("t", "long"))
    after = schema(field("s", wrap(struct(*longs("z", "x", "y")))), field("t", "long"))
    assert found(before, after) == [moved(f"{prefix}.z", 2, 0)]


def test_a_struct_is_moved_without_its_fields() -> None:
    inner = struct(*longs("x", "y"))
    before = schema(field("a", "long"), field("b", "long"), field("s", inner))
    after = schema(field("s", inner), field("a", "long"), field("b", "long"))
    assert found(before, after) == [moved("s", 2, 0)]


def test_names_that_were_swapped_are_renames_and_no_moves() -> None:
    before = schema(mapped("a", 1, "p1", "long"), mapped("b", 2, "p2", "long"))
    after = schema(mapped("b", 1, "p1", "long"), mapped("a", 2, "p2", "long"))
    assert found(before, after) == [("renamed", "b", "a", "b"), ("renamed", "a", "b", "a")]


def test_a_column_may_be_renamed_widened_and_moved_at_once() -> None:
    before = schema(*(mapped(name, n, f"p{n}", "integer") for n, name in enumerate("abc")))
    after = schema(
        mapped("z", 2, "p2", "long"),
        mapped("a", 0, "p0", "integer"),
        mapped("b", 1, "p1", "integer"),
    )
    assert found(before, after) == [
        ("renamed", "z", "c", "z"),
        ("widened", "z", "integer", "long"),
        moved("z", 2, 0),
    ]


def test_places_are_counted_from_one_in_words() -> None:
    said = [str(change) for change in changes(long("a", "b", "c"), long("c", "a", "b"))]
    assert said == ["c: moved from place 3 to 1"]


def test_a_key_called_position_is_no_move() -> None:
    before = schema(field("a", "long", position="left"))
    after = schema(field("a", "long", position="right"))
    (change,) = changes(before, after)
    assert change.before == {"position": "left"}
    assert change.after == {"position": "right"}
    assert str(change) == "a: position 'left' → 'right'"


def test_a_key_called_position_that_is_added_or_removed_is_no_move() -> None:
    without, with_key = schema(field("a", "long")), schema(field("a", "long", position=3))
    assert [str(change) for change in changes(without, with_key)] == ["a: position 3"]
    assert [str(change) for change in changes(with_key, without)] == ["a: position 3 removed"]
