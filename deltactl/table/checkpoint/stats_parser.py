"""Statistics from their JSON to the structs of a checkpoint, a column at a time."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from deltactl.log.stats.text_values import cast_texts, value_of
from deltactl.table.checkpoint.uniform_stats import is_text, lines, one_chunk, read_uniform

# Arrow parses in blocks, and a row must fit in one.
_BLOCK = 1 << 20
# Fewer rows than these are parsed one by one once something is wrong with some of them.
_FEW = 32
# What JSON has no number for is written as a text, which Arrow does not take for a number. Rows
# that have them are parsed with numbers in their place that hardly any column holds, and exactly
# one of each is then put back for each that was taken out.
_STAND_INS = {
    "NaN": "3.4028232635611926e38",
    "Infinity": "3.4028230607370965e38",
    "-Infinity": "-3.4028232635611926e38",
}
_WORDS = (b'"NaN"', b'Infinity"')


class StatsParser:
    """Parses statistics as structs of one type, that of `stats_parsed`.

    A value that cannot be had from the text is null: it bounds nothing, and fails nothing.
    """

    def __init__(self, target: pa.StructType) -> None:
        self._target = target
        self._read_as = _read_as(target)
        floats = {path[-1] for path, kind in _leaves(target) if pa.types.is_floating(kind)}
        texts = {path[-1] for path, kind in _leaves(target) if pa.types.is_string(kind)}
        # In another column of that name the word may be a text that means itself.
        self._stands_in = bool(floats) and not floats & texts
        names = "|".join(re.escape(json.dumps(name, ensure_ascii=False)) for name in floats)
        self._patterns = {word: f"({names}):(?P<word>{json.dumps(word)})" for word in _STAND_INS}

    def parse(self, stats: pa.StringArray) -> pa.StructArray:
        """Return the structs of these texts; null if the text is null, or not a JSON object."""
        if not len(stats):
            return pa.nulls(0, self._target)
        missing = stats.is_null() if stats.null_count else None
        if missing is None and (alike := read_uniform(stats, self._target)) is not None:
            return alike
        whole = stats.fill_null("{}") if missing is not None else stats
        read = self._quickly(whole)
        if read is None:
            return self._in_halves(stats)
        return _finished(read, self._target, missing)

    def _in_halves(self, stats: pa.StringArray) -> pa.StructArray:
        """Parse what Arrow cannot: the smaller a part, the more of the rest it can."""
        rows = len(stats)
        if rows <= _FEW:
            texts = stats.view(pa.binary()).to_pylist()
            values = [None if text is None else self._one(text) for text in texts]
            return pa.array(values, self._target)
        halves = [stats.slice(0, rows // 2), stats.slice(rows // 2)]
        return pa.concat_arrays([self.parse(half) for half in halves])

    def _one(self, text: bytes) -> dict[str, Any] | None:
        try:
            value = json.loads(text.decode(), parse_float=str)
        except (ValueError, RecursionError):
            return None
        return _struct_of(value, self._target)

    def _quickly(self, stats: pa.StringArray) -> pa.StructArray | None:
        """Return all texts at once, as Arrow reads them; None if it cannot read one."""
        text = lines(stats)
        held = text.to_pybytes()
        if held.count(b"\n") != len(stats) - 1 or not (held.isascii() or is_text(held)):
            return None
        if not (self._stands_in and any(word in held for word in _WORDS)):
            return self._read(text, len(stats))
        counts: dict[str, int] = {}
        swapped = stats
        for word, number in _STAND_INS.items():
            pattern = self._patterns[word]
            found = pc.sum(pc.count_substring_regex(swapped, pattern)).as_py()
            if counts.setdefault(word, found):
                swapped = pc.replace_substring_regex(swapped, pattern, rf"\1:{number}")
        read = self._read(lines(swapped), len(stats))
        return None if read is None else _put_back(read, counts)

    def _read(self, text: pa.Buffer, rows: int) -> pa.StructArray | None:
        longest = max(_BLOCK, text.size if rows == 1 else 0)
        try:
            table = pyarrow.json.read_json(
                pa.BufferReader(text),
                read_options=pyarrow.json.ReadOptions(use_threads=False, block_size=longest),
                parse_options=pyarrow.json.ParseOptions(
                    explicit_schema=self._read_as, unexpected_field_behavior="ignore"
                ),
            )
        except pa.ArrowException:
            return None
        if table.num_rows != rows:
            return None  # It skips an empty line.
        columns = [one_chunk(column) for column in table.columns]
        return pa.StructArray.from_arrays(columns, fields=list(table.schema))


def _leaves(
    struct: pa.StructType, above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], pa.DataType]]:
    for field in struct:
        path = (*above, field.name)
        if pa.types.is_struct(field.type):
            yield from _leaves(field.type, path)
        else:
            yield path, field.type


def _read_as(target: pa.StructType) -> pa.Schema:
    """Return the type in which Arrow reads each; values that JSON quotes are strings."""

    def of(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_struct(kind):
            return pa.struct([pa.field(field.name, of(field.type)) for field in kind])
        is_text = pa.types.is_temporal(kind) or pa.types.is_binary(kind)
        return pa.string() if is_text else kind

    return pa.schema([pa.field(field.name, of(field.type)) for field in target])


def _finished(
    read: pa.StructArray, target: pa.StructType, missing: pa.BooleanArray | None
) -> pa.StructArray:
    """Return the structs in their own types; `missing` are those that are null."""

    def make(array: pa.Array, kind: pa.DataType) -> pa.Array:
        if pa.types.is_struct(kind):
            return _finished(array, kind, array.is_null() if array.null_count else None)
        return array if array.type == kind else cast_texts(array, kind)

    arrays = [make(read.field(place), field.type) for place, field in enumerate(target)]
    return pa.StructArray.from_arrays(arrays, fields=list(target), mask=missing)


def _put_back(read: pa.StructArray, counts: Mapping[str, int]) -> pa.StructArray | None:
    """Return the values that numbers stood for; None if a column holds such a number itself."""
    left = dict(counts)

    def of_leaf(array: pa.Array) -> pa.Array:
        if not pa.types.is_floating(array.type):
            return array
        for word, number in _STAND_INS.items():
            if not counts[word]:
                continue
            at = pc.equal(array, pa.scalar(float(number), pa.float64()).cast(array.type))
            left[word] -= pc.sum(at, min_count=0).as_py()
            array = pc.if_else(at, pa.scalar(float(word), array.type), array)
        return array

    result = _mapped(read, of_leaf)
    return None if any(left.values()) else result


def _mapped(struct: pa.StructArray, change: Callable[[pa.Array], pa.Array]) -> pa.StructArray:
    arrays = [
        _mapped(array, change) if pa.types.is_struct(array.type) else change(array)
        for array in map(struct.field, range(struct.type.num_fields))
    ]
    mask = struct.is_null() if struct.null_count else None
    return pa.StructArray.from_arrays(arrays, fields=list(struct.type), mask=mask)


def _struct_of(value: Any, target: pa.StructType) -> dict[str, Any] | None:
    if not isinstance(value, dict):
        return None
    return {
        field.name: (
            _struct_of(value.get(field.name), field.type)
            if pa.types.is_struct(field.type)
            else value_of(value.get(field.name), field.type)
        )
        for field in target
    }
