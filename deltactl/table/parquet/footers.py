"""What a data file says of itself, in its parquet footer."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from deltactl.errors import StorageError
from deltactl.storage.base import Storage
from deltactl.table.parquet.file_place import FilePlace, is_list
from deltactl.text.hints import Command

if TYPE_CHECKING:
    import pyarrow
    import pyarrow.parquet as pq

    from deltactl.table.parquet.parquet_file import ParquetFile

# Parquet's types by the names that Delta gives them.
_NAMES = {
    "int8": "byte", "int16": "short", "int32": "integer", "int64": "long", "float": "float",
    "double": "double", "string": "string", "large_string": "string", "string_view": "string",
    "bool": "boolean", "binary": "binary", "large_binary": "binary", "binary_view": "binary",
    "date32[day]": "date", "null": "void",
}  # fmt: skip
SCHEMAS = 8


class UnreadableFileError(StorageError):
    """A data file that is missing, or whose footer cannot be read."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(
            code,
            message,
            hint="bring it back from a copy, or RESTORE to a version without it; "
            + Command("verify-checksum", "--data")
            + " names all such files",
        )


def read_type(
    storage: Storage, path: str, column: Sequence[str], ids: Sequence[int | None] | None
) -> str | None:
    """Return the type in which a file holds a column, in Delta's words; None if it lacks it.

    `ids` are the field ids of the column's steps, for tables that are mapped by id.

    Raises:
        UnreadableFileError: the file is missing, or is not a parquet file.
    """
    return read_types(storage, path).type_of(column, ids)


class FileTypes:
    """The types in which one file holds any columns."""

    def __init__(self, parquet: "ParquetFile") -> None:
        self._whole = FilePlace.whole(parquet.schema_arrow)
        self._legacy_times = legacy_time_columns(parquet)

    def type_of(self, column: Sequence[str], ids: Sequence[int | None] | None) -> str | None:
        """Return what `read_type` does."""
        return type_in_file(self._whole, self._legacy_times, column, ids)


def read_types(storage: Storage, path: str) -> FileTypes:
    """Read the footer of a file.

    Raises:
        UnreadableFileError: the file is missing, or is not a parquet file.
    """
    with _footer(storage, path) as parquet:
        return FileTypes(parquet)


class FooterReader:
    """What tells the types of the same columns in one file after another.

    Most files of a table have one of a few schemas, and what was found in a file is told of each
    that has the same.
    """

    def __init__(
        self,
        storage: Storage,
        columns: Sequence[tuple[Sequence[str], Sequence[int | None] | None]],
    ) -> None:
        self._storage = storage
        self._columns = columns
        # Names are in the fields; their ids are in what comes with them.
        self._by_id = any(ids is not None for _, ids in columns)
        self._known: list[tuple[pyarrow.Schema, list[str | None]]] = []

    def __call__(self, path: str) -> list[str | None]:
        """Return the types in the file, from one look at its footer.

        Raises:
            UnreadableFileError: the file is missing, or is not a parquet file.
        """
        with _footer(self._storage, path) as parquet:
            return self._held(parquet)

    def _held(self, parquet: "ParquetFile") -> list[str | None]:
        schema = parquet.schema_arrow
        for known, held in self._known:
            if known.equals(schema, check_metadata=self._by_id):
                return held
        whole = FilePlace.whole(schema)
        held = [type_in_file(whole, set(), column, ids) for column, ids in self._columns]
        if "timestamp_ntz" not in held:
            # Other threads may look at the list: it is replaced as a whole.
            self._known = [(schema, held), *self._known[: SCHEMAS - 1]]
        elif legacy_times := legacy_time_columns(parquet):
            # Of these the schema does not say all: they are looked at in each file.
            held = [type_in_file(whole, legacy_times, column, ids) for column, ids in self._columns]
        return held


@contextmanager
def _footer(storage: Storage, path: str) -> "Iterator[ParquetFile]":
    """Open a data file; what goes wrong inside the block is an UnreadableFileError, too."""
    import pyarrow

    try:
        with _opened(storage.source(path)) as parquet:
            yield parquet
    except FileNotFoundError as error:
        raise UnreadableFileError("DATA_FILE_MISSING", f"{path} is missing") from error
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise UnreadableFileError("DATA_FILE_UNREADABLE", f"{path}: {reason:.200}") from error


def _opened(source: Any) -> "ParquetFile":
    # It loads pyarrow, which most commands do without.
    opened: ParquetFile = import_module("deltactl.table.parquet.parquet_file").ParquetFile(source)
    return opened


def type_in_file(
    whole: FilePlace,
    legacy_times: set[str],
    column: Sequence[str],
    ids: Sequence[int | None] | None,
) -> str | None:
    """Return the type at a path of a whole file, in Delta's words; None if nothing is there.

    `legacy_times` are the columns with times in parquet's old form.
    """
    places = steps_in_file(whole, column, ids)
    if not places:
        return None
    name, top = delta_name(places[-1].field.type), places[0].field.name
    # Parquet's old form of a timestamp says nothing of time zones, and always means an instant.
    return "timestamp" if name == "timestamp_ntz" and top in legacy_times else name


def steps_in_file(
    whole: FilePlace, column: Sequence[str], ids: Sequence[int | None] | None
) -> list[FilePlace]:
    """Return the places on the way to a column and its own; empty if it is missing."""
    place, places = whole, []
    for step, name in enumerate(column):
        below = place.step(name, None if ids is None else ids[step])
        if below is None:
            return []
        place = below
        places.append(below)
    return places


def legacy_time_columns(parquet: "ParquetFile | pq.ParquetFile") -> set[str]:
    """Return the columns that have times in parquet's old form."""
    schema = parquet.metadata.schema
    leaves = (schema.column(i) for i in range(len(schema)))
    paths = [leaf.path for leaf in leaves if leaf.physical_type == "INT96"]
    # A dot may also be part of a name.
    names = parquet.schema_arrow.names if paths else ()
    return {n for n in names for path in paths if path == n or path.startswith(f"{n}.")}


def delta_name(data_type: "pyarrow.DataType") -> str:
    """Return an Arrow type by the name that Delta has for it."""
    import pyarrow.types as kinds

    data_type = _plain(data_type)
    if kinds.is_decimal(data_type):
        return f"decimal({data_type.precision},{data_type.scale})"
    if kinds.is_timestamp(data_type):
        return "timestamp" if data_type.tz else "timestamp_ntz"
    if kinds.is_struct(data_type):
        return "struct"
    if kinds.is_map(data_type):
        return "map"
    if is_list(data_type):
        return "array"
    return _NAMES.get(str(data_type), str(data_type))


def _plain(data_type: "pyarrow.DataType") -> "pyarrow.DataType":
    """Return the type without the ways in which Arrow would rather hold it in memory."""
    import pyarrow.types as kinds

    return data_type.value_type if kinds.is_dictionary(data_type) else data_type


def null_count(
    storage: Storage, path: str, column: Sequence[str], ids: Sequence[int | None] | None
) -> tuple[int, int] | None:
    """Return a file's rows, and in how many a field of structs is null, by its footer.

    None if that does not say: of fields with parts, and if a writer left it out.

    Raises:
        UnreadableFileError: the file is missing, or is not a parquet file.
    """
    import pyarrow

    with _footer(storage, path) as parquet:
        rows = parquet.metadata.num_rows
        steps = steps_in_file(FilePlace.whole(parquet.schema_arrow), column, ids)
        if not steps:
            return rows, rows
        # A dot may also be part of a name; and no leaf has the name of what has parts.
        leaf = ".".join(step.field.name for step in steps)
        if parquet.leaves.count(leaf) != 1 or pyarrow.types.is_nested(steps[-1].field.type):
            return None
        counts = [parquet.nulls(group, leaf) for group in parquet.groups]
    known = [count for count in counts if count is not None]
    return (rows, sum(known)) if len(known) == len(counts) else None
