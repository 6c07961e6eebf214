"""Footers with a flipped bit, of which pyarrow is asked without that it ends the process."""

import io
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltactl.table.parquet.column_chunks import ColumnChunks

ROWS = [
    {"add": {"path": "a", "size": 1, "values": {"k": None}}, "version": 1},
    {"add": None, "version": None},
    {"add": {"path": "b", "size": None, "values": {}}, "version": 3},
]
ADD = pa.struct(
    [("path", pa.string()), ("size", pa.int64()), ("values", pa.map_(pa.string(), pa.string()))]
)
SCHEMA = pa.schema({"add": ADD, "version": pa.int32()})


def written() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS, SCHEMA), sink, row_group_size=2, store_schema=False)
    return sink.getvalue()


def test_the_nulls_of_each_row_group() -> None:
    parquet = pq.ParquetFile(io.BytesIO(written()))
    chunks = ColumnChunks(parquet.metadata)
    counts = [
        [
            held.null_count if (held := chunks.statistics(group, place)) else None
            for place in (0, 1, 4)
        ]
        for group in range(2)
    ]
    assert counts == [[1, 1, 1], [0, 1, 0]]


# Turns each bit of the footer in its turn. What pyarrow does not survive ends all of it.
FLIPS = """
import io, sys
import pyarrow as pa
import pyarrow.parquet as pq
from deltactl.table.parquet.column_chunks import ColumnChunks

good = sys.stdin.buffer.read()
footer = len(good) - 8 - int.from_bytes(good[-8:-4], "little")
raised = 0
for place in range(footer, len(good) - 8):
    for bit in range(8):
        data = bytearray(good)
        data[place] ^= 1 << bit
        try:
            parquet = pq.ParquetFile(io.BytesIO(data))
            chunks = ColumnChunks(parquet.metadata)
            for group in range(min(parquet.metadata.num_row_groups, 2)):
                for column in range(parquet.metadata.num_columns):
                    held = chunks.statistics(group, column)
                    held is not None and held.has_null_count and held.null_count
        except (pa.ArrowException, OSError, ValueError):
            raised += 1
print(raised)
"""


@pytest.mark.faults
def test_no_bit_of_a_footer_ends_the_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FLIPS], input=written(), capture_output=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert int(done.stdout) > 100
