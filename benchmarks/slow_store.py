"""A store that speaks S3 and is far away: moto, behind a proxy that holds each request back.

python -m benchmarks.slow_store 30
"""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

import obstore
from obstore.store import S3Store

BUCKET = "lake"
READ = 1 << 16


class SlowStore:
    """Its settings lead deltactl and deltalake to it; what is done here is not held back."""

    def __init__(self, port: int, direct: str) -> None:
        self.settings: Mapping[str, str] = {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_ACCESS_KEY_ID": "benchmark",
            "AWS_SECRET_ACCESS_KEY": "benchmark",
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }
        self._client = S3Store(
            BUCKET,
            endpoint=direct,
            access_key_id=self.settings["AWS_ACCESS_KEY_ID"],
            secret_access_key=self.settings["AWS_SECRET_ACCESS_KEY"],
            region=self.settings["AWS_REGION"],
            client_options={"allow_http": True},
        )

    def load(self, folder: Path, key: str) -> str:
        """Put the files of a folder below `key`, and return the URL of it."""
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            obstore.put(self._client, f"{key}/{path.relative_to(folder)}", path)
        return f"s3://{BUCKET}/{key}"

    def delete(self, key: str) -> None:
        """Remove an object."""
        obstore.delete(self._client, key)

    def names(self, prefix: str) -> set[str]:
        """Return the keys below `prefix`."""
        return {meta["path"] for page in obstore.list(self._client, prefix) for meta in page}


@contextlib.contextmanager
def slow_store(milliseconds: float) -> Iterator[SlowStore]:
    """Provide a store whose answers come so much later, until the block ends."""
    port = _free_port()
    server = subprocess.Popen(
        [Path(sys.executable).with_name("moto_server"), "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        direct = f"http://127.0.0.1:{port}"
        _wait_for(direct)
        urllib.request.urlopen(urllib.request.Request(f"{direct}/{BUCKET}", method="PUT")).close()
        yield SlowStore(_proxy(port, milliseconds / 1000), direct)
    finally:
        server.terminate()
        server.wait()


def _wait_for(url: str) -> None:
    for _ in range(300):
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{url}/moto-api/").close()
            return
        time.sleep(0.1)
    sys.exit("moto did not start")


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _proxy(port: int, seconds: float) -> int:
    """Start a proxy to `port` in a thread of its own, and return its own port."""
    ready: list[int] = []
    started = threading.Event()

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            inward, outward = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(_copy(reader, outward, seconds), _copy(inward, writer, 0))

    async def serve() -> None:
        server = await asyncio.start_server(forward, "127.0.0.1", 0)
        ready.append(server.sockets[0].getsockname()[1])
        started.set()
        await server.serve_forever()

    threading.Thread(target=lambda: asyncio.run(serve()), daemon=True).start()
    started.wait()
    return ready[0]


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    """Forward data; after a pause wait `seconds` first."""
    last = 0.0
    try:
        while data := await reader.read(READ):
            if seconds and time.monotonic() - last > seconds / 2:
                await asyncio.sleep(seconds)
            last = time.monotonic()
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()


if __name__ == "__main__":
    with slow_store(float(sys.argv[1])) as store:
        for name, value in store.settings.items():
            print(f"export {name}={value}")
        print(f"# until Ctrl-C; this is process {os.getpid()}", flush=True)
        threading.Event().wait()
