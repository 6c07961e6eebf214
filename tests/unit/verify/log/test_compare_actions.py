"""Two texts of one action: what counts as the same, and where they differ."""

import pytest

from deltactl.spec.actions.plain_form import plain
from deltactl.verify.log.compare_actions import differing


def test_a_format_without_a_provider_says_nothing() -> None:
    assert plain({"id": "a", "format": {"options": {}}}) == plain({"id": "a", "format": {}})


@pytest.mark.parametrize(
    ("expected", "found", "said"),
    [
        ({"a": 1}, {"a": 2}, ("a: 1", "a: 2")),
        ({"a": 1}, {}, ("a: 1", "a: none")),
        ({}, {"a": None}, ("a: none", "a: null")),
        ({"a": None}, {}, ("a: null", "a: none")),
        ({"a": [1, {}]}, {"a": [1, {"b": None}]}, ("a: [1] b: none", "a: [1] b: null")),
        ([1], [1, 2], ("[1]", "[1, 2]")),
    ],
)
def test_the_first_place_where_they_differ(expected, found, said) -> None:
    assert differing(expected, found) == said
