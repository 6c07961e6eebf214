"""`spark install` where it fails; tests/spark installs the real jars."""

import pytest
from spark_parts import install

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
        f"hint: get it where there is a network, from https://repo1.maven.org/maven2/{FIRST}",
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
    assert "is no URL of a Maven repository" in result.stderr
