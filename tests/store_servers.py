"""Servers that speak as the real stores do: each a process, on a free port of loopback."""

import base64
import fcntl
import hashlib
import hmac
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path
from typing import BinaryIO

from needs import do_without, need_spark
from spark_cluster import fetch_jars, spark_home

BUCKET = "lake"
# The account that Azurite has from the start, with the key that its manual gives.
AZURITE_ACCOUNT = "devstoreaccount1"
AZURITE_KEY = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)
AZURITE = "azurite@3.35.0"
# What PySpark brings of Hadoop has no name node.
MINI_CLUSTER = ("org.apache.hadoop", "hadoop-client-minicluster", "3.5.0")
STARTS_WITHIN = 120
# A JVM that lives for minutes and does little.
SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


@contextmanager
def moto(log: Path) -> Iterator[str]:
    """The address of a moto server with the bucket; what it says goes to the file `log`."""
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
    with _running(command, log, r"Running on (http://127\.0\.0\.1:\d+)") as url:
        _ask("PUT", f"{url}/{BUCKET}")
        yield url


@contextmanager
def azurite(program: Path, log: Path) -> Iterator[str]:
    """The address of Azurite's account with the container; what it says goes to the file `log`."""
    command = [
        str(program), "--blobHost", "127.0.0.1", "--blobPort", "0", "--inMemoryPersistence",
        "--skipApiVersionCheck", "--disableTelemetry", "--silent",
    ]  # fmt: skip
    with _running(command, log, r"listens on (http://127\.0\.0\.1:\d+)") as url:
        _create_container(f"{url}/{AZURITE_ACCOUNT}")
        yield f"{url}/{AZURITE_ACCOUNT}"


def installed_azurite(folder: Path) -> Path:
    """Azurite's program: the one in $DELTACTL_AZURITE, or installed into `folder` by npm."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        do_without("Azurite needs node and npm, which are not on the PATH")
    folder = Path(os.environ.get("DELTACTL_AZURITE") or folder)
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "node_modules/.bin/azurite-blob"
    # Several processes of pytest may share the folder.
    with open(folder / "lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            _install(folder)
    return program


def _install(folder: Path) -> None:
    done = subprocess.run(
        ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", AZURITE],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    if done.returncode:
        do_without(f"npm could not install {AZURITE}: {done.stderr.strip()}")


@contextmanager
def hdfs(folder: Path) -> Iterator[str]:
    """The web address of a name node below `folder`, with a data node."""
    command, announced = _name_nodes(folder, 1), r"HDFS on (127\.0\.0\.1:\d+)"
    with _running(command, folder / "log", announced, stdin=subprocess.PIPE) as address:
        yield address


class NameNodePair:
    """Two name nodes of one file system, of which the second one is active at first."""

    def __init__(self, addresses: Sequence[str], log: Path, ask: BinaryIO) -> None:
        self.addresses = addresses
        self._log = log
        self._ask = ask

    def switch(self) -> None:
        """Make the other one active."""
        before = self._log.read_text().count("active: ")
        self._ask.write(b"\n")
        deadline = time.monotonic() + STARTS_WITHIN
        while self._log.read_text().count("active: ") == before:
            assert time.monotonic() < deadline, self._log.read_text()
            time.sleep(0.05)


@contextmanager
def hdfs_pair(folder: Path) -> Iterator[NameNodePair]:
    """Two name nodes below `folder`, with a data node."""
    command, address = _name_nodes(folder, 2), r"127\.0\.0\.1:\d+"
    theirs, ours = os.pipe()
    with open(theirs, "rb") as stdin, open(ours, "wb", buffering=0) as ask:
        announced = f"HDFS on ({address},{address})"
        with _running(command, folder / "log", announced, stdin=stdin) as both:
            yield NameNodePair(both.split(","), folder / "log", ask)


def _name_nodes(folder: Path, count: int) -> list[str]:
    """The command that runs them."""
    need_spark()
    fetch_jars(folder / "jars", [MINI_CLUSTER])
    program = Path(__file__).parent / "stores" / "MiniDfs.java"
    jars = f"{folder}/jars/*:{spark_home()}/jars/*"
    return ["java", *SHORT_LIVED, "-cp", jars, str(program), f"{folder}/data", str(count)]


@contextmanager
def fake_process(*buckets: str) -> Iterator[str]:
    """The address of a fake store that is a process of its own; it ends with its input."""
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).parent / "stores" / "fake_store.py"), *buckets],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"


@contextmanager
def _running(
    command: Sequence[str], log: Path, announced: str, stdin: int | BinaryIO | None = None
) -> Iterator[str]:
    """Run a server; yield what it announces of its address. It is ended by its own id."""
    # A file, as nobody reads a pipe to its end, and a full one stops the server.
    with log.open("w") as file:
        process = subprocess.Popen(
            command, stdin=stdin, stdout=file, stderr=subprocess.STDOUT, text=True
        )
    try:
        deadline = time.monotonic() + STARTS_WITHIN
        while (found := re.search(announced, log.read_text(errors="replace"))) is None:
            assert process.poll() is None, log.read_text(errors="replace")
            assert time.monotonic() < deadline, log.read_text(errors="replace")
            time.sleep(0.05)
        yield found[1]
    finally:
        if process.stdin is not None:
            process.stdin.close()
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _create_container(account: str) -> None:
    """Ask for it as Azure wants it: signed with the account's key."""
    date, version = formatdate(usegmt=True), "2023-11-03"
    text = (
        "PUT" + "\n" * 12 + f"x-ms-date:{date}\nx-ms-version:{version}\n"
        f"/{AZURITE_ACCOUNT}/{AZURITE_ACCOUNT}/{BUCKET}\nrestype:container"
    )
    key = base64.b64decode(AZURITE_KEY)
    signature = base64.b64encode(hmac.new(key, text.encode(), hashlib.sha256).digest()).decode()
    _ask(
        "PUT",
        f"{account}/{BUCKET}?restype=container",
        {
            "x-ms-date": date,
            "x-ms-version": version,
            "Authorization": f"SharedKey {AZURITE_ACCOUNT}:{signature}",
        },
    )


def _ask(method: str, url: str, headers: dict[str, str] | None = None) -> None:
    # The header says that there is no body; without it Azure answers 411.
    asked = urllib.request.Request(
        url, method=method, headers={"Content-Length": "0", **(headers or {})}
    )
    # No proxy of the environment stands between a test and loopback.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(asked, timeout=STARTS_WITHIN) as answer:
        assert answer.status in (200, 201)
