from pathlib import Path
from typing import Any

import pytest
from checkpoints import classic
from small_tables import LEGACY, Action, commit_info, field, metadata, write_log

from deltactl.operations.inspect.history import (
    CommitRow,
    HistoryFilter,
    HistoryReport,
    report_history,
)
from deltactl.table.differences import Differences
from deltactl.table.table import open_table

ONE = metadata(field("a", "byte"))
TWO = metadata(field("a", "byte"), field("b", "byte"))
ADDED_B = {
    "kind": "added",
    "path": "b",
    "before": None,
    "after": "byte",
    "field": {"nullable": True, "metadata": {}, "position": None},
    "typeChanges": {"before": [], "after": []},
    "readersGoOn": True,
}
SAID = "what version {} changed is not known: the log no longer has the {} from before it"


def history(root: Path, *changes: list[Action], limit: int | None = None) -> HistoryReport:
    """Of a log that was cleaned below version 5, and has a checkpoint at 10."""
    commits = [[commit_info(), *actions] for actions in changes]
    commits += [[commit_info()] for _ in range(11 - len(commits) - 4)]
    path = write_log(root, commits, first=5, others=classic(10, [LEGACY, TWO]))
    return report_history(open_table(path), HistoryFilter(limit=limit))


def schema_changes(report: HistoryReport) -> dict[int, list[dict[str, Any]]]:
    return {
        row.commit.version: [change.to_json() for change in row.schema_changes]
        for row in report.commits
        if row.schema_changes
    }


def notices(report: HistoryReport) -> list[tuple[str, str]]:
    return [(notice.code, notice.message) for notice in report.warnings]


def row_of(report: HistoryReport, version: int) -> CommitRow:
    (row,) = (row for row in report.commits if row.commit.version == version)
    return row


@pytest.mark.parametrize("limit", [None, 7])
def test_metadata_from_before_is_enough_for_the_schema_change(
    tmp_path: Path, limit: int | None
) -> None:
    report = history(tmp_path, [], [ONE], [LEGACY, TWO], limit=limit)
    assert [row.commit.version for row in report.commits] == [11, 10, 9, 8, 7, 6, 5]
    assert schema_changes(report) == {7: [ADDED_B]}
    assert row_of(report, 7).differences.protocol is None
    assert notices(report) == [
        ("CHANGE_NOT_KNOWN", SAID.format(7, "protocol")),
        ("CHANGE_NOT_KNOWN", SAID.format(6, "metadata")),
    ]


def test_a_protocol_from_before_is_enough_for_the_protocol_change(tmp_path: Path) -> None:
    newer = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 4}}
    report = history(tmp_path, [], [LEGACY], [newer, TWO])
    assert schema_changes(report) == {}
    change = row_of(report, 7).differences.protocol
    assert change is not None
    assert change.to_json() == {
        "before": {
            "minReaderVersion": 1,
            "minWriterVersion": 2,
            "readerFeatures": None,
            "writerFeatures": None,
        },
        "after": {
            "minReaderVersion": 1,
            "minWriterVersion": 4,
            "readerFeatures": None,
            "writerFeatures": None,
        },
    }
    assert notices(report) == [
        ("CHANGE_NOT_KNOWN", SAID.format(7, "metadata")),
        ("CHANGE_NOT_KNOWN", SAID.format(6, "protocol")),
    ]


def test_what_nobody_knows_is_no_change_and_no_creation(tmp_path: Path) -> None:
    report = history(tmp_path, [], [LEGACY, TWO])
    row = row_of(report, 6)
    assert row.differences == Differences()
    assert row.is_first is False
    assert notices(report) == [("CHANGE_NOT_KNOWN", SAID.format(6, "protocol and metadata"))]


def test_a_checkpoint_from_before_is_enough_for_both(tmp_path: Path) -> None:
    commits = [[commit_info()], [commit_info()], [commit_info(), LEGACY, TWO]]
    path = write_log(tmp_path, commits, first=5, others=classic(6, [LEGACY, ONE]))
    report = report_history(open_table(path), HistoryFilter())
    assert schema_changes(report) == {7: [ADDED_B]}
    assert notices(report) == []
