"""An add's statistics against the file's own: bounds that cut rows off make engines skip them.

The footer's bounds are asked first. Where these contradict the add's the column itself is read,
for a footer may hold bounds that were cut short.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal as Number
from decimal import InvalidOperation
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deltactl.findings import Finding, shown
from deltactl.log.stats.stats import float32
from deltactl.spec.schema import types
from deltactl.spec.schema.schema import Node, Path
from deltactl.spec.schema.types import DataType, Decimal
from deltactl.table.parquet.column_chunks import ColumnChunks

_MILLISECOND = timedelta(milliseconds=1)


class Leaf(NamedTuple):
    """What the footer says of one leaf over all row groups; None if it does not say."""

    nulls: int | None
    low: Any
    high: Any


def check(
    parquet: pq.ParquetFile,
    columns: Sequence[tuple[Node, Path]],
    path: str,
    stats: str,
    *,
    has_vector: bool,
) -> Iterator[Finding]:
    """Yield whether each bound holds for every row, and nulls are as many as is said.

    With a deletion vector tight bounds are those of the rows that are left, which are not read.
    """
    try:
        said = json.loads(stats, parse_float=str)
    except (ValueError, RecursionError):
        return
    if not isinstance(said, dict):
        return
    tight = said.get("tightBounds") is not False
    if has_vector and tight:
        return
    leaves, chunks = _leaves(parquet), ColumnChunks(parquet.metadata)
    for node, physical in columns:
        place = leaves.get(physical)
        if place is None:
            continue
        leaf = _leaf(chunks, parquet.metadata.num_row_groups, place)
        subject = f"{path}: {node}"
        nulls = _at(said.get("nullCount"), physical)
        if tight and type(nulls) is int and leaf.nulls is not None and nulls != leaf.nulls:
            counts = f"{leaf.nulls} nulls", f"{nulls} in nullCount"
            yield Finding("STATISTICS_WRONG", subject, *counts)
        yield from _bounds(parquet, node, physical, leaf, said, subject)


def _bounds(
    parquet: pq.ParquetFile,
    node: Node,
    physical: Path,
    leaf: Leaf,
    said: Mapping[str, Any],
    subject: str,
) -> Iterator[Finding]:
    read = _reader(node.type)
    if read is None:
        return
    for bound, is_low in (("minValues", True), ("maxValues", False)):
        text = _at(said.get(bound), physical)
        stated = None if text is None or isinstance(text, dict | list) else read(text)
        if stated is None or not _cuts(stated, leaf, node.type, is_low=is_low):
            continue
        actual = _extreme(parquet, physical, is_low=is_low)
        exact = Leaf(leaf.nulls, *((actual, None) if is_low else (None, actual)))
        if actual is None or not _cuts(stated, exact, node.type, is_low=is_low):
            continue
        word = "at most" if is_low else "at least"
        code = "FLOAT_STATISTICS" if _is_hazard(text, actual, node.type) else "STATISTICS_WRONG"
        yield Finding(
            code,
            f"{subject}, {bound}",
            f"{word} {shown(str(actual))}",
            shown(str(text)),
            repairable=code == "FLOAT_STATISTICS",
        )


def _cuts(stated: Any, leaf: Leaf, data_type: DataType, *, is_low: bool) -> bool:
    """Return whether a row lies beyond the bound."""
    actual = leaf.low if is_low else leaf.high
    actual = _plain(actual, data_type)
    if actual is None or type(actual) is not type(stated):
        return False
    if isinstance(actual, float) and (math.isnan(actual) or math.isnan(stated)):
        return False
    if isinstance(stated, datetime) and not is_low:
        stated += _MILLISECOND - timedelta(microseconds=1)  # It is cut to the millisecond.
    return bool(actual < stated if is_low else actual > stated)


def _is_hazard(text: Any, actual: Any, data_type: DataType) -> bool:
    """Return whether the bound is that of a float, which the column no longer is."""
    if data_type != types.DOUBLE or not isinstance(actual, float):
        return False
    return float32(str(text)) == actual


def _leaves(parquet: pq.ParquetFile) -> dict[Path, int]:
    """Return the leaves that are in structs only, by their names."""
    found: dict[Path, int] = {}
    numbers: dict[str, int] = {}  # The first of those that share a path counts.
    for number in range(len(parquet.schema)):
        numbers.setdefault(parquet.schema.column(number).path, number)

    def down(field: pa.Field, above: Path) -> None:
        path = (*above, field.name)
        if pa.types.is_struct(field.type):
            for inner in field.type:
                down(inner, path)
        elif (number := numbers.get(".".join(path))) is not None:
            found[path] = number

    for field in parquet.schema_arrow:
        down(field, ())
    return found


def _leaf(chunks: ColumnChunks, groups: int, place: int) -> Leaf:
    nulls: int | None = 0
    lows, highs = [], []
    for group in range(groups):
        held = chunks.statistics(group, place)
        if held is None:
            return Leaf(None, None, None)
        has_nulls = held.has_null_count and nulls is not None
        nulls = nulls + held.null_count if has_nulls and nulls is not None else None
        try:
            if held.has_min_max:
                lows.append(held.min)
                highs.append(held.max)
        except UnicodeDecodeError:  # Spark also writes strings that are not UTF-8.
            return Leaf(nulls, None, None)
    return Leaf(nulls, min(lows, default=None), max(highs, default=None))


def _extreme(parquet: pq.ParquetFile, physical: Path, *, is_low: bool) -> Any:
    """Return the least or the greatest value of the column; reads it."""
    column: Any = parquet.read(columns=[".".join(physical)]).column(0)
    for name in physical[1:]:
        column = pc.struct_field(column, name)
    try:
        found = pc.min_max(column)
    except pa.ArrowException:
        return None
    return found["min" if is_low else "max"].as_py()


def _at(values: Any, path: Path) -> Any:
    for name in path:
        values = values.get(name) if isinstance(values, dict) else None
    return values


def _plain(value: Any, data_type: DataType) -> Any:
    """Return a value of the file as the column's type has it."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    if isinstance(value, date) and data_type == types.TIMESTAMP_NTZ:
        return datetime(value.year, value.month, value.day)
    if isinstance(data_type, Decimal) and isinstance(value, int) and type(value) is not bool:
        return Number(value)
    if data_type == types.DOUBLE and type(value) is int:
        return float(value)
    return value


def _reader(data_type: DataType) -> Callable[[Any], Any] | None:
    """Return what reads a bound from statistics as engines read it."""
    if isinstance(data_type, Decimal):
        return _number
    return _READERS.get(data_type)


def _number(text: Any) -> Number | None:
    try:
        return Number(str(text))
    except InvalidOperation:
        return None


def _float(text: Any) -> float | None:
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def _single(text: Any) -> float | None:
    number = _float(text)
    return number if number is None or not math.isfinite(number) else float32(str(text))


def _whole(text: Any) -> int | None:
    return text if type(text) is int else None


def _text(text: Any) -> str | None:
    return text if isinstance(text, str) else None


def _date(text: Any) -> date | None:
    try:
        return date.fromisoformat(text)
    except (TypeError, ValueError):
        return None


def _time(text: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return found.astimezone(UTC).replace(tzinfo=None) if found.tzinfo else found


_READERS: Mapping[DataType, Callable[[Any], Any]] = {
    **dict.fromkeys((types.BYTE, types.SHORT, types.INTEGER, types.LONG), _whole),
    types.FLOAT: _single,
    types.DOUBLE: _float,
    types.STRING: _text,
    types.DATE: _date,
    types.TIMESTAMP: _time,
    types.TIMESTAMP_NTZ: _time,
}
