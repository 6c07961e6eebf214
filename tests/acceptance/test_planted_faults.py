"""Faults planted in sound tables, one at a time: each is found, and named."""

import json
from pathlib import Path

import pytest
from command_line import run
from planted import FAULTS
from planted.copies import copied
from planted.plant import Fault

pytestmark = pytest.mark.faults

TABLES = sorted({fault.table for fault in FAULTS})


def test_there_are_enough() -> None:
    names = [fault.name for fault in FAULTS]
    assert len(names) >= 60
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("options", [(), ("--all",)], ids=["newest", "all"])
@pytest.mark.parametrize("name", TABLES)
def test_nothing_is_found_on_the_untouched_table(name, options, tmp_path) -> None:
    plant = copied(name, tmp_path / "table")
    result = run("verify-checksum", str(plant.root), *options, "--data", "-o", "json")
    assert (result.exit_code, result.document["findings"]) == (0, [])


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_found(fault: Fault, tmp_path: Path) -> None:
    plant = copied(fault.table, tmp_path / "table")
    if not fault.keeps_checksums:
        for path in plant.log.glob("*.crc"):
            path.unlink()
    fault.plant(plant)
    result = run("verify-checksum", str(plant.root), *fault.options, "-o", "json")
    findings = result.document["findings"]
    assert {finding["code"] for finding in findings} == set(fault.found), json.dumps(findings)
    for code, subject in fault.found.items():
        assert any(f["code"] == code and subject in f["subject"] for f in findings), findings
    assert result.exit_code == 5
