"""`delta.typeChanges`: each way in which a list does not lead to the type of its column."""

from typing import Any

import pytest
from small_tables import array, field, schema

from deltactl.verify.log.type_chains import check


def change(old: str, new: str, path: str | None = None) -> dict[str, str]:
    return {"fromType": old, "toType": new} | ({} if path is None else {"fieldPath": path})


def said(data_type: Any, changes: Any) -> list[tuple[str, str, str]]:
    column = field("c", data_type, **{"delta.typeChanges": changes})
    found = list(check(schema(column), "x"))
    assert {f.subject for f in found} <= {"x, column c"}
    return [(f.code, f.expected, f.found) for f in found]


@pytest.mark.parametrize(
    ("data_type", "changes", "expected"),
    [
        ("long", [change("short", "integer"), change("integer", "long")], []),
        (array("long"), [change("integer", "long", "element")], []),
        ("long", [], [("TYPE_CHANGES_UNREADABLE", "no list, or one with changes", "[]")]),
        (
            "long",
            [change("byte", "short"), change("integer", "long")],
            [("TYPE_CHANGE_NOT_CONTINUOUS", "a change from short", "integer to long")],
        ),
        (
            "integer",
            [change("long", "integer")],
            [("TYPE_CHANGE_NOT_ALLOWED", "an allowed widening", "long to integer")],
        ),
        (
            "long",
            [change("short", "integer")],
            [("TYPE_CHANGE_NOT_CURRENT", "long, the type of c", "integer at its end")],
        ),
        (
            "long",
            [change("integer", "long", "element")],
            [("TYPE_CHANGE_PATH_MISSING", "a path below the column", "element")],
        ),
        (
            "long",
            [change("number", "long")],
            [("TYPE_CHANGES_UNREADABLE", "types that engines know", "number to long")],
        ),
        (
            "long",
            [{"toType": "long"}],
            [
                (
                    "TYPE_CHANGES_UNREADABLE",
                    "a list of objects with fromType and toType",
                    "[{'toType': 'long'}]",
                )
            ],
        ),
    ],
)
def test_each_flaw(data_type, changes, expected) -> None:
    assert said(data_type, changes) == expected
