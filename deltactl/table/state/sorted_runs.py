"""Numbers in order, however many: sorted runs in a temporary file, which are merged in ranges."""

import os
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, Self

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.errors import StorageError

# Rows that are held in memory: 2 MiB of each column.
RUN = 1 << 18
# Keys kept of each run: they give the bounds of ranges, each about as large as a run.
_SAMPLES = 64
_WIDTH = 8

Columns = tuple[pa.Int64Array, ...]


class SortedRuns:
    """Rows of 64-bit numbers without nulls, given in any order and read back in order of the first.

    Few rows stay in memory. More than `run` of them go to a temporary file.
    """

    def __init__(self, columns: int = 1, run: int = RUN) -> None:
        self._run = run
        self._held: list[list[pa.Int64Array]] = [[] for _ in range(columns)]
        self._rows_held = 0
        self._stack = ExitStack()
        self._file: IO[bytes] | None = None
        # Where each run begins in the file, and how many rows it has.
        self._runs: list[tuple[int, int]] = []
        self._samples: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the temporary file, if there is one."""
        self._stack.close()

    def add(self, *columns: pa.Int64Array) -> None:
        """Add rows, given as one array for each column.

        Raises:
            StorageError: the temporary file cannot be written.
        """
        for held, column in zip(self._held, columns, strict=True):
            held.append(column)
        self._rows_held += len(columns[0])
        if self._rows_held > self._run:
            self._spill()

    def ordered(self) -> Iterator[Columns]:
        """Yield all rows in order, in ranges; equal keys stand in one range.

        Raises:
            StorageError: the temporary file cannot be written or read.
        """
        if self._file is None:
            if self._rows_held:
                yield self._pop_rows()
            return
        if self._rows_held:
            self._spill()
        starts = [0] * len(self._runs)
        for bound in self._bounds():
            ends = [self._place(run, bound) for run in self._runs]
            yield self._merged(starts, ends)
            starts = ends

    def _pop_rows(self) -> Columns:
        """Return the rows in memory in order, and clear them."""
        columns = [pa.concat_arrays(held) for held in self._held]
        self._held, self._rows_held = [[] for _ in columns], 0
        return _sorted(columns)

    def _spill(self) -> None:
        columns = self._pop_rows()
        rows = len(columns[0])
        step = max(rows // _SAMPLES, 1)
        self._samples += columns[0][::step].to_pylist()
        try:
            if self._file is None:
                from tempfile import TemporaryFile  # loads much that most runs do without

                file = TemporaryFile(prefix="deltactl-")  # noqa: SIM115 - closed with this object
                self._file = self._stack.enter_context(file)
            self._runs.append((self._file.seek(0, os.SEEK_END), rows))
            for column in columns:
                self._file.write(column.buffers()[1].slice(column.offset * _WIDTH, rows * _WIDTH))
            self._file.flush()
        except OSError as error:
            raise _failed(error) from error

    def _bounds(self) -> Iterator[int | None]:
        """Yield the keys at which ranges end; None is the end of all."""
        self._samples.sort()
        ranges = -(-sum(rows for _, rows in self._runs) // self._run)
        cuts = {self._samples[len(self._samples) * n // ranges] for n in range(1, ranges)}
        yield from sorted(cuts)
        yield None

    def _place(self, run: tuple[int, int], bound: int | None) -> int:
        """Return how many rows of the run are below the bound."""
        start, rows = run
        if bound is None:
            return rows

        def key(row: int) -> int:
            return int.from_bytes(self._read(start + row * _WIDTH, _WIDTH), "little", signed=True)

        return bisect_left(range(rows), bound, key=key)

    def _merged(self, starts: list[int], ends: list[int]) -> Columns:
        """Return the rows between these places of all runs, in order."""
        columns: list[pa.Int64Array] = []
        for number in range(len(self._held)):
            pieces = []
            for (place, rows), start, end in zip(self._runs, starts, ends, strict=True):
                offset = place + (number * rows + start) * _WIDTH
                data = pa.py_buffer(self._read(offset, (end - start) * _WIDTH))
                pieces.append(pa.Array.from_buffers(pa.int64(), end - start, [None, data]))
            columns.append(pa.concat_arrays(pieces))
        return _sorted(columns)

    def _read(self, offset: int, size: int) -> bytes:
        assert self._file is not None
        try:
            self._file.seek(offset)
            data = self._file.read(size)
        except OSError as error:
            raise _failed(error) from error
        if len(data) != size:
            raise _failed(OSError("a temporary file was cut short"))
        return data


def _sorted(columns: list[pa.Int64Array]) -> Columns:
    order = pc.sort_indices(columns[0])
    return tuple(column.take(order) for column in columns)


def _failed(error: OSError) -> StorageError:
    return StorageError(
        "TEMPORARY_FILE_FAILED",
        f"a temporary file: {error.strerror or error}; nothing was written to the table",
        hint="with TMPDIR set to a folder with room, run it again",
    )
