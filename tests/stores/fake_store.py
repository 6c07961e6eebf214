"""A small object store on loopback that speaks S3 and GCS's XML API, and fails as it is told.

It takes any signature. Its paths are `/BUCKET/KEY`. A test that has the object plans faults and
reads the record with it; any other process does so by `/__faults__`, `/__record__` and
`/__manners__`.
Run as a program, `fake_store.py [BUCKET]...` prints its port, and ends when its input does.
"""

import json
import re
import socket
import sys
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from fake_answers import Answer, Asked, Manners, answer, failure
from fake_faults import Fault, Faults, Request
from fake_objects import AnswerError, Objects

BUCKET = "lake"


class FakeStore:
    """The store while it runs; a context manager."""

    def __init__(self, *buckets: str) -> None:
        self.objects = Objects(*(buckets or (BUCKET,)))
        self.faults = Faults()
        self.manners = Manners()
        # What the fake itself did wrong; a test that ends with any of these has failed.
        self.broken: list[BaseException] = []
        self._server = _Server(self)
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> "FakeStore":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        assert self.broken == []

    def stop(self) -> None:
        """Let nobody connect any more, and end the connections there are."""
        self._server.stop()
        if self._thread.is_alive():
            self._thread.join()

    def plan(self, *faults: Fault) -> None:
        """Do these things wrong from now on, and no others."""
        self.faults.plan(faults)

    def behave(self, **manners: Any) -> None:
        """Change how the store differs from others."""
        self.manners = self.manners._replace(**manners)

    def put(self, key: str, data: bytes, bucket: str = BUCKET) -> None:
        self.objects.put(bucket, key, data)

    def data(self, bucket: str = BUCKET) -> dict[str, bytes]:
        """The bytes of every object by its key."""
        return {key: entry.data for key, entry in sorted(self.objects.bucket(bucket).items())}

    def load(self, folder: Path, prefix: str, bucket: str = BUCKET) -> None:
        """Put every file below `folder` under its path below `prefix`."""
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            key = f"{prefix}/{path.relative_to(folder).as_posix()}"
            self.objects.put(bucket, key, path.read_bytes())

    def asked(self, operation: str = "", key: str = "") -> list[Request]:
        """The requests on record whose operation and key match these regular expressions."""
        return [
            request
            for request in self.faults.record()
            if re.fullmatch(operation or ".*", request.operation) and re.search(key, request.key)
        ]

    def control(self, method: str, what: str, body: bytes) -> Answer:
        """Do what another process asks of the fake itself."""
        match method, what:
            case "PUT", "__faults__":
                self.faults.plan(json.loads(body))
                return Answer(204)
            case "GET", "__faults__":
                return _json(self.faults.hits())
            case "PUT", "__manners__":
                self.behave(**json.loads(body))
                return Answer(204)
            case "GET", "__record__":
                return _json([request._asdict() for request in self.faults.record()])
            case "DELETE", "__record__":
                self.faults.clear_record()
                return Answer(204)
            case _:
                return Answer(405)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, store: FakeStore) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.store = store
        self.stopping = Event()
        self._lock = Lock()
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        error = sys.exception()
        # A client that goes away, and a connection that a fault ended, are nothing wrong here.
        if error is not None and not isinstance(error, OSError | ValueError):
            self.store.broken.append(error)

    def stop(self) -> None:
        self.stopping.set()
        self.shutdown()
        self.server_close()
        with self._lock:
            left = list(self._open)
        for connection in left:
            _end(connection)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer leaves in one piece: a second small one would wait for the first to be confirmed.
    wbufsize = 1 << 16
    disable_nagle_algorithm = True
    server: _Server

    def _do(self) -> None:
        store, body = self.server.store, self.rfile.read(int(self.headers["Content-Length"] or 0))
        parts = urlsplit(self.path)
        bucket, _, key = unquote(parts.path.lstrip("/")).partition("/")
        if bucket.startswith("__"):
            self._send(store.control(self.command, bucket, body))
            return
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._serve(Asked(self.command, bucket, key, query, headers, body))

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _do  # noqa: N815 as the base class wants it

    def _serve(self, asked: Asked) -> None:
        store = self.server.store
        request = Request(
            asked.method,
            asked.operation,
            asked.bucket,
            asked.subject,
            asked.query,
            asked.headers.get("range"),
            asked.new,
        )
        found = store.faults.of(request)
        for fault in found:
            if fault.kind == "slow":
                self.server.stopping.wait(fault.ms / 1000)
        fault = next((f for f in found if f.kind not in ("slow", "hide")), None)
        told, size, end = self._answer(asked, fault, found)
        if store.manners.latency_ms:
            self.server.stopping.wait(store.manners.latency_ms / 1000)
        whole = told is not None and (size is None or asked.method == "HEAD")
        kind = found[-1].kind if found else None
        status = told.status if told is not None and whole else None
        store.faults.add(request._replace(status=status, fault=kind))
        if told is not None:
            self._send(told, size)
        if end:
            self._end_connection()

    def _answer(
        self, asked: Asked, fault: Fault | None, found: Sequence[Fault]
    ) -> tuple[Answer | None, int | None, bool]:
        """What to answer, how much of its body to send, and whether to end the connection."""
        store, kind = self.server.store, fault.kind if fault else ""
        names = [f.names for f in found if f.kind == "hide"]

        def hidden(key: str) -> bool:
            return any(re.search(name, key) for name in names)

        if kind == "drop before":
            return None, None, True
        try:
            if fault is not None:
                fault.raise_answer()
            told = answer(store.objects, store.manners, asked, hidden)
        except AnswerError as error:
            told = failure(error, asked)
        if kind == "drop after":
            return None, None, True
        if fault is not None and kind == "cut":
            return told._replace(body=told.body[: fault.size]), None, False
        if fault is not None and kind == "short":
            return told, fault.size, True
        return told, None, False

    def _send(self, told: Answer, size: int | None = None) -> None:
        self.send_response_only(told.status)
        for name, value in told.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(told.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(told.body[:size])

    def _end_connection(self) -> None:
        self.wfile.flush()
        self.close_connection = True
        _end(self.connection)


def _end(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # The other side was faster.


def _json(value: Sequence[Any] | Mapping[str, Any]) -> Answer:
    return Answer(200, {"Content-Type": "application/json"}, json.dumps(value).encode())


def _main(buckets: Sequence[str]) -> None:
    with FakeStore(*buckets) as store:
        sys.stdout.write(f"{store.port}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    _main(sys.argv[1:])
