"""The last check of `spark check`: one row through Spark, in a bounded time."""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import pytest

from deltactl.changes.jobs import Job
from deltactl.spark.install import check
from deltactl.spark.runner import SparkConfig


class Answers:
    place = "here"

    def run(self, job: Job) -> Mapping[str, Any]:
        return {"rows": [[job.params["value"], 1]], "spark": "4.2.0"}


@pytest.mark.parametrize(("given", "limit"), [(None, 180.0), (30.0, 30.0), (900.0, 900.0)])
def test_the_user_may_say_how_long_a_row_may_take(
    monkeypatch: pytest.MonkeyPatch, given: float | None, limit: float
) -> None:
    asked = []

    def runner(spark_config: SparkConfig, _: object) -> "nullcontext[Answers]":
        asked.append(spark_config.limit)
        return nullcontext(Answers())

    monkeypatch.setattr(check, "job_runner", runner)
    monkeypatch.setattr(check, "_looks", lambda *_: [])
    [found] = check.checks(SparkConfig(limit=given), {}, lambda _: None)
    assert (found.name, found.error, asked) == ("round trip", None, [limit])
