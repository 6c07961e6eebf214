"""One job, whoever runs it: Spark in the process, a cluster, a Connect server."""

from pathlib import Path

import pytest
from jobs_in_child import run_jobs
from spark_cluster import Cluster

pytestmark = [pytest.mark.jvm, pytest.mark.usefixtures("spark_environment")]

ASKED = ("round_trip", {"value": 7})
ANSWER = {"rows": [[7, 1]], "spark": "4.2.0"}


def test_on_this_machine_the_session_is_kept_from_job_to_job(tmp_path: Path) -> None:
    said = run_jobs(ASKED, ("round_trip", {"value": 8}), ASKED)
    assert said["results"] == [ANSWER, {"rows": [[8, 1]], "spark": "4.2.0"}, ANSWER]
    assert max(said["tasks"]) > 0, "no task was seen"
    assert list(tmp_path.glob("deltactl-spark-*")) == []


def test_on_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    said = run_jobs(ASKED, master=cluster.url)
    assert said["results"] == [ANSWER]
    assert max(said["tasks"]) > 0, "no task was seen"
    assert list(tmp_path.glob("deltactl-spark-*")) == []
    served = cluster.master.log.read_text(encoding="utf-8")
    assert "Registered app deltactl round_trip" in served


def test_on_a_connect_server(connect_url: str) -> None:
    said = run_jobs(ASKED, master=connect_url)
    assert said["results"] == [ANSWER]
    assert max(said["tasks"]) > 0, "no task was seen"
