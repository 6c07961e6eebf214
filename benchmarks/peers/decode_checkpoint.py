"""Decode every column of a table's newest checkpoint with pyarrow, and let go of it."""

import sys
from pathlib import Path

import pyarrow.parquet as pq

ROWS = 16_384

newest = max(Path(sys.argv[1], "_delta_log").glob("*.checkpoint*.parquet"))
with pq.ParquetFile(newest, buffer_size=1 << 16, pre_buffer=False) as parquet:
    for _ in parquet.iter_batches(batch_size=ROWS, use_threads=False):
        pass
