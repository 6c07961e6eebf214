"""A table in S3 that deltactl and Spark take turns at, on this machine and on a cluster."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import store_servers
from spark_cluster import Cluster, fetch_jars
from store_servers import BUCKET

from deltactl.spark.store_jars import store_jars
from deltactl.spark.versions import Pair
from deltactl.storage.hadoop import for_hadoop
from deltactl.storage.options import resolve

SECRET = "hush-0123456789"
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

pytestmark = [pytest.mark.jvm, pytest.mark.servers]


@pytest.fixture(scope="module")
def s3_cache(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for XDG_CACHE_HOME that has the jars for S3, too."""
    own = tmp_path_factory.mktemp("s3-cache")
    shutil.copytree(cache, own, dirs_exist_ok=True)
    parts = [jar.path.split("/") for jar in store_jars(Pair("4.2.0", "4.4.0"), ["s3"])]
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
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
        **settings,
        "XDG_CACHE_HOME": str(s3_cache),
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
        "DELTACTL_MASTER": master,
    }

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
