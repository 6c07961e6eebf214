"""The same jobs, whoever runs them: Spark in the process, a cluster, a Connect server."""

import shutil
import threading
import time
import zipfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from jobs_in_child import run_jobs
from spark_cluster import Cluster

from deltactl.changes.jobs import Job
from deltactl.cli.app import main
from deltactl.errors import SparkError

GOLDEN = Path(__file__).parent.parent / "golden"

pytestmark = [pytest.mark.jvm, pytest.mark.usefixtures("spark_environment")]

Outcome = dict[str, Any]


def round_trip(value: int) -> tuple[str, dict[str, Any]]:
    return "round_trip", {"value": value}


def sql(*statements: str) -> tuple[str, dict[str, Any]]:
    return "sql", {"statements": statements}


MISSING = sql("SELECT * FROM nowhere")
DIVIDED = sql("SELECT 1 / (id - 1) FROM range(2)")
REFUSED = "jvm", {"refuse": True}
ACTIVE = "jvm", {"active": True}
REGISTERED = "Registered app deltactl"


def answer(value: int) -> Outcome:
    return {"result": {"rows": [[value, 1]], "spark": "4.2.0"}}


def failed(outcome: Outcome) -> dict[str, Any]:
    assert outcome.keys() == {"error"}, outcome
    found: dict[str, Any] = outcome["error"]
    assert "\n" not in "".join([found["message"], *found["hint"]])
    assert (found["code"], found["exit"]) == ("SPARK_JOB_FAILED", 9)
    return found


def is_divided(outcome: Outcome) -> None:
    found = failed(outcome)
    assert "[DIVIDE_BY_ZERO] Division by zero." in found["message"]
    assert found["details"]["cause"] == "DIVIDE_BY_ZERO"


def is_refused(outcome: Outcome) -> None:
    assert outcome["error"] == {
        "exit": 4,
        "code": "ONLY_ON_SPARK",
        "message": "refused",
        "hint": ["do not"],
        "details": {"why": 1},
    }


def log_in(folder: Path) -> Path:
    """What is left of the runs of Spark whose temporary files were in `folder`: one log."""
    [left] = folder.glob("deltactl-spark-*")
    assert [path.name for path in left.iterdir()] == ["spark.log"]
    return left / "spark.log"


def test_on_this_machine(tmp_path: Path) -> None:
    table = tmp_path / "table"
    shutil.copytree(GOLDEN / "all_types" / "delta", table)
    for file in table.glob("*.parquet"):
        file.write_bytes(b"\0" * file.stat().st_size)
    active, first, divided, missing, refused, in_jvm, number, corrupt, last, again = run_jobs(
        ACTIVE,
        round_trip(7),
        DIVIDED,
        MISSING,
        REFUSED,
        ("jvm", {"text": "x"}),
        ("jvm", {"text": "17"}),
        sql(f"SELECT * FROM delta.`{table}`"),
        round_trip(8),
        ACTIVE,
    )
    # Each job has a thread of its own: the session is the active one in all of them.
    assert active == again == {"result": {"active": True}}
    assert (first, last, number) == (answer(7), answer(8), {"result": {"number": 17}})
    is_divided(divided)
    is_refused(refused)

    found = failed(missing)
    assert found["message"].startswith(
        "the job failed in Spark: AnalysisException: "
        "[TABLE_OR_VIEW_NOT_FOUND] The table or view `nowhere` cannot be found."
    )
    log = log_in(tmp_path)
    assert found["hint"] == [f"the whole story is in {log}"]
    assert found["details"] == {
        "class": "AnalysisException",
        "cause": "TABLE_OR_VIEW_NOT_FOUND",
        "log": str(log),
    }
    assert failed(in_jvm)["message"] == (
        'the job failed in Spark: NumberFormatException: For input string: "x"'
    )
    assert (corrupt["error"]["code"], corrupt["error"]["exit"]) == ("SPARK_FILE_UNREADABLE", 8)
    assert "FAILED_READ_FILE" in corrupt["error"]["details"]["cause"]
    assert corrupt["error"]["message"].startswith(
        "Spark cannot read a file: SparkException: [FAILE"
    )
    assert str(table) in corrupt["error"]["message"]


def test_on_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    before = cluster.master.log.read_text(encoding="utf-8").count(REGISTERED)
    first, divided, refused, active = run_jobs(
        round_trip(7), DIVIDED, REFUSED, ACTIVE, master=cluster.url
    )
    assert (first, active) == (answer(7), {"result": {"active": True}})
    is_divided(divided)
    is_refused(refused)
    assert divided["error"]["details"]["log"] == str(log_in(tmp_path))
    served = cluster.master.log.read_text(encoding="utf-8")
    assert f"{REGISTERED} round_trip" in served
    assert served.count(REGISTERED) == before + 1, "one session for all jobs"


def test_on_a_connect_server(connect_url: str) -> None:
    first, divided, refused, *others, last = run_jobs(
        round_trip(7),
        DIVIDED,
        REFUSED,
        ("verify", {}),
        ("rewrite", {}),
        ("footers", {}),
        round_trip(8),
        master=connect_url,
    )
    assert (first, last) == (answer(7), answer(8))
    is_divided(divided)
    assert (refused["error"]["code"], refused["error"]["exit"]) == ("JOB_NEEDS_JVM", 9)
    for job, other in zip(("verify", "rewrite", "footers"), others, strict=True):
        assert other["error"]["code"] == "JOB_NEEDS_JVM"
        assert other["error"]["message"] == (
            f"the job {job} needs the JVM of Spark, which Spark Connect does not give"
        )
        [hint] = other["error"]["hint"]
        assert hint.startswith("name the cluster with --master instead of ")


def test_what_went_well_leaves_nothing(tmp_path: Path) -> None:
    assert run_jobs(round_trip(7)) == [answer(7)]
    assert list(tmp_path.glob("deltactl-spark-*")) == []


TWO_COLLECTORS = {"spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:+UseParallelGC"}


def test_a_jvm_that_does_not_start(cluster: Cluster) -> None:
    for master, code in (("local[2]", "SPARK_START_FAILED"), (cluster.url, "SPARK_CHILD_DIED")):
        [outcome] = run_jobs(round_trip(1), seen=False, master=master, conf=TWO_COLLECTORS)
        assert (outcome["error"]["code"], outcome["error"]["exit"]) == (code, 9)
        assert "Multiple garbage collectors selected" in outcome["error"]["message"]
        assert Path(outcome["error"]["details"]["log"]).is_file()


def test_a_setting_that_spark_refuses() -> None:
    little = {"spark.driver.memory": "100m"}
    [outcome] = run_jobs(round_trip(1), seen=False, conf=little)
    assert (outcome["error"]["code"], outcome["error"]["exit"]) == ("SPARK_START_FAILED", 9)
    assert "INVALID_DRIVER_MEMORY" in outcome["error"]["message"]


def test_a_folder_that_spark_cannot_make() -> None:
    [outcome] = run_jobs(round_trip(1), seen=False, conf={"spark.local.dir": "/proc/none"})
    assert (outcome["error"]["code"], outcome["error"]["exit"]) == ("SPARK_START_FAILED", 9)
    assert Path(outcome["error"]["details"]["log"]).is_file()


def test_what_the_user_adds_leaves_delta_there(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, site = tmp_path / "mine.jar", tmp_path / "site"
    with zipfile.ZipFile(mine, "w") as jar:
        jar.writestr("mine.txt", "")
    site.mkdir()
    (site / "spark-defaults.conf").write_text(
        "spark.sql.extensions org.apache.spark.sql.delta.NoSuchExtension\nspark.site yes\n"
    )
    # Spark itself would take this for the place to run.
    monkeypatch.setenv("SPARK_REMOTE", "sc://127.0.0.1:1")
    monkeypatch.setenv("SPARK_CONF_DIR", str(site))
    for master in ("local[2]", cluster.url):
        table = tmp_path / f"table-{master[:5]}"
        create = sql(f"CREATE TABLE delta.`{table}` USING delta AS SELECT 1 AS a")
        [made] = run_jobs(create, master=master, conf={"spark.jars": str(mine)})
        assert made == {"result": {"rows": []}}, made
        assert (table / "_delta_log").is_dir()


class Server:
    """A session of Spark Connect that does what it is asked, and says nothing."""

    def __getattr__(self, _: str) -> Callable[..., None]:
        return lambda *_: None


def test_a_job_that_is_late_is_waited_for_while_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told next is what the log says: a commit that is under way would be missed."""
    committed = threading.Event()

    def run(*_: object) -> dict[str, object]:
        time.sleep(0.3)
        committed.set()
        return {}

    # Not at the top: PySpark is heavy, and tests that are not run need none.
    perform = import_module("deltactl.spark.session").perform
    monkeypatch.setattr("deltactl.spark.jobs.round_trip.run", run)
    job, began = Job("round_trip", {}, ""), time.monotonic() - 89.9
    with pytest.raises(SparkError) as caught:
        perform(Server(), job, lambda _: None, limit=90.0, began=began)
    assert (caught.value.code, committed.is_set()) == ("SPARK_TIMED_OUT", True)
    assert str(caught.value) == "Spark did not finish the job in 90 seconds"


def test_a_job_that_gets_no_executors_is_ended_in_time(
    cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("deltactl.cli.spark.spark_jobs.LONG_IDLE", 3.0)
    table, log = tmp_path / "orders", tmp_path / "mine.log"
    assert main(["demo", str(table), "--jars", "none", "-q"]) == 0
    capfd.readouterr()
    began = time.monotonic()
    exit_code = main(
        [
            *("prune-type-changes", str(table), "--rewrite", "--yes", "--master", cluster.url),
            *("--spark-conf", "spark.executor.memory=64g"),
            *("--timeout-job", "70s", "--spark-log", str(log)),
        ]
    )
    said = capfd.readouterr().err
    assert (exit_code, "[SPARK_TIMED_OUT]" in said) == (9, True)
    assert 70 < time.monotonic() - began < 130
    assert said.count("note: Spark waits for executors: ") == 1
    # What Spark itself says of that.
    assert "Initial job has not accepted any resources" in log.read_text(encoding="utf-8")
    assert list(tmp_path.glob("deltactl-spark-*")) == []
