"""Fetching and finding jars, from a real server on loopback."""

import base64
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltactl.errors import DeltactlError
from deltactl.spark.install.jar_list import delta_jars
from deltactl.spark.install.jars import Installed, Jar, find_jars, install
from deltactl.spark.install.urls import MAVEN_CENTRAL
from deltactl.spark.install.versions import TESTED

# The sums are what sha256sum prints.
FIRST = Jar(
    "org/a/first/1/first-1.jar",
    9,
    "ea29f3a138ac326c05d20637397e089aa28af508e216e2fd3c5148d06013207e",
)
SECOND = Jar(
    "org/a/second/1/second-1.jar",
    10,
    "1b8912aa2a9bd45b6391f1f8aee09171b0d254174b51ccc33e96bbd29e4ae735",
)
CONTENTS = {FIRST: b"first jar", SECOND: b"second jar"}


class Repository(http.server.BaseHTTPRequestHandler):
    """A Maven repository below /maven; `login`, if set, is what it wants to be told."""

    files: dict[str, bytes]
    login: str | None
    says_longer: bool
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.login and self.headers["Authorization"] != self.login:
            self.send_error(401)
            return
        data = self.files.get(self.path)
        if data is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(data) + self.says_longer))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Served:
    """A running repository, and what it was asked for."""

    def __init__(self) -> None:
        self.handler = type("Handler", (Repository,), {})
        self.handler.files = {f"/maven/{jar.path}": data for jar, data in CONTENTS.items()}
        self.handler.login, self.handler.says_longer, self.handler.asked = None, False, []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler)
        self.host = f"127.0.0.1:{self.server.server_port}"
        self.url = f"http://{self.host}/maven"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    served = Served()
    yield served
    served.server.shutdown()
    served.server.server_close()


def put(folder: Path, source: str) -> list[Installed]:
    return install([FIRST, SECOND], folder, source=source, timeout=10, fetched=lambda size: None)


def failure(folder: Path, source: str) -> DeltactlError:
    with pytest.raises(DeltactlError) as caught:
        put(folder, source)
    return caught.value


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_the_jars_of_the_tested_pair() -> None:
    [pair] = TESTED
    assert [(jar.path, jar.size) for jar in delta_jars(pair)] == [
        ("io/delta/delta-spark_4.2_2.13/4.4.0/delta-spark_4.2_2.13-4.4.0.jar", 9515916),
        ("io/delta/delta-storage/4.4.0/delta-storage-4.4.0.jar", 113863),
    ]


@pytest.mark.parametrize("end", ["", "/"])
def test_they_are_fetched_once(served, tmp_path, end) -> None:
    folder = tmp_path / "cache" / "jars"
    sizes: list[int] = []
    found = install(
        [FIRST, SECOND], folder, source=served.url + end, timeout=10, fetched=sizes.append
    )
    assert found == [
        Installed(folder / "first-1.jar", 9, FIRST.sha256, True),
        Installed(folder / "second-1.jar", 10, SECOND.sha256, True),
    ]
    assert sum(sizes) == 19
    assert served.handler.asked == [f"/maven/{FIRST.path}", f"/maven/{SECOND.path}"]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        "first-1.jar": b"first jar",
        "second-1.jar": b"second jar",
    }
    assert [jar.fetched for jar in put(folder, served.url)] == [False, False]
    assert len(served.handler.asked) == 2
    assert find_jars([FIRST, SECOND], folder, named=False) == sorted(folder.iterdir())


def test_a_damaged_one_is_fetched_anew(served, tmp_path) -> None:
    put(tmp_path, served.url)
    (tmp_path / "first-1.jar").write_bytes(b"first j")
    assert [jar.fetched for jar in put(tmp_path, served.url)] == [True, False]
    assert (tmp_path / "first-1.jar").read_bytes() == b"first jar"


def test_from_a_folder(tmp_path) -> None:
    source = tmp_path / "usb"
    source.mkdir()
    for jar, data in CONTENTS.items():
        (source / jar.name).write_bytes(data)
    assert [jar.fetched for jar in put(tmp_path / "jars", str(source))] == [True, True]
    assert names(tmp_path / "jars") == ["first-1.jar", "second-1.jar"]


def test_a_folder_without_them(tmp_path) -> None:
    error = failure(tmp_path / "jars", str(tmp_path))
    assert (error.code, error.exit_code) == ("JAR_NOT_FOUND", 8)
    assert error.message == f"{tmp_path} has no first-1.jar"
    assert names(tmp_path / "jars") == []


@pytest.mark.parametrize("data", [b"first JAR", b"first jar and more", b""])
def test_what_is_not_the_tested_jar_is_not_kept(served, tmp_path, data) -> None:
    served.handler.files[f"/maven/{FIRST.path}"] = data
    error = failure(tmp_path / "jars", served.url)
    assert (error.code, error.exit_code) == ("JAR_CHANGED", 9)
    assert error.message.startswith(f"{served.url}/{FIRST.path} is not the jar that was tested")
    assert names(tmp_path / "jars") == []


def test_an_answer_that_is_cut_short(served, tmp_path) -> None:
    served.handler.says_longer = True
    served.handler.files[f"/maven/{FIRST.path}"] = b"first j"
    error = failure(tmp_path / "jars", served.url)
    assert error.exit_code in (8, 9)
    assert names(tmp_path / "jars") == []


def test_a_repository_that_lacks_them(served, tmp_path) -> None:
    error = failure(tmp_path / "jars", f"http://{served.host}/elsewhere")
    assert (error.code, error.exit_code) == ("JAR_NOT_FOUND", 8)
    assert error.message == f"http://{served.host}/elsewhere/{FIRST.path}: HTTP status 404"
    assert error.hint == "is the URL that of a Maven repository?"


def test_nobody_answers(served, tmp_path) -> None:
    served.server.shutdown()
    served.server.server_close()
    error = failure(tmp_path / "jars", served.url)
    assert (error.code, error.exit_code) == ("DOWNLOAD_FAILED", 8)
    assert "Connection refused" in error.message
    assert "--jars" in (error.hint or "")


@pytest.mark.parametrize("source", ["http://.host/maven", f"http://{'a' * 64}/", "http://{}/é"])
def test_a_url_that_nothing_can_be_asked_by(served, tmp_path, source) -> None:
    error = failure(tmp_path / "jars", source.format(served.host))
    assert (error.code, error.exit_code) == ("DOWNLOAD_FAILED", 8)
    assert "--mirror URL" in (error.hint or "")
    assert served.handler.asked == []


def test_a_login_goes_with_the_url_and_is_not_shown(served, tmp_path) -> None:
    served.handler.login = f"Basic {base64.b64encode(b'me:p@ss').decode()}"
    put(tmp_path / "jars", f"http://me:p%40ss@{served.host}/maven")
    assert names(tmp_path / "jars") == ["first-1.jar", "second-1.jar"]
    error = failure(tmp_path / "other", f"http://me:wrong@{served.host}/maven")
    assert error.code == "DOWNLOAD_FAILED"
    assert error.message == f"{served.url}/{FIRST.path}: HTTP status 401"
    assert "wrong" not in f"{error.message} {error.hint} {error.details}"


def test_a_folder_that_cannot_be_made(served, tmp_path) -> None:
    (tmp_path / "file").touch()
    error = failure(tmp_path / "file" / "jars", served.url)
    assert (error.code, error.exit_code) == ("CACHE_NOT_WRITABLE", 8)
    assert "XDG_CACHE_HOME" in (error.hint or "")


def missing_and_damaged(folder: Path, *, named: bool) -> list[tuple[str, str | None]]:
    found = []
    for data in (None, b"first JAR", b"first"):
        (folder / "second-1.jar").write_bytes(b"second jar")
        if data is not None:
            (folder / "first-1.jar").write_bytes(data)
        with pytest.raises(DeltactlError) as caught:
            find_jars([FIRST, SECOND], folder, named=named)
        assert caught.value.exit_code == 9
        found.append((caught.value.code, caught.value.hint))
    return found


def test_what_is_missing_or_damaged_is_told_with_its_remedy(tmp_path) -> None:
    assert missing_and_damaged(tmp_path, named=False) == [
        ("JARS_MISSING", "deltactl spark install"),
        ("JAR_DAMAGED", "deltactl spark install"),
        ("JAR_DAMAGED", "deltactl spark install"),
    ]


def test_in_a_folder_that_was_named_the_user_has_to_put_them(tmp_path) -> None:
    get_it = f"get it from {MAVEN_CENTRAL}/{FIRST.path}"
    assert missing_and_damaged(tmp_path, named=True) == [
        ("JARS_MISSING", get_it),
        ("JAR_DAMAGED", get_it),
        ("JAR_DAMAGED", get_it),
    ]
