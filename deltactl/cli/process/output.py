"""Writing to stdout: bytes and text that always arrive whole, or fail with a reason."""

import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TextIO

from deltactl.errors import DeltactlError, StorageError

SPOOL = 8 * 1024 * 1024  # bytes that are kept in memory before they go to a temporary file
COPY = 1024 * 1024
ASCII_DRAWING = str.maketrans({"│": "|", "├": "|", "└": "`", "─": "-", "→": "->", "·": "-"})


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether `stream` is a terminal that understands more than plain lines."""
    return bool(stream and stream.isatty()) and os.environ.get("TERM") != "dumb"


def write(pieces: Iterable[bytes]) -> None:
    """Write `pieces` to stdout as they come.

    Raises:
        StorageError: they cannot be written.
        BrokenPipeError: the reader has closed the pipe.
    """
    put, flush = _sink(sys.stdout)
    for piece in pieces:
        try:
            put(piece)
        except OSError as error:
            raise _failed(error) from error
    try:
        flush()
    except OSError as error:
        raise _failed(error) from error


def write_text(pieces: Iterable[str]) -> None:
    """Write `pieces` in the encoding of stdout; what it lacks is drawn in ASCII, or escaped."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    write(_encoded(piece, encoding) for piece in pieces)


def write_whole(pieces: Iterable[bytes]) -> None:
    """Write `pieces` to stdout when all of them have come: a failure leaves stdout untouched."""
    coming = iter(pieces)
    held, size = [], 0
    for piece in coming:
        held.append(piece)
        size += len(piece)
        if size > SPOOL:
            _write_spooled(chain(held, coming))
            return
    write(held)


def _write_spooled(pieces: Iterable[bytes]) -> None:
    from tempfile import TemporaryFile  # loads much that most runs do without

    with TemporaryFile() as spool:
        for piece in pieces:
            try:
                spool.write(piece)
            except OSError as error:
                raise _failed(error) from error
        spool.seek(0)
        write(iter(lambda: spool.read(COPY), b""))


def tolerate(stream: TextIO) -> None:
    """Let `stream` escape what its encoding lacks, for others that print to it."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def discard_rest() -> None:
    """Write nothing more to a stdout that is closed, not even at exit."""
    # A stdout without a descriptor is a test's, or already closed.
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)


def is_discarded() -> bool:
    """Return whether stdout is /dev/null, where `discard_rest` sends it."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        return os.path.samestat(os.fstat(sys.stdout.fileno()), os.stat(os.devnull))
    return False


def _sink(stream: TextIO | None) -> tuple[Callable[[bytes], object], Callable[[], object]]:
    """Return what writes bytes to `stream`, and what makes sure that they are written."""
    if stream is None:  # closed by the caller, who wants the exit code only
        return (lambda piece: None), (lambda: None)
    binary = getattr(stream, "buffer", None)
    if binary is None:
        return (lambda piece: stream.write(piece.decode())), stream.flush
    stream.flush()  # what was printed before comes first
    return binary.write, binary.flush


def _encoded(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(ASCII_DRAWING).encode(encoding, "backslashreplace")


def failure_of(error: DeltactlError | OSError) -> tuple[str, str]:
    """Return the code and the words for a result that could not be printed."""
    if isinstance(error, DeltactlError):
        return error.code, error.message
    return "OUTPUT_FAILED", f"cannot write the result: {error.strerror or error}"


def _failed(error: OSError) -> OSError | StorageError:
    """Return an error that says what could not be written; a closed pipe stays what it is."""
    if error.errno == errno.EPIPE:
        return error
    return StorageError(
        "OUTPUT_FAILED",
        f"cannot write the result: {error.strerror or error}",
        details={"errno": error.errno},
    )
