"""Hadoop's side files: bytes that Hadoop wrote, and bytes that it would not have."""

import struct
from collections.abc import Callable

import pytest

from deltactl.verify.log.side_file import check, described

# `hello\n` as Hadoop sums it: one chunk, CRC-32 363a3020.
HELLO = bytes.fromhex("63726300 00000200 363a3020")


def reader(data: bytes) -> Callable[[int, int], bytes]:
    return lambda start, length: data[start : start + length]


def codes(side: bytes, data: bytes) -> list[str]:
    return [finding.code for finding in check("x", side, len(data), reader(data))]


def test_names() -> None:
    assert described(".00000000000000000004.json.crc") == "00000000000000000004.json"
    assert described(".00000000000000000004.crc.crc") == "00000000000000000004.crc"
    assert described("00000000000000000004.crc") is None
    assert described(".crc") is None


@pytest.mark.parametrize(
    ("side", "data", "expected"),
    [
        (HELLO, b"hello\n", []),
        (HELLO, b"hullo\n", ["SIDE_FILE_STALE"]),
        (HELLO, b"", ["SIDE_FILE_STALE"]),
        (HELLO, b"hello\n" * 100, ["SIDE_FILE_STALE"]),
        (HELLO[:8], b"", []),
        (HELLO[:6], b"", ["SIDE_FILE_MALFORMED"]),
        (b"xyz" + HELLO[3:], b"hello\n", ["SIDE_FILE_MALFORMED"]),
        (HELLO[:4] + struct.pack(">I", 0), b"", ["SIDE_FILE_MALFORMED"]),
    ],
)
def test_sums(side: bytes, data: bytes, expected: list[str]) -> None:
    assert codes(side, data) == expected
