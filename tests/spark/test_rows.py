"""Rows that Spark looks at before a change, and rows that it changes after one."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from in_process import say
from jobs_in_child import run_jobs
from local_session import OnSession
from spark_cluster import Cluster

from deltactl.changes.change_report import ChangeReport
from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.executor import ChangeExecutor, Planner
from deltactl.changes.jobs import Engine, Job, JobRunner
from deltactl.errors import ConflictError, InterruptedRunError, SparkError
from deltactl.operations.columns.add import AddColumn
from deltactl.operations.columns.not_null import SetNotNull
from deltactl.operations.columns.verbs import ColumnStep, plan_columns
from deltactl.operations.constraints.add import plan_add_constraint
from deltactl.operations.constraints.check import RowCheck
from deltactl.operations.row_checks.nulls import NullCheck
from deltactl.operations.row_checks.on_spark import SparkRows
from deltactl.table.table import open_table

pytestmark = pytest.mark.jvm

PATIENCE = 120.0


@pytest.fixture
def table(on_spark: OnSession, tmp_path: Path) -> Path:
    """A table of three rows in two partitions, and one that was deleted by a vector."""
    path = tmp_path / "a table"
    table = f"delta.`{path}`"
    on_spark.spark.sql(
        f"""CREATE TABLE {table} (id INT, name STRING, s STRUCT<x: INT> NOT NULL, p STRING)
        USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true',
        'delta.columnMapping.mode' = 'name', 'delta.feature.allowColumnDefaults' = 'supported')"""
    )
    rows = "(1, 'Ab', 1, 'x y'), (2, 'CD', 2, 'x y'), (3, NULL, NULL, 'x y'), (4, 'EF', 4, 'ü%')"
    on_spark.spark.sql(
        f"""INSERT INTO {table} SELECT /*+ COALESCE(1) */ col1, col2, named_struct('x', col3), col4
        FROM VALUES {rows}"""
    )
    on_spark.spark.sql(f"DELETE FROM {table} WHERE id = 3")
    return path


class Runner:
    """Runs jobs on the session; notes them, and does something after the first, or instead."""

    place = "Spark in the tests"

    def __init__(
        self,
        on_spark: OnSession,
        after: Callable[[], object] = lambda: None,
        fails: BaseException | None = None,
    ) -> None:
        self._on_spark, self._after, self._fails = on_spark, after, fails
        self.jobs: list[Job] = []

    def run(self, job: Job) -> Mapping[str, Any]:
        self.jobs.append(job)
        if self._fails is not None:
            raise self._fails
        result = self._on_spark.run(job)
        if len(self.jobs) == 1:
            self._after()
        return result

    @contextmanager
    def __call__(self) -> Iterator["Runner"]:
        yield self


def constrain(
    path: Path, text: str, runner: JobRunner, engine: Engine = Engine.AUTO
) -> ChangeReport:
    spark = SparkRows(runner, engine)
    planner = partial(plan_add_constraint, name="c", text=text, rows=RowCheck(), spark=spark)
    return carry_out(path, planner)


def forbid_nulls(path: Path, column: str, runner: JobRunner, engine: Engine) -> ChangeReport:
    verb = SetNotNull(column=column, rows=NullCheck(SparkRows(runner, engine)))
    return carry_out(path, partial(plan_columns, steps=[ColumnStep(verb)]))


def carry_out(path: Path, planner: Planner, runner: Any = None) -> ChangeReport:
    changer = ChangeExecutor(open_table(str(path)), planner, CommitOptions(), runners=runner)
    return changer.execute(lambda _: None)


def newest(path: Path) -> int:
    return open_table(str(path)).snapshot().version


@pytest.mark.parametrize("engine", [Engine.AUTO, Engine.SPARK])
def test_rows_in_the_way_of_a_constraint(on_spark: OnSession, table: Path, engine: Engine) -> None:
    report = constrain(table, "upper(name) = name", Runner(on_spark), engine)
    assert [error.code for error in report.errors] == ["ROWS_VIOLATE_CONSTRAINT"]
    [error] = report.errors
    assert "in 1 of 3 rows" in error.message
    [row] = report.plan.to_json()["counterexamples"]
    assert row["values"] == {"name": "Ab", "id": 1, "p": "x y"}
    assert (table / row["file"]).is_file()
    assert newest(table) == 2


def test_rows_of_which_some_are_deleted(on_spark: OnSession, table: Path) -> None:
    runner = Runner(on_spark)
    assert constrain(table, "name IS NOT NULL AND s.x > 0", runner).version == 3
    assert [job.name for job in runner.jobs] == ["rows"]
    with pytest.raises(Exception, match="DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"):
        on_spark.spark.sql(
            f"INSERT INTO delta.`{table}` VALUES (5, NULL, named_struct('x', 1), 'a')"
        )


def test_an_expression_that_makes_no_sense(on_spark: OnSession, table: Path) -> None:
    [error] = constrain(table, "no_such_function(id) > 1", Runner(on_spark)).errors
    assert (error.code, error.exit_code) == ("CONSTRAINT_SENSELESS", 4)
    assert "[UNRESOLVED_ROUTINE]" in error.message
    [error] = constrain(table, "length(name)", Runner(on_spark)).errors
    assert (error.code, error.exit_code) == ("BAD_EXPRESSION", 4)


def test_data_that_comes_in_between(on_spark: OnSession, table: Path) -> None:
    def insert(name: str) -> Callable[[], object]:
        row = f"(9, '{name}', named_struct('x', 1), 'x y')"
        return lambda: on_spark.spark.sql(f"INSERT INTO delta.`{table}` VALUES {row}")

    runner = Runner(on_spark, after=insert("Wx"))
    text = "name <> 'Wx' AND length(name) = 2"
    with pytest.raises(ConflictError, match=r"is not true .* in 1 of 4 rows"):
        constrain(table, text, runner)
    first, again = runner.jobs
    assert first.params["files"] is None
    assert len(again.params["files"]) == 1
    assert (first.files, again.files) == (2, 1)
    # Rows that are as they must be are no obstacle.
    report = constrain(table, "length(name) = 2", Runner(on_spark, after=insert("YZ")))
    assert (report.version, report.plan.read_version) == (5, 4)
    assert report.plan.rows_checked == (4, 5)


def test_a_job_that_fails(on_spark: OnSession, table: Path) -> None:
    with pytest.raises(SparkError, match="CAST_INVALID_INPUT"):
        constrain(table, "CAST(name AS INT) > 1", Runner(on_spark))
    with pytest.raises(InterruptedRunError, match="nothing was written"):
        constrain(table, "length(name) = 2", Runner(on_spark, fails=KeyboardInterrupt()))
    assert newest(table) == 2


def test_a_column_that_is_to_have_values(on_spark: OnSession, table: Path) -> None:
    runner = Runner(on_spark)
    assert forbid_nulls(table, "name", runner, Engine.AUTO).version == 3
    assert [job.why.partition(" (")[0] for job in runner.jobs] == ["only Spark can tell"]
    assert forbid_nulls(table, "s.x", runner, Engine.SPARK).version == 4
    sql = f"INSERT INTO delta.`{table}` VALUES "
    for row in ("(5, NULL, named_struct('x', 1), 'a')", "(5, 'a', named_struct('x', NULL), 'a')"):
        with pytest.raises(Exception, match="DELTA_NOT_NULL_CONSTRAINT_VIOLATED"):
            on_spark.spark.sql(sql + row)
    on_spark.spark.sql(sql + "(5, 'a', named_struct('x', 1), 'a')")
    assert on_spark.spark.sql(f"SELECT sum(s.x) FROM delta.`{table}`").first()[0] == 8


def test_rows_without_a_value(on_spark: OnSession, table: Path) -> None:
    on_spark.spark.sql(f"INSERT INTO delta.`{table}` VALUES (7, NULL, named_struct('x', 1), NULL)")
    for engine in (Engine.AUTO, Engine.SPARK):
        report = forbid_nulls(table, "name", Runner(on_spark), engine)
        assert [error.code for error in report.errors] == ["ROWS_HAVE_NULL"]
        [row] = report.plan.to_json()["counterexamples"]
        assert row["values"] == {"name": None, "id": 7, "p": None}


def backfill(path: Path, runner: Any) -> ChangeReport:
    verb = AddColumn(column="region", type="string", default="'EU'", backfill=True)
    return carry_out(path, partial(plan_columns, steps=[ColumnStep(verb)]), runner)


def regions(on_spark: OnSession, path: Path) -> list[Any]:
    rows = on_spark.spark.sql(f"SELECT id, region FROM delta.`{path}` ORDER BY id").collect()
    return [tuple(row) for row in rows]


def test_old_rows_get_the_default(on_spark: OnSession, table: Path) -> None:
    report = backfill(table, Runner(on_spark))
    assert (report.version, report.backfilled) == (3, (4, 3))
    assert regions(on_spark, table) == [(1, "EU"), (2, "EU"), (4, "EU")]
    on_spark.spark.sql(
        f"INSERT INTO delta.`{table}` VALUES (5, 'x', named_struct('x', 1), 'a', NULL)"
    )
    # What was done is not done again: this NULL is one that somebody wrote.
    runner = Runner(on_spark)
    assert backfill(table, runner).plan.is_empty
    assert (runner.jobs, newest(table)) == ([], 5)


def test_a_backfill_that_restore_took_back_is_done_again(on_spark: OnSession, table: Path) -> None:
    assert backfill(table, Runner(on_spark)).backfilled == (4, 3)
    sql = f"RESTORE TABLE delta.`{table}` TO VERSION AS OF "
    on_spark.spark.sql(f"{sql} 3")
    assert regions(on_spark, table) == [(1, None), (2, None), (4, None)]
    assert backfill(table, Runner(on_spark)).backfilled == (6, 3)
    assert regions(on_spark, table) == [(1, "EU"), (2, "EU"), (4, "EU")]
    assert backfill(table, Runner(on_spark)).plan.is_empty
    # What RESTORE brought back, together with the mark, is done.
    on_spark.spark.sql(f"{sql} 3")
    on_spark.spark.sql(f"{sql} 6")
    assert backfill(table, Runner(on_spark)).plan.is_empty
    # Before there was a column nothing was filled.
    on_spark.spark.sql(f"{sql} 2")
    assert backfill(table, Runner(on_spark)).backfilled == (11, 3)
    assert regions(on_spark, table) == [(1, "EU"), (2, "EU"), (4, "EU")]


def test_whether_a_time_took_a_backfill_back_nobody_knows(on_spark: OnSession, table: Path) -> None:
    backfill(table, Runner(on_spark))
    commit = table / "_delta_log" / f"{3:020d}.json"
    time_of_it = json.loads(commit.read_text().partition("\n")[0])["commitInfo"]["timestamp"]
    os.utime(commit, (time_of_it / 1000,) * 2)
    at = f"timestamp_millis({time_of_it})"
    text = on_spark.spark.sql(f"SELECT CAST({at} AS STRING)").first()[0]
    on_spark.spark.sql(f"RESTORE TABLE delta.`{table}` TO TIMESTAMP AS OF '{text}'")
    report = backfill(table, Runner(on_spark))
    assert [error.code for error in report.errors] == ["BACKFILL_UNSURE"]
    [error] = report.errors
    statement = (error.hint or "").partition("in Spark SQL: ")[2]
    on_spark.spark.sql(statement)
    assert regions(on_spark, table) == [(1, "EU"), (2, "EU"), (4, "EU")]


def test_a_backfill_that_was_ended_goes_on(on_spark: OnSession, table: Path) -> None:
    with pytest.raises(InterruptedRunError, match="version 3 was committed, and nothing after it"):
        backfill(table, Runner(on_spark, fails=KeyboardInterrupt()))
    failure = SparkError("SPARK_JOB_FAILED", "the disk is gone")
    with pytest.raises(SparkError) as failed:
        backfill(table, Runner(on_spark, fails=failure))
    assert failed.value.message == "the disk is gone; nothing was written"
    assert regions(on_spark, table) == [(1, None), (2, None), (4, None)]
    report = backfill(table, Runner(on_spark))
    assert (report.version, report.backfilled) == (4, (4, 3))
    assert backfill(table, Runner(on_spark)).plan.is_empty


def test_an_update_whose_answer_was_lost(on_spark: OnSession, table: Path) -> None:
    runner = Runner(on_spark, after=_lose)
    with pytest.raises(InterruptedRunError, match="version 3 was committed, then UPDATE"):
        backfill(table, runner)
    assert regions(on_spark, table) == [(1, "EU"), (2, "EU"), (4, "EU")]
    assert backfill(table, Runner(on_spark)).plan.is_empty


def _lose() -> None:
    raise KeyboardInterrupt


def test_a_kill_between_the_two_commits(
    on_spark: OnSession, table: Path, spark_environment: None
) -> None:
    words = ["column", "add", str(table), "region", "string", "--default", "'EU'"]
    child = subprocess.Popen(
        [sys.executable, "-m", "deltactl", *words, "--backfill", "--yes"],
        env={**os.environ},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    end = time.monotonic() + PATIENCE
    while not (table / "_delta_log" / f"{3:020d}.json").exists():
        assert time.monotonic() < end
        assert child.poll() is None
        time.sleep(0.01)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    assert regions(on_spark, table) == [(1, None), (2, None), (4, None)]
    assert backfill(table, Runner(on_spark)).backfilled == (4, 3)
    assert regions(on_spark, table) == [(1, "EU"), (2, "EU"), (4, "EU")]


@pytest.mark.usefixtures("spark_environment")
def test_on_a_cluster(cluster: Cluster, on_spark: OnSession, table: Path) -> None:
    place = ["--engine", "spark", "--master", cluster.url]
    said = say(["constraint", "add", str(table), "c", "length(name) = 3", *place, "-o", "json"])
    assert (said.exit_code, said.error["code"]) == (4, "ROWS_VIOLATE_CONSTRAINT")
    assert len(said.document["plan"]["counterexamples"]) == 3
    words = ["region", "string", "--default", "'EU'", "--backfill", "--yes"]
    said = say(["column", "add", str(table), *words, *place, "-o", "json"])
    assert said.document["backfilled"] == {"version": 4, "rows": 3}
    said = say(["verify-checksum", str(table), "--data", *place, "-o", "json"])
    assert (said.exit_code, said.document["findings"]) == (0, [])
    [rows] = [check for check in said.document["checks"] if check["name"] == "rows"]
    assert rows["subjects"] == 3


@pytest.mark.usefixtures("spark_environment")
def test_over_spark_connect(connect_url: str, table: Path) -> None:
    shown = [["name", "`name`"]]
    asked = {"table": str(table), "version": 2, "files": None, "condition": "length(name) = 3"}
    step = {"table": str(table), "column": "name", "value": "'-'", "app": "a", "step": 1}
    counted, filled = run_jobs(
        ("rows", {**asked, "shown": shown, "limit": 1}),
        ("backfill", {**step, "message": None}),
        master=connect_url,
    )
    assert (counted["result"]["rows"], counted["result"]["violations"]) == (3, 3)
    assert len(counted["result"]["examples"]) == 1
    assert filled["result"] == {"rows": 0, "version": None}
