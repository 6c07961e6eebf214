"""Named pipes, sockets and devices in the place of files, and a guard that ends a wait for them."""

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST = 5.0  # seconds


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    # The path of a socket is short; its folder's is not.
    before = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
    finally:
        os.chdir(before)


def _device(path: Path) -> None:
    path.symlink_to("/dev/tty")


SPECIAL: dict[str, Callable[[Path], None]] = {
    "named pipe": _pipe,
    "socket": _socket,
    "device": _device,
}


def replace(path: Path, what: str) -> None:
    """Put a special file in the place of the file, if there is one."""
    path.unlink(missing_ok=True)
    SPECIAL[what](path)


@contextmanager
def never_waits(pipe: Path) -> Iterator[None]:
    """Fail if the block waits for the pipe; after a while the pipe is opened for writing.

    A signal would not end the wait, because Arrow opens a file again after one.
    """
    done, waited = threading.Event(), threading.Event()

    def release() -> None:
        if done.wait(LONGEST):
            return
        while not done.wait(0.05):
            # This succeeds only if a reader has it open, or waits for a writer.
            with contextlib.suppress(OSError):
                os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
                if pipe.is_fifo():
                    waited.set()

    guard = threading.Thread(target=release, daemon=True)
    guard.start()
    try:
        yield
    finally:
        done.set()
        guard.join()
    assert not waited.is_set(), f"waited for {pipe}"
