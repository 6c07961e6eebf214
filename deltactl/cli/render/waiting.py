"""A line on stderr while a store has not answered; it is gone when it has."""

import os
import sys
import time
from contextlib import suppress

from deltactl.cli.render.progress import PATIENCE, CountingProgress
from deltactl.cli.render.visible import visible


class Waiting:
    """Tell on a terminal how long a command that began at `began` runs; bars have own clocks."""

    def __init__(self, began: float) -> None:
        self._begun = began
        self._is_drawn = False

    def __call__(self, uri: str | None) -> None:
        """Draw that the store of `uri` is waited for; None: it has answered."""
        seconds = time.monotonic() - self._begun
        if uri is not None and seconds > PATIENCE and not CountingProgress.is_drawn:
            self._draw(f"waiting for {visible(uri)}  {seconds:.0f} s")
        elif self._is_drawn:
            self._draw("")

    def _draw(self, line: str) -> None:
        # Whoever closes stderr, or has it full, only misses this.
        with suppress(OSError, ValueError):
            width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
            sys.stderr.write(f"\r\x1b[2K{line[: width - 1]}")
            sys.stderr.flush()
        self._is_drawn = bool(line)
