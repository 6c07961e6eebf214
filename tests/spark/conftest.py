"""Delta's jars, a cluster and a Connect server, made once for all tests that take them."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import spark_cluster
from needs import need_spark
from spark_cluster import Cluster


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for XDG_CACHE_HOME, in which `deltactl spark install` has been."""
    need_spark()
    cache = tmp_path_factory.mktemp("cache")
    jars = cache / "deltactl" / "jars"
    jars.mkdir(parents=True)
    spark_cluster.fetch_jars(jars)
    return cache


@pytest.fixture(scope="session")
def jars(cache: Path) -> list[Path]:
    """Delta's two jars."""
    return sorted((cache / "deltactl" / "jars").glob("*.jar"))


@pytest.fixture(scope="session")
def cluster(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A standalone master and two workers."""
    with spark_cluster.cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture(scope="session")
def connect_url(
    cache: Path, jars: list[Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The URL of a Spark Connect server that has Delta."""
    with spark_cluster.connect_server(tmp_path_factory.mktemp("connect"), jars) as url:
        yield url


@pytest.fixture
def spark_environment(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of nobody but the test: the jars are there, all else is the default."""
    for name in [*os.environ]:
        if name.startswith("DELTACTL_") or name in ("SPARK_HOME", "NO_COLOR"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / ".config"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
