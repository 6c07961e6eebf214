"""What answers at an endpoint and is no store is not taken for an empty one."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from fake_store import FakeStore
from in_process import Said, say
from store_failures import check
from store_places import azure, gcs, s3

HTML = b"<!doctype html><html><head><meta charset=utf-8></head><body><p>Log in<br></body></html>"
NAMES = {"s3": "S3", "az": "Azure", "gs": "Google Cloud Storage"}
VARIABLES = {"s3": "AWS_ENDPOINT_URL", "az": "AZURE_STORAGE_ENDPOINT", "gs": "GOOGLE_BASE_URL"}


class _Pages(BaseHTTPRequestHandler):
    """It answers to everything with the same page."""

    page = HTML

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(self.page)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(self.page)

    do_HEAD = do_GET  # noqa: N815 as the base class wants it

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def log_message(self, *_: object) -> None:
        """It says nothing."""


@pytest.fixture
def pages(request: pytest.FixtureRequest) -> Iterator[str]:
    handler = type("Handler", (_Pages,), request.param)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def run(*words: str) -> Said:
    return say([*words, "--timeout", "2s", "-o", "json"])


ANSWERS: list[dict[str, Any]] = [
    {"page": HTML},
    {"page": b"<html><body><p/></body></html>"},
    {"page": b'{"status": "ok"}'},
    {"page": b"<html/>", "do_HEAD": lambda self: self.send_error(501)},
]
IDS = ["HTML", "XHTML", "JSON", "no HEAD"]


@pytest.mark.parametrize("pages", ANSWERS, ids=IDS, indirect=True)
@pytest.mark.parametrize("command", ["show", "tables", "demo"])
@pytest.mark.parametrize("kind", ["s3", "az", "gs"])
def test_a_page_is_no_store(
    pages: str, monkeypatch: pytest.MonkeyPatch, command: str, kind: str
) -> None:
    place = {"s3": s3, "az": azure, "gs": gcs}[kind](pages, "t")
    for name, value in place.options.items():
        monkeypatch.setenv(name, value)
    said = run(command, place.uri)
    check(said, "NOT_A_STORE", 8)
    assert said.error["message"] == (
        f"{place.uri}: what answers at {pages} does not do so as {NAMES[kind]} does"
    )
    assert said.error["hint"] == (
        f"look at {VARIABLES[kind]}, and at proxies: a console, or a page to log in, may be what "
        "answers"
    )


def test_an_empty_store_is_asked_once(lake: FakeStore) -> None:
    assert run("tables", "s3://lake").exit_code == 0
    assert [request.status for request in lake.asked("head")] == [404]


def test_a_store_that_had_no_file_is_not_asked(lake: FakeStore) -> None:
    check(run("show", "s3://lake/none"), "TABLE_NOT_FOUND", 3)
    assert lake.asked("head", "deltactl") == []
