"""Jobs that the user ends, or that lose who asked for them: nothing of them goes on."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import spark_cluster
from jobs_in_child import BEGUN, outcome, start_jobs
from spark_cluster import Cluster

pytestmark = [pytest.mark.jvm, pytest.mark.usefixtures("spark_environment")]

ENDLESS: tuple[str, dict[str, Any]] = ("endless", {})
SOON = 30.0  # seconds; the job itself would take ten minutes


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.1)


def begun(child: "subprocess.Popen[bytes]") -> None:
    """Wait until tasks of the child's job are known."""
    assert child.stderr is not None
    assert child.stderr.readline() == BEGUN, child.communicate()


def processes(text: str) -> list[int]:
    """The processes of this machine that have `text` in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        try:
            if text.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    ("place", "number"),
    [
        ("local", signal.SIGINT),
        ("local", signal.SIGTERM),
        ("cluster", signal.SIGINT),
        ("cluster", signal.SIGHUP),
        ("connect", signal.SIGTERM),
    ],
)
def test_by_a_signal(
    place: str, number: signal.Signals, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    master = {
        "local": lambda: "local[2]",
        "cluster": lambda: request.getfixturevalue("cluster").url,
        "connect": lambda: request.getfixturevalue("connect_url"),
    }[place]()
    child = start_jobs(ENDLESS, master=master)
    begun(child)
    os.killpg(child.pid, number)
    pressed = time.monotonic()
    assert outcome(child) == {"interrupted": True}
    assert time.monotonic() - pressed < SOON
    assert list(tmp_path.glob("deltactl-spark-*")) == []
    assert processes(str(tmp_path)) == []


def test_ctrl_c_when_spark_has_ended(tmp_path: Path) -> None:
    """The handler that PySpark leaves behind calls a JVM that is gone."""
    code = """
import signal
from deltactl.changes.jobs import Job
from deltactl.spark.runner import SparkConfig, job_runner

with job_runner(SparkConfig(master="local[1]"), lambda _: None) as runner:
    runner.run(Job("round_trip", {"value": 1}, ""))
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("interrupted\n", 0), done.stderr


@pytest.mark.parametrize("after", [0.0, 1.0])
def test_a_signal_while_spark_starts(after: float, tmp_path: Path) -> None:
    child = deltactl(["spark", "check"])
    wait_for(lambda: bool(processes(f"{tmp_path}/deltactl-spark-")))
    time.sleep(after)
    child.send_signal(signal.SIGTERM)
    _, err = child.communicate()
    assert (child.returncode, err) == (130, b"error: interrupted [INTERRUPTED]\n")
    wait_for(lambda: not processes(f"{tmp_path}/deltactl-spark-"))
    assert list(tmp_path.glob("deltactl-spark-*")) == []


def test_a_driver_whose_deltactl_was_killed_ends(cluster: Cluster, tmp_path: Path) -> None:
    child = start_jobs(ENDLESS, master=cluster.url)
    begun(child)
    assert processes(f"{tmp_path}/deltactl-spark-")
    child.kill()
    child.communicate()
    wait_for(lambda: not processes(f"{tmp_path}/deltactl-spark-"))


def test_a_cluster_without_workers_is_left_in_time(tmp_path: Path) -> None:
    with spark_cluster.cluster(tmp_path / "cluster", workers=0) as empty:
        child = start_jobs(("round_trip", {"value": 1}), master=empty.url, limit=SOON)
        [said] = outcome(child)["jobs"]
    assert (said["error"]["code"], said["error"]["exit"]) == ("SPARK_TIMED_OUT", 9)
    assert said["error"]["message"] == "Spark did not finish the job in 30 seconds"


def test_what_is_no_connect_server_is_left_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=take_all, args=(server,), daemon=True).start()
        url = f"sc://127.0.0.1:{server.getsockname()[1]}"
        words = ["spark", "check", "--remote", url, "-o", "json"]
        done = deltactl(words)
        out, _ = done.communicate()
        server.shutdown(socket.SHUT_RDWR)
    [*others, last] = json.loads(out)["checks"]
    assert (done.returncode, {check["passed"] for check in others}) == (9, {True})
    assert last["code"] == "MASTER_UNREACHABLE"
    assert last["message"] == (
        f"what takes connections at {url} does not answer as Spark Connect does"
    )


def take_all(server: socket.socket) -> None:
    """Take connections, and never say a word."""
    with contextlib.ExitStack() as taken, contextlib.suppress(OSError):
        while True:
            taken.enter_context(server.accept()[0])


def deltactl(words: Sequence[str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "deltactl", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_the_command_says_that_it_was_interrupted(tmp_path: Path) -> None:
    with spark_cluster.cluster(tmp_path / "cluster", workers=0) as empty:
        child = deltactl(["spark", "check", "--master", empty.url])
        wait_for(lambda: "Registered app" in empty.master.log.read_text(encoding="utf-8"))
        os.killpg(child.pid, signal.SIGINT)
        out, err = child.communicate()
    assert (child.returncode, out) == (130, b"")
    assert err == b"error: interrupted [INTERRUPTED]\n"


def test_a_worker_that_dies_under_a_job_is_made_up_for(cache: Path, tmp_path: Path) -> None:
    slow = "SELECT id, java_method('java.lang.Thread', 'sleep', 3000L) AS slept"
    statement = f"SELECT count(slept), max(id) FROM ({slow} FROM range(0, 12, 1, 12))"
    with spark_cluster.cluster(tmp_path / "cluster") as started:
        child = start_jobs(("sql", {"statements": [statement]}), master=started.url)
        begun(child)
        os.killpg(started.workers[0].process.pid, signal.SIGKILL)
        assert outcome(child)["jobs"] == [{"result": {"rows": [[12, 11]]}}]
