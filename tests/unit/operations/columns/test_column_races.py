"""Columns that several writers change at once."""

import json
from pathlib import Path

import pytest
from column_plans import mapped_table
from faulty_storage import FaultyStorage, append, loses_to
from small_tables import commit_info, field, mapped, metadata, write_log

from deltactl.changes.change_report import ChangeReport
from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.draft import Draft
from deltactl.changes.executor import ChangeExecutor
from deltactl.changes.plan import Plan
from deltactl.cli.columns import read_steps
from deltactl.errors import ConflictError
from deltactl.operations.columns.verbs import plan_columns
from deltactl.table.table import Table

ID = mapped("id", 1, "id", "integer")
OTHER = mapped("other", 2, "col-other", "long")


def change(uri: str, line: str, *winner: object) -> ChangeReport:
    """Carry the verb out, and lose one race to the commit `winner`."""
    storage = FaultyStorage(uri, loses_to(*winner))

    def planner(draft: Draft) -> Plan:
        return plan_columns(draft, read_steps([line]))

    return ChangeExecutor(Table(storage), planner, CommitOptions()).execute(lambda plan: None)


def schema_of(report: ChangeReport) -> list[dict[str, object]]:
    assert report.plan.metadata is not None
    assert report.plan.metadata.schema_string is not None
    found: list[dict[str, object]] = json.loads(report.plan.metadata.schema_string)["fields"]
    return found


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return write_log(tmp_path, [[commit_info(), *mapped_table(ID, last=1)]])


def test_both_columns_are_there_with_ids_of_their_own(uri: str) -> None:
    _, other = mapped_table(ID, OTHER, last=2)
    report = change(uri, "add n int", commit_info(), other)
    assert report.version == 2
    assert [(f["name"], f["metadata"]["delta.columnMapping.id"]) for f in schema_of(report)] == [
        ("id", 1),
        ("other", 2),
        ("n", 3),
    ]
    assert report.plan.metadata is not None
    assert report.plan.metadata.configuration["delta.columnMapping.maxColumnId"] == "3"


def test_the_same_column_is_added_once(uri: str) -> None:
    _, other = mapped_table(ID, mapped("n", 2, "col-n", "integer"), last=2)
    report = change(uri, "add n int", commit_info(), other)
    assert (report.version, report.plan.is_empty) == (None, True)


def test_the_same_name_for_another_column_is_a_conflict(uri: str) -> None:
    _, other = mapped_table(ID, mapped("n", 2, "col-n", "string"), last=2)
    with pytest.raises(ConflictError) as caught:
        change(uri, "add n int", commit_info(), other)
    assert caught.value.details["cause"] == "COLUMN_EXISTS"


def test_a_rename_of_what_was_dropped_is_a_conflict(tmp_path: Path) -> None:
    uri = write_log(tmp_path, [[commit_info(), *mapped_table(ID, OTHER, last=2)]])
    _, other = mapped_table(ID, last=2)
    with pytest.raises(ConflictError) as caught:
        change(uri, "rename other n", commit_info(), other)
    assert caught.value.details["cause"] == "COLUMN_NOT_FOUND"


def test_not_null_is_asked_again_when_rows_came_first(tmp_path: Path) -> None:
    own = metadata(field("id", "integer"))
    protocol = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
    uri = write_log(tmp_path, [[commit_info(), protocol, own]])
    with pytest.raises(ConflictError) as caught:
        change(uri, "add n int --not-null", *append())
    assert caught.value.details["cause"] == "NOT_NULL_NEEDS_EMPTY_TABLE"
