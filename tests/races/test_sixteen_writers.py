"""Sixteen processes change and extend one table at once: nothing is lost, nothing is twice."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable, QueryBuilder
from racing import (
    Attempt,
    Commit,
    assert_each_success_once,
    log_of,
    plain_table,
    race,
    widened_table,
)

from deltactl.table.table import open_table

pytestmark = pytest.mark.races

ROUNDS = int(os.environ.get("DELTACTL_RACE_ROUNDS", "10"))


def fields(log: Sequence[Commit]) -> dict[str, dict[str, Any]]:
    """The columns as the newest metadata has them."""
    newest = next(
        action["metaData"] for commit in reversed(log) for action in commit.actions
        if "metaData" in action
    )  # fmt: skip
    found = json.loads(newest["schemaString"])["fields"]
    by_name = {field["name"]: field for field in found}
    assert len(by_name) == len(found)
    return by_name


def won(told: Sequence[Sequence[Attempt]], numbers: Sequence[int]) -> list[Attempt]:
    return [a for number in numbers for a in told[number] if a.version is not None]


def test_widening_adding_setting_and_appending(tmp_path: Path) -> None:
    table = widened_table(tmp_path / "table", ROUNDS)
    kinds = [
        *["widen"] * 4, *["add column"] * 4, *["set own property"] * 2, *["set one property"] * 2,
        *["once"] * 2, *["append"] * 2,
    ]  # fmt: skip
    told = race(table, kinds, ROUNDS)
    log = log_of(table)
    assert_each_success_once([attempt for attempts in told for attempt in attempts], log)
    columns = fields(log)

    added = {f"c{a.label.replace('-', '_')}" for a in won(told, range(4, 8))}
    assert {name for name in columns if name.startswith("c")} == added
    for turn in range(ROUNDS):
        column = columns[f"w{turn}"]
        steps = [(c["fromType"], c["toType"]) for c in column["metadata"]["delta.typeChanges"]]
        direct, stepwise = [("short", "long")], [("short", "integer"), ("integer", "long")]
        assert (column["type"], steps) in (
            ("long", direct), ("long", stepwise), ("integer", stepwise[:1])
        )  # fmt: skip
        labels = {f"{number}-{turn}" for number in range(4)}
        assert len([a for a in won(told, range(4)) if a.label in labels]) == len(steps)
        # Where the commit says it was widened is where the schema says so.
        versions = [c["tableVersion"] for c in column["metadata"]["delta.typeChanges"]]
        assert versions == sorted(c.version for c in log if c.label in labels)
        once = [told[number][turn] for number in (12, 13)]
        done = sum(attempt.version is not None for attempt in once)
        assert done == 1 or (done == 0 and 6 in {attempt.exit_code for attempt in once})
    assert len(won(told, (14, 15))) == 2 * ROUNDS, "an append loses to nobody"

    snapshot = open_table(str(table)).snapshot()
    assert snapshot.version == log[-1].version
    assert list(columns) == [field.name for field in snapshot.schema.fields]


def test_changing_while_deltalake_appends(tmp_path: Path) -> None:
    table = plain_table(tmp_path / "table")
    kinds = [
        *["add column"] * 4, *["set own property"] * 3, *["set one property"] * 3, *["once"] * 2,
        *["deltalake"] * 4,
    ]  # fmt: skip
    told = race(table, kinds, ROUNDS)
    log = log_of(table)
    assert_each_success_once([attempt for attempts in told for attempt in attempts], log)

    appended = won(told, range(12, 16))
    assert len(appended) == 4 * ROUNDS
    opened = DeltaTable(table)
    assert opened.version() == log[-1].version
    assert [field.name for field in opened.schema().fields] == list(fields(log))
    rows = QueryBuilder().register("t", opened).execute("SELECT id FROM t").read_all()
    expected = [int(number) * 1000 + int(turn) for number, turn in labels(appended)]
    assert sorted(rows.column("id").to_pylist()) == sorted(expected)


def labels(attempts: Sequence[Attempt]) -> list[list[str]]:
    return [attempt.label.split("-") for attempt in attempts]
