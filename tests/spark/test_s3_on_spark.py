"""A table in S3 that deltactl and Spark take turns at, on this machine and on a cluster."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import store_servers
from jobs_in_child import outcome, start_jobs
from spark_cluster import Cluster, fetch_jars
from store_servers import BUCKET

from deltactl.spark.install.store_jars import store_jars
from deltactl.spark.install.versions import VersionPair
from deltactl.storage.locate import locate
from deltactl.storage.options.hadoop import for_hadoop
from deltactl.storage.options.options import resolve
from deltactl.storage.options.settings import StoreSettings

GOLDEN = Path(__file__).parent.parent / "golden"
# One that no other process of this machine has on its command line.
SECRET = f"hush-{uuid4()}"
# Spark by itself, as a job of a user: it appends a row that it reads. Stdin tells where, and how.
APPEND = """
import json, sys
from pyspark.sql import SparkSession

told = json.load(sys.stdin)
builder = SparkSession.builder
for key, value in told["conf"].items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
rows = spark.read.format("delta").load(told["table"])
rows.limit(1).write.format("delta").mode("append").save(told["table"])
spark.stop()
"""

# In which types the files of the table hold each column that was widened, and in how many files.
WIDENED = {
    "b": {"byte": 1, "long": 1, "short": 1},
    "b_i": {"byte": 1, "integer": 2},
    "b_l": {"byte": 1, "long": 2},
    "s": {"integer": 1, "long": 1, "short": 1},
    "s_l": {"long": 2, "short": 1},
    "i": {"integer": 1, "long": 2},
    "f": {"double": 2, "float": 1},
}

pytestmark = [pytest.mark.jvm, pytest.mark.servers]


@pytest.fixture(scope="module")
def s3_cache(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for XDG_CACHE_HOME that has the jars for S3, too."""
    own = tmp_path_factory.mktemp("s3-cache")
    shutil.copytree(cache, own, dirs_exist_ok=True)
    parts = [jar.path.split("/") for jar in store_jars(VersionPair("4.2.0", "4.4.0"), ["s3"])]
    modules = [(".".join(part[:-3]), part[-3], part[-2]) for part in parts]
    fetch_jars(own / "deltactl" / "jars", modules)
    return own


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """What leads to a store that speaks S3."""
    with store_servers.moto(tmp_path_factory.mktemp("moto") / "log") as url:
        yield {
            "AWS_ENDPOINT_URL": url,
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }


def upload(table: str, settings: Mapping[str, str]) -> None:
    """Put a table there whose columns were widened."""
    storage = locate(table, StoreSettings(settings))
    source = GOLDEN / "tw_integers_floats" / "delta"
    for path in sorted(each for each in source.rglob("*") if each.is_file()):
        storage.put(str(path.relative_to(source)), path.read_bytes())


def environment_of(folder: Path, cache: Path, master: str) -> dict[str, str]:
    """An environment in which nothing leads to a store."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
        "XDG_CACHE_HOME": str(cache),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "DELTACTL_MASTER": master,
    }


@pytest.fixture(params=["local", "cluster"])
def master(request: pytest.FixtureRequest) -> str:
    if request.param == "local":
        return "local[2]"
    cluster: Cluster = request.getfixturevalue("cluster")
    return cluster.url


def test_they_take_turns(
    master: str, settings: Mapping[str, str], s3_cache: Path, tmp_path: Path
) -> None:
    table = f"s3://{BUCKET}/{'cluster' if '://' in master else 'local'}/orders"
    environment = {**environment_of(tmp_path, s3_cache, master), **settings}

    def run(*words: str) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-m", "deltactl", *words, "-o", "json"],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert SECRET not in done.stdout + done.stderr
        document: dict[str, Any] = json.loads(done.stdout)
        return document

    # deltactl makes the table and widens it; Spark rewrites what is in the old types.
    made = run("demo", table)
    assert [step["exit"] for step in made["steps"]] == [0] * 15
    assert made["steps"][13]["command"] == f"deltactl prune-type-changes {table} --rewrite --yes"
    assert (made["leftOut"], made["table"]["uri"]) == (None, table)
    assert [commit["operation"] for commit in run("history", table)["commits"]] == [
        "CHANGE COLUMNS",
        "REORG",
        "CHANGE COLUMN",
        "ADD COLUMNS",
        "WRITE",
        "CHANGE COLUMN",
        "WRITE",
        "CREATE TABLE",
    ]
    # deltactl commits; Spark reads that and updates every row; deltactl sees what Spark did.
    defaults = ["--default", "'here'", "--enable", "--backfill", "--yes"]
    assert run("column", "add", table, "origin", "string", *defaults)["committed"]
    assert "UPDATE" in [commit["operation"] for commit in run("history", table)["commits"]]
    # Spark appends by itself, to what deltactl has changed, and deltactl sees it.
    assert run("widen", table, "amount", "decimal(20,0)", "--yes")["committed"]
    assert run("show", table, "--rows")["files"]["records"] == 5
    append(table.replace("s3://", "s3a://"), settings, s3_cache, master)
    assert run("history", table)["commits"][0]["operation"] == "WRITE"
    assert run("show", table, "--rows")["files"]["records"] == 6
    # Spark rewrites the files that hold old types, and deltactl forgets these types.
    assert run("prune-type-changes", table, "--rewrite", "--yes")["committed"]
    columns = run("schema", "show", table)["columns"]
    assert [column["path"] for column in columns if column["typeChanges"]] == []
    assert run("verify-checksum", table, "--all", "--data")["findings"] == []
    assert run("show", table, "--rows")["files"]["records"] == 6
    logs = [path.read_text(errors="replace") for path in tmp_path.rglob("*.log")]
    assert not [log for log in logs if SECRET in log]


def append(table: str, settings: Mapping[str, str], cache: Path, master: str) -> None:
    """Have Spark append a row to the table."""
    jars = ",".join(map(str, sorted((cache / "deltactl" / "jars").glob("*.jar"))))
    hadoop = for_hadoop(resolve("s3", settings, {}), table)
    conf = {
        "spark.master": master,
        "spark.jars": jars,
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.ui.enabled": "false",
        **{f"spark.hadoop.{key}": value for key, value in hadoop.items()},
    }
    done = subprocess.run(
        [sys.executable, "-c", APPEND],
        input=json.dumps({"table": table, "conf": conf}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_executors_read_footers(
    master: str,
    settings: Mapping[str, str],
    s3_cache: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    table = f"s3://{BUCKET}/{'cluster' if '://' in master else 'local'}/footers"
    upload(table, settings)
    folders = [tmp_path]
    if "://" in master:
        cluster: Cluster = request.getfixturevalue("cluster")
        folders += [worker.log.parent for worker in cluster.workers]
    events, scratch = tmp_path / "events", tmp_path / "scratch"
    events.mkdir()
    scratch.mkdir()
    conf = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": events.as_uri(),
        "spark.local.dir": str(scratch),
    }
    words = [sys.executable, "-m", "deltactl", "prune-type-changes", table, "--dry-run"]
    words += ["-o", "json", "--no-progress"]
    words += [w for key, value in settings.items() for w in ("--storage-option", f"{key}={value}")]
    words += [w for key, value in conf.items() for w in ("--spark-conf", f"{key}={value}")]

    def held(engine: str) -> dict[str, dict[str, int]]:
        out, err = tmp_path / f"out-{engine}", tmp_path / f"err-{engine}"
        with open(out, "wb") as said, open(err, "wb") as noise:
            environment = environment_of(tmp_path, s3_cache, master)
            asked = [*words, "--engine", engine]
            with subprocess.Popen(asked, env=environment, stdout=said, stderr=noise) as child:
                seen, told = looked_at(folders, child)
        assert child.returncode == 4, out.read_text() + err.read_text()  # no column is prunable
        # Spark's settings go by this file, which nobody else can read.
        assert told <= {"spark.properties"}
        assert engine == "local" or "spark.log" in seen
        assert ("child.json" in seen) is (engine == "spark" and "://" in master)
        columns = json.loads(out.read_bytes())["columns"]
        return {c["path"]: {t["type"]: t["files"] for t in c["physicalTypes"]} for c in columns}

    assert held("local") == held("spark") == WIDENED
    [log] = [path for path in events.rglob("*") if path.is_file() and "events" in path.name]
    assert '"spark.deltactl.secret.stores":"*********(redacted)"' in log.read_text()


def looked_at(
    folders: Sequence[Path], child: "subprocess.Popen[bytes]"
) -> tuple[set[str], set[str]]:
    """The names of the files below the folders until the child ends, and of those with the secret.

    What other processes have on their command lines counts as such a file, too.
    """
    seen: set[str] = set()
    told: set[str] = set()
    secret = SECRET.encode()
    # That of the test, which a process that is about to become another has for a moment.
    own = "".join(f"{word}\0" for word in child.args).encode()
    while True:
        is_over = child.poll() is not None
        found = [each for folder in folders for each in os.walk(folder)]
        places = [Path(at, name) for at, _, names in found for name in names]
        for path in [*places, *Path("/proc").glob("[0-9]*/cmdline")]:
            if path.suffix == ".jar":
                continue
            try:
                text = path.read_bytes()
            except OSError:
                continue  # It was gone before it could be read.
            seen.add(path.name)
            if secret in text and text != own:
                told.add(path.name)
                assert path.stat().st_mode & 0o077 == 0
        if is_over:
            return seen, told
        time.sleep(0.05)


@pytest.mark.usefixtures("spark_environment")
def test_executors_without_obstore(
    cluster: Cluster,
    settings: Mapping[str, str],
    s3_cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    [pyarrow] = find_spec("pyarrow").submodule_search_locations
    (packages / "pyarrow").symlink_to(pyarrow)
    lean = tmp_path / "lean-python"
    path = f'PYTHONPATH="$PYTHONPATH:{packages}"'
    lean.write_text(f'#!/bin/sh\n{path} exec {sys.executable} -S "$@"\n', encoding="utf-8")
    lean.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(s3_cache))
    monkeypatch.setenv("PYSPARK_PYTHON", str(lean))
    table = f"s3://{BUCKET}/nowhere"
    ask = {"table": table, "paths": ["0.parquet"], "places": [[["v"], None]]}
    jobs = start_jobs(("footers", ask), master=cluster.url, storage_options={**settings})
    [lacking] = outcome(jobs)["jobs"]
    assert (lacking["error"]["code"], lacking["error"]["exit"]) == ("NO_OBSTORE_ON_EXECUTOR", 9)
    assert lacking["error"]["message"].endswith("has no obstore")
    assert "--engine local" in "".join(lacking["error"]["hint"])
