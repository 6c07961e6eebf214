"""Delta's jars, a session, a cluster and a Connect server, made once for all tests."""

import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import spark_cluster
from local_session import OnSession, local_session
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


_RUNNING = ExitStack()
_SESSIONS: list[OnSession] = []


@pytest.fixture(scope="module")
def on_spark(jars: list[Path]) -> OnSession:
    """A session in this process, the same for one module after the other."""
    if not _SESSIONS:
        _SESSIONS.append(_RUNNING.enter_context(local_session(jars)))
    return _SESSIONS[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """End the session before a test that does not use it, and may start its own."""
    yield
    if nextitem is None or "on_spark" not in getattr(nextitem, "fixturenames", ()):
        _SESSIONS.clear()
        _RUNNING.close()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests of this folder that share the session one behind the other."""
    here = Path(__file__).parent
    items.sort(key=lambda item: here in item.path.parents and _is_alone(item))


def _is_alone(item: pytest.Item) -> bool:
    return "on_spark" not in getattr(item, "fixturenames", ())


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
