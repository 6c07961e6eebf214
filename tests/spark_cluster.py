"""Real Spark for tests: Delta's jars, a standalone cluster, and a Spark Connect server."""

import contextlib
import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

PATIENCE = 120.0  # seconds for a server to say that it is ready, on a busy machine
Module = tuple[str, str, str]  # who made it, its name, its version
DELTA: Sequence[Module] = (
    ("io.delta", "delta-spark_4.2_2.13", "4.4.0"),
    ("io.delta", "delta-storage", "4.4.0"),
)
_DEPENDENCIES = """<ivy-module version="2.0"><info organisation="test" module="test"/>
<dependencies>{}</dependencies></ivy-module>"""
_DEPENDENCY = '<dependency org="{}" name="{}" rev="{}" transitive="false" conf="default->master"/>'
PACKAGE = "org.apache.spark"
# Few rows of many schemas: none is worth compiling for, or spreading over partitions.
INTERPRETED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
}
# Tests end before the thorough compiler pays; one collector thread leaves the cores to others.
BRIEF_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# Heaps: of what passes others' work on, and of what does it itself.
LITTLE, ENOUGH = "256m", "1g"


def spark_home() -> Path:
    spec = importlib.util.find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def fetch_jars(folder: Path, modules: Sequence[Module] = DELTA) -> None:
    """Put jars into `folder`, Delta's own unless others are named.

    By Ivy, which PySpark brings, and which keeps a cache.
    """
    [ivy] = spark_home().glob("jars/ivy-2*.jar")
    with tempfile.TemporaryDirectory() as scratch:
        wanted = Path(scratch, "ivy.xml")
        wanted.write_text(_DEPENDENCIES.format("".join(_DEPENDENCY.format(*m) for m in modules)))
        words = ["java", "-cp", str(ivy), "org.apache.ivy.Main", "-warn", "-ivy", str(wanted)]
        words += ["-retrieve", f"{folder}/[artifact]-[revision].[ext]"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


class Server(NamedTuple):
    """A process that serves on loopback; `log` is what it printed."""

    process: "subprocess.Popen[bytes]"
    log: Path

    def wait_for(self, pattern: str) -> "re.Match[str]":
        """Wait until the server printed a line like that."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            said = self.log.read_text(encoding="utf-8", errors="replace")
            if found := re.search(pattern, said):
                return found
            assert self.process.poll() is None, said
            time.sleep(0.2)
        raise AssertionError(f"{pattern!r} did not come: {said}")


class Cluster(NamedTuple):
    """A standalone master with its workers."""

    url: str
    master: Server
    workers: list[Server]


@contextlib.contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """A master and its workers on free ports of loopback, ended with the block."""
    with contextlib.ExitStack() as stack:
        words = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        place = folder / "master"
        master = stack.enter_context(
            _server(place, [f"{PACKAGE}.deploy.master.Master", *words], LITTLE)
        )
        url = master.wait_for(r"Starting Spark master at (spark://127\.0\.0\.1:[0-9]+)")[1]
        started = []
        for number in range(workers):
            place = folder / f"worker{number}"
            own = ["-c", "1", "-m", "1500m", "-d", str(place / "work"), url]
            started.append(
                stack.enter_context(
                    _server(place, [f"{PACKAGE}.deploy.worker.Worker", *words, *own], LITTLE)
                )
            )
        for worker in started:
            worker.wait_for("Successfully registered with master")
        yield Cluster(url, master, started)


@contextlib.contextmanager
def connect_server(folder: Path, jars: Sequence[Path]) -> Iterator[str]:
    """A Spark Connect server with Delta on a free port of loopback; gives its URL."""
    port = free_port()
    conf = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.jars": ",".join(map(str, jars)),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
    }
    words = [f"{PACKAGE}.deploy.SparkSubmit", "--master", "local[2]"]
    for name, value in conf.items():
        words += ["--conf", f"{name}={value}"]
    words += ["--class", f"{PACKAGE}.sql.connect.service.SparkConnectServer", "spark-internal"]
    with _server(folder, words, ENOUGH) as server:
        server.wait_for("Spark Connect server started")
        yield f"sc://127.0.0.1:{port}"


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


@contextlib.contextmanager
def _server(folder: Path, words: Sequence[str], heap: str) -> Iterator[Server]:
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "log"
    home = spark_home()
    with open(log, "wb") as out:
        process = subprocess.Popen(
            [home / "bin" / "spark-class", *words],
            cwd=folder,
            env=_environment(home, heap),
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield Server(process, log)
        finally:
            # A worker's executors are processes of the same group.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _environment(home: Path, heap: str) -> Mapping[str, str]:
    return {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_DAEMON_MEMORY": heap,
        "SPARK_DAEMON_JAVA_OPTS": BRIEF_JVM,
        "SPARK_SUBMIT_OPTS": BRIEF_JVM,
    }
