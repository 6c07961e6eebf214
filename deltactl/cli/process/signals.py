"""SIGTERM and SIGHUP end a command as Ctrl-C does; closed standard streams are filled."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from deltactl.errors import InterruptedRunError

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TWIN = 1.0
"""Seconds in which another signal counts as the same one.

A terminal that closes, `timeout`, and many process managers send a signal twice: to the process,
and to its group. The second one must not interrupt the cleaning up after the first one.
"""


class _Interruption:
    """Raises KeyboardInterrupt in the main thread, where Python calls handlers of signals."""

    def __init__(self) -> None:
        self._last: float | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        # A signal that is left out does not restart the time: repeated Ctrl-C gets through.
        if self._last is None or now - self._last > TWIN:
            self._last = now
            raise KeyboardInterrupt


def end_as_by_ctrl_c() -> None:
    """Have each signal that ends a program raise KeyboardInterrupt.

    Those that are ignored stay so: `nohup` and shells that start a job in the background want it.
    """
    interruption = _Interruption()
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interruption)


@contextmanager
def nothing_written() -> Iterator[None]:
    """Report a signal in the block, which writes nothing, as an interruption without a change.

    Raises:
        InterruptedRunError: the user ended it.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise InterruptedRunError("INTERRUPTED", "interrupted; nothing was written") from None


def end_no_more() -> None:
    """Ignore these signals from now on: all is done, and the exit code is known."""
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def fill_closed_streams() -> None:
    """Open /dev/null if stdin, stdout or stderr is closed.

    The next file would get its number, and what a library prints would go into a commit.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
