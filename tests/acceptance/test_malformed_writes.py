"""Changing malformed logs: the list says on which of them nothing may be built."""

from pathlib import Path

import pytest
from malformed import CASES
from malformed.case import Case
from test_malformed_logs import build, fingerprint

from deltactl.changes.change_report import ChangeReport
from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.draft import Draft
from deltactl.changes.executor import ChangeExecutor
from deltactl.changes.plan import Plan
from deltactl.errors import DeltactlError, RefusedError
from deltactl.table.table import open_table

PARAMETERS = [pytest.param(case, id=f"{case.row:02d}-{case.name}") for case in CASES]
# Reading goes on with a warning, and the list's general rule holds for writing: nothing is built
# on protocol or metadata that are not certain.
UNCERTAIN = {
    "two_metadata_in_one_commit",
    "two_protocols_in_one_commit",
    "columns_that_differ_only_in_case",
    "unknown_type",
    "duplicate_key_in_metadata",
    "duplicate_key_in_protocol",
    "created_time_as_text",
}


def may_be_changed(case: Case) -> bool:
    """Whether the list allows a commit on top."""
    readable = case.readable in ("yes", "not by files")
    return readable and case.write != "FAIL" and case.name not in UNCERTAIN


def rename(draft: Draft) -> Plan:
    """A change that touches nothing that could be at fault."""
    draft.name = "renamed"
    return draft.plan("SET TBLPROPERTIES", {"properties": "{}"})


def change(root: Path) -> ChangeReport | DeltactlError:
    """The report of the change, or the failure to plan one."""

    def agreed(plan: Plan) -> RefusedError | None:
        return None

    try:
        return ChangeExecutor(open_table(str(root)), rename, CommitOptions()).execute(agreed)
    except DeltactlError as error:
        return error


@pytest.mark.parametrize("case", PARAMETERS)
def test_only_what_is_certain_is_built_on(case: Case, tmp_path: Path) -> None:
    root = build(case, tmp_path)
    before = fingerprint(root)
    result = change(root)
    after = fingerprint(root)
    if may_be_changed(case):
        assert isinstance(result, ChangeReport), result
        assert result.committed, [error.message for error in result.errors]
        assert before.items() <= after.items()
        return
    errors = result.errors if isinstance(result, ChangeReport) else (result,)
    assert errors
    assert all(error.exit_code in (3, 4, 5) for error in errors)
    assert after == before, "a refused change wrote something"


def test_the_uncertain_are_cases() -> None:
    assert {case.name for case in CASES} >= UNCERTAIN
