"""The schema of data that is not in a table yet: of a file, or written down in one."""

import base64
import json
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple

from deltactl.errors import (
    BrokenLogError,
    DeltactlError,
    InvalidUsageError,
    NotFoundError,
    StorageError,
)
from deltactl.spec.schema.arrow_text import parse_arrow_text
from deltactl.spec.schema.schema import parse_schema
from deltactl.spec.schema.types import Struct
from deltactl.sql.parser import parse_columns
from deltactl.storage.base import Storage
from deltactl.text import strict_json

_PARQUET, _ENCRYPTED = b"PAR1", b"PARE"
_ARROW_FILE = b"ARROW1"
_ARROW_STREAM = b"\xff\xff\xff\xff"
# Spark keeps the schema that it wrote in the footer, in Delta's own words.
_SPARK = b"org.apache.spark.sql.parquet.row.metadata"
# Longer texts are not a schema; it is more than the widest that any engine opens.
_MOST = 1 << 26


class DataSchema(NamedTuple):
    """A schema and the form that it was found in: parquet, arrow, json or ddl."""

    form: str
    schema: Struct


def read_data_schema(storage: Storage, name: str) -> DataSchema:
    """Return the schema in the file `name`; its first bytes tell the format.

    Raises:
        NotFoundError: there is no such file.
        InvalidUsageError: none of the forms, or a text with a mistake in it; says where.
        RefusedError: a type that Delta does not have.
        StorageError: a parquet or Arrow file that cannot be read.
    """
    try:
        head = storage.read(name, 0, 8)
        if head[:4] in (_PARQUET, _ENCRYPTED):
            return DataSchema("parquet", _of_parquet(storage.source(name), name))
        data = storage.read(name, 0, _MOST)
    except FileNotFoundError as error:
        said = f"there is no file {storage.uri.rstrip('/')}/{name}"
        raise NotFoundError(
            "SCHEMA_FILE_NOT_FOUND",
            said,
            hint="columns can also be given as they are: 'id int, name string'",
        ) from error
    if head[:6] == _ARROW_FILE or head[:4] == _ARROW_STREAM:
        return DataSchema("arrow", _of_arrow(data, name))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _no_schema(name, "it is neither parquet nor Arrow, and no text") from error
    return schema_of_text(text, name)


def schema_of_text(text: str, name: str) -> DataSchema:
    """Return the schema that `text` spells, where `name` is what people call it.

    Raises:
        InvalidUsageError: none of the forms of text, or one with a mistake in it; says where.
        RefusedError: a type that Delta does not have.
    """
    if text.lstrip().startswith("{"):
        return _of_json(text, name)
    arrow = parse_arrow_text(text)
    if arrow is not None:
        return DataSchema("arrow", arrow)
    if not text.strip():
        raise _no_schema(name, "it is empty")
    return DataSchema("ddl", parse_columns(text))


def _of_json(text: str, name: str) -> DataSchema:
    """Return a Delta schema, or the document of `schema export` in any of its forms."""
    try:
        value: Any = strict_json.loads(text)
        if isinstance(value, dict) and value.get("type") == "struct":
            return DataSchema("json", parse_schema(text))
    except (ValueError, RecursionError) as error:
        raise _no_schema(name, f"it is not JSON: {error!s:.200}") from error
    except DeltactlError as error:
        raise _no_schema(name, error.message) from error
    match value:
        case {"deltactl": _, "arrowIpc": str(encoded)}:
            return DataSchema("arrow", _of_arrow(base64.b64decode(encoded), name))
        case {"deltactl": _, "text": str(inside)}:
            return schema_of_text(inside, name)
        case {"deltactl": _, "schema": {"type": "struct"} as schema}:
            return DataSchema("json", parse_schema(json.dumps(schema)))
    raise _no_schema(name, 'its JSON is not a schema: {"type": "struct", "fields": [...]}')


def _of_arrow(data: bytes, name: str) -> Struct:
    pyarrow = import_module("pyarrow")
    ipc = import_module("pyarrow.ipc")
    try:
        if data[:6] == _ARROW_FILE:
            schema = ipc.open_file(data).schema
        else:
            schema = ipc.read_schema(pyarrow.py_buffer(data))
    except (pyarrow.ArrowException, OSError) as error:
        raise _unreadable(name, error) from error
    found: Struct = import_module("deltactl.log.arrow.delta_types").delta_schema(schema)
    return found


def _of_parquet(source: Any, name: str) -> Struct:
    """Return the schema as Spark reads it: Spark's own note, or parquet's types."""
    pyarrow = import_module("pyarrow")
    parquet = import_module("pyarrow.parquet")
    try:
        with parquet.ParquetFile(source) as file:
            noted = (file.metadata.metadata or {}).get(_SPARK)
            columns = (file.schema.column(i) for i in range(len(file.schema)))
            legacy = {c.path.split(".")[0] for c in columns if c.physical_type == "INT96"}
            schema = file.schema.to_arrow_schema()
    except (pyarrow.ArrowException, OSError, ValueError) as error:  # a name that is not UTF-8
        raise _unreadable(name, error) from error
    if noted:
        # A damaged note is ignored: the file has types of its own.
        with suppress(BrokenLogError, UnicodeDecodeError):
            return parse_schema(noted.decode())
    found: Struct = import_module("deltactl.log.arrow.delta_types").delta_schema(schema, legacy)
    return found


def _no_schema(name: str, reason: str) -> InvalidUsageError:
    return InvalidUsageError(
        "NOT_A_SCHEMA",
        f"{name} has no schema: {reason}",
        hint="give a parquet file, an Arrow schema, a Delta schema as JSON, or columns in "
        "Spark SQL: a INT, b STRING",
    )


def _unreadable(name: str, error: Exception) -> StorageError:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return StorageError("SCHEMA_FILE_UNREADABLE", f"{name}: {reason:.200}")
