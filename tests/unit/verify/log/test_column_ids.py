"""Column mapping in the metadata: ids and names in files, and the highest id so far."""

import pytest
from small_tables import mapped, metadata

from deltactl.spec.actions.action import Metadata
from deltactl.verify.log.protocol_and_metadata import check_metadata

ONE, TWO = mapped("a", 1, "a1", "long"), mapped("b", 2, "b2", "long")
LOW = "MAX_COLUMN_ID_TOO_LOW"


def said(*fields: dict[str, object], **configuration: str) -> list[tuple[str, str, str]]:
    options = {f"columnMapping.{key}": value for key, value in configuration.items()}
    body = metadata(*fields, **options)["metaData"]
    found = check_metadata(Metadata.from_json(body), "x")
    return [(f.code, f.expected, f.found) for f in found]


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ("2", []),
        ("3", []),
        ("1", [(LOW, "at least 2", "1")]),
        ("", [(LOW, "at least 2", "none")]),
        ("two", [(LOW, "at least 2", "two")]),
        ("-2", [(LOW, "at least 2", "-2")]),
    ],
)
def test_the_highest_id(stored: str, expected) -> None:
    assert said(ONE, TWO, mode="name", maxColumnId=stored) == expected


def test_no_highest_id() -> None:
    assert said(ONE, mode="id") == [(LOW, "at least 1", "none")]
    assert said(ONE, mode="none") == []


def test_ids_and_names_twice() -> None:
    other = mapped("b", 1, "b2", "long")
    assert said(ONE, other, mode="name", maxColumnId="1") == [
        ("COLUMN_ID_TWICE", "each id once", "id 1 on a and b")
    ]
    other = mapped("b", 2, "a1", "long")
    assert said(ONE, other, mode="name", maxColumnId="2") == [
        ("PHYSICAL_NAME_TWICE", "each physical name once", "a1")
    ]
