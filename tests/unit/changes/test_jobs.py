"""Where work is done, and what is said of a job that was ended."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deltactl.changes.jobs import Engine, Job, check_spark_may, choose, committed_since, run_on
from deltactl.errors import InterruptedRunError, RefusedError, SparkError
from deltactl.storage.local.local import LocalStorage

GOLDEN = Path(__file__).parent.parent.parent / "golden"
COMMIT = (
    '{"commitInfo":{"timestamp":1767322800000,"operation":"REORG","operationParameters":{},'
    '"engineInfo":"Apache-Spark/4.2.0 Delta-Lake/4.4.0"}}\n'
)
BY_SPARK = "REORG by Apache-Spark/4.2.0 Delta-Lake/4.4.0 at 2026-01-02T03:00:00.000Z"


@pytest.mark.parametrize(
    ("wanted", "files", "spark_from", "on_spark", "why"),
    [
        (Engine.AUTO, 10, 11, False, "that is quicker than Spark's start"),
        (Engine.AUTO, 11, 11, True, "there are 11 files or more"),
        (Engine.AUTO, 10**9, None, False, "that is quicker than Spark's start"),
        (Engine.LOCAL, 11, 11, False, "--engine local asks for it"),
        (Engine.SPARK, 1, 11, True, "--engine spark asks for it"),
        (Engine.SPARK, 1, None, True, "--engine spark asks for it"),
    ],
)
def test_where_to_work(wanted, files, spark_from, on_spark, why) -> None:
    assert choose(wanted, files=files, spark_from=spark_from) == (on_spark, why)


def test_what_only_spark_can_do() -> None:
    check_spark_may(Engine.AUTO, "a rewrite")
    check_spark_may(Engine.SPARK, "a rewrite")
    with pytest.raises(RefusedError) as caught:
        check_spark_may(Engine.LOCAL, "a rewrite")
    assert caught.value.code == "ONLY_ON_SPARK"
    assert caught.value.message == "a rewrite takes Spark, which --engine local rules out"


class Commits:
    """A runner whose job commits so many versions, and is then ended by `error`."""

    place = "here"

    def __init__(self, log: Path, commits: int, error: BaseException | None) -> None:
        self.log, self.commits, self.error = log, commits, error

    def run(self, job: Job) -> Mapping[str, Any]:
        newest = max(int(path.stem) for path in self.log.glob("*.json"))
        for version in range(newest + 1, newest + 1 + self.commits):
            (self.log / f"{version:020d}.json").write_text(COMMIT)
        if self.error is not None:
            raise self.error
        return {"commits": self.commits}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return Path(shutil.copytree(GOLDEN / "crc_good" / "delta", tmp_path / "table"))


def newest(table: Path) -> int:
    return max(int(path.stem) for path in (table / "_delta_log").glob("*.json"))


SAID = [
    (0, "nothing was committed"),
    (1, f"committed since: version {{1}}, {BY_SPARK}"),
    (3, f"committed since: versions {{1}} to {{3}}, the last one version {{3}}, {BY_SPARK}"),
]


@pytest.mark.parametrize(("commits", "said"), SAID)
def test_ended_by_the_user(table: Path, commits: int, said: str) -> None:
    version = newest(table)
    runner = Commits(table / "_delta_log", commits, KeyboardInterrupt())
    expected = said.format(*range(version, version + 4))
    with pytest.raises(InterruptedRunError) as caught:
        run_on(LocalStorage(str(table)), version, runner, Job("x", {}, ""))
    assert (caught.value.exit_code, caught.value.message) == (130, f"interrupted; {expected}")


@pytest.mark.parametrize(("commits", "said"), SAID)
def test_a_job_that_fails(table: Path, commits: int, said: str) -> None:
    version = newest(table)
    error = SparkError("SPARK_JOB_FAILED", "the job failed")
    runner = Commits(table / "_delta_log", commits, error)
    with pytest.raises(SparkError) as caught:
        run_on(LocalStorage(str(table)), version, runner, Job("x", {}, ""))
    expected = said.format(*range(version, version + 4))
    assert caught.value.message == f"the job failed; {expected}"


def test_a_job_that_ends_well(table: Path) -> None:
    runner = Commits(table / "_delta_log", 2, None)
    found = run_on(LocalStorage(str(table)), newest(table), runner, Job("x", {}, ""))
    assert found == {"commits": 2}


def test_other_files_of_the_log_are_no_commits(table: Path) -> None:
    version = newest(table)
    for name in (f"{version + 1:020d}.checkpoint.parquet", f"{version + 1:020d}.crc"):
        (table / "_delta_log" / name).touch()
    assert committed_since(LocalStorage(str(table)), version) == "nothing was committed"
