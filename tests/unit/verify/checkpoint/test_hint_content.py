"""`_last_checkpoint`: figures, columns and sidecars that are not those of the checkpoint."""

import json
from typing import Any

import pytest

from deltactl.log.filenames import CheckpointKind, LogFile
from deltactl.log.segment import Checkpoint
from deltactl.verify.checkpoint.hint import HintedCheckpoint, content

FILE = LogFile(f"{4:020d}.checkpoint.parquet", 100, 0)
NAMED = HintedCheckpoint(
    Checkpoint(4, CheckpointKind.V2, (FILE,)),
    size=150,
    rows=9,
    adds=7,
    columns=frozenset({"add", "txn"}),
    sidecars={"s.parquet": 50},
)
SIDECAR = {"path": "s.parquet", "sizeInBytes": 50}


def said(**value: Any) -> list[tuple[str, str, str]]:
    found = list(content(json.dumps({"version": 4, **value}).encode(), NAMED))
    assert {(f.code, f.repairable) for f in found} <= {("LAST_CHECKPOINT_WRONG", True)}
    return [(f.subject.removeprefix("_last_checkpoint: "), f.expected, f.found) for f in found]


@pytest.mark.parametrize(
    "value",
    [
        {"size": 9, "sizeInBytes": 150, "numOfAddFiles": 7, "parts": 1},
        {"size": 7},  # the Kernel counts adds
        {"size": 150},  # delta-rs counted bytes
        {"checkpointSchema": {"type": "struct", "fields": [{"name": "add"}]}},
        {"checkpointSchema": {"fields": []}},
        {"v2Checkpoint": {"sizeInBytes": 100, "sidecarFiles": [SIDECAR]}},
        {"v2Checkpoint": {"path": FILE.name}},
        {},
    ],
    ids=str,
)
def test_what_is_right(value) -> None:
    assert said(**value) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"size": 8}, ("size", "9", "8")),
        ({"sizeInBytes": 100}, ("sizeInBytes", "150", "100")),
        ({"numOfAddFiles": 9}, ("numOfAddFiles", "7", "9")),
        ({"parts": 2}, ("parts", "1", "2")),
        ({"checkpointSchema": "add"}, ("checkpointSchema", "a schema", "add")),
        ({"checkpointSchema": {"fields": 1}}, ("checkpointSchema", "a schema", "{'fields': 1}")),
        (
            {"checkpointSchema": {"fields": [{"name": "add"}, {"name": "cdc"}]}},
            ("checkpointSchema", "columns of the file: add, txn", "cdc"),
        ),
        ({"v2Checkpoint": {"sizeInBytes": 150}}, ("v2Checkpoint.sizeInBytes", "100", "150")),
        (
            {"v2Checkpoint": {"sidecarFiles": []}},
            ("v2Checkpoint.sidecarFiles", "s.parquet, 50 bytes", "0 sidecars"),
        ),
        (
            {"v2Checkpoint": {"sidecarFiles": [{"path": "x/s.parquet", "sizeInBytes": 5}]}},
            ("v2Checkpoint.sidecarFiles", "s.parquet, 50 bytes", "s.parquet, 5 bytes"),
        ),
    ],
    ids=str,
)
def test_what_is_wrong(value, expected) -> None:
    assert said(**value) == [expected]
