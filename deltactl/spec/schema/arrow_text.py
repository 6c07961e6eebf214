"""Arrow's types by their names, and a schema as Arrow prints it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from deltactl.errors import RefusedError
from deltactl.spec.schema.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    Array,
    DataType,
    Decimal,
    Map,
    Struct,
    StructField,
)

# Unsigned numbers as Spark reads them from parquet: in the next larger type.
_LEAVES: dict[str, DataType] = {
    "int8": BYTE, "int16": SHORT, "int32": INTEGER, "int64": LONG,
    "uint8": SHORT, "uint16": INTEGER, "uint32": LONG, "uint64": Decimal(20, 0),
    "float": FLOAT, "double": DOUBLE, "bool": BOOLEAN, "null": VOID,
    "string": STRING, "large_string": STRING, "string_view": STRING,
    "binary": BINARY, "large_binary": BINARY, "binary_view": BINARY,
    "date32[day]": DATE, "date64[ms]": DATE,
}  # fmt: skip
_DECIMAL = re.compile(r"decimal(?:32|64|128|256)\(([0-9]+), ([0-9]+)\)")
_TIMESTAMP = re.compile(r"timestamp\[(?:s|ms|us|ns)(, tz=.*)?\]")
_FIXED = re.compile(r"fixed_size_binary\[[0-9]+\]")
_DICTIONARY = re.compile(r"dictionary<values=([^,<>]+), .*>")
# Arrow's other types, for which Delta has none.
_FOREIGN = re.compile(
    r"halffloat|(?:time32|time64|duration)\[\w+\]|\w+_interval|decimal(?:32|64|128|256)\(.*\)"
    r"|(?:sparse|dense)_union<.*>|run_end_encoded<.*>|extension<.*>"
)
_LIST = re.compile(r"(?:list|large_list|list_view|large_list_view|fixed_size_list)<.*")
_LEAF = "|".join(
    [
        *map(re.escape, _LEAVES),
        *(form.pattern for form in (_DECIMAL, _TIMESTAMP, _FIXED, _DICTIONARY, _FOREIGN)),
    ]
)
# A name may have a colon in it: what follows the right one is a type. DDL in one line has commas.
_LINE = re.compile(
    r"(?P<indent> *)(?:child [0-9]+, )?(?P<name>[^ ,][^,]*?): "
    rf"(?P<type>{_LEAF}|(?:struct|map)<.*>|{_LIST.pattern}>(?:\[[0-9]+\])?)(?P<required> not null)?"
)
_METADATA = "-- "


class _Line(NamedTuple):
    """A line of a printed schema, and the lines that are further in below it."""

    name: str
    type: str
    nullable: bool
    below: list["_Line"]


def leaf_type(name: str) -> DataType:
    """Return Delta's type for an Arrow type without parts.

    Raises:
        RefusedError: Delta has none.
    """
    if found := _LEAVES.get(name):
        return found
    if _FIXED.fullmatch(name):
        return BINARY
    if found_time := _TIMESTAMP.fullmatch(name):
        return TIMESTAMP if found_time[1] else TIMESTAMP_NTZ
    if values := _DICTIONARY.fullmatch(name):
        return leaf_type(values[1])
    if (digits := _DECIMAL.fullmatch(name)) and int(digits[2]) <= int(digits[1]) <= 38:
        return Decimal(int(digits[1]), int(digits[2]))
    raise RefusedError(
        "TYPE_NOT_IN_DELTA", f"{name}: a Delta table has no columns of this Arrow type"
    )


def parse_arrow_text(text: str) -> Struct | None:
    """Read a schema as `schema export --as arrow` and pyarrow print it; None for other text.

    Raises:
        RefusedError: an Arrow type that Delta has no type for.
    """
    lines = _tree(text)
    if not lines or not all(map(_is_whole, lines)):
        return None
    return Struct(tuple(map(_field, lines)))


def _tree(text: str) -> list[_Line] | None:
    top: list[_Line] = []
    open_lines: list[tuple[int, list[_Line]]] = [(-1, top)]
    for line in _lines(text):
        found = _LINE.fullmatch(line)
        if found is None:
            return None
        indent = len(found["indent"])
        while open_lines[-1][0] >= indent:
            open_lines.pop()
        new = _Line(found["name"], found["type"], found["required"] is None, [])
        open_lines[-1][1].append(new)
        open_lines.append((indent, new.below))
    return top


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if line.startswith(_METADATA):
            return
        if line.strip():
            yield line.rstrip()


def _is_whole(line: _Line) -> bool:
    """Return whether a type with parts has them in lines below, as DDL in one line does not."""
    if line.type.startswith(("struct<", "map<")) or _LIST.fullmatch(line.type):
        is_empty = line.type == "struct<>"
        return bool(line.below or is_empty) and all(map(_is_whole, line.below))
    return not line.below


def _field(line: _Line) -> StructField:
    return StructField(line.name, _type(line), line.nullable)


def _type(line: _Line) -> DataType:
    if line.type.startswith("struct<"):
        return Struct(tuple(map(_field, line.below)))
    if line.type.startswith("map<"):
        key, value = line.below[0].below
        return Map(_type(key), _type(value), value.nullable)
    if _LIST.fullmatch(line.type):
        return Array(_type(line.below[0]), line.below[0].nullable)
    return leaf_type(line.type)
