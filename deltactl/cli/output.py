"""Writing to stdout: bytes and text that always arrive whole, or fail with a reason."""

import contextlib
import errno
import os
import sys
from collections.abc import Iterable, Iterator
from typing import TextIO

from deltactl.errors import StorageError

SPOOL = 64 * 1024 * 1024  # bytes that are kept in memory before they go to a temporary file
COPY = 1024 * 1024
ASCII_DRAWING = str.maketrans({"│": "|", "├": "|", "└": "`", "─": "-", "→": "->", "·": "-"})


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether `stream` is a terminal that understands more than plain lines."""
    return bool(stream and stream.isatty()) and os.environ.get("TERM") != "dumb"


def write(pieces: Iterable[bytes]) -> None:
    """Write `pieces` to stdout as they come."""
    stream = sys.stdout
    for piece in pieces:
        with _reported():
            _write(stream, piece)
    with _reported():
        if stream is not None:
            stream.flush()


def write_text(pieces: Iterable[str]) -> None:
    """Write `pieces` in the encoding of stdout; what it lacks is drawn in ASCII, or escaped."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    write(_encoded(piece, encoding) for piece in pieces)


def write_whole(pieces: Iterable[bytes]) -> None:
    """Write `pieces` to stdout when all of them have come: a failure leaves stdout untouched."""
    from tempfile import SpooledTemporaryFile  # loads much that most runs do without

    with SpooledTemporaryFile(max_size=SPOOL) as spool:
        for piece in pieces:
            with _reported():
                spool.write(piece)
        spool.seek(0)
        write(iter(lambda: spool.read(COPY), b""))


def discard_rest() -> None:
    """Let nothing more be written to a stdout that nobody reads, not even at exit."""
    # A stdout without a descriptor is a test's, or already closed.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)


def _write(stream: TextIO | None, piece: bytes) -> None:
    if stream is None:  # closed by the caller, who wants the exit code only
        return
    binary = getattr(stream, "buffer", None)
    if binary is None:
        stream.write(piece.decode())
        return
    stream.flush()
    binary.write(piece)


def _encoded(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(ASCII_DRAWING).encode(encoding, "backslashreplace")


@contextlib.contextmanager
def _reported() -> Iterator[None]:
    """Turn a failure to write into an error that says so; a closed pipe stays what it is."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        raise StorageError(
            "OUTPUT_FAILED",
            f"cannot write the result: {error.strerror or error}",
            details={"errno": error.errno},
        ) from error
