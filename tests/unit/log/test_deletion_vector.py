"""Deletion vectors: text and bytes that Spark wrote, with the numbers that its log says."""

import struct
import zlib
from pathlib import Path

import pytest

from deltactl.log.deletion_vector import (
    ABSOLUTE,
    INLINE,
    RELATIVE,
    DeletedRows,
    MalformedVectorError,
    framed,
    inline,
    relative_path,
    rows,
    z85_decode,
)

GOLDEN = Path(__file__).parent.parent.parent / "golden"
KITCHEN = GOLDEN / "tw_kitchen_sink" / "delta"
HEAD = struct.pack("<IQ", 1681511377, 1)


def array(*values: int) -> bytes:
    """A container of single values, as a bitmap of its own."""
    header = struct.pack("<IIHHI", 12346, 1, 0, len(values) - 1, 16)
    return struct.pack("<I", 0) + header + struct.pack(f"<{len(values)}H", *values)


def test_z85_of_its_specification() -> None:
    assert z85_decode("HelloWorld") == bytes.fromhex("864fd26fb559f75b")


@pytest.mark.parametrize("text", ["Hello~orld", "Hell", "%nSc1"])
def test_what_is_not_z85(text: str) -> None:
    with pytest.raises(ValueError, match=r"Z85|groups|four bytes"):
        z85_decode(text)


def test_the_example_of_the_protocol() -> None:
    # PROTOCOL.md, "Deletion Vector Descriptor Schema", both of its examples.
    assert (
        relative_path("ab^-aqEH.-t@S}K{vb[*k^")
        == "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"
    )
    assert (
        relative_path("^-aqEH.-t@S}K{vb[*k^")
        == "deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"
    )


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        ("^Bg9^0rr910000000000iXQKl0rr91000935c8Xg000311onP9", 40, DeletedRows(4, 9)),
        ("^Bg9^0rr910000000000iXQKl0rr91000315c8Xg000f5", 36, DeletedRows(2, 5)),
    ],
)
def test_inline_vectors_of_delta_rs(text: str, size: int, expected: DeletedRows) -> None:
    assert rows(inline(text, size)).cardinality == expected.cardinality


@pytest.mark.parametrize(
    ("name", "size", "cardinality"),
    [("deletion_vector_a4e5bedc-eada-4826-9444-ddaacdc21001.bin", 34, 1)],
)
def test_a_file_of_spark(name: str, size: int, cardinality: int) -> None:
    assert rows(framed((KITCHEN / name).read_bytes()[1:], size)).cardinality == cardinality


def test_runs_and_bitmaps() -> None:
    run = struct.pack("<I", 12347) + b"\x01" + struct.pack("<HH", 0, 99)
    run += struct.pack("<HHH", 1, 10, 99)
    assert rows(HEAD + struct.pack("<I", 0) + run) == DeletedRows(100, 109)
    bitmap = struct.pack("<IIHHI", 12346, 1, 2, 4999, 16)
    bitmap += (((1 << 5000) - 1) << 1000).to_bytes(8192, "little")
    assert rows(HEAD + struct.pack("<I", 0) + bitmap) == DeletedRows(5000, (2 << 16) + 5999)


def runs(*keys: int, offsets: bool) -> bytes:
    """Containers of these keys with one run each, the rows 5 to 7."""
    number = len(keys)
    data = struct.pack("<IHH", 0, 12347, number - 1) + bytes([(1 << number) - 1])
    data += b"".join(struct.pack("<HH", key, 2) for key in keys)
    data += bytes(4 * number) if offsets else b""
    return data + struct.pack("<HHH", 1, 5, 2) * number


def test_where_offsets_stand() -> None:
    # The format of Roaring bitmaps: without runs always, with them from four containers on.
    assert rows(HEAD + runs(0, 1, 9, offsets=False)) == DeletedRows(9, (9 << 16) + 7)
    assert rows(HEAD + runs(0, 1, 2, 9, offsets=True)) == DeletedRows(12, (9 << 16) + 7)
    for wrong in (runs(0, 1, 9, offsets=True), runs(0, 1, 2, 9, offsets=False)):
        with pytest.raises(MalformedVectorError):
            rows(HEAD + wrong)


def test_as_many_containers_as_there_are_keys() -> None:
    keys = range(1 << 16)
    heads = struct.pack("<II", 12346, 1 << 16) + b"".join(struct.pack("<HH", k, 0) for k in keys)
    data = HEAD + struct.pack("<I", 0) + heads + bytes(4 << 16)
    assert rows(data + struct.pack("<H", 7) * (1 << 16)) == DeletedRows(1 << 16, (0xFFFF << 16) + 7)


def test_where_a_vector_is_kept() -> None:
    # PROTOCOL.md, "Deletion Vector Descriptor Schema", `storageType`.
    assert (INLINE, RELATIVE, ABSOLUTE) == ("i", "u", "p")


def test_rows_beyond_32_bits() -> None:
    data = struct.pack("<IQ", 1681511377, 2) + array(1, 5) + struct.pack("<I", 3) + array(7)[4:]
    assert rows(data) == DeletedRows(3, (3 << 32) + 7)


def test_an_empty_vector() -> None:
    assert rows(struct.pack("<IQ", 1681511377, 0)) == DeletedRows(0, None)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "VECTOR_UNREADABLE"),
        (struct.pack("<IQ", 1681511376, 0), "VECTOR_MAGIC_WRONG"),
        (HEAD, "VECTOR_UNREADABLE"),
        (HEAD + array(1, 2)[:-1], "VECTOR_UNREADABLE"),
        (HEAD + array(2, 1), "VECTOR_UNREADABLE"),
        (HEAD + array(1, 2) + b"\0", "VECTOR_UNREADABLE"),
        (HEAD + struct.pack("<II", 0, 7), "VECTOR_UNREADABLE"),
        (HEAD + struct.pack("<III", 0, 12346, 1 << 30), "VECTOR_UNREADABLE"),
        (HEAD + struct.pack("<IIBHHHHH", 0, 12347, 1, 0, 98, 1, 10, 99), "VECTOR_UNREADABLE"),
        (HEAD + runs(1, 1, offsets=False), "VECTOR_UNREADABLE"),
        (HEAD + runs(2, 1, offsets=False), "VECTOR_UNREADABLE"),
    ],
)
def test_bytes_that_are_no_vector(data: bytes, code: str) -> None:
    with pytest.raises(MalformedVectorError) as caught:
        rows(data)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("block", "code"),
    [
        (b"", "VECTOR_SIZE_WRONG"),
        (
            struct.pack(">i", 3) + b"abc" + struct.pack(">I", zlib.crc32(b"abc")),
            "VECTOR_SIZE_WRONG",
        ),
        (struct.pack(">i", 4) + b"abcd", "VECTOR_SIZE_WRONG"),
        (struct.pack(">i", 4) + b"abcd" + b"\0" * 4, "VECTOR_CHECKSUM_WRONG"),
    ],
)
def test_frames_that_do_not_fit(block: bytes, code: str) -> None:
    with pytest.raises(MalformedVectorError) as caught:
        framed(block, 4)
    assert caught.value.code == code


def test_an_inline_vector_of_another_size() -> None:
    with pytest.raises(MalformedVectorError, match="8 bytes"):
        inline("HelloWorld", 3)
