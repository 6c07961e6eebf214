"""Whether RESTORE took back what an application wrote, from the order of the commits."""

from pathlib import Path
from typing import Any

import pytest
from small_tables import LEGACY, Action, commit_info, field, metadata, write_log

from deltactl.spec.actions.action import Transaction
from deltactl.table.state.restores import was_taken_back
from deltactl.table.table import open_table

STEP = Transaction(app_id="fills", version=5)


def restore(version: Any, timestamp: str | None = None) -> list[Action]:
    parameters = {"version": version, "timestamp": timestamp}
    return [commit_info(operation="RESTORE", operationParameters=parameters)]


def step(number: int, app: str = "fills") -> list[Action]:
    return [commit_info(operation="UPDATE"), {"txn": {"appId": app, "version": number}}]


def write() -> list[Action]:
    return [commit_info(operation="WRITE")]


CASES = {
    "never restored": ([write(), step(5), write()], False),
    "to the version below": ([write(), step(5), restore(1)], True),
    "as a text": ([write(), step(5), restore("1")], True),
    "to what has it": ([write(), step(5), write(), write(), restore(3)], False),
    "to the version itself": ([write(), step(5), write(), restore(2)], False),
    "before it": ([write(), restore(1), step(5), write()], False),
    "there and back": ([write(), step(5), restore(1), restore(2)], False),
    "back and there": ([write(), step(5), restore(2), restore(1)], True),
    "to one that was restored": (
        [write(), step(5), restore(1), write(), write(), restore(4)],
        True,
    ),
    "to a time": ([write(), step(5), restore(None, "2026-01-01")], None),
    "to a time, and to what has it": (
        [write(), step(5), restore(None, "2026-01-01"), restore(2)],
        False,
    ),
    "others' steps": ([write(), step(5, "other"), step(4), step(5), restore(3)], True),
}


@pytest.mark.parametrize("name", CASES)
def test_by_the_order_of_the_commits(tmp_path: Path, name: str) -> None:
    commits, expected = CASES[name]
    first = [commit_info(), LEGACY, metadata(field("a", "integer"))]
    snapshot = open_table(write_log(tmp_path, [first, *commits])).snapshot()
    assert was_taken_back(snapshot, STEP, 1) is expected


@pytest.mark.parametrize(("last", "expected"), [(write(), False), (restore(2), None)])
def test_where_the_commit_of_the_step_is_gone(
    tmp_path: Path, last: list[Action], expected: bool | None
) -> None:
    first = [commit_info(), LEGACY, metadata(field("a", "integer"))]
    table = open_table(write_log(tmp_path, [first, step(4), write(), last]))
    assert was_taken_back(table.snapshot(), STEP, 1) is expected
