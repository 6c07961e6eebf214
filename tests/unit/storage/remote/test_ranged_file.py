"""A file that is far away is read as one that is here, and with few requests."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltactl.storage.remote.ranged_file import RemoteFile

MIB = 1 << 20


class Far:
    """Bytes in another place; it remembers what was asked for."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.asked: list[tuple[int, int]] = []

    def __call__(self, start: int, length: int) -> bytes:
        self.asked.append((start, length))
        return self.data[start : start + length]

    def file(self) -> RemoteFile:
        return RemoteFile(self, len(self.data))


def test_a_small_file_comes_at_once() -> None:
    far = Far(bytes(range(256)) * 100)
    with far.file() as file:
        assert file.seek(-8, io.SEEK_END) == 25592
        assert file.read() == bytes(range(248, 256))
        file.seek(0)
        assert file.read(3) == b"\0\1\2"
        assert file.seek(7, io.SEEK_CUR) == 10
        assert file.read(2) == b"\n\x0b"
    assert far.asked == [(0, 25600)]


def test_beyond_the_end_is_nothing() -> None:
    with Far(b"abc").file() as file:
        file.seek(2)
        assert file.read(100) == b"c"
        assert file.read(100) == b""
        file.seek(50)
        assert file.read(1) == b""


def test_an_empty_file() -> None:
    far = Far(b"")
    with far.file() as file:
        assert file.read() == b""
    assert far.asked == []


def test_what_is_read_on_comes_in_growing_pieces() -> None:
    data = bytes(15 * MIB)
    far = Far(data)
    with far.file() as file:
        total = 0
        while piece := file.read(65536):
            total += len(piece)
    assert total == 15 * MIB
    assert far.asked == [
        (0, MIB),
        (MIB, MIB),
        (2 * MIB, 2 * MIB),
        (4 * MIB, 4 * MIB),
        (8 * MIB, 4 * MIB),
        (12 * MIB, 3 * MIB),
    ]


def test_a_table_is_the_same_as_here() -> None:
    table = pa.table(
        {"n": range(400_000), "text": [str(n * 7919 % 100_003) for n in range(400_000)]}
    )
    out = io.BytesIO()
    pq.write_table(table, out, row_group_size=100_000, compression="none", use_dictionary=False)
    far = Far(out.getvalue())
    found = pq.ParquetFile(far.file(), buffer_size=1 << 16, pre_buffer=False)
    assert pa.Table.from_batches(found.iter_batches(10_000)).equals(table)
    assert len(far.data) > 5 * MIB
    assert len(far.asked) < 20


def test_a_store_that_sends_less_is_no_end_of_the_file() -> None:
    file = RemoteFile(lambda start, length: b"x" * (length - 1), 100)
    with pytest.raises(OSError, match="99 bytes came where 100 were asked for"):
        file.read()
