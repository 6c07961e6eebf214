"""Statistics that differ in their values only, as most files of a table have them, in columns.

A parser of JSON looks at each name and each bracket of each text. Where all texts have those of
the first one between the same commas, only what is left over has to be read.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.types as kinds

from deltactl.log.stats.text_values import cast_quickly, cast_texts

Path = tuple[str, ...]

# What may stand between two commas: one value, behind its name and what is opened before it.
_CELL = re.compile(
    r'(?P<first>\{?)(?P<above>(?:"[^"\\]+":\{)*)"(?P<name>[^"\\]+)":'
    r'(?P<value>"[^"]*"|[^"{}\[\]]*)(?P<closed>\}*)'
)
_NAME = re.compile(r'"([^"]+)":\{')
# Anything but a value without quotes has one of these.
_NESTED = r'["{}\[\]:]'
_PIECE = 1 << 16
# Arrow's texts are shorter.
_LONGEST = 1 << 31


class _Cell(NamedTuple):
    """Where a value is: the name of its leaf, and what stands before and behind it."""

    path: Path
    lead: str
    end: str
    is_quoted: bool


class _Shape(NamedTuple):
    """The values of a text in their order, and the structs that it has."""

    cells: list[_Cell]
    structs: frozenset[Path]


def lines(texts: pa.StringArray) -> pa.Buffer:
    """Return the texts with a line feed between them."""
    offsets = pa.array([0, len(texts)], pa.int32())
    joined = pc.binary_join(pa.ListArray.from_arrays(offsets, texts), "\n")
    buffers = joined.buffers()
    return buffers[2] if buffers[2] is not None else pa.py_buffer(b"")


def one_chunk(column: pa.ChunkedArray) -> pa.Array:
    """Return the column as one array, which Arrow copies even if it is one."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def read_uniform(stats: pa.StringArray, target: pa.StructType) -> pa.StructArray | None:
    """Return the structs of these texts, none null; None if not all of them have the same shape.

    None too if a value is not what JSON has for its type: what becomes of it is for others to
    say. Numbers are read as Arrow reads them, which takes a few forms that JSON does not have.
    """
    first = stats[0].as_buffer().to_pybytes()
    shape = _shape(first.decode(errors="replace"))
    if shape is None:
        return None
    columns = _columns(stats, len(shape.cells))
    if columns is None:
        return None
    types = _types(target)
    values: dict[Path, pa.Array] = {}
    for cell, column in zip(shape.cells, columns, strict=True):
        kind = types.get(cell.path)
        value = _values(column, cell, kind)
        if value is None:
            return None
        if kind is not None:
            values[cell.path] = value
    return _struct(target, values, shape.structs, len(stats))


def _shape(text: str) -> _Shape | None:
    """Return the shape of a text; None if it has arrays, empty structs, or a name twice."""
    cells: list[_Cell] = []
    structs: list[Path] = [()]
    above: list[str] = []
    pieces = text.split(",")
    for place, piece in enumerate(pieces, 1):
        found = _CELL.fullmatch(piece)
        if found is None or bool(found["first"]) != (place == 1):
            return None
        for name in _NAME.findall(found["above"]):
            above.append(name)
            structs.append(tuple(above))
        quotes = int(found["value"].startswith('"'))
        lead = piece[: found.start("value") + quotes]
        end = piece[found.end("value") - quotes :]
        cells.append(_Cell((*above, found["name"]), lead, end, bool(quotes)))
        closed, is_last = len(found["closed"]), place == len(pieces)
        if closed > len(above) + is_last or (is_last and closed <= len(above)):
            return None
        above = above[: len(above) - closed] if closed <= len(above) else []
    paths = [*structs, *(cell.path for cell in cells)]
    return _Shape(cells, frozenset(structs)) if len(set(paths)) == len(paths) else None


def _columns(stats: pa.StringArray, number: int) -> list[pa.BinaryArray] | None:
    """Return what stands between the commas of the texts; None if they have not this many."""
    text = lines(stats)
    if not _is_plain(text):
        return None
    names = [str(place) for place in range(number)]
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(text),
            pyarrow.csv.ReadOptions(
                use_threads=False, block_size=text.size + 1, column_names=names
            ),
            pyarrow.csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
            # Of text Arrow would look at each value whether it is UTF-8.
            pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.binary())),
        )
    except pa.ArrowInvalid:
        return None
    if table.num_rows != len(stats):
        return None  # A text with a line feed is two rows.
    return [one_chunk(column) for column in table.columns]


def _is_plain(text: pa.Buffer) -> bool:
    """Return whether it is UTF-8 that escapes nothing: what is escaped may be a quote."""
    is_ascii = True
    # Copies that small are made in the same place again, and that is near at hand.
    for start in range(0, text.size, _PIECE):
        piece = text.slice(start, min(_PIECE, text.size - start)).to_pybytes()
        if b"\\" in piece:
            return False
        is_ascii = is_ascii and piece.isascii()
    return is_ascii or is_text(text.to_pybytes())


def is_text(octets: bytes) -> bool:
    """Return whether they are UTF-8, at which Arrow's parsers look only if they are told to."""
    try:
        octets.decode()
    except UnicodeDecodeError:
        return False
    return True


def _values(column: pa.BinaryArray, cell: _Cell, kind: pa.DataType | None) -> pa.Array | None:
    """Return the values of a leaf, of which those that are not in the target have no type."""
    lead, end, is_quoted = cell.lead.encode(), cell.end.encode(), cell.is_quoted
    if kind is not None and kinds.is_floating(kind) and is_quoted:
        # A word is quoted, and a number in the next text is not.
        lead, end, is_quoted = lead[:-1], end[1:], False
    if kind is not None and is_quoted != _is_text(kind):
        return None
    bare = _between(column, lead, end)
    if bare is None:
        return None
    if kind is None:
        unfit = pc.match_substring(bare, '"') if is_quoted else _is_nested(bare)
        return None if pc.any(unfit).as_py() else bare
    if not is_quoted:
        return _numbers(bare, kind)
    # What is a time has no quote within.
    if kinds.is_temporal(kind) and (times := cast_quickly(bare, kind)) is not None:
        return times
    return None if pc.any(pc.match_substring(bare, '"')).as_py() else cast_texts(bare, kind)


def _between(column: pa.BinaryArray, lead: bytes, end: bytes) -> pa.StringArray | None:
    """Return what stands behind `lead` and before `end`; None if a row does not have them."""
    if not pc.all(pc.starts_with(column, lead)).as_py():
        return None
    if end:
        shortest = pc.min(pc.binary_length(column)).as_py()
        if shortest < len(lead) + len(end) or not pc.all(pc.ends_with(column, end)).as_py():
            return None
    return pc.binary_slice(column, len(lead), -len(end) or _LONGEST).view(pa.string())


def _is_nested(values: pa.StringArray) -> pa.BooleanArray:
    return pc.match_substring_regex(values, _NESTED)


def _is_text(kind: pa.DataType) -> bool:
    return bool(kinds.is_string(kind) or kinds.is_temporal(kind) or kinds.is_binary(kind))


def _numbers(values: pa.StringArray, kind: pa.DataType) -> pa.Array | None:
    try:
        return values.cast(kind)
    except pa.ArrowInvalid:
        pass
    if not kinds.is_floating(kind):
        return None
    try:
        return pc.ascii_trim(values, '"').cast(kind)
    except pa.ArrowInvalid:
        return None


def _types(target: pa.StructType, above: Path = ()) -> Mapping[Path, pa.DataType]:
    """Return the types of the leaves."""
    found: dict[Path, pa.DataType] = {}
    for field in target:
        path = (*above, field.name)
        if kinds.is_struct(field.type):
            found |= _types(field.type, path)
        else:
            found[path] = field.type
    return found


def _struct(
    target: pa.StructType,
    values: Mapping[Path, pa.Array],
    structs: frozenset[Path],
    rows: int,
    above: Path = (),
) -> pa.StructArray:
    if above not in structs:
        return pa.nulls(rows, target)
    arrays = []
    for field in target:
        path = (*above, field.name)
        if kinds.is_struct(field.type):
            arrays.append(_struct(field.type, values, structs, rows, path))
        else:
            value = values.get(path)
            arrays.append(pa.nulls(rows, field.type) if value is None else value)
    return pa.StructArray.from_arrays(arrays, fields=list(target))
