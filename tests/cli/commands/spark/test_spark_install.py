"""`spark install` where it fails; tests/spark installs the real jars."""

import pytest
from spark_parts import install

from deltactl.spark.install.jar_list import DELTA, delta_jars, jar_lists
from deltactl.spark.install.urls import MAVEN_CENTRAL
from deltactl.spark.install.versions import TESTED

KNOWN = delta_jars(TESTED[0])
SUM_OF_X = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
FIRST = "io/delta/delta-spark_4.2_2.13/4.4.0/delta-spark_4.2_2.13-4.4.0.jar"


@pytest.fixture(autouse=True)
def _parts(monkeypatch, tmp_path) -> None:
    install(monkeypatch, tmp_path / "parts")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def test_no_network(run, valid_document) -> None:
    result = run("spark", "install", "--mirror", "http://127.0.0.1:1/maven", "-o", "json")
    assert result.exit_code == 8
    error = valid_document("spark install", result.stdout)["error"]
    assert error["code"] == "DOWNLOAD_FAILED"
    assert error["message"] == f"http://127.0.0.1:1/maven/{FIRST}: Connection refused"
    assert "--jars" in error["hint"]


def test_the_mirror_may_be_a_setting(run, monkeypatch) -> None:
    monkeypatch.setenv("DELTACTL_MIRROR", "http://me:secret@127.0.0.1:1/maven")
    result = run("spark", "install")
    assert result.exit_code == 8
    assert result.stderr.startswith(f"error: http://127.0.0.1:1/maven/{FIRST}: ")
    assert "secret" not in result.stderr
    shown = run("config", "show").stdout
    assert "http://127.0.0.1:1/maven" in shown
    assert "secret" not in shown


def test_a_folder_without_the_jars(run, tmp_path) -> None:
    result = run("spark", "install", "--jars", str(tmp_path))
    assert result.exit_code == 8
    assert result.stderr.splitlines() == [
        f"error: {tmp_path} has no delta-spark_4.2_2.13-4.4.0.jar [JAR_NOT_FOUND]",
        f"hint: get it where there is a network, from {MAVEN_CENTRAL}/{FIRST}",
    ]


def test_a_folder_with_something_else(run, tmp_path) -> None:
    (tmp_path / "delta-spark_4.2_2.13-4.4.0.jar").write_bytes(b"")
    result = run("spark", "install", "--jars", str(tmp_path))
    assert result.exit_code == 9
    assert result.stderr.splitlines()[0] == (
        f"error: {tmp_path}/delta-spark_4.2_2.13-4.4.0.jar is not the jar that was tested: "
        "its SHA-256 is e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 "
        "[JAR_CHANGED]"
    )


def test_a_mirror_that_is_no_url(run) -> None:
    result = run("spark", "install", "--mirror", "maven")
    assert result.exit_code == 2
    assert "is not the URL of a Maven repository" in result.stderr


@pytest.mark.parametrize(
    ("option", "jar"),
    [
        ("--s3", "hadoop-aws-3.5.0.jar"),
        ("--azure", "hadoop-azure-3.5.0.jar"),
        ("--gcs", "hadoop-gcp-3.5.0.jar"),
    ],
)
def test_the_jars_of_a_store_come_after_delta(run, tmp_path, monkeypatch, option, jar) -> None:
    two = (KNOWN[0]._replace(size=1, sha256=SUM_OF_X), KNOWN[1]._replace(size=1, sha256=SUM_OF_X))
    monkeypatch.setitem(jar_lists(TESTED[0]), DELTA, two)
    for known in two:
        (tmp_path / known.name).write_bytes(b"x")
    result = run("spark", "install", "--jars", str(tmp_path))
    assert result.exit_code == 0
    result = run("spark", "install", option, "--jars", str(tmp_path))
    assert result.exit_code == 8
    assert result.stderr.startswith(f"error: {tmp_path} has no {jar} [JAR_NOT_FOUND]\n")
