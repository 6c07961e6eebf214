"""A session that the caller has: jobs run in it, and it stays as it was."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import old_files
import pytest
from full_tables import commit
from local_session import OnSession

import deltactl
from deltactl.changes.jobs import Job
from deltactl.errors import SparkError
from deltactl.spark.given_session import check_job

pytestmark = pytest.mark.jvm


@pytest.fixture(scope="module")
def session(on_spark: OnSession) -> Any:
    return on_spark.spark


def settings(session: Any) -> dict[str, str]:
    return dict(session.conf.getAll)


def test_old_files_are_rewritten_in_the_session(session: Any, tmp_path: Path) -> None:
    table = deltactl.open(old_files.write(tmp_path / "table", files=3))
    session.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    session.range(3).createOrReplaceTempView("kept")
    before, group = settings(session), session.sparkContext.applicationId
    result = table.prune_type_changes(rewrite=True, batch=1, message="why", spark=session)
    assert result.version == 4
    assert old_files.check(tmp_path / "table", files=3, done=True) == 3
    infos = [commit(tmp_path / "table", version)[0]["commitInfo"] for version in (1, 4)]
    assert [info["userMetadata"] for info in infos] == ["why", "why"]
    # It runs on, and is as it was.
    assert session.sparkContext.applicationId == group
    assert settings(session) == before
    assert session.table("kept").count() == 3
    session.conf.unset("spark.sql.session.timeZone")


def test_rows_are_read_in_the_session(session: Any, tmp_path: Path) -> None:
    table = deltactl.open(old_files.write(tmp_path / "table", files=1))
    log = tmp_path / "table/_delta_log" / f"{0:020d}.json"
    rule = '"configuration": {"delta.constraints.large": "v > 100", '
    text = log.read_text().replace('"configuration": {', rule)
    log.write_text(text.replace('"writerFeatures": ["', '"writerFeatures": ["checkConstraints", "'))
    assert table.verify(data=True).findings == ()
    found = table.verify(data=True, spark=session)
    assert [finding.code for finding in found.findings] == ["CHECK_VIOLATED"]
    assert session.range(3).count() == 3


def test_no_table_is_no_table_with_a_session_too(session: Any, tmp_path: Path) -> None:
    table = deltactl.open(tmp_path / "nothing")
    with pytest.raises(deltactl.NotFoundError):
        table.prune_type_changes(spark=session)


def test_a_server_does_no_job_that_needs_the_jvm() -> None:
    class Connected:
        """A session of Spark Connect: it has no JVM to call."""

    with pytest.raises(SparkError) as refused:
        check_job(Connected(), Job("rewrite", {}, ""))
    assert refused.value.code == "JOB_NEEDS_JVM"


WITHOUT_DELTA = """
import json, sys
import deltactl
from pyspark.sql import SparkSession

session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
said = []
for _ in range(2):
    try:
        deltactl.open(sys.argv[1]).prune_type_changes(rewrite=True, spark=session)
    except deltactl.UsageError as error:
        said.append([error.code, error.message, error.hint, error.details["argument"]])
    session.stop()
print(json.dumps(said))
"""


def test_a_session_without_delta_or_one_that_was_stopped_is_refused(tmp_path: Path) -> None:
    table = old_files.write(tmp_path / "table", files=1)
    child = subprocess.run(
        [sys.executable, "-c", WITHOUT_DELTA, str(table)],
        capture_output=True,
        text=True,
        check=True,
        timeout=200,
    )
    bare, stopped = json.loads(child.stdout.splitlines()[-1])
    assert bare[0::3] == ["SESSION_WITHOUT_DELTA", "spark"]
    assert "io.delta.sql.DeltaSparkSessionExtension" in bare[1]
    assert "SparkSession.builder.config('spark.sql.extensions'" in bare[2]
    assert stopped[0::3] == ["SESSION_ENDED", "spark"]
    assert len(list((table / "_delta_log").iterdir())) == 1


CONNECTED = """
import json, sys
import deltactl
from pyspark.sql import SparkSession

session = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
session.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
table = deltactl.open(sys.argv[2])
new = {"default": "'x'", "backfill": True, "enable": True}
result = table.columns.add("word", "string", **new, spark=session)
try:
    table.prune_type_changes(rewrite=True, spark=session)
except deltactl.SparkError as error:
    refused = error.code
words = [row.word for row in session.read.format("delta").load(sys.argv[2]).collect()]
zone = session.conf.get("spark.sql.session.timeZone")
print(json.dumps([result.version, table.version, refused, words, zone]))
"""


def test_a_session_of_spark_connect_does_what_needs_no_jvm(
    connect_url: str, tmp_path: Path
) -> None:
    table = old_files.write(tmp_path / "table", files=1)
    child = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CONNECTED, connect_url, str(table)],
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert child.returncode == 0, child.stderr
    # Old rows got the default, and the session has its own zone again.
    answer = json.loads(child.stdout.splitlines()[-1])
    assert answer == [1, 2, "JOB_NEEDS_JVM", ["x"] * 5, "Asia/Tokyo"]
