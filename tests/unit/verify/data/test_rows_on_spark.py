"""Findings of a job on Spark and of footers: none is reported or counted twice."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from small_tables import commit_info, field, metadata, protocol, write_log

from deltactl.changes.jobs import Job
from deltactl.findings import Finding
from deltactl.table.table import open_table
from deltactl.verify.data.rows_on_spark import (
    FILES,
    LIMIT,
    ROWS,
    Known,
    VerifiedVersion,
    check_rows,
)
from deltactl.verify.findings import Findings

MANY = 2 * LIMIT


class Answers:
    """Stands in for Spark, which answers this much of each kind."""

    place = "here"

    def __init__(self, faults: list[list[Any]], counts: Mapping[str, int]) -> None:
        self.answer = {"rows": 5, "faults": faults, "counts": counts, "identities": []}
        self.jobs: list[Job] = []

    def run(self, job: Job) -> Mapping[str, Any]:
        self.jobs.append(job)
        return self.answer


def wrong(number: int) -> Finding:
    return Finding("STATISTICS_WRONG", f"{number}.parquet: v", "0 nulls", "1 in nullCount")


def checked(tmp_path: Path, known: list[Finding], runner: Answers) -> Findings:
    heads = [commit_info(), protocol(), metadata(field("v", "long"))]
    table = open_table(write_log(tmp_path, [heads]))
    snapshot, findings, noted = table.snapshot(), Findings(), Known()
    findings.add(FILES, noted.noting(known))
    version = VerifiedVersion(table.storage, 0, snapshot.metadata, snapshot.protocol, ())
    check_rows(runner, version, [], findings, noted)
    return findings


def test_what_footers_said_is_not_counted_twice(tmp_path: Path) -> None:
    """Also among the findings beyond the limit, of which only the number comes back."""
    faults = [
        ["STATISTICS_WRONG", f"{n}.parquet", "v", "0 nulls", "1 in nullCount"] for n in range(LIMIT)
    ]
    runner = Answers(faults, {"STATISTICS_WRONG": MANY})
    found = checked(tmp_path, [wrong(n) for n in range(MANY)], runner)
    assert found.check(FILES).findings == MANY
    assert found.check(ROWS).findings == 0
    (other := tmp_path / "other").mkdir()
    found = checked(other, [wrong(0)], runner)
    assert found.check(FILES).findings + found.check(ROWS).findings == MANY


def test_a_file_of_another_size_is_read_to_its_real_end_whatever_else_is_wrong(
    tmp_path: Path,
) -> None:
    tmp_path.joinpath("0.parquet").write_bytes(b"12345")
    known = [
        Finding("DATA_FILE_SIZE", "0.parquet", "4 bytes", "5 bytes"),
        Finding("DATA_FILE_ROWS", "0.parquet", "1 rows", "2 rows"),
        Finding("DATA_FILE_SIZE", "gone.parquet", "4 bytes", "5 bytes"),
    ]
    runner = Answers([["SUSPECT", "0.parquet", "", "1", "2"]], {"SUSPECT": 1})
    found = checked(tmp_path, known, runner)
    assert runner.jobs[0].params["sizes"] == {"0.parquet": 5}
    assert found.check(FILES).findings == 3


def test_what_spark_finds_of_rows(tmp_path: Path) -> None:
    """Nulls of its answer are no text; rows that a footer explains are told of there."""
    faults = [
        ["STATISTICS_WRONG", "a", "v", None, None],
        ["FLOAT_STATISTICS", "b", "v", "1.5", "1.6"],
        ["SUSPECT", "c", "", "3", None],
        ["SUSPECT", "d", "", "3", "4"],
    ]
    known = [Finding("DATA_FILE_MISSING", "d", "the file", "none")]
    counts = {"STATISTICS_WRONG": 1, "FLOAT_STATISTICS": 1, "SUSPECT": 2}
    found = checked(tmp_path, known, Answers(faults, counts))
    assert [(f.code, f.subject, f.expected, f.found, f.repairable) for _, f in found.kept] == [
        ("DATA_FILE_MISSING", "d", "the file", "none", False),
        ("DATA_FILE_ROWS", "c", "3 rows that are not deleted", "0 rows", False),
        ("STATISTICS_WRONG", "a: v", "", "", False),
        ("FLOAT_STATISTICS", "b: v", "1.5", "1.6", True),
    ]
