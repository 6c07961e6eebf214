"""Delta's data types: values, their JSON in `schemaString`, and the names people type."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from deltactl.errors import BrokenLogError, InvalidUsageError
from deltactl.spec.schema.field_index import FieldIndex
from deltactl.text.suggestions import nearest

MAX_PRECISION = 38


# Without a repr, here and where else every start makes classes: it takes as long as their rest.
@dataclass(frozen=True, slots=True, repr=False)
class Primitive:
    """A type without parts, by its name in the protocol."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, repr=False)
class Decimal:
    """A fixed-point number of `precision` digits, `scale` of them behind the point."""

    precision: int
    scale: int

    def __str__(self) -> str:
        return f"decimal({self.precision},{self.scale})"


@dataclass(frozen=True, slots=True, repr=False)
class Array:
    """A list of `element`. `unknown` is written back untouched, here and in the types below."""

    element: "DataType"
    contains_null: bool
    unknown: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return _text(self, str)


@dataclass(frozen=True, slots=True, repr=False)
class Map:
    """A map from `key` to `value`."""

    key: "DataType"
    value: "DataType"
    value_contains_null: bool
    unknown: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return _text(self, str)


@dataclass(frozen=True, slots=True, repr=False)
class StructField:
    """A column, or a field of a struct. `metadata` and `unknown` are written back untouched."""

    name: str
    type: "DataType"
    nullable: bool = True
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    unknown: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, repr=False)
class Struct:
    """Named fields in order; the schema of a table is one of these."""

    fields: tuple[StructField, ...]
    unknown: Mapping[str, Any] = field(default_factory=dict, hash=False)
    _index: FieldIndex | None = field(default=None, init=False, compare=False)

    def __str__(self) -> str:
        return _text(self, str)

    def place(self, name: str) -> int | None:
        """Return where the field of that name is, or else the first whose name differs in case."""
        if self._index is None:
            object.__setattr__(self, "_index", FieldIndex(self.fields))
        assert self._index is not None
        return self._index.place(name, self.fields)

    def named(self, name: str) -> StructField | None:
        """Return the field of that name, or else the first whose name differs in case."""
        place = self.place(name)
        return None if place is None else self.fields[place]

    def spliced(self, start: int, stop: int, *new: StructField) -> "Struct":
        """Return the struct with `new` fields for those from `start` to `stop`."""
        made = Struct((*self.fields[:start], *new, *self.fields[stop:]), self.unknown)
        if self._index is not None:
            object.__setattr__(made, "_index", self._index.follow(self.fields, start, stop, new))
            object.__setattr__(self, "_index", None)
        return made


@dataclass(frozen=True, slots=True, repr=False)
class Unknown:
    """What stands where a type should, in words that the protocol does not have."""

    json: Any = field(hash=False)

    def __str__(self) -> str:
        return self.json if isinstance(self.json, str) else f"unknown type {self.json!r}"


DataType = Primitive | Decimal | Array | Map | Struct | Unknown

BYTE = Primitive("byte")
SHORT = Primitive("short")
INTEGER = Primitive("integer")
LONG = Primitive("long")
FLOAT = Primitive("float")
DOUBLE = Primitive("double")
STRING = Primitive("string")
BOOLEAN = Primitive("boolean")
BINARY = Primitive("binary")
DATE = Primitive("date")
TIMESTAMP = Primitive("timestamp")
TIMESTAMP_NTZ = Primitive("timestamp_ntz")
VARIANT = Primitive("variant")
VOID = Primitive("void")

PRIMITIVES: dict[str, Primitive] = {
    p.name: p
    for p in (
        BYTE, SHORT, INTEGER, LONG, FLOAT, DOUBLE, STRING, BOOLEAN, BINARY,
        DATE, TIMESTAMP, TIMESTAMP_NTZ, VARIANT, VOID,
    )
}  # fmt: skip

# Intervals stand in the schemas of some tables, and no feature asks for them: they are read, and
# no command makes one. Each spelling of a family holds the same values: months or microseconds.
_OF_DAY = ("day", "hour", "minute", "second")
YEAR_MONTH = frozenset(
    Primitive(f"interval {fields}") for fields in ("year to month", "year", "month")
)
DAY_SECOND = frozenset(
    Primitive(f"interval {first}" if first == last else f"interval {first} to {last}")
    for place, first in enumerate(_OF_DAY)
    for last in _OF_DAY[place:]
)
INTERVALS: dict[str, Primitive] = {p.name: p for p in YEAR_MONTH | DAY_SECOND}

# What people type: the protocol's names, Spark SQL's, and the shorter ones.
ALIASES: dict[str, Primitive] = PRIMITIVES | {
    "tinyint": BYTE, "smallint": SHORT, "int": INTEGER, "bigint": LONG, "real": FLOAT,
    "bool": BOOLEAN, "timestamp_ltz": TIMESTAMP, "null": VOID,
}  # fmt: skip

_WITH_PARTS = ("decimal", "char", "varchar", "array", "map", "struct")
_KNOWN = (
    "tinyint (byte), smallint (short), int (integer), bigint (long), float, double, "
    "decimal(p,s), string, varchar(n), char(n), boolean, binary, date, timestamp, timestamp_ntz, "
    "variant, void, array<type>, map<type,type>, struct<name:type>"
)
# Compiled when it is needed first: that takes longer than all else that this module does.
_DECIMAL = r"(?:decimal|dec|numeric)\s*(?:\(\s*([0-9]{1,4})\s*(?:,\s*(-?[0-9]{1,4})\s*)?\))?"


def type_from_json(value: Any) -> DataType:
    """Read a type as `schemaString` holds it; what is not a type becomes `Unknown`.

    Raises:
        BrokenLogError: a struct, array or map lacks one of its parts.
    """
    match value:
        case str():
            known = PRIMITIVES.get(value) or INTERVALS.get(value)
            return known or _decimal(value) or Unknown(value)
        case {"type": "struct", "fields": list(fields), **rest}:
            return Struct(tuple(_field_from_json(f) for f in fields), _texts(rest))
        case {"type": "array", "elementType": element, **rest}:
            nulls = bool(rest.pop("containsNull", True))
            return Array(type_from_json(element), nulls, _texts(rest))
        case {"type": "map", "keyType": key, "valueType": val, **rest}:
            nulls = bool(rest.pop("valueContainsNull", True))
            return Map(type_from_json(key), type_from_json(val), nulls, _texts(rest))
        case {"type": "struct" | "array" | "map" as kind}:
            raise BrokenLogError("SCHEMA_MALFORMED", f"the schema has an incomplete {kind} type")
        case _:
            return Unknown(value)


def type_to_json(data_type: DataType) -> Any:
    """Return the type as `schemaString` holds it."""
    match data_type:
        case Struct(fields, unknown):
            return {"type": "struct", "fields": [field_to_json(f) for f in fields], **unknown}
        case Array(element, contains_null, unknown):
            return {
                "type": "array",
                "elementType": type_to_json(element),
                "containsNull": contains_null,
                **unknown,
            }
        case Map(key, value, value_contains_null, unknown):
            return {
                "type": "map",
                "keyType": type_to_json(key),
                "valueType": type_to_json(value),
                "valueContainsNull": value_contains_null,
                **unknown,
            }
        case Unknown(json):
            return json
        case _:
            return str(data_type)


def field_to_json(struct_field: StructField) -> dict[str, Any]:
    """Return the field as `schemaString` holds it."""
    return {
        "name": struct_field.name,
        "type": type_to_json(struct_field.type),
        "nullable": struct_field.nullable,
        "metadata": dict(struct_field.metadata),
        **struct_field.unknown,
    }


def short_name(data_type: DataType) -> str:
    """Return the type for people: `int` for `integer`, the protocol's name otherwise."""
    return _text(data_type, lambda leaf: "int" if leaf == INTEGER else str(leaf))


def kind(data_type: DataType, leaf: Callable[[DataType], str] = str) -> str:
    """Return the type without its parts: `struct`, `array`, `map`, or `leaf` of another."""
    match data_type:
        case Struct():
            return "struct"
        case Array():
            return "array"
        case Map():
            return "map"
        case _:
            return leaf(data_type)


def parse_type(text: str) -> DataType:
    """Read a type without parts as a person types it: `bigint`, `long`, `decimal(10,2)`.

    Raises:
        InvalidUsageError: no such type, or a decimal out of range.
    """
    name = text.strip().lower()
    if known := ALIASES.get(name) or _decimal(name):
        return known
    if re.fullmatch(_DECIMAL, name):
        hint = f"of decimal(p,s), p is from 1 to {MAX_PRECISION}, and s from 0 to p"
    else:
        word = "" if "<" in name else name.partition("(")[0].rstrip()
        near = nearest(word, [*ALIASES, *_WITH_PARTS])
        asks = f"did you mean {' or '.join(near)}? " if near else ""
        hint = f"{asks}The types are {_KNOWN}"
    raise InvalidUsageError(
        "NOT_A_TYPE", f"{text!r} is not a type that a column can have", hint=hint
    )


def _text(data_type: DataType, leaf: Callable[[DataType], str]) -> str:
    """Return the type in angle brackets, without recursion: schemas can be very deep."""
    parts: list[str] = []
    stack: list[DataType | str] = [data_type]
    while stack:
        match stack.pop():
            case str(text):
                parts.append(text)
            case Array(element):
                stack += [">", element, "array<"]
            case Map(key, value):
                stack += [">", value, ",", key, "map<"]
            case Struct(fields):
                stack.append(">")
                for field in reversed(fields):
                    stack += [field.type, f"{field.name}:", ","]
                if fields:
                    stack.pop()
                stack.append("struct<")
            case other:
                parts.append(leaf(other))
    return "".join(parts)


def _decimal(text: str) -> Decimal | None:
    if not (found := re.fullmatch(_DECIMAL, text)):
        return None
    precision, scale = int(found[1] or 10), int(found[2] or 0)
    fits = 0 <= scale <= precision and 1 <= precision <= MAX_PRECISION
    return Decimal(precision, scale) if fits else None


def _texts(rest: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what else an object of JSON holds, whose keys are text."""
    return dict(rest)


def _field_from_json(value: Any) -> StructField:
    match value:
        case {"name": str(name), "type": data_type}:
            rest = {key: part for key, part in value.items() if key not in ("name", "type")}
            nullable = rest.pop("nullable", True)
            metadata = rest.pop("metadata", None)
            return StructField(
                name=name,
                type=type_from_json(data_type),
                nullable=nullable is not False,
                metadata=metadata if isinstance(metadata, dict) else {},
                unknown=rest,
            )
    raise BrokenLogError("SCHEMA_MALFORMED", "the schema has a field without a name or a type")
