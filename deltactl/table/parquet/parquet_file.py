"""One open parquet file of a checkpoint: what its footer says, and its rows in batches.

`pyarrow.parquet` has a class for this, and loads every file system of Arrow and all of TLS with it,
which takes as long as all else that a small command does. So its reader is used without it.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, Self

import pyarrow as pa
from pyarrow._parquet import FileMetaData, ParquetReader

from deltactl.table.parquet.column_chunks import ColumnChunks


class ParquetFile:
    """A file that is open until it is closed; INT96 is read to the microsecond.

    Every method raises pyarrow.ArrowException, OSError or ValueError if the file is damaged.
    """

    def __init__(self, source: Any, chunks: ColumnChunks | None = None) -> None:
        """Open the file; with `chunks` of an earlier time its footer is not read again."""
        self.source = source
        self._reader = ParquetReader()
        # Without the first two a row group is held whole, and delta-rs writes all as one.
        # Without the third a damaged page may pass for a schema, or for files. Without the last a
        # timestamp before 1677 or after 2262 overflows, and becomes another one.
        self._reader.open(
            source,
            metadata=None if chunks is None else chunks.footer,
            buffer_size=1 << 16,
            pre_buffer=False,
            page_checksum_verification=True,
            coerce_int96_timestamp_unit="us",
        )
        self.chunks = ColumnChunks(self._reader.metadata) if chunks is None else chunks

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()

    @property
    def metadata(self) -> FileMetaData:
        """The footer."""
        return self.chunks.footer

    @cached_property
    def schema_arrow(self) -> pa.Schema:
        """The schema in Arrow's types."""
        return self._reader.schema_arrow

    @cached_property
    def leaves(self) -> list[str]:
        """The columns without parts, each by its path with dots."""
        return [".".join(path) for path in self._reader.column_paths]

    @cached_property
    def legacy_times(self) -> frozenset[str]:
        """The leaves in parquet's old form of a timestamp, which has no zone and is an instant."""
        schema = self.metadata.schema
        columns = (schema.column(place) for place in range(len(schema)))
        return frozenset(c.path for c in columns if c.physical_type == "INT96")

    @property
    def groups(self) -> range:
        """The numbers of the row groups."""
        return range(self.metadata.num_row_groups)

    def rows_of(self, group: int, names: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
        """Return a row group in batches of that size: the named columns that have values.

        A name is that of a leaf or of a struct.
        """
        return self._rows_of(group, self._columns(self.names_with_values(group, names)), size)

    def all_of(
        self, group: int, leaves: Collection[str] | None, size: int
    ) -> Iterator[pa.RecordBatch]:
        """Return a row group in batches of that size: these leaves, or all."""
        columns = None
        if leaves is not None:
            columns = [place for place, leaf in enumerate(self.leaves) if leaf in leaves]
        return self._rows_of(group, columns, size)

    def scan(self, leaf: str) -> None:
        """Decode every page of a leaf, and make nothing of its values: half of the work of Arrow.

        Raises:
            ValueError: there are other rows than the footer says.
        """
        rows = self._reader.scan_contents([self.leaves.index(leaf)])
        if rows != (said := self.metadata.num_rows):
            raise ValueError(f"{leaf} has {rows} rows, and {said} by its footer")

    def _rows_of(
        self, group: int, columns: Sequence[int] | None, size: int
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows with the columns of these numbers.

        Raises:
            ValueError: there are other rows than the footer says. Arrow ends quietly at the end of
                the first column, which the damaged head of a page can bring about too early. Or two
                columns have one name.
            pyarrow.ArrowException: a value is not UTF-8, or does not fit its type.
        """
        rows = 0
        # One reader a row group: a reader of all keeps what it decoded of each until it ends.
        for batch in self._reader.iter_batches(size, [group], columns, use_threads=False):
            rows += batch.num_rows
            if len(set(names := batch.schema.names)) < len(names):
                raise ValueError(f"two of its columns have the same name: {names}")
            # Arrow does not look at what parquet says is UTF-8, and later steps rely on it.
            batch.validate(full=True)
            yield batch
        if rows != (said := self.metadata.row_group(group).num_rows):
            raise ValueError(f"row group {group} has {rows} rows, and {said} by its footer")

    def names_with_values(self, group: int, names: Sequence[str]) -> list[str]:
        """Return the names, of leaves or structs, for which the row group has values."""
        rows: int = self.metadata.row_group(group).num_rows

        def is_held(name: str) -> bool:
            if name in self.leaves:
                return self.nulls(group, name) != rows
            return any(leaf.startswith(f"{name}.") for leaf in self.leaves)

        return [name for name in names if is_held(name)]

    def nulls(self, group: int, leaf: str) -> int | None:
        """Return how many nulls a leaf has in a row group, None if the footer does not say."""
        statistics = self.chunks.statistics(group, self.leaves.index(leaf))
        if statistics is None or not statistics.has_null_count:
            return None
        return int(statistics.null_count)

    def is_complete(self, leaf: str) -> bool:
        """Return whether every add has a value there, by the footer alone."""
        if leaf not in self.leaves:
            return False
        nulls = [[self.nulls(group, name) for name in ("add.path", leaf)] for group in self.groups]
        return all(adds is not None and adds == values for adds, values in nulls)

    def _columns(self, names: Sequence[str]) -> list[int]:
        leads = tuple(f"{name}." for name in names)
        return [
            place
            for place, leaf in enumerate(self.leaves)
            if leaf in names or leaf.startswith(leads)
        ]
