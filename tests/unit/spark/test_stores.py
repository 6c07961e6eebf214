"""How a job comes to the store of its table: names, settings, and secrets."""

import stat

import pytest

from deltactl.errors import InvalidUsageError
from deltactl.operations.jobs import Job
from deltactl.spark.runner import Wishes
from deltactl.spark.stores import Stores
from deltactl.spark.workplace import Workplace

KEYS = {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "hush"}
AZURE = {"account_name": "acc", "account_key": "hush"}


def stores(given: dict[str, str], **environ: str) -> Stores:
    return Stores(given, {"HOME": "/nonexistent", **environ})


def test_a_local_table_takes_nothing() -> None:
    job = Job("rows", {"table": "/data/t", "limit": 3, "files": None}, "")
    found = stores({}, **KEYS)
    assert found.reach(job) == ((), {})
    assert found.renamed(job) == job


def test_a_table_in_s3() -> None:
    job = Job("rows", {"table": "s3://b/t", "message": "s3://b/t"}, "")
    found = stores({"region": "r"}, **KEYS)
    assert found.reach(job) == (
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


def test_no_secret_is_shown() -> None:
    reach = stores(AZURE).reach(Job("rows", {"table": "az://c/t"}, ""))
    wishes = Wishes(conf={"spark.x.secret": "hush"}, storage_options=AZURE)
    for text in (repr(reach), str(reach), repr(wishes), str(wishes), f"{[wishes, reach]}"):
        assert "hush" not in text


def test_an_unknown_option_ends_it() -> None:
    with pytest.raises(InvalidUsageError) as caught:
        stores({"aws_regoin": "x"}).reach(Job("rows", {"table": "s3://b/t"}, ""))
    assert caught.value.code == "STORAGE_OPTION_UNKNOWN"


def test_nobody_else_can_read_the_settings(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    workplace = Workplace()
    try:
        workplace.write_settings("spark.hadoop.fs.s3a.secret.key=hush\n")
        assert stat.S_IMODE(workplace.settings.stat().st_mode) == 0o600
        assert stat.S_IMODE(workplace.folder.stat().st_mode) == 0o700
        assert workplace.settings.read_text() == "spark.hadoop.fs.s3a.secret.key=hush\n"
        workplace.keep_log()
    finally:
        workplace.close()
    assert [path.name for path in workplace.folder.iterdir()] == ["spark.log"]
