"""Partition values: one for each partition column, in a form that its type can be read from."""

import calendar
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal as Number
from decimal import InvalidOperation
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.errors import DeltactlError
from deltactl.findings import Finding, shown
from deltactl.spec.actions.action import Metadata
from deltactl.spec.schema import types
from deltactl.spec.schema.column_mapping import mode, physical_name
from deltactl.spec.schema.schema import parse_schema
from deltactl.spec.schema.types import DataType, Decimal

_BITS = {types.BYTE: 7, types.SHORT: 15, types.INTEGER: 31, types.LONG: 63}
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_HOUR, _SIXTIETH = r"([01]?[0-9]|2[0-3])", r"[0-5]?[0-9]"
_CLOCK = rf"{_HOUR}:{_SIXTIETH}(:{_SIXTIETH}(\.[0-9]{{1,9}})?)?"
_ZONE = r"Z|[+-](0[0-9]|1[0-8]):?[0-5][0-9]"
_DATE = re.compile(r"([+-]?[0-9]{4,6})-([0-9]{1,2})-([0-9]{1,2})")
_AFTER_DATE = re.compile(rf"([ T]{_CLOCK}({_ZONE})?)?")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(E[+-]?[0-9]+)?", re.IGNORECASE)
_NO_NUMBER = re.compile(r"[+-]?(NaN|Inf(inity)?)", re.IGNORECASE)


class Partitioning:
    """The partition columns by the names that files know them by, each with its type."""

    def __init__(self, metadata: Metadata) -> None:
        self.types: dict[str, DataType] | None = {}
        self._names: dict[str, str] = {}
        try:
            schema = parse_schema(metadata.schema_string or "")
        except DeltactlError:
            self.types = None  # Nothing can be said of the files of such a table.
            return
        mapped = mode(metadata.configuration) != "none"
        fields = {field.name.casefold(): field for field in schema.fields}
        for column in metadata.partition_columns:
            field = fields.get(column.casefold())
            if field is None:
                self.types = None
                return
            key = physical_name(field) if mapped else column
            self.types[key] = field.type
            self._names[key] = column

    def check(self, values: Mapping[str, Any], subject: str) -> Iterator[Finding]:
        """Yield whether the values of one file are all there, and can be read."""
        if self.types is None or (not values and not self.types):
            return
        if values.keys() != self.types.keys():
            yield self._incomplete(values, subject)
        for name, data_type in self.types.items():
            text = values.get(name)
            # A value that is not a string is reported where the action is read.
            if isinstance(text, str) and text and not is_readable(text, data_type):
                yield self._unreadable(name, data_type, text, subject)

    def check_batch(self, batch: pa.RecordBatch, subject: str) -> Iterator[Finding]:
        """Yield the same for the adds of a checkpoint: at most one finding a kind and column."""
        if self.types is None or not batch.num_rows:
            return
        values = batch.column("partitionValues")
        held = values.filter(batch.column("path").is_valid())
        lengths = pc.fill_null(pc.list_value_length(_as_list(held)), 0)
        names, items = held.keys, held.items
        wrong = pc.not_equal(lengths, len(self.types))
        known = set(names.unique().to_pylist()) <= self.types.keys()
        if not known or pc.any(wrong).as_py():
            for row in held.to_pylist():
                if {name for name, _ in row or ()} != set(self.types):
                    yield self._incomplete(dict(row or ()), subject)
                    break
        for name, data_type in self.types.items():
            texts = items.filter(pc.equal(names, name)).unique()
            for text in texts.to_pylist():
                if text and not is_readable(text, data_type):
                    yield self._unreadable(name, data_type, text, subject)
                    break

    def _incomplete(self, values: Mapping[str, str | None], subject: str) -> Finding:
        expected = ", ".join(sorted(map(self._both, self.types or ()))) or "no partition values"
        found = ", ".join(sorted(map(self._both, values))) or "none"
        return Finding("PARTITION_VALUES_INCOMPLETE", subject, shown(expected), shown(found))

    def _unreadable(self, key: str, data_type: DataType, text: str, subject: str) -> Finding:
        found = shown(f"{self._names[key]}={text}")
        return Finding("PARTITION_VALUE_UNREADABLE", subject, f"a {data_type}", found)

    def _both(self, key: str) -> str:
        """Return the column's name, with the key of files if that is another one."""
        name = self._names.get(key, key)
        return name if name == key else f"{name} ({key})"


@lru_cache(maxsize=4096)
def is_readable(text: str, data_type: DataType) -> bool:
    """Return whether engines read the text as a value of the type."""
    if isinstance(data_type, Decimal):
        return _fits(text, data_type)
    if data_type in _BITS:
        bits = _BITS[data_type]
        return _is_integer(text) and -(1 << bits) <= int(text) < 1 << bits
    check = _CHECKS.get(data_type)
    return check is None or check(text)


def _as_list(values: pa.MapArray) -> pa.ListArray:
    entries = pa.StructArray.from_arrays([values.keys, values.items], ["key", "value"])
    return (
        pa.ListArray.from_arrays(values.offsets, entries)
        if len(values)
        else pa.array([], pa.list_(pa.int8()))
    )


def _fits(text: str, data_type: Decimal) -> bool:
    if not _DECIMAL.fullmatch(text.strip()):
        return False
    try:
        number = Number(text)
    except InvalidOperation:
        return False  # An exponent beyond all bounds.
    return number == 0 or number.adjusted() < data_type.precision - data_type.scale


def _is_integer(text: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9]{1,19}", text) is not None


def _is_number(text: str) -> bool:
    bare = text.strip()
    return bool(_DECIMAL.fullmatch(bare) or _NO_NUMBER.fullmatch(bare))


def _is_date(text: str) -> bool:
    found = _DATE.fullmatch(text)
    return found is not None and _is_day(found)


def _is_time(text: str) -> bool:
    found = _DATE.match(text)
    return (
        found is not None
        and _is_day(found)
        and _AFTER_DATE.fullmatch(text, found.end()) is not None
    )


def _is_day(found: re.Match[str]) -> bool:
    """Return whether the calendar has the day; years may be below 1 and above 9999."""
    year, month, day = map(int, found.groups())
    if not 1 <= month <= 12:
        return False
    leap_day = month == 2 and calendar.isleap(year)
    return 1 <= day <= _DAYS[month - 1] + leap_day


_CHECKS: Mapping[DataType, Callable[[str], bool]] = {
    types.FLOAT: _is_number,
    types.DOUBLE: _is_number,
    types.BOOLEAN: lambda text: text.lower() in ("true", "false"),
    types.DATE: _is_date,
    types.TIMESTAMP: _is_time,
    types.TIMESTAMP_NTZ: _is_time,
}
