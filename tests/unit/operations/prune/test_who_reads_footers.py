"""Where footers are read, and in which jobs. Real jobs are in tests/spark."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pruned import INT, LONG, part, widened
from small_tables import commit_info, metadata, protocol, write_log

from deltactl.changes.jobs import Engine, Job
from deltactl.operations.prune import footers_on_spark
from deltactl.operations.prune.footers_on_spark import footer_scanner
from deltactl.operations.prune.physical_type_scan import FooterScanner, PhysicalTypeScan
from deltactl.spec.schema.schema import find
from deltactl.table.table import open_table

FIVE = [f"{number}.parquet" for number in range(5)]
ASKED, MANY = "--engine spark asks for it", "there are 3 files or more"


@pytest.fixture
def table(tmp_path: Path) -> str:
    """A table whose five files hold `v` as int, and which says that it is long."""
    heads = [protocol(reader=["typeWidening"]), metadata(widened("v", "long", "integer"))]
    files = [part(tmp_path, name, {"v": INT}) for name in FIVE]
    return write_log(tmp_path, [[commit_info(), *heads, *files]])


class Reader:
    """Stands in for Spark: says that every file holds `long`, and that 4.parquet is missing."""

    place = "nowhere"

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def run(self, job: Job) -> Mapping[str, Any]:
        self.jobs.append(job)
        fault = {"code": "DATA_FILE_MISSING", "message": "4.parquet is missing"}
        of = [int(path == "4.parquet") for path in job.params["paths"]]
        return {"answers": [["long"], fault], "of": of}


def scan(table: str, footers: FooterScanner, *, told: list[int] | None = None) -> PhysicalTypeScan:
    snapshot = open_table(table).snapshot()
    assert snapshot.schema is not None
    advance = (lambda _: None) if told is None else told.append
    return footers.scan(snapshot, [find(snapshot.schema, ("v",))], advance)


@pytest.mark.parametrize(
    ("wanted", "on_cluster", "spark_from", "why"),
    [
        (Engine.AUTO, False, 3, None),
        (Engine.AUTO, True, 6, None),
        (Engine.AUTO, True, 3, MANY),
        (Engine.LOCAL, True, 3, None),
        (Engine.SPARK, False, 6, ASKED),
        (Engine.SPARK, True, 3, ASKED),
    ],
)
def test_where_footers_are_read(
    table: str,
    monkeypatch: pytest.MonkeyPatch,
    wanted: Engine,
    on_cluster: bool,
    spark_from: int,
    why: str | None,
) -> None:
    monkeypatch.setattr(footers_on_spark, "FOOTERS_SPARK_FROM", spark_from)
    reader, told = Reader(), list[int]()
    found = scan(table, footer_scanner(reader, wanted, on_cluster=on_cluster), told=told)
    assert (found.files, sum(told)) == (5, 5)
    if why is None:
        assert (reader.jobs, found.old.files, found.unread) == ([], 5, 0)
        return
    [job] = reader.jobs
    assert (job.name, job.why, job.files, job.size) == ("footers", why, 5, 3500)
    assert job.params == {"table": table, "paths": FIVE, "places": [(("v",), None)]}
    assert (found.old.files, found.unread) == (0, 1)
    assert [(fault.code, fault.message) for fault in found.faults] == [
        ("DATA_FILE_MISSING", "4.parquet is missing")
    ]


def test_a_job_has_a_bounded_lot_of_files(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(footers_on_spark, "LOT", 2)
    monkeypatch.setattr(footers_on_spark, "FOOTERS_SPARK_FROM", 2)
    reader = Reader()
    assert scan(table, footer_scanner(reader, Engine.SPARK, on_cluster=False)).files == 5
    assert [job.params["paths"] for job in reader.jobs] == [FIVE[:2], FIVE[2:4], FIVE[4:]]
    # A rest that is small is quicker read here.
    reader = Reader()
    found = scan(table, footer_scanner(reader, Engine.AUTO, on_cluster=True))
    assert [job.params["paths"] for job in reader.jobs] == [FIVE[:2], FIVE[2:4]]
    assert (found.old.files, found.unread) == (1, 0)


def test_only_files_that_came_since_are_asked_again(table: str) -> None:
    reader = Reader()
    footers = footer_scanner(reader, Engine.SPARK, on_cluster=False)
    scan(table, footers)
    root = Path(table)
    new = json.dumps(part(root, "new.parquet", {"v": LONG}))
    (root / "_delta_log" / f"{1:020d}.json").write_text(f"{new}\n")
    assert scan(table, footers).files == 6
    # Of one that could not be read nothing is known.
    first, again = (sorted(job.params["paths"]) for job in reader.jobs)
    assert (first, again) == (FIVE, ["4.parquet", "new.parquet"])
    reader.jobs.clear()
    snapshot = open_table(table).snapshot()
    assert list(footers.old_files(snapshot)) == []
