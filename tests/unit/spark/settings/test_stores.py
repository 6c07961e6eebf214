"""How a job comes to the store of its table: names, settings, and secrets."""

import json
import re
import stat
from pathlib import Path

import pytest

from deltactl.changes.jobs import Job
from deltactl.errors import InvalidUsageError
from deltactl.spark.runner import SparkConfig
from deltactl.spark.scratch_dir import ScratchDir
from deltactl.spark.settings.stores import Stores
from deltactl.storage.options.options import resolve

KEYS = {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "hush"}
AZURE = {"account_name": "acc", "account_key": "hush"}
# What an executor's machine says of stores by itself.
THEIRS = {
    "AWS_ACCESS_KEY_ID": "theirs",
    "AWS_SECRET_ACCESS_KEY": "their secret",
    "AWS_SESSION_TOKEN": "their token",
    "AWS_PROFILE": "their profile",
    "AWS_ENDPOINT_URL": "http://theirs",
    "AWS_REGION": "their region",
}
TOLD = "spark.deltactl.secret.stores"
# As Spark has it unless somebody says otherwise.
REDACTION = "(?i)secret|password|token|access[.]?key"


def stores(given: dict[str, str], **environ: str) -> Stores:
    return Stores(given, {"HOME": "/nonexistent", **environ})


def on_executor(found: Stores, table: str, **environ: str) -> dict[str, str]:
    """What is set for S3 on an executor whose environment says that."""
    told = json.loads(found.reach(Job("footers", {"table": table}, "")).conf[TOLD])
    return dict(resolve("s3a", told["options"], environ).values)


def test_a_local_table_takes_nothing() -> None:
    job = Job("rows", {"table": "/data/t", "limit": 3, "files": None}, "")
    found = stores({}, **KEYS)
    assert found.reach(job) == ((), {})
    assert found.renamed(job) == job
    assert stores({"of_no_store": "x"}).reach(job) == ((), {})


def test_a_table_in_s3() -> None:
    job = Job("rows", {"table": "s3://b/t", "message": "s3://b/t"}, "")
    found = stores({"region": "r"}, **KEYS)
    kinds, conf = found.reach(job)
    assert (kinds, {key: value for key, value in conf.items() if key != TOLD}) == (
        ("s3",),
        {
            "spark.hadoop.fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
            "spark.hadoop.fs.s3a.endpoint.region": "r",
            "spark.hadoop.fs.s3a.access.key": "id",
            "spark.hadoop.fs.s3a.secret.key": "hush",
            "spark.hadoop.fs.s3a.aws.credentials.provider": (
                "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider"
            ),
        },
    )
    assert found.renamed(job).params == {"table": "s3a://b/t", "message": "s3://b/t"}


def test_all_places_of_a_job_are_named_as_spark_takes_them() -> None:
    params = {"target": "az://c/t/x", "base": ["az://c/t/1.parquet", "az://c/t/2.parquet"]}
    found = stores(AZURE).renamed(Job("checkpoint", params, ""))
    host = "abfss://c@acc.dfs.core.windows.net/t"
    assert found.params == {
        "target": f"{host}/x",
        "base": [f"{host}/1.parquet", f"{host}/2.parquet"],
    }


def test_keys_that_spark_would_show_are_hidden_there() -> None:
    conf = stores(AZURE).reach(Job("rows", {"table": "az://c/t"}, "")).conf
    assert conf["spark.redaction.regex"] == (
        "(?i)secret|password|token|(access|account|encryption)[.]?key"
    )
    assert conf["spark.hadoop.fs.azure.account.key.acc.dfs.core.windows.net"] == "hush"


def test_executors_are_told_what_this_machine_knows() -> None:
    mine = {"AWS_REGION": "r", **KEYS}
    assert on_executor(stores({"region": "r"}, **KEYS), "s3://b/t") == mine
    # Keys go with no token of others, and to no place that others name.
    assert on_executor(stores({"region": "r"}, **KEYS), "s3://b/t", **THEIRS) == mine
    unsigned = {"AWS_SKIP_SIGNATURE": "true"}
    assert on_executor(stores(unsigned, AWS_REGION="r"), "s3://b/t", **THEIRS) == {
        "AWS_SKIP_SIGNATURE": "true",
        "AWS_REGION": "r",
    }
    # Who has no keys here is what the machine is, and so are executors.
    assert on_executor(stores({"region": "r"}), "s3://b/t") == {"AWS_REGION": "r"}
    assert on_executor(stores({"region": "r"}), "s3://b/t", **KEYS) == mine


def test_executors_are_told_the_keys_of_a_profile(tmp_path: Path) -> None:
    files = {"AWS_CONFIG_FILE": str(tmp_path / "config")}
    files["AWS_SHARED_CREDENTIALS_FILE"] = str(tmp_path / "credentials")
    (tmp_path / "config").write_text(
        "[profile prod]\nregion = r\n[profile bare]\nregion = r\n", encoding="utf-8"
    )
    (tmp_path / "credentials").write_text(
        "[prod]\naws_access_key_id = id\naws_secret_access_key = hush\naws_session_token = t\n",
        encoding="utf-8",
    )
    found = stores({"AWS_PROFILE": "prod"}, **files)
    assert on_executor(found, "s3://b/t", **THEIRS) == {
        "AWS_REGION": "r",
        "AWS_SESSION_TOKEN": "t",
        **KEYS,
    }
    # One without keys is not looked for where there are no such files.
    found = stores({"AWS_PROFILE": "bare"}, **files)
    assert on_executor(found, "s3://b/t") == {"AWS_REGION": "r"}


@pytest.mark.parametrize(
    ("given", "environ", "expected"),
    [
        ({"hadoop_user_name": "me"}, {}, {"HADOOP_USER_NAME": "me"}),
        (
            {"HDFS_HTTP_ADDRESS": "h:1", "AWS_REGION": "r"},
            {"HDFS_HTTP_ADDRESS": "h:2", "HADOOP_USER_NAME": "me", "HDFS_DELEGATION_TOKEN": "hush"},
            {
                "HDFS_HTTP_ADDRESS": "h:1",
                "HADOOP_USER_NAME": "me",
                "HDFS_DELEGATION_TOKEN": "hush",
            },
        ),
        (
            {"HDFS_DELEGATION_TOKEN": ""},
            {"HDFS_DELEGATION_TOKEN": "hush", "HADOOP_USER_NAME": "me"},
            {"HADOOP_USER_NAME": "me"},
        ),
        ({}, {}, {"HADOOP_USER_NAME": "who-is-here"}),
    ],
)
def test_executors_ask_hdfs_as_this_machine_does(given, environ, expected, monkeypatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "who-is-here")
    reach = stores(given, **environ).reach(Job("footers", {"table": "hdfs://h/t"}, ""))
    assert (reach.kinds, [*reach.conf]) == ((), [TOLD])
    told = json.loads(reach.conf[TOLD])["options"]
    unset = {"HDFS_HTTP_ADDRESS": "", "HDFS_DELEGATION_TOKEN": ""}
    assert told == {**unset, **expected}


def test_executors_wait_for_a_store_as_long_as_this_machine() -> None:
    found = Stores({}, {"HOME": "/nonexistent"}, timeout=7.5)
    for table in ("gs://b/t", "hdfs://h/t"):
        told = json.loads(found.reach(Job("footers", {"table": table}, "")).conf[TOLD])
        assert told["timeout"] == 7.5


def test_spark_hides_what_executors_are_told() -> None:
    assert re.search(REDACTION, TOLD)


def test_no_secret_is_shown() -> None:
    reach = stores(AZURE).reach(Job("rows", {"table": "az://c/t"}, ""))
    spark_config = SparkConfig(conf={"spark.x.secret": "hush"}, storage_options=AZURE)
    for text in (
        repr(reach),
        str(reach),
        repr(spark_config),
        str(spark_config),
        f"{[spark_config, reach]}",
    ):
        assert "hush" not in text


def test_an_unknown_option_ends_it() -> None:
    with pytest.raises(InvalidUsageError) as caught:
        stores({"aws_regoin": "x"}).reach(Job("rows", {"table": "s3://b/t"}, ""))
    assert caught.value.code == "STORAGE_OPTION_UNKNOWN"


def test_nobody_else_can_read_the_settings(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    scratch_dir = ScratchDir()
    try:
        scratch_dir.write_settings("spark.hadoop.fs.s3a.secret.key=hush\n")
        assert stat.S_IMODE(scratch_dir.settings.stat().st_mode) == 0o600
        assert stat.S_IMODE(scratch_dir.folder.stat().st_mode) == 0o700
        assert scratch_dir.settings.read_text() == "spark.hadoop.fs.s3a.secret.key=hush\n"
        scratch_dir.keep_log()
    finally:
        scratch_dir.close()
    assert [path.name for path in scratch_dir.folder.iterdir()] == ["spark.log"]
