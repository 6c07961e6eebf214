"""What `spark check` says of each part; tests/spark runs it where all parts are there."""

import socket
from pathlib import Path
from typing import Any

import pytest
from spark_parts import install

JAR = "delta-spark_4.2_2.13-4.4.0.jar"


@pytest.fixture
def java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    return install(monkeypatch, tmp_path / "parts")


def by_name(document: dict[str, Any]) -> dict[str, Any]:
    return {check["name"]: check for check in document["checks"]}


def test_each_part_is_told_with_its_remedy(run, valid_document, java) -> None:
    result = run("spark", "check", "-o", "json")
    assert (result.exit_code, result.stderr) == (9, "")
    checks = by_name(valid_document("spark check", result.stdout))
    assert [(name, check["passed"]) for name, check in checks.items()] == [
        ("versions", True),
        ("Spark", True),
        ("Java", True),
        ("jars", False),
        ("round trip", None),
    ]
    assert checks["versions"]["found"] == "pyspark 4.2.0 with delta-spark 4.4.0"
    assert checks["Spark"]["found"] == str(java.parent / "spark")
    assert checks["Java"]["found"] == f"17 of JAVA_HOME: {java}"
    folder = java.parent / "cache" / "deltactl" / "jars"
    assert checks["jars"] == {
        "name": "jars",
        "passed": False,
        "found": None,
        "code": "JARS_MISSING",
        "message": f"Delta's jar {JAR} is not in {folder}",
        "remedy": "deltactl spark install",
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--master", "local", "--remote", "sc://h"], "give --remote or --master, not both"),
        (["--remote", "sc://h", "--master", "local"], "give --master or --remote, not both"),
    ],
)
def test_there_is_one_place_to_work(run, words, said) -> None:
    result = run("spark", "check", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {said} [USAGE]\n")


def test_in_text_the_remedy_stands_below(run, java) -> None:
    folder = java.parent / "cache" / "deltactl" / "jars"
    result = run("spark", "check")
    assert (result.exit_code, result.stderr) == (9, "")
    assert [line.split(maxsplit=2) for line in result.stdout.splitlines()] == [
        ["CHECK", "RESULT"],
        ["versions", "ok", "pyspark 4.2.0 with delta-spark 4.4.0"],
        ["Spark", "ok", str(java.parent / "spark")],
        ["Java", "ok", f"17 of JAVA_HOME: {java}"],
        ["jars", "failed", f"Delta's jar {JAR} is not in {folder}"],
        ["deltactl", "spark", "install"],
        ["round", "trip", "not tried  the others come first"],
    ]
    lines = run("spark", "check", "-o", "ndjson").stdout.splitlines()
    assert [line.startswith('{"name":') for line in lines] == [True] * 5


@pytest.mark.parametrize(
    ("name", "value", "check", "code"),
    [
        ("JAVA_HOME", "/nothing/here", "Java", "JAVA_MISSING"),
        ("SPARK_HOME", "/nothing/here", "Spark", "SPARK_HOME_DIFFERS"),
        ("DELTACTL_JARS", "/nothing/here", "jars", "JARS_MISSING"),
        ("DELTACTL_MASTER", "yarn", "master", "YARN_NOT_CONFIGURED"),
    ],
)
def test_what_a_variable_names(
    run, valid_document, java, monkeypatch, name, value, check, code
) -> None:
    monkeypatch.setenv(name, value)
    result = run("spark", "check", "-o", "json")
    assert result.exit_code == 9
    found = by_name(valid_document("spark check", result.stdout))[check]
    assert (found["passed"], found["code"]) == (False, code)
    assert "/nothing/here" in found["message"] or code == "YARN_NOT_CONFIGURED"


def test_a_wrong_java(run, valid_document, java) -> None:
    (java / "bin" / "java").write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    result = run("spark", "check", "-o", "json")
    assert result.exit_code == 9
    found = by_name(valid_document("spark check", result.stdout))["Java"]
    assert (found["code"], found["message"]) == (
        "JAVA_VERSION",
        f"the Java of JAVA_HOME, {java}, is version 11; Spark runs on 17 or 21",
    )


def test_a_wrong_pair(run, valid_document, monkeypatch, tmp_path) -> None:
    install(monkeypatch, tmp_path / "parts", delta="4.4.1")
    result = run("spark", "check", "-o", "json")
    assert result.exit_code == 9
    checks = by_name(valid_document("spark check", result.stdout))
    assert checks["versions"]["code"] == "SPARK_VERSIONS_UNTESTED"
    assert checks["versions"]["remedy"] == "pip install pyspark==4.2.0 delta-spark==4.4.0"


@pytest.mark.parametrize("option", ["--master=spark", "--remote=sc"])
def test_nobody_answers(run, valid_document, java, option) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    result = run("spark", "check", f"{option}://127.0.0.1:{port}", "-o", "json")
    assert result.exit_code == 9
    found = by_name(valid_document("spark check", result.stdout))["master"]
    assert (found["code"], found["passed"]) == ("MASTER_UNREACHABLE", False)
    assert f"127.0.0.1:{port}: Connection refused" in found["message"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--master", "mesos://h"], "is not a master such as local[*]"),
        (["--remote", "spark://h"], "is not a Spark Connect server: sc://HOST:PORT"),
        (["--spark-conf", "x"], "'x' is not KEY=VALUE"),
    ],
)
def test_wrong_usage(run, words, said) -> None:
    result = run("spark", "check", *words)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize(
    ("words", "config"),
    [(["--s3"], ""), ([], '[tables]\nevents = "s3://lake/events"\n')],
    ids=["asked for", "a name of a table"],
)
def test_a_jar_of_a_store_is_missing(
    run, valid_document, java, tmp_path, monkeypatch, words, config
) -> None:
    (tmp_path / "deltactl.toml").write_text(config, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = run("spark", "check", *words, "-o", "json")
    assert result.exit_code == 9
    checks = by_name(valid_document("spark check", result.stdout))
    assert [name for name in checks if name.startswith("jars for")] == ["jars for S3"]
    folder = java.parent / "cache" / "deltactl" / "jars"
    found = checks["jars for S3"]
    assert (found["passed"], found["code"]) == (False, "JARS_MISSING")
    assert found["message"] == f"the jar hadoop-aws-3.5.0.jar is not in {folder}"
    assert found["remedy"] == "deltactl spark install --s3"


def test_jars_of_a_store_that_were_begun_with_are_looked_at(run, valid_document, java) -> None:
    folder = java.parent / "cache" / "deltactl" / "jars"
    folder.mkdir(parents=True)
    (folder / "hadoop-azure-3.5.0.jar").write_bytes(b"cut short")
    result = run("spark", "check", "-o", "json")
    found = by_name(valid_document("spark check", result.stdout))["jars for Azure"]
    assert (found["code"], found["remedy"]) == ("JAR_DAMAGED", "deltactl spark install --azure")


def test_a_spark_with_a_connector_needs_no_jars_for_the_store(run, valid_document, java) -> None:
    own = java.parent / "spark" / "jars"
    (own / "hadoop-aws-3.5.0.jar").touch()
    result = run("spark", "check", "--s3", "-o", "json")
    found = by_name(valid_document("spark check", result.stdout))["jars for S3"]
    assert (found["passed"], found["found"]) == (True, f"Spark has its own in {own}")
