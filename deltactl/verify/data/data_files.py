"""Data files against what the log says of them: there, of that size, rows, types and bounds."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from deltactl.errors import DeltactlError, StorageError
from deltactl.findings import Finding, Severity, shown
from deltactl.log.arrow.file_table import records
from deltactl.log.paths import canonical
from deltactl.spec.actions.action import Metadata
from deltactl.spec.keys import (
    MATERIALIZED_ROW_COLUMNS,
)
from deltactl.spec.schema import column_mapping, types
from deltactl.spec.schema.schema import Node, Path, parse_schema, walk
from deltactl.spec.schema.types import Array, Decimal, Map, Struct
from deltactl.spec.schema.widening import widening_rule
from deltactl.storage.base import Storage
from deltactl.storage.remote.threads import DaemonPool
from deltactl.table.parquet.file_place import FilePlace
from deltactl.table.parquet.footers import legacy_time_columns, type_in_file
from deltactl.verify.data import data_statistics
from deltactl.verify.findings import Check

# Reading footers waits for the store, so more threads than processors are of use.
THREADS = 16
LOT = 256

# What a store says of one file; all else is about the store.
_OF_A_FILE = ("FILE_NOT_REGULAR", "KEY_NOT_SUPPORTED", "PERMISSION_DENIED", "STORAGE_FAILED")
# In files written together with those of the change data feed they are there, and say nothing.
CHANGE_TYPE = "_change_type"
_OF_THE_FEED = {CHANGE_TYPE, "__is_cdc"}
_FIELD_ID = b"PARQUET:field_id"
# What parquet keeps in 32 bits some writers do not mark as smaller.
_ALSO_AS = {"byte": ("integer", "short"), "short": ("integer",)}


class FileToVerify(NamedTuple):
    """What the log says of a live file."""

    path: str
    size: int
    records: int | None
    stats: str | None
    has_vector: bool


class ExpectedColumn(NamedTuple):
    """A column of the table, and where files have it."""

    node: Node
    physical: Path
    ids: tuple[int | None, ...] | None


class ExpectedColumns:
    """What is asked of each file: the table's columns, and the names that no column has.

    Raises:
        BrokenLogError: the metadata does not say which columns there are.
    """

    def __init__(self, metadata: Metadata) -> None:
        schema = parse_schema(metadata.schema_string or '{"type":"struct","fields":[]}')
        mode = column_mapping.mode(metadata.configuration)
        partitions = {name.casefold() for name in metadata.partition_columns}
        self.by_id = mode == "id"
        self.is_mapped = mode != "none"
        self.columns = [
            ExpectedColumn(
                node,
                column_mapping.physical_path(schema, node),
                column_mapping.id_path(schema, node) if self.by_id else None,
            )
            for node in walk(schema)
            if node.path[0].casefold() not in partitions
        ]
        own = {field.name.casefold() for field in schema.fields}
        materialized = (metadata.configuration.get(key) for key in MATERIALIZED_ROW_COLUMNS)
        self.names = own | _OF_THE_FEED | {name.casefold() for name in materialized if name}


def check_data(
    storage: Storage,
    wanted: ExpectedColumns,
    batches: Iterable[pa.RecordBatch],
    check: Check,
    advance: Callable[[int], None],
) -> Iterator[Finding]:
    """Look at each live file, as many at once as there are threads."""
    left = _files(batches)
    with DaemonPool(THREADS, "data") as pool:
        # In bounded lots: a table may have millions of files.
        while lot := list(islice(left, LOT)):
            for found in pool.map(partial(check_file, storage, wanted), lot):
                check.subjects += 1
                advance(1)
                yield from found


def check_change_files(
    storage: Storage,
    files: Iterable[tuple[str, int]],
    check: Check,
    advance: Callable[[int], None],
) -> Iterator[Finding]:
    """Look at the files of the change data feed that exist: VACUUM takes old ones away."""
    for name, size in files:
        path = canonical(name)
        file = FileToVerify(name, size, None, None, has_vector=False)
        try:
            found = storage.head(path).size
            if found != size:
                yield _fault("DATA_FILE_SIZE", file, f"{size} bytes", f"{found} bytes")
            with pq.ParquetFile(storage.source(path)) as parquet:
                if CHANGE_TYPE not in parquet.schema_arrow.names:
                    expected = f"the column {CHANGE_TYPE}"
                    yield _fault("CHANGE_FILE_MALFORMED", file, expected, "none")
        except FileNotFoundError:
            continue
        except (pa.ArrowException, OSError, ValueError, StorageError) as error:
            _check_about_the_file(error)
            yield _fault("DATA_FILE_UNREADABLE", file, "a parquet file", _why(storage, path, error))
        check.subjects += 1
        advance(1)


def _files(batches: Iterable[pa.RecordBatch]) -> Iterator[FileToVerify]:
    for batch in batches:
        columns = [batch.column(name).to_pylist() for name in ("path", "size", "stats")]
        vectors = batch.column("storageType").is_valid().to_pylist()
        for path, size, stats, rows, has_vector in zip(
            *columns, records(batch).to_pylist(), vectors, strict=True
        ):
            yield FileToVerify(path, size or 0, rows, stats, has_vector)


def check_file(storage: Storage, wanted: ExpectedColumns, file: FileToVerify) -> list[Finding]:
    """Return what is wrong with one file."""
    path = canonical(file.path)
    found: list[Finding] = []
    try:
        size = storage.head(path).size
        if size != file.size:
            found = [_fault("DATA_FILE_SIZE", file, f"{file.size} bytes", f"{size} bytes")]
        source = storage.source(path)
        with pq.ParquetFile(source, coerce_int96_timestamp_unit="us") as parquet:
            found += _footer(parquet, wanted, file)
    except FileNotFoundError:
        found.append(_fault("DATA_FILE_MISSING", file, "the file", "none"))
    except (pa.ArrowException, OSError, ValueError, StorageError) as error:
        _check_about_the_file(error)
        found.append(
            _fault("DATA_FILE_UNREADABLE", file, "a parquet file", _why(storage, path, error))
        )
    return found


def _check_about_the_file(error: Exception) -> None:
    """Raise a failure of the store that says nothing of the file: it is busy, or out of reach."""
    if isinstance(error, StorageError) and error.code not in _OF_A_FILE:
        raise error


def _why(storage: Storage, path: str, error: Exception) -> str:
    """Return the error in one line, without the path that the finding has."""
    return shown(str(error).splitlines()[0].removeprefix(f"{storage.uri}/{path} is "))


def _footer(
    parquet: pq.ParquetFile, wanted: ExpectedColumns, file: FileToVerify
) -> Iterator[Finding]:
    rows = parquet.metadata.num_rows
    if file.records is not None and rows != file.records:
        yield _fault("DATA_FILE_ROWS", file, f"{file.records} rows", f"{rows} rows")
    schema, legacy = parquet.schema_arrow, legacy_time_columns(parquet)
    if wanted.by_id and len(schema) and not any(_has_id(field) for field in schema):
        yield _fault("DATA_FILE_FIELD_IDS", file, "field ids, for columns are mapped by id", "none")
        return
    whole = FilePlace.whole(schema)
    for column in wanted.columns:
        held = type_in_file(whole, legacy, column.physical, column.ids)
        if held is not None and not _is_readable(held, column.node):
            subject = f"{file.path}: {column.node}"
            expected = f"{column.node.type}, or a type that widens to it"
            # Engines take the one for the other, but not all of them.
            both_times = {held, str(column.node.type)} == {"timestamp", "timestamp_ntz"}
            severity = Severity.WARNING if both_times else Severity.ERROR
            yield Finding("DATA_FILE_TYPE", subject, shown(expected), held, severity)
    if not wanted.is_mapped:
        strange = [name for name in schema.names if name.casefold() not in wanted.names]
        for name in strange[:1]:
            expected = "columns of the schema"
            yield _fault("DATA_FILE_COLUMN", file, expected, shown(name), Severity.WARNING)
    if file.stats is not None and not wanted.by_id:
        places = [(column.node, column.physical) for column in wanted.columns]
        yield from data_statistics.check(
            parquet, places, file.path, file.stats, has_vector=file.has_vector
        )


def _is_readable(held: str, node: Node) -> bool:
    wanted = node.type
    match wanted:
        case Struct():
            return held == "struct"
        case Array():
            return held == "array"
        case Map():
            return held == "map"
        case _ if wanted == types.VARIANT:
            return held == "struct"
        case _ if wanted in types.YEAR_MONTH:
            return held == "integer"
        case _ if wanted in types.DAY_SECOND:
            return held == "long"
    if held == str(wanted) or held in _ALSO_AS.get(str(wanted), ()):
        return True
    if held.startswith("decimal") and isinstance(wanted, Decimal):
        found = types.parse_type(held)
        return found == wanted or widening_rule(found, wanted) is not None
    try:
        return widening_rule(types.parse_type(held), wanted) is not None
    except DeltactlError:
        return False


def _has_id(field: pa.Field) -> bool:
    return _FIELD_ID in (field.metadata or {})


def _fault(
    code: str,
    file: FileToVerify,
    expected: str,
    found: str,
    severity: Severity = Severity.ERROR,
) -> Finding:
    return Finding(code, file.path, expected, found, severity)
