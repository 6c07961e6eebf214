"""The columns by which a person knows a row again."""

import json
import math
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal as Number
from typing import Any

import pyarrow as pa

from deltactl.changes.draft import Draft
from deltactl.changes.rows import Counterexample
from deltactl.operations.row_checks.files import DataFile, wanted
from deltactl.operations.row_checks.row_check_result import SHOWN
from deltactl.operations.row_checks.sql import quoted_path
from deltactl.spec.schema.schema import Path, format_path, resolve_prefix, steps
from deltactl.spec.schema.types import Array, Map, Struct
from deltactl.table.parquet.row_batches import Held

COLUMNS = 8


class ExampleColumns:
    """The columns to show: those in a condition, then others with single values."""

    def __init__(self, draft: Draft, first: Sequence[Path]) -> None:
        partitions = {name.casefold() for name in draft.partition_columns}
        others = [
            (field.name,)
            for field in draft.schema.fields
            if not isinstance(field.type, Struct | Array | Map)
        ]
        named = [_fields_of(draft, path) for path in first]
        self.paths = [path for path in dict.fromkeys([*named, *others]) if path][:COLUMNS]
        self.stored = [p for p in self.paths if p[0].casefold() not in partitions]
        self.wanted = [wanted(draft, path) for path in self.stored]
        self._keys = {
            path: wanted(draft, path).path[0] for path in self.paths if path not in self.stored
        }

    @property
    def sql(self) -> list[list[str]]:
        """Each column's name, and what it is in Spark SQL."""
        return [[format_path(path), quoted_path(path)] for path in self.paths]

    def examples(
        self, file: DataFile, held: Sequence[Held | None], violating: pa.BooleanArray
    ) -> Iterator[Counterexample]:
        """Yield the first rows of a batch that are `violating`; `held` are the `stored` columns."""
        chosen = pa.array(range(len(violating)), pa.int64()).filter(violating)[:SHOWN]
        columns = {
            path: [None] * len(chosen)
            if one is None
            else [_value(scalar) for scalar in one.values.take(chosen)]
            for path, one in zip(self.stored, held, strict=True)
        }
        for row in range(len(chosen)):
            values = {
                format_path(path): _plain(columns[path][row])
                if path in columns
                else file.partition_values.get(self._keys[path])
                for path in self.paths
            }
            yield Counterexample(file.path, json.dumps(values, ensure_ascii=False))


def _fields_of(draft: Draft, path: Path) -> Path:
    """Return the path as far as its steps are fields of structs, spelt as the schema spells it."""
    known = resolve_prefix(draft.schema, path)
    while known and not all(step.is_field for step in steps(draft.schema, known)):
        known = known[:-1]
    return known


def _value(scalar: pa.Scalar) -> Any:
    """Return the value as Python has it; Spark also writes strings that are not UTF-8."""
    if not scalar.is_valid:
        return None
    match scalar:
        case pa.StringScalar():
            return scalar.as_buffer().to_pybytes().decode(errors="replace")
        case pa.DictionaryScalar():
            return _value(scalar.value)
        case pa.StructScalar():
            return {name: _value(member) for name, member in scalar.items()}
        case pa.MapScalar():
            return [tuple(_value(entry).values()) for entry in scalar.values]
        case pa.ListScalar():
            return [_value(item) for item in scalar.values]
        case _:
            return scalar.as_py()


def _plain(value: Any) -> Any:
    """Return a value that JSON has; the rest becomes text."""
    match value:
        case Number():
            return float(value)
        case float() if not math.isfinite(value):
            return str(value)
        case None | bool() | int() | float() | str():
            return value
        case datetime() | date():
            return value.isoformat()
        case bytes():
            return value.hex()
        case list():
            return [_plain(item) for item in value]
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case tuple():
            return [_plain(item) for item in value]
        case _:
            return str(value)
