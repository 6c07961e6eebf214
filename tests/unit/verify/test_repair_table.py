"""A repair as a function: what it does to a log, and the report as its value."""

import json
import shutil
from pathlib import Path

import pytest
from shared_tables import REPOSITORY

from deltactl.changes.commit_options import CommitOptions
from deltactl.errors import ConflictError
from deltactl.table.table import open_table
from deltactl.verify.report import repair_table
from deltactl.verify.verifier import NEWEST

CHECKSUM = f"{4:020d}.crc"


@pytest.fixture
def spoilt(tmp_path: Path) -> Path:
    """A table of five versions, whose newest checksum counts a file too many."""
    table = tmp_path / "table"
    shutil.copytree(REPOSITORY / "tests/golden/crc_good/delta", table)
    path = table / "_delta_log" / CHECKSUM
    path.write_text(path.read_text().replace('"numFiles":2', '"numFiles":3'))
    assert json.loads(path.read_text())["numFiles"] == 3
    return table


def in_log(table: Path) -> list[str]:
    return sorted(path.name for path in (table / "_delta_log").iterdir())


def test_it_repairs_and_reports_what_is_left(spoilt: Path) -> None:
    report = repair_table(open_table(str(spoilt)), NEWEST, CommitOptions())
    assert (report.repaired, report.exit_code, report.findings) == (True, 0, ())
    assert json.loads((spoilt / "_delta_log" / CHECKSUM).read_text())["numFiles"] == 2
    assert any(name.startswith(f"{CHECKSUM}.quarantined-") for name in in_log(spoilt))
    again = repair_table(open_table(str(spoilt)), NEWEST, CommitOptions())
    assert (again.repaired, again.exit_code, again.repair and again.repair.is_empty) == (
        False,
        0,
        True,
    )


def test_a_dry_run_writes_nothing(spoilt: Path) -> None:
    before = in_log(spoilt)
    report = repair_table(open_table(str(spoilt)), NEWEST, CommitOptions(dry_run=True))
    assert (report.repaired, report.exit_code) == (False, 5)
    assert [finding.code for _, finding in report.findings] == ["CHECKSUM_WRONG"]
    assert report.repair is not None
    assert [file.path for file in report.repair.files] == [f"_delta_log/{CHECKSUM}"] * 2
    assert in_log(spoilt) == before


def test_another_version_than_was_asked_for_stays(spoilt: Path) -> None:
    before = in_log(spoilt)
    with pytest.raises(ConflictError) as raised:
        repair_table(open_table(str(spoilt)), NEWEST, CommitOptions(if_version=3))
    assert raised.value.code == "NOT_AT_VERSION"
    assert in_log(spoilt) == before
