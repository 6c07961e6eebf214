"""How a command tells of its jobs, whoever runs them."""

from collections.abc import Mapping
from typing import Any

import pytest

from deltactl.cli import output
from deltactl.cli.context import Session
from deltactl.cli.flags import Invocation
from deltactl.cli.render import progress
from deltactl.cli.spark_jobs import Bars, Told, plan_of, wishes
from deltactl.operations.jobs import Job, Reached

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
    return Told(Halfway(bars), session, bars).run(REWRITE)


def test_a_job_is_announced(capsys: pytest.CaptureFixture[str]) -> None:
    assert told() == {"version": 3}
    assert capsys.readouterr() == ("", f"note: {plan_of(REWRITE, 'local[*]')}\n")
    told(("master", "yarn"))
    assert capsys.readouterr().err.startswith("note: Spark on yarn, 1,300 files")
    told(("quiet", True))
    assert capsys.readouterr() == ("", "")


def test_stages_and_tasks_are_shown_while_it_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setattr(output, "is_terminal", lambda stream: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    told(("no-color", True))
    shown = capsys.readouterr().err
    assert "Spark, stage 2 of 3, tasks" in shown
    assert " 80/200" in shown


def test_what_the_settings_say_of_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTACTL_MASTER", "yarn")
    flags = {"jars": "/jars", "spark-conf": {"spark.x": "y"}, "storage-options": {"region": "r"}}
    found = wishes(Session(Invocation(flags=flags)))
    assert found == ("yarn", "/jars", {"spark.x": "y"}, None, {"region": "r"}, 60.0, ())
