"""A terminal is told what is waited for, once that has taken a second, and is left clean."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from fake_store import FakeStore

GOLDEN = Path(__file__).parent.parent / "golden" / "all_types" / "delta"
WAITING = re.compile(rb"\r\x1b\[2Kwaiting for s3://lake/t  [0-9]+ s")


def shown(*flags: str) -> tuple[int, bytes]:
    """The exit code, and what comes to stderr, which is a terminal."""
    controller, terminal = pty.openpty()
    with os.fdopen(controller, "rb", buffering=0) as seen:
        child = subprocess.Popen(
            [sys.executable, "-m", "deltactl", "schema", "show", "s3://lake/t", *flags],
            stdin=terminal,
            stdout=subprocess.DEVNULL,
            stderr=terminal,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                "TERM": "xterm",
            },
        )
        os.close(terminal)
        found = b""
        try:
            while piece := seen.read(1 << 16):
                found += piece
        except OSError:
            pass  # so a terminal ends whose other side is closed
        return child.wait(60), found


@pytest.fixture
def slow(lake: FakeStore) -> FakeStore:
    """A store with a table in it, each of whose answers takes most of a second."""
    lake.load(GOLDEN, "t")
    lake.behave(latency_ms=700)
    return lake


def test_what_is_waited_for(slow: FakeStore) -> None:
    code, found = shown()
    assert code == 0
    assert WAITING.search(found)
    # The line is gone at the end, and there was nothing else.
    assert found.endswith(b"\r\x1b[2K")
    assert WAITING.sub(b"", found).replace(b"\r\x1b[2K", b"") == b""


@pytest.mark.parametrize("flag", ["--quiet", "--no-progress"])
def test_who_does_not_want_it(slow: FakeStore, flag: str) -> None:
    assert shown(flag) == (0, b"")
