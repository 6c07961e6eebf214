"""What a parquet footer says of the columns of its row groups, asked for without danger.

Where a footer contradicts itself, as one with a flipped bit may, pyarrow ends the whole process
when it is asked for the column: an exception of C++ there ends the process.
"""

from contextlib import suppress
from io import SEEK_SET, RawIOBase

import pyarrow as pa
from pyarrow._parquet import FileMetaData, ParquetReader, Statistics

_LONGEST = 1 << 62


class ColumnChunks:
    """The columns of a footer's row groups."""

    def __init__(self, footer: FileMetaData) -> None:
        self.footer = footer
        self._checked: set[int] = set()

    def statistics(self, group: int, place: int) -> Statistics | None:
        """Return the statistics of a column in a row group, if it has any.

        Raises:
            ValueError: the footer contradicts itself.
            OSError: likewise.
            pyarrow.ArrowException: likewise.
        """
        self._check(group)
        chunk = self.footer.row_group(group).column(place)
        column = self.footer.schema.column(place)
        if chunk.physical_type != column.physical_type:
            kinds = f"{column.physical_type}, and {chunk.physical_type} in row group {group}"
            raise ValueError(f"{column.path} is {kinds}")
        return chunk.statistics

    def _check(self, group: int) -> None:
        """Have pyarrow begin to read the row group's rows.

        It looks at each column then, and raises what is wrong, before it asks for the first page,
        of which it gets none.
        """
        if group in self._checked:
            return
        reader = ParquetReader()
        nothing = pa.PythonFile(_NoPages(), "r")
        reader.open(nothing, metadata=self.footer, buffer_size=1 << 16, pre_buffer=False)
        with suppress(_PageAskedForError):
            next(reader.iter_batches(1, [group], None, use_threads=False), None)
        self._checked.add(group)


class _PageAskedForError(Exception):
    """Nothing is wrong with the columns of the row group."""


class _NoPages(RawIOBase):
    """A file as long as any footer says, of which nothing can be read."""

    _place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        self._place = offset if whence == SEEK_SET else _LONGEST
        return self._place

    def tell(self) -> int:
        return self._place

    def read(self, size: int = -1) -> bytes:
        raise _PageAskedForError
