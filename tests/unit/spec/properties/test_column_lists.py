"""Lists of columns in a property, and what becomes of them when a column changes."""

import pytest

from deltactl.errors import InvalidUsageError
from deltactl.spec.properties.column_lists import (
    after_drop,
    after_rename,
    format_columns,
    parse_columns,
)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("a", (("a",),)),
        (" a , s.x", (("a",), ("s", "x"))),
        ("`a,b`.`c.d`,e", (("a,b", "c.d"), ("e",))),
        ("`a``b`", (("a`b",),)),
    ],
)
def test_parse(text: str, paths: tuple[tuple[str, ...], ...]) -> None:
    assert parse_columns(text) == paths
    assert parse_columns(format_columns(paths)) == paths


@pytest.mark.parametrize("text", ["", ",", "a,", "a,,b", "`a", "a..b"])
def test_what_is_no_list(text: str) -> None:
    with pytest.raises(InvalidUsageError):
        parse_columns(text)


def test_format_quotes_what_engines_would_misread() -> None:
    assert format_columns([("a", "b c"), ("1x",), ("d-e",), ("_f9",)]) == "a.`b c`,`1x`,`d-e`,_f9"


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("a, s.x", ("s", "x"), ("s", "y"), "a,s.y"),
        ("a, S.x", ("s",), ("t",), "a,t.x"),
        ("a, sx", ("s",), ("t",), "a, sx"),
        ("s", ("s", "x"), ("s", "y"), "s"),
    ],
)
def test_rename(text: str, old: tuple[str, ...], new: tuple[str, ...], after: str) -> None:
    assert after_rename(text, old, new) == after


@pytest.mark.parametrize(
    ("text", "dropped", "after"),
    [
        ("a, s.x ,s.y", ("s", "x"), "a,s.y"),
        ("a, S.x", ("s",), "a"),
        ("s", ("s", "x"), "s"),
        ("a , b", ("c",), "a , b"),
        ("a", ("a",), ""),
    ],
)
def test_drop(text: str, dropped: tuple[str, ...], after: str) -> None:
    assert after_drop(text, dropped) == after
