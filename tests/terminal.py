"""A terminal of its own for one run of deltactl, with somebody who answers."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path

import deltactl

REPOSITORY = Path(deltactl.__file__).parent.parent
CTRL_C = b"\x03"


def at_a_terminal(
    typed: bytes, *args: str, columns: int = 0, before: bytes = b""
) -> tuple[int, str]:
    """Run deltactl on a terminal of its own, answer its question, and return what that shows.

    The keys `before` are pressed at once, those that are `typed` when it has asked. Colours are
    left out.
    """
    code, shown = run_at_a_terminal(*args, typed=typed, columns=columns, before=before)
    return code, re.sub(r"\x1b\[[0-9;]*m", "", shown)


def run_at_a_terminal(
    *args: str, typed: bytes = b"", columns: int = 0, before: bytes = b""
) -> tuple[int, str]:
    """Run deltactl as `at_a_terminal` does, and return all that was sent to the terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"PYTHONPATH": str(REPOSITORY), "TERM": "xterm", "COLUMNS": "80"}
        os.execv(sys.executable, [sys.executable, "-m", "deltactl", *args])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 60, columns, 0, 0))
    os.write(terminal, before)
    shown, asked, deadline = b"", False, time.monotonic() + 20
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            # Python misses a Ctrl-C right before it waits for a line, and so do people's fingers.
            if asked and typed == CTRL_C:
                os.write(terminal, typed)
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux says so of a terminal that nobody writes to any more
            break
        if not piece:
            break
        shown += piece
        if not asked and b"[y/N]" in shown:
            asked = True
            os.write(terminal, typed)
    else:
        os.kill(child, signal.SIGKILL)
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), shown.decode().replace("\r\n", "\n")
