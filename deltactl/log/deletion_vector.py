"""Deletion vectors: where a descriptor says that one lies, and what its bytes say.

The bytes are a RoaringBitmapArray: a magic number, and the portable 64-bit form of Roaring bitmaps.
They are counted without being unpacked.
"""

import struct
import zlib
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

MAGIC = 1681511377
FILE_VERSION = 1
INLINE, RELATIVE, ABSOLUTE = "i", "u", "p"

# Before the vector its size, behind it its CRC-32: both big-endian, all else is little-endian.
SIZE_BYTES = CRC_BYTES = 4

_ALPHABET = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
_DIGITS = {letter: value for value, letter in enumerate(_ALPHABET)}
_ID_LETTERS = 20

_NO_RUNS, _WITH_RUNS = 12346, 12347
_NO_OFFSETS_BELOW = 4
_LONGEST_ARRAY = 4096
_BITMAP_BYTES = 8192


class MalformedVectorError(Exception):
    """The bytes are not a deletion vector; `code` says in which way, the message what was found."""

    def __init__(self, code: str, expected: str, found: str) -> None:
        super().__init__(f"{found} instead of {expected}")
        self.code = code
        self.expected = expected
        self.found = found


class DeletedRows(NamedTuple):
    """How many rows a vector deletes, and the number of the last one; None if it is empty."""

    cardinality: int
    last: int | None


def z85_decode(text: str) -> bytes:
    """Return the bytes that Z85 text stands for, four for every five letters.

    Raises:
        ValueError: it is not Z85.
    """
    if len(text) % 5:
        raise ValueError(f"{len(text)} letters are not in groups of five")
    found = bytearray()
    for start in range(0, len(text), 5):
        number = 0
        for letter in text[start : start + 5]:
            digit = _DIGITS.get(ord(letter))
            if digit is None:
                raise ValueError(f"{letter!r} is not a letter of Z85")
            number = number * 85 + digit
        if number >> 32:
            raise ValueError(f"{text[start : start + 5]!r} stands for more than four bytes")
        found += number.to_bytes(4, "big")
    return bytes(found)


def relative_path(text: str) -> str:
    """Return the path below the table that a `u` descriptor's text stands for.

    Raises:
        ValueError: it does not end in the twenty letters of a UUID.
    """
    prefix, letters = text[:-_ID_LETTERS], text[-_ID_LETTERS:]
    if len(letters) < _ID_LETTERS:
        raise ValueError(f"{len(letters)} letters are not a UUID")
    digits = z85_decode(letters).hex()
    parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
    name = f"deletion_vector_{'-'.join(parts)}.bin"
    return f"{prefix}/{name}" if prefix else name


def inline(text: str, size: int) -> bytes:
    """Return the vector in an `i` descriptor, `size` bytes of it.

    Raises:
        MalformedVectorError: the text is not Z85, or not of that size.
    """
    try:
        data = z85_decode(text)
    except ValueError as error:
        raise MalformedVectorError("VECTOR_UNREADABLE", "Z85 text", str(error)) from error
    # Z85 fills up to a multiple of four.
    if not len(data) - 4 < size <= len(data):
        raise MalformedVectorError("VECTOR_SIZE_WRONG", f"{size} bytes", f"{len(data)} bytes")
    return data[:size]


def framed(block: bytes, size: int) -> bytes:
    """Return the vector in a file's block: size, vector, then CRC-32.

    Raises:
        MalformedVectorError: the size is not the descriptor's, the file ends, or the sum differs.
    """
    if len(block) < SIZE_BYTES:
        raise MalformedVectorError("VECTOR_SIZE_WRONG", f"{size} bytes", "the end of the file")
    (stored,) = struct.unpack_from(">i", block)
    if stored != size:
        raise MalformedVectorError("VECTOR_SIZE_WRONG", f"{size} bytes", f"{stored} bytes")
    data = block[SIZE_BYTES : SIZE_BYTES + size]
    if len(block) < SIZE_BYTES + size + CRC_BYTES:
        held = f"{len(data)} bytes and the end of the file"
        raise MalformedVectorError("VECTOR_SIZE_WRONG", f"{size} bytes and their sum", held)
    (crc,) = struct.unpack_from(">I", block, SIZE_BYTES + size)
    if crc != zlib.crc32(data):
        expected, found = f"CRC-32 {crc:08x}", f"{zlib.crc32(data):08x}"
        raise MalformedVectorError("VECTOR_CHECKSUM_WRONG", expected, found)
    return data


def rows(data: bytes) -> DeletedRows:
    """Return what the vector deletes.

    Raises:
        MalformedVectorError: it is of another form, cut short, or contradicts itself.
    """
    reader = _Reader(data)
    magic = reader.number("<I")
    if magic != MAGIC:
        raise MalformedVectorError("VECTOR_MAGIC_WRONG", f"magic number {MAGIC}", str(magic))
    total, last, before = 0, None, -1
    for _ in range(reader.number("<Q")):
        key = reader.number("<I")
        if key <= before:
            raise _malformed("bitmaps in order", f"bitmap {key} behind {before}")
        before = key
        for count, highest in _containers(reader):
            total += count
            last = key << 32 | highest
    if reader.left:
        raise _malformed("the end", f"{reader.left} bytes more")
    return DeletedRows(total, last)


def _containers(reader: "_Reader") -> Iterator[tuple[int, int]]:
    """Yield the cardinality and the highest value of each container of a 32-bit bitmap."""
    cookie = reader.number("<I")
    flags = b""
    if cookie & 0xFFFF == _WITH_RUNS:
        number = (cookie >> 16) + 1
        flags = reader.read((number + 7) // 8)
    elif cookie == _NO_RUNS:
        number = reader.number("<I")
    else:
        raise _malformed(f"cookie {_NO_RUNS} or {_WITH_RUNS}", str(cookie))
    if number > 1 << 16:
        raise _malformed("at most 65536 containers", str(number))
    heads = [(reader.number("<H"), reader.number("<H") + 1) for _ in range(number)]
    if not flags or number >= _NO_OFFSETS_BELOW:
        reader.read(4 * number)
    before = -1
    for place, (key, count) in enumerate(heads):
        if key <= before:
            raise _malformed("containers in order", f"container {key} behind {before}")
        before = key
        if flags and flags[place // 8] >> place % 8 & 1:
            held, highest = _run_container(reader)
        elif count <= _LONGEST_ARRAY:
            held, highest = _array_container(reader, count)
        else:
            held, highest = _bitmap_container(reader)
        if held != count:
            raise _malformed(f"{count} values in container {key}", str(held))
        yield held, key << 16 | highest


def _run_container(reader: "_Reader") -> tuple[int, int]:
    held, highest = 0, -1
    for _ in range(reader.number("<H")):
        start, more = reader.number("<H"), reader.number("<H")
        if start <= highest or start + more > 0xFFFF:
            raise _malformed("runs in order", f"a run from {start} on")
        held, highest = held + more + 1, start + more
    return held, highest


def _array_container(reader: "_Reader", count: int) -> tuple[int, int]:
    values = struct.unpack(f"<{count}H", reader.read(2 * count))
    if any(one >= other for one, other in pairwise(values)):
        raise _malformed("values in order", "values that are not")
    return count, values[-1]


def _bitmap_container(reader: "_Reader") -> tuple[int, int]:
    bits = int.from_bytes(reader.read(_BITMAP_BYTES), "little")
    return bits.bit_count(), bits.bit_length() - 1


class _Reader:
    """Takes numbers off the front of some bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._position

    def read(self, size: int) -> bytes:
        if size > self.left:
            raise _malformed(f"{size} bytes more", f"{self.left}")
        start = self._position
        self._position += size
        return self._data[start : self._position]

    def number(self, form: str) -> int:
        (value,) = struct.unpack(form, self.read(struct.calcsize(form)))
        return int(value)


def _malformed(expected: str, found: str) -> MalformedVectorError:
    return MalformedVectorError("VECTOR_UNREADABLE", expected, found)
