"""Output that is longer than the screen, a page at a time, as git shows it."""

import contextlib
import io
import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from typing import TextIO

VARIABLE = "DELTACTL_PAGER"
_STDOUT = 1
# What `less` and `lv` need for colours, and to leave short texts on the screen.
_OPTIONS = {"LESS": "FRX", "LV": "-c"}


class PagerQuitError(Exception):
    """The reader has seen enough."""


def pager_command(environ: Mapping[str, str]) -> str | None:
    """Return the command line of the reader's pager; None if it is missing or unwanted.

    A pager prints where this process does: its stdout must be the terminal itself.
    """
    if not os.isatty(_STDOUT):
        return None
    command = environ.get(VARIABLE, environ.get("PAGER", "less"))
    with contextlib.suppress(ValueError):  # quotes that do not match
        words = shlex.split(command)
        if words and words != ["cat"] and shutil.which(words[0]):
            return command
    return None


@contextlib.contextmanager
def paged(terminal: TextIO, command: str) -> Iterator["PagedText"]:
    """Give a stream that shows its text on `terminal`: through the pager, if a screen is too small.

    The block ends without an error if the reader quits the pager before all was written.
    """
    text = PagedText(terminal, command)
    try:
        yield text
    except PagerQuitError:
        pass
    finally:
        text.close()


class PagedText(io.TextIOBase):
    """Text for a terminal, held back until it is known whether it fits the screen."""

    def __init__(self, terminal: TextIO, command: str) -> None:
        self._terminal = terminal
        self._command = command
        self._room = shutil.get_terminal_size().lines - 1  # the last line is the prompt's
        self._held: list[str] = []
        self._pager: subprocess.Popen[str] | None = None

    @property
    def encoding(self) -> str:  # type: ignore[override]  # typeshed has a variable there
        """The encoding of the terminal."""
        return self._terminal.encoding

    def isatty(self) -> bool:
        """Return True: somebody reads it on a terminal in the end."""
        return True

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: str) -> int:
        """Write `text`, now or as soon as it is known to whom.

        Raises:
            PagerQuitError: the reader has left the pager.
        """
        if self._pager is not None:
            self._pass_on(text)
            return len(text)
        self._held.append(text)
        self._room -= text.count("\n")
        if self._room < 0:
            self._pager = self._started()
            self._pass_on("".join(self._held))
            self._held.clear()
        return len(text)

    def close(self) -> None:
        """Show what was held back, or wait until the reader leaves the pager."""
        if self.closed:
            return
        super().close()
        if self._pager is None:
            self._terminal.write("".join(self._held))
            self._terminal.flush()
            return
        # Ctrl-C is a key of the pager, which ends by another one.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with contextlib.suppress(OSError):
                self._pager_input.close()
            self._pager.wait()
        finally:
            signal.signal(signal.SIGINT, before)

    def _started(self) -> "subprocess.Popen[str]":
        environ = {**_OPTIONS, **os.environ}
        # A pager is a command line of the reader's own shell, as for git and man.
        return subprocess.Popen(
            self._command,
            shell=True,
            stdin=subprocess.PIPE,
            env=environ,
            encoding=self.encoding,
            errors="backslashreplace",
        )

    def _pass_on(self, text: str) -> None:
        try:
            self._pager_input.write(text)
            self._pager_input.flush()
        except BrokenPipeError:
            raise PagerQuitError from None

    @property
    def _pager_input(self) -> TextIO:
        assert self._pager is not None
        assert self._pager.stdin is not None
        return self._pager.stdin  # type: ignore[return-value]
