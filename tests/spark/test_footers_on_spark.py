"""Footers that executors read: the same answers as here, and what there is where they cannot."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from full_tables import newest
from in_process import say
from jobs_in_child import outcome, start_jobs
from local_session import OnSession
from old_files import check, write
from spark_cluster import Cluster

from deltactl.changes.jobs import Engine
from deltactl.operations.prune.footers_on_spark import footer_scanner
from deltactl.operations.prune.physical_type_scan import FooterScanner, PhysicalTypeScan
from deltactl.spec.schema.type_changes import below, fields_with_changes, type_changes
from deltactl.table.table import open_table

GOLDEN = Path(__file__).parent.parent / "golden"
# In which types the files of a table hold each column that was widened, and in how many files.
NESTED = {
    "s.a": {"byte": 1, "integer": 1},
    "s.inner.b": {"long": 1, "short": 1},
    "arr.element": {"integer": 1, "short": 1},
    "mk.key": {"byte": 1, "integer": 1},
    "mv.value": {"double": 1, "float": 1},
    "mkv.key": {"integer": 1, "long": 1},
    "mkv.value": {"integer": 1, "long": 1},
    "aa.element.element": {"byte": 1, "integer": 1},
    "am.element.key": {"integer": 1, "short": 1},
    "am.element.value": {"decimal(10,4)": 1, "decimal(6,2)": 1},
    "ma.value.element": {"integer": 1, "long": 1},
    "sa.element.x": {"integer": 1, "long": 1},
    "sa.element.m.value": {"integer": 1, "short": 1},
    "mm.value.key": {"byte": 1, "short": 1},
    "mm.value.value": {"byte": 1, "integer": 1},
}
BY_ID = {
    "`new, name;`": {"byte": 1, "integer": 1},
    "s.x": {"integer": 1, "long": 1},
    "p": {"integer": 1, "short": 1},
}

pytestmark = pytest.mark.jvm


def look(table: Path, footers: FooterScanner) -> tuple[PhysicalTypeScan, dict[str, Any]]:
    """The scan of the columns that were widened, and in how many files each has which type."""
    snapshot = open_table(str(table)).snapshot()
    assert snapshot.schema is not None
    nodes = []
    for field in fields_with_changes(snapshot.schema):
        paths = dict.fromkeys(change.below for change in type_changes(field.field))
        nodes += [node for path in paths if (node := below(field, path)) is not None]
    scan = footers.scan(snapshot, nodes)
    return scan, {str(n): {t.type: t.files for t in scan.types_of(n)} for n in nodes}


@pytest.mark.parametrize(("name", "expected"), [("tw_nested", NESTED), ("tw_colmap_id", BY_ID)])
def test_the_answers_are_those_of_threads(
    on_spark: OnSession, name: str, expected: dict[str, Any]
) -> None:
    table = GOLDEN / name / "delta"
    here, known = look(table, FooterScanner())
    there, found = look(table, footer_scanner(on_spark, Engine.SPARK, on_cluster=False))
    assert found == known == expected
    assert (there.files, there.old.files, there.sample) == (2, 1, here.sample)
    assert (there.unread, there.faults) == (0, [])


def test_files_that_cannot_be_read(on_spark: OnSession, tmp_path: Path) -> None:
    table = write(tmp_path / "table")
    (table / "2.parquet").unlink()
    (table / "5.parquet").write_bytes(b"PAR1 and no more")
    here, known = look(table, FooterScanner())
    there, found = look(table, footer_scanner(on_spark, Engine.SPARK, on_cluster=False))
    assert found == known == {"v": {"integer": 6}}
    assert (there.files, there.unread) == (8, 2)
    assert [fault.code for fault in there.faults] == ["DATA_FILE_MISSING", "DATA_FILE_UNREADABLE"]
    assert there.faults[0].message == "2.parquet is missing"
    assert there.faults == here.faults


def deltactl(*words: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run a command in a process of its own, as the program does, on Spark on this machine."""
    place = ["--engine", "spark", "--master", "local[2]"]
    return subprocess.run(
        [sys.executable, "-P", "-m", "deltactl", *words, *place],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.usefixtures("spark_environment")
def test_one_spark_reads_footers_and_rewrites(tmp_path: Path) -> None:
    table = write(tmp_path / "table", files=2)
    size = sum(file.stat().st_size for file in table.glob("*.parquet"))
    words = ("--rewrite", "--batch", "1", "--yes", "-o", "json")
    # What a stranger left in the current folder is not imported, by workers neither.
    stranger = tmp_path / "work" / "pyspark" / "__init__.py"
    stranger.parent.mkdir(parents=True)
    stranger.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    said = deltactl("prune-type-changes", str(table), *words, cwd=tmp_path / "work")
    assert not (tmp_path / "ran").exists()
    assert (said.returncode, json.loads(said.stdout)["version"]) == (0, 3), said.stderr
    assert check(table, files=2, done=True) == 2
    notes = [line for line in said.stderr.splitlines() if line.startswith("note: Spark ")]
    on = f"note: Spark on this machine (local[2]), 2 files, {size} B: "
    assert notes[:2] == [
        f"{on}--engine spark asks for it",
        f"{on}its writer keeps the ids of rows, deletion vectors and partitions as they are",
    ]
    # The files that came since are looked at before the commit.
    assert [line.rpartition(": ")[2] for line in notes[2:]] == ["--engine spark asks for it"]


@pytest.mark.usefixtures("spark_environment")
def test_on_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    place = ["--engine", "spark", "--master", cluster.url, "-o", "json"]
    table = tmp_path / "table"
    shutil.copytree(GOLDEN / "tw_rowtracking_prunable" / "delta", table)
    said = say(["prune-type-changes", str(table), "--yes", *place])
    assert (said.exit_code, said.committed) == (0, 7)
    assert "Registered app deltactl footers" in cluster.master.log.read_text(encoding="utf-8")

    broken = write(tmp_path / "broken")
    (broken / "2.parquet").unlink()
    (broken / "5.parquet").write_bytes(b"PAR1 and no more")
    said = say(["prune-type-changes", str(broken), *place])
    assert (said.exit_code, said.committed) == (8, None)
    assert said.document["error"]["code"] == "FOOTERS_UNREADABLE"
    assert said.document["error"]["message"] == (
        "2 of 8 files cannot be read, so that their types are unknown: 2.parquet is missing"
    )
    assert newest(broken) == 0


def answers(cluster: Cluster, *asked: dict[str, Any]) -> list[dict[str, Any]]:
    """What becomes of jobs; they may be over before anybody sees how far they are."""
    jobs = [("footers", params) for params in asked]
    found: list[dict[str, Any]] = outcome(start_jobs(*jobs, master=cluster.url))["jobs"]
    return found


@pytest.mark.usefixtures("spark_environment")
def test_executors_that_cannot(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = write(tmp_path / "table")
    ask = {"table": str(table), "paths": ["0.parquet"], "places": [[["v"], None]]}
    away = {**ask, "table": str(tmp_path / "away")}
    read, lost = answers(cluster, ask, away)
    assert read == {"result": {"answers": [["integer"]], "of": [0]}}
    assert (lost["error"]["code"], lost["error"]["exit"]) == ("NO_TABLE_ON_EXECUTOR", 9)

    bare = tmp_path / "bare-python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n', encoding="utf-8")
    bare.chmod(0o755)
    monkeypatch.setenv("PYSPARK_PYTHON", str(bare))
    [lacking] = answers(cluster, ask)
    assert (lacking["error"]["code"], lacking["error"]["exit"]) == ("NO_PYARROW_ON_EXECUTOR", 9)
    assert lacking["error"]["message"].endswith("has no pyarrow")
    assert "--engine local" in "".join(lacking["error"]["hint"])

    monkeypatch.setenv("PYSPARK_PYTHON", "/no/such/python3")
    [none] = answers(cluster, ask)
    assert (none["error"]["code"], none["error"]["exit"]) == ("NO_PYTHON_ON_EXECUTOR", 9)
    assert "--engine local" in "".join(none["error"]["hint"])
