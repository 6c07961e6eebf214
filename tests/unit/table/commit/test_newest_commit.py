"""What the files of the newest commit say against building on it, and when they are looked at."""

from pathlib import Path
from typing import Any

import pytest
from small_tables import LEGACY, commit_info, field, metadata, write_log

from deltactl.table.commit import newest_commit
from deltactl.table.commit.newest_commit import newest_commit_warnings
from deltactl.table.table import open_table

HEAD = [commit_info(), LEGACY, metadata(field("id", "long"))]


def add(path: str) -> dict[str, Any]:
    fields = {"partitionValues": {}, "size": 1, "modificationTime": 0, "dataChange": True}
    return {"add": {"path": path, **fields}}


def remove(path: str) -> dict[str, Any]:
    return {"remove": {"path": path, "deletionTimestamp": 0, "dataChange": True}}


def codes(root: Path, *actions: dict[str, Any]) -> list[str]:
    snapshot = open_table(write_log(root, [HEAD, list(actions)])).snapshot()
    return [notice.code for notice in newest_commit_warnings(snapshot)]


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ([commit_info()], []),
        ([add("p"), remove("q")], []),
        ([add("p%20q")], []),
        ([add("p q")], ["PATH_NOT_ENCODED"]),
        ([add("p"), remove("p")], ["ADD_AND_REMOVE_IN_ONE_COMMIT"]),
        ([remove("p q")], []),
    ],
)
def test_what_is_odd(tmp_path: Path, actions, expected) -> None:
    assert codes(tmp_path, *actions) == expected


def test_a_long_commit_is_not_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newest_commit, "LONGEST", 100)
    assert codes(tmp_path, add("p q")) == []
