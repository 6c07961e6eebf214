"""Hadoop's `.NAME.crc` beside a file on a local disk: a sum for every 512 bytes of it.

Spark reads no file whose side file says otherwise, however sound the file itself is.
"""

import struct
import zlib
from collections.abc import Callable, Iterator

from deltactl.findings import Finding

MAGIC = b"crc\0"
_HEAD = struct.Struct(">4sI")
_SUFFIX = ".crc"
_BLOCK = 8 << 20
_LARGEST_CHUNK = 64 << 20

# The bytes of the file from a place on, at most so many.
Read = Callable[[int, int], bytes]


def described(name: str) -> str | None:
    """Return the file that a side file refers to; None if the name is not one of a side file."""
    if name.startswith(".") and name.endswith(_SUFFIX) and len(name) > len(_SUFFIX) + 1:
        return name[1 : -len(_SUFFIX)]
    return None


def check(name: str, side: bytes, size: int, read: Read) -> Iterator[Finding]:
    """Yield whether the sums in the side file `name` are those of the file's `size` bytes."""
    if len(side) < _HEAD.size or not side.startswith(MAGIC):
        yield _malformed(name, "crc and a chunk size", repr(side[: _HEAD.size]))
        return
    _, chunk = _HEAD.unpack_from(side)
    if not 0 < chunk <= _LARGEST_CHUNK:
        yield _malformed(name, "a chunk size", str(chunk))
        return
    number = -(-size // chunk)
    held = (len(side) - _HEAD.size) // 4
    if held != number:
        yield _stale(name, f"{number} sums for {size} bytes", f"{held} sums")
        return
    step = max(_BLOCK // chunk, 1) * chunk
    sums = struct.unpack_from(f">{number}I", side, _HEAD.size)
    for start in range(0, size, step):
        block = memoryview(read(start, step))
        actual = [zlib.crc32(block[place : place + chunk]) for place in range(0, len(block), chunk)]
        said = sums[start // chunk :][: len(actual)]
        del actual[len(said) :]  # A file may grow meanwhile.
        if tuple(actual) == said:
            continue
        place = next(n for n, pair in enumerate(zip(actual, said, strict=True)) if len({*pair}) > 1)
        expected = f"CRC-32 {actual[place]:08x} of the bytes from {start + place * chunk} on"
        yield _stale(name, expected, f"{said[place]:08x}")
        return


def _malformed(name: str, expected: str, found: str) -> Finding:
    return Finding("SIDE_FILE_MALFORMED", name, expected, found, repairable=True)


def _stale(name: str, expected: str, found: str) -> Finding:
    return Finding("SIDE_FILE_STALE", name, expected, found, repairable=True)
