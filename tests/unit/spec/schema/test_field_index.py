"""A struct's index of names, while fields come, go and change places."""

import random

import pytest

from deltactl.spec.schema.types import INTEGER, Struct, StructField


def struct(*names: str) -> Struct:
    return Struct(tuple(StructField(name, INTEGER) for name in names))


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("a", 1),
        ("A", 0),
        ("b", 2),
        ("B", 2),
        ("Straße", 3),
        ("STRASSE", 3),
        ("c", None),
        ("", None),
    ],
)
def test_the_exact_name_is_preferred_to_one_that_differs_in_case(
    name: str, place: int | None
) -> None:
    assert struct("A", "a", "b", "straße").place(name) == place


def test_the_first_of_those_that_share_a_name_counts() -> None:
    assert struct("x", "d", "D", "d").place("d") == 1
    assert struct("x", "dD", "Dd").place("dd") == 1


@pytest.mark.parametrize("names", [["a", "b", "c"], ["a", "A", "b", "b"]])
def test_an_index_that_is_kept_answers_as_a_new_one(names: list[str]) -> None:
    source = random.Random(7)
    held = struct(*names)
    for number in range(500):
        start = source.randrange(len(held.fields) + 1)
        stop = min(start + source.choice([0, 0, 1, 1, 2]), len(held.fields))
        new = [f"{source.choice('abAB')}{number % 90}" for _ in range(source.choice([0, 1, 1, 2]))]
        before = held
        held = held.spliced(start, stop, *struct(*new).fields)
        kept = [field.name for field in before.fields]
        assert [field.name for field in held.fields] == [*kept[:start], *new, *kept[stop:]]
        for side in (held, before, held):
            fresh = Struct(side.fields)
            for name in [*new, *kept[start - 2 : stop + 2], "a1", "B1", "gone"]:
                assert side.place(name) == fresh.place(name)


def test_an_index_is_no_part_of_what_a_struct_is() -> None:
    one, other = struct("a", "b"), struct("a", "b")
    assert one.place("b") == 1
    assert one == other
    assert hash(one) == hash(other)
