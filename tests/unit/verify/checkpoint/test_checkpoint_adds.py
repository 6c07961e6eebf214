"""What each add of a checkpoint must have, whatever columns the checkpoint has."""

import json
from typing import Any

import pyarrow as pa
import pytest

from deltactl.verify.checkpoint.checkpoint_adds import check, check_actions

STRING, LONG = pa.string(), pa.int64()
VECTOR = [
    ("storageType", STRING), ("pathOrInlineDv", STRING), ("sizeInBytes", pa.int32()),
    ("cardinality", LONG),
]  # fmt: skip
COLUMNS = {
    "path": STRING,
    "partitionValues": pa.map_(STRING, STRING),
    "size": LONG,
    "modificationTime": LONG,
    "deletionVector": pa.struct(VECTOR),
}
ADD = {"path": "a", "partitionValues": [], "size": 5, "modificationTime": 1}
VALUES = {"storageType": "u", "pathOrInlineDv": "ab", "sizeInBytes": 34, "cardinality": 2}


def adds(*rows: dict[str, Any] | None, **columns: Any) -> pa.StructArray:
    """Adds with these values; `columns` have other types, or with None are missing."""
    types = {name: kind for name, kind in {**COLUMNS, **columns}.items() if kind is not None}
    return pa.array(rows, pa.struct(list(types.items())))


def found(array: pa.StructArray) -> list[tuple[str, str, str]]:
    return [(f.code, f.subject.removeprefix("x: "), f.found) for f in check(array, "x")]


VECTORED = {**ADD, "path": "v", "deletionVector": VALUES}


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (adds(ADD, VECTORED, None), []),
        (adds(ADD, deletionVector=None), []),
        # Some writers leave the struct of every row valid.
        (adds(ADD, {}), []),
        (adds({**ADD, "deletionVector": {}}), []),
        (adds(ADD, {**ADD, "path": ""}), [("EMPTY_PATH", "add.path", "none in 1 adds")]),
        (adds({**ADD, "path": None}, {"size": 1}), [("EMPTY_PATH", "add.path", "none in 2 adds")]),
        (
            adds(ADD, {**ADD, "path": "b", "size": None}),
            [("ADD_INCOMPLETE", "add.size", "none for b")],
        ),
        (
            adds(ADD, {**ADD, "path": "b"}, modificationTime=None),
            [("ADD_INCOMPLETE", "add.modificationTime", "none for a and 1 more")],
        ),
        (
            adds(ADD, {**ADD, "path": "b", "size": -1}),
            [("ACTION_MALFORMED", "add.size", "-1 for b")],
        ),
        (adds({**ADD, "size": 0}), []),
        (
            adds(ADD, VECTORED, {**VECTORED, "deletionVector": {**VALUES, "cardinality": None}}),
            [("ACTION_MALFORMED", "add.deletionVector.cardinality", "none for v")],
        ),
        (
            adds(ADD, VECTORED, deletionVector=pa.struct(VECTOR[:2] + VECTOR[3:])),
            [("ACTION_MALFORMED", "add.deletionVector.sizeInBytes", "none for v")],
        ),
    ],
)
def test_what_is_found(array: pa.StructArray, expected: list[tuple[str, str, str]]) -> None:
    assert found(array) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, []),
        ({"dataChange": None}, []),
        ({"size": None}, [("ADD_INCOMPLETE", "x: add.size")]),
        ({"size": -1}, [("ACTION_MALFORMED", "x: add.size")]),
    ],
    ids=json.dumps,
)
def test_those_of_a_checkpoint_in_json(body: Any, expected: list[tuple[str, str]]) -> None:
    wrong = {**ADD, "partitionValues": {}, "dataChange": False, **body}
    # Each field is named once.
    actions = [("protocol", {}), ("add", wrong), ("add", wrong)]
    assert [(f.code, f.subject) for f in check_actions(actions, "x")] == expected
