"""The rows of a data file, a batch in memory at a time, and of each only the columns asked for."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deltactl.storage.base import Storage
from deltactl.table.parquet.file_place import FilePlace
from deltactl.table.parquet.footers import (
    UnreadableFileError,
    delta_name,
    legacy_time_columns,
    steps_in_file,
)

ROWS = 1 << 16


class Wanted(NamedTuple):
    """A column of fields in fields, as files have it; `ids` for tables that are mapped by id."""

    path: tuple[str, ...]
    ids: tuple[int | None, ...] | None = None


class Held(NamedTuple):
    """A column's values in a batch, and the file's type in Delta's words."""

    values: pa.Array
    type: str


class Batch(NamedTuple):
    """Some rows; a column that the file does not have is None."""

    rows: int
    columns: tuple[Held | None, ...]


def read_batches(storage: Storage, path: str, columns: Sequence[Wanted]) -> Iterator[Batch]:
    """Yield all rows of the file.

    Raises:
        UnreadableFileError: the file is missing, or cannot be read as parquet.
    """
    try:
        # In nanoseconds, Arrow's default for INT96, times before 1677 and after 2262 overflow.
        source = storage.source(path)
        with pq.ParquetFile(source, coerce_int96_timestamp_unit="us") as parquet:
            legacy = legacy_time_columns(parquet)
            whole = FilePlace.whole(parquet.schema_arrow)
            found = [_locate(whole, column) for column in columns]
            names = list(dict.fromkeys(".".join(f.name for f in steps) for steps in found if steps))
            if not names:
                yield Batch(parquet.metadata.num_rows, (None,) * len(found))
                return
            for batch in parquet.iter_batches(ROWS, columns=names, use_threads=False):
                yield Batch(batch.num_rows, tuple(_held(batch, steps, legacy) for steps in found))
    except FileNotFoundError as error:
        raise UnreadableFileError("DATA_FILE_MISSING", f"{path} is missing") from error
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise UnreadableFileError("DATA_FILE_UNREADABLE", f"{path}: {reason:.200}") from error


def _locate(whole: FilePlace, column: Wanted) -> list[pa.Field]:
    """Return the fields on the way to the column; empty if the file does not have it."""
    fields = [step.field for step in steps_in_file(whole, column.path, column.ids)]
    inside_structs = all(pa.types.is_struct(field.type) for field in fields[:-1])
    return fields if inside_structs else []


def _held(
    batch: pa.RecordBatch, steps: Sequence[pa.Field], legacy_times: Collection[str]
) -> Held | None:
    if not steps:
        return None
    values = batch.column(steps[0].name)
    for step in steps[1:]:
        values = pc.struct_field(values, [step.name])
    # Parquet's old form of a timestamp says nothing of time zones, and always means an instant.
    if pa.types.is_timestamp(values.type) and steps[0].name in legacy_times:
        values = values.cast(pa.timestamp("us", "UTC"))
    return Held(values, delta_name(values.type))
