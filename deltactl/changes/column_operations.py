"""Changes of columns as a commit records them: by the operations of Spark, and their parameters."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from deltactl.changes.draft import as_text
from deltactl.spec.schema.edit import schema_string
from deltactl.spec.schema.schema import Path, format_path
from deltactl.spec.schema.types import Struct, StructField, kind

ADD, DROP, RENAME, CHANGE = "ADD COLUMNS", "DROP COLUMNS", "RENAME COLUMN", "CHANGE COLUMN"


class RecordedOperation(NamedTuple):
    """What a verb did, as the commit tells it: an operation of Spark's, and its object."""

    operation: str
    what: Mapping[str, Any]


def described(path: Path, field: StructField) -> dict[str, Any]:
    """Return a column as Spark's operations tell it: of a type with parts only what it is."""
    return {
        "name": format_path(path),
        "type": kind(field.type),
        "nullable": field.nullable,
        "metadata": dict(field.metadata),
    }


def changed(path: Path, field: StructField) -> RecordedOperation:
    """Return the entry of a column that changed in place."""
    return RecordedOperation(CHANGE, {"column": described(path, field)})


def recorded(
    entries: Sequence[RecordedOperation], before: Struct, after: Struct
) -> tuple[str, dict[str, str]]:
    """Return Spark's operation for all entries, or one with both schemas if Spark has none."""
    operations = {entry.operation for entry in entries}
    if operations == {ADD}:
        return ADD, {"columns": as_text([entry.what for entry in entries])}
    if operations == {DROP}:
        names = [name for entry in entries for name in entry.what["columns"]]
        return DROP, {"columns": as_text(names)}
    if operations == {RENAME} and len(entries) == 1:
        return RENAME, dict(entries[0].what)
    if operations == {CHANGE}:
        columns = [entry.what["column"] for entry in entries]
        if len(columns) == 1:
            return CHANGE, {"column": as_text(columns[0])}
        return "CHANGE COLUMNS", {"columns": as_text(columns)}
    return "UPDATE SCHEMA", {"oldSchema": schema_string(before), "newSchema": schema_string(after)}
