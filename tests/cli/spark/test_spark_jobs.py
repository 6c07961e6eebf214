"""How a command tells of its jobs, whoever runs them."""

import time
from collections.abc import Mapping
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from deltactl.changes.jobs import Job, Reached
from deltactl.cli.global_options import Invocation
from deltactl.cli.process import output
from deltactl.cli.render import progress
from deltactl.cli.session import Session
from deltactl.cli.spark import spark_jobs
from deltactl.cli.spark.spark_jobs import AnnouncingRunner, Bars, plan_of, spark_config
from deltactl.spark.progress import handler

REWRITE = Job("rewrite", {"version": 3}, "only Spark rewrites data files", 1_300, 2_200_000)


@pytest.mark.parametrize(
    ("job", "master", "expected"),
    [
        (
            REWRITE,
            "local[*]",
            "Spark on this machine (local[*]), 1,300 files, 2.1 MiB: "
            "only Spark rewrites data files",
        ),
        (
            Job("verify", {}, "--engine spark asks for it", 1, 10),
            "spark://h:7077",
            "Spark on spark://h:7077, 1 file, 10 B: --engine spark asks for it",
        ),
        (
            Job("round_trip", {}, "one row, there and back"),
            "sc://h:1/;token=secret",
            "Spark Connect at sc://h:1: one row, there and back",
        ),
    ],
)
def test_the_plan_of_a_job(job: Job, master: str, expected: str) -> None:
    assert plan_of(job, master) == expected


class Halfway:
    """A runner whose job is seen in the middle."""

    place = "here"

    def __init__(self, bars: Bars) -> None:
        self.bars = bars

    def run(self, job: Job) -> Mapping[str, Any]:
        self.bars.reached(Reached(0, 0, 0, 0))
        self.bars.reached(Reached(stages=3, stages_done=1, tasks=200, tasks_done=80))
        return job.params


def told(*flags: tuple[str, Any]) -> Mapping[str, Any]:
    bars = Bars()
    session = Session(Invocation(flags=dict(flags)))
    return AnnouncingRunner(Halfway(bars), session, bars).run(REWRITE)


def test_a_job_is_announced(capsys: pytest.CaptureFixture[str]) -> None:
    assert told() == {"version": 3}
    assert capsys.readouterr() == ("", f"note: {plan_of(REWRITE, 'local[*]')}\n")
    told(("master", "yarn"))
    assert capsys.readouterr().err.startswith("note: Spark on yarn, 1,300 files")
    told(("quiet", True))
    assert capsys.readouterr() == ("", "")


@pytest.fixture
def _on_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw bars at once, as on a terminal."""
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setattr(output, "is_terminal", lambda stream: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.usefixtures("_on_terminal")
def test_stages_and_tasks_are_shown_while_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    told(("no-color", True))
    shown = capsys.readouterr().err
    assert "Spark, stage 2 of 3, tasks" in shown
    assert " 80/200" in shown


def test_what_the_settings_say_of_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTACTL_MASTER", "yarn")
    flags = {"jars": "/jars", "spark-conf": {"spark.x": "y"}, "storage-options": {"region": "r"}}
    found = spark_config(Session(Invocation(flags=flags)))
    assert found == ("yarn", "/jars", {"spark.x": "y"}, None, {"region": "r"}, 60.0, (), None)
    more = {"timeout-job": 90.0, "spark-log": "spark.log"}
    found = spark_config(Session(Invocation(flags=more)))
    assert (found.limit, found.log) == (90.0, "spark.log")


class Waiting(Halfway):
    """A runner whose job has tasks, none of which runs."""

    def run(self, job: Job) -> Mapping[str, Any]:
        stuck = Reached(stages=1, stages_done=0, tasks=4, tasks_done=0, running=0)
        end = time.monotonic() + 0.4
        while time.monotonic() < end:
            self.bars.reached(stuck)
            time.sleep(0.02)
        return job.params


def test_waiting_for_executors_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("TICK", 0.02), ("IDLE", 0.05), ("LONG_IDLE", 0.1)):
        monkeypatch.setattr(spark_jobs, name, value)

    def run(runner: type[Halfway], **flags: Any) -> str:
        bars, session = Bars(), Session(Invocation(flags=flags))
        AnnouncingRunner(runner(bars), session, bars).run(REWRITE)
        return capsys.readouterr().err

    said = run(Waiting)
    assert said.count(f"note: {spark_jobs.WAITING}\n") == 1
    assert "waits" not in run(Halfway)
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setattr(output, "is_terminal", lambda stream: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    assert "Spark, waiting for executors" in run(Waiting, **{"no-color": True})


def test_what_does_not_count_is_told_before_spark_starts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_jobs, "job_runner", lambda *_: nullcontext(Halfway(Bars())))
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--jars /my.jar pyspark-shell")
    with spark_jobs.spark(Session(Invocation())):
        assert capsys.readouterr().err == (
            "note: PYSPARK_SUBMIT_ARGS does not count; set properties instead, such as "
            "--spark-conf spark.jars.packages=GROUP:NAME:VERSION\n"
        )
    monkeypatch.delenv("PYSPARK_SUBMIT_ARGS")
    with spark_jobs.spark(Session(Invocation())):
        assert capsys.readouterr().err == ""


def test_a_server_that_does_not_say_what_runs_waits_for_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    notes: list[str] = []
    shown = progress.CountingProgress("Spark", None, shown=False)
    bar = spark_jobs.JobBar(shown, notes.append)
    stage = SimpleNamespace(num_tasks=4, num_completed_tasks=1)
    handler(bar.reached)(stages=[stage], inflight_tasks=3)
    now[0] = 600.0  # one long task, of which the server has no news
    bar.draw()
    assert (notes, shown.label) == ([], "Spark, stage 1 of 1, tasks")


def test_executors_that_just_came_are_not_waited_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_jobs, "LONG_IDLE", 0.5)
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    notes: list[str] = []
    bar = spark_jobs.JobBar(progress.CountingProgress("Spark", None, shown=False), notes.append)
    stuck = Reached(stages=1, stages_done=0, tasks=4, tasks_done=0, running=0)
    now[0] = 30.0  # Spark took that long to start
    bar.reached(stuck)
    assert notes == []
    now[0] = 31.0
    bar.reached(stuck)
    assert notes == [spark_jobs.WAITING]


@pytest.mark.usefixtures("_on_terminal")
def test_the_clock_of_each_bar_starts_with_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    bars, invocation = Bars(), Invocation(flags={"no-color": True})
    invocation.began -= 3_661.0
    session = Session(invocation)
    for _ in range(2):
        AnnouncingRunner(Halfway(bars), session, bars).run(REWRITE)
        assert "1:01:0" in capsys.readouterr().err
