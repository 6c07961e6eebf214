"""`-v` shows what stores are asked, what came of it, and how long it took; and no secret."""

import json
import logging
import re
import shutil
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from fake_faults import Fault
from fake_store import FakeStore
from store_places import SECRET

import deltactl
from deltactl.cli.app import main
from deltactl.storage.locate import locate_folder
from deltactl.storage.options.settings import StoreSettings
from deltactl.storage.request_log import NAME, logged

GOLDEN = Path(__file__).parent.parent / "golden" / "all_types" / "delta"
TABLE = "s3://lake/t"
FIRST = "_delta_log/00000000000000000000.json"
NEW = "_delta_log/00000000000000000003.json"


@pytest.fixture
def store(lake: FakeStore) -> FakeStore:
    """A store with a table in it, which the environment leads to."""
    lake.load(GOLDEN, "t")
    return lake


def notes(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The notes on stderr, times replaced by N."""
    told = capsys.readouterr()
    assert SECRET not in told.out + told.err
    lines = [line.removeprefix("note: ") for line in told.err.splitlines()]
    return [re.sub(r"[0-9.]+ (ms|s\b)", r"N \1", line) for line in lines]


def test_reads(store: FakeStore, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", TABLE, "-v"]) == 0
    told = notes(capsys)
    size = len(store.data()[f"t/{FIRST}"])
    assert "GET _delta_log/_last_checkpoint: not found, N ms" in told
    assert f"GET {FIRST}: {size} bytes, N ms" in told
    assert "list _delta_log from version 0: 6 entries, N ms" in told
    assert "read protocol and metadata of version 2 (commits 3): done, N ms" in told
    assert "read files of version 2 (commits 3): done, N ms" in told
    # Each request is there.
    asked = [line for line in told if re.match("(GET|HEAD|LIST) ", line)]
    assert len(asked) >= len(store.asked("get|head|list")) - 1  # one looks for a store's answer


def test_a_write_that_is_tried_again(store: FakeStore, capsys: pytest.CaptureFixture[str]) -> None:
    store.plan(Fault(kind="503", operation="put", key=NEW, times=1))
    assert main(["property", "set", TABLE, "a.b=1", "-v"]) == 0
    told = notes(capsys)
    size = len(store.data()[f"t/{NEW}"])
    put = f"PUT {size} bytes if absent, {NEW}:"
    first = told.index(f"{put} STORE_BUSY (HTTP 503, SlowDown), N ms")
    assert told[first + 1] == f"PUT {NEW}: again in N s, for STORE_BUSY (HTTP 503, SlowDown)"
    assert told[first + 2] == f"{put} won, N ms"


def test_a_table_in_a_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shutil.copytree(GOLDEN, tmp_path / "t")
    assert main(["property", "set", str(tmp_path / "t"), "a.b=1", "-v"]) == 0
    told = notes(capsys)
    assert "list _delta_log from version 0: 6 entries, N ms" in told
    assert f"commit {NEW}: won, N ms" in told


@pytest.mark.parametrize("flags", [(), ("-v", "-q")])
def test_they_are_not_shown(
    store: FakeStore, capsys: pytest.CaptureFixture[str], flags: tuple[str, ...]
) -> None:
    # Nor by a later run in the same process.
    main(["show", TABLE, "-v"])
    capsys.readouterr()
    assert logging.getLogger(NAME).handlers == []
    assert main(["show", TABLE, *flags]) == 0
    assert capsys.readouterr().err == ""


def test_a_program_can_listen(store: FakeStore, caplog: pytest.LogCaptureFixture) -> None:
    assert deltactl.open(TABLE).version == 2
    assert caplog.messages == []
    with caplog.at_level(logging.DEBUG, NAME):
        assert deltactl.open(TABLE).version == 2
    assert any(re.fullmatch(rf"GET {FIRST}: \d+ bytes, \d+ ms", m) for m in caplog.messages)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (f"s3://lake/a?X-Amz-Signature={SECRET}", "s3://lake/a"),
        (f"hdfs://me:{SECRET}@nn/a", "hdfs://nn/a"),
        ("abfss://lake@mine.dfs.core.windows.net/a", "abfss://lake@mine.dfs.core.windows.net/a"),
        ("", "."),
    ],
)
def test_places_without_secrets(caplog: pytest.LogCaptureFixture, path: str, shown: str) -> None:
    with caplog.at_level(logging.DEBUG, NAME):
        assert logged("GET", path, lambda: b"123") == b"123"
    assert [re.sub(r"\d+ ms", "N ms", m) for m in caplog.messages] == [
        f"GET {shown}: 3 bytes, N ms"
    ]


class _NameNode(BaseHTTPRequestHandler):
    """Breaks off its first connection, and has an empty folder."""

    asked = 0

    def do_GET(self) -> None:
        _NameNode.asked += 1
        if _NameNode.asked == 1:
            self.close_connection = True
            return
        body = json.dumps({"FileStatuses": {"FileStatus": []}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def name_node() -> Iterator[str]:
    _NameNode.asked = 0
    with ThreadingHTTPServer(("127.0.0.1", 0), _NameNode) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_a_name_node_is_asked_again(name_node: str, caplog: pytest.LogCaptureFixture) -> None:
    uri = f"webhdfs://{name_node}/t"
    storage = locate_folder(uri, StoreSettings({"HDFS_DELEGATION_TOKEN": SECRET}))
    with caplog.at_level(logging.DEBUG, NAME):
        assert storage.list_from("_delta_log") == []
    assert [re.sub(r"[0-9.]+ (ms|s\b)", r"N \1", message) for message in caplog.messages] == [
        f"LISTSTATUS {uri}/_delta_log: again in N s, for RemoteDisconnected",
        "GET LISTSTATUS _delta_log: 36 bytes, N ms",
    ]
