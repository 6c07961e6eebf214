"""The stores that run while the tests of stores do."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
import store_servers
from fake_store import FakeStore
from store_places import Place, azure, gcs, real, s3, webhdfs

_numbers = count(1)


@pytest.fixture
def fake_s3() -> Iterator[FakeStore]:
    """An empty store that speaks S3, and fails as it is told."""
    with FakeStore() as store:
        yield store


@pytest.fixture
def lake(fake_s3: FakeStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeStore:
    """An empty store that speaks S3, and that the environment leads to."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for name, value in s3(fake_s3.url, "").options.items():
        monkeypatch.setenv(name, value)
    return fake_s3


@pytest.fixture
def fake_gcs() -> Iterator[FakeStore]:
    """An empty store that speaks GCS's XML API, and fails as it is told."""
    with FakeStore() as store:
        yield store


@pytest.fixture(scope="session")
def moto(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a moto server; all tests share its bucket."""
    with store_servers.moto(tmp_path_factory.mktemp("moto") / "log") as url:
        yield url


@pytest.fixture(scope="session")
def azurite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of Azurite's account; all tests share its container."""
    folder = tmp_path_factory.mktemp("azurite")
    with store_servers.azurite(store_servers.installed_azurite(folder), folder / "log") as url:
        yield url


@pytest.fixture(scope="session")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The web address of a name node; all tests share its file system."""
    with store_servers.hdfs(tmp_path_factory.mktemp("hdfs")) as address:
        yield address


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """An empty place of its own in the store that the test is given by name."""
    name, prefix = request.param, f"tests/place-{next(_numbers)}"
    match name:
        case "local":
            yield Place(str(tmp_path / "place"))
        case "fake_s3":
            yield s3(request.getfixturevalue(name).url, prefix)
        case "fake_gcs":
            yield gcs(request.getfixturevalue(name).url, prefix)
        case "moto":
            yield s3(request.getfixturevalue(name), prefix)
        case "azurite":
            yield azure(request.getfixturevalue(name), prefix)
        case "hdfs":
            yield webhdfs(request.getfixturevalue(name), prefix)
        case "real":
            made = real()
            yield made
            # The others end with their servers or their folder.
            made.opened().clear("")
        case _:
            raise ValueError(name)
