"""What looks like an installation to checks that start nothing."""

import hashlib
import sys
from pathlib import Path

import pytest

from deltactl.spark.install.jar_list import DELTA, delta_jars, jar_lists
from deltactl.spark.install.versions import TESTED

JAVA_17 = 'openjdk version "17.0.15" 2025-04-15'


def install(
    monkeypatch: pytest.MonkeyPatch, folder: Path, spark: str = "4.2.0", delta: str = "4.4.0"
) -> Path:
    """Have these versions found, a Spark of the first one, and a Java; return the folder of Java.

    None of it runs: for that see tests/spark.
    """
    for name, version in (("pyspark", spark), ("delta_spark", delta)):
        info = folder / "site" / f"{name}-{version}.dist-info"
        info.mkdir(parents=True)
        text = f"Name: {name.replace('_', '-')}\nVersion: {version}\n"
        info.joinpath("METADATA").write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(folder / "site"), *sys.path])
    core = folder / "spark" / "jars" / f"spark-core_2.13-{spark}.jar"
    core.parent.mkdir(parents=True)
    core.touch()
    monkeypatch.setenv("SPARK_HOME", str(folder / "spark"))
    java = folder / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{JAVA_17}' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(folder / "java"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    return folder / "java"


def install_jars(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Put small files of the names of Delta's jars into `folder`, and take them for these."""
    folder.mkdir()
    data = b"of a test"
    digest = hashlib.sha256(data).hexdigest()
    jars = [jar._replace(size=len(data), sha256=digest) for jar in delta_jars(TESTED[0])]
    monkeypatch.setitem(jar_lists(TESTED[0]), DELTA, tuple(jars))
    for jar in jars:
        (folder / jar.name).write_bytes(data)
