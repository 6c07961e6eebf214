"""A proxy in front of a real store that loses a share of the answers to commits."""

import random
import re
import socket
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, Self

# The body is sent in one piece, and the connection stays.
_NOT_PASSED_ON = {"connection", "content-length", "transfer-encoding"}


class DroppingProxy:
    """Passes all on to `target`, HOST:PORT; a context manager.

    The answers to a share of the PUTs whose URLs match the pattern are lost: the store has done
    what was asked.
    """

    def __init__(self, target: str, pattern: str, share: float, seed: int) -> None:
        self.target = target
        self.dropped = 0
        self._pattern = re.compile(pattern)
        self._share = share
        self._chance = random.Random(seed)
        self._lock = Lock()
        self._server = _Server(self)
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def loses(self, method: str, path: str) -> bool:
        """Whether the answer to this request is lost; it counts then."""
        if method != "PUT" or not self._pattern.search(path):
            return False
        with self._lock:
            is_lost = self._chance.random() < self._share
            self.dropped += is_lost
        return is_lost


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, proxy: DroppingProxy) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.proxy = proxy

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is nothing wrong here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16
    disable_nagle_algorithm = True
    server: _Server

    def _do(self) -> None:
        proxy = self.server.proxy
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        store = HTTPConnection(proxy.target, timeout=60)
        try:
            store.request(self.command, self.path, body, dict(self.headers))
            answer = store.getresponse()
            data = answer.read()
        finally:
            store.close()
        if proxy.loses(self.command, self.path):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in _NOT_PASSED_ON:
                self.send_header(name, value)
        length = answer.headers["Content-Length"] if self.command == "HEAD" else len(data)
        self.send_header("Content-Length", str(length or 0))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _do  # noqa: N815 as the base class wants it
