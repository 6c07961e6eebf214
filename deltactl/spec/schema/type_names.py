"""Types without parts as people type them, by the names of Delta, SQL and DuckLake."""

import re
from typing import NamedTuple

from deltactl.errors import RefusedError
from deltactl.spec.schema.types import (
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    DataType,
    Primitive,
    parse_type,
    short_name,
)

# Keys of a field's metadata that belong to its type, or are set with it.

# The DuckLake names that mean one thing only.
_DUCKLAKE: dict[str, Primitive] = {
    "int16": SHORT, "int32": INTEGER, "int64": LONG, "float32": FLOAT, "float64": DOUBLE,
}  # fmt: skip
_UNSIGNED = re.compile(r"u(?:int(?:8|16|32|64)?|tinyint|smallint|integer|bigint)")
# A type with a length, as typed and as the schema keeps it.
LIMITED = re.compile(r"(char|character|varchar)\s*\(\s*([0-9]{1,9})\s*\)")


class Typed(NamedTuple):
    """A type as typed. `limit` is the text with a length, `varchar(5)`, that is kept next to it."""

    type: DataType
    limit: str | None = None

    def __str__(self) -> str:
        return self.limit or str(self.type)

    @property
    def shown(self) -> str:
        """The type for people, as `short_name` writes it."""
        return self.limit or short_name(self.type)


def parse_typed(text: str) -> Typed:
    """Read a type without parts.

    Raises:
        InvalidUsageError: no such type, or a decimal out of range.
        RefusedError: a name that Delta has no type for, or that means two things.
    """
    name = text.strip().lower()
    if known := _DUCKLAKE.get(name):
        return Typed(known)
    if name == "int8":
        raise RefusedError(
            "AMBIGUOUS_TYPE",
            "int8 is a number of 1 byte in DuckLake, and of 8 bytes in SQL",
            hint="write byte for 1 byte, long for 8",
        )
    if _UNSIGNED.fullmatch(name):
        raise RefusedError(
            "UNSIGNED_TYPE",
            f"{text.strip()} is unsigned, and Delta has no unsigned numbers",
            hint="take the next larger type, such as long, or decimal(20,0) for 64 bits",
        )
    if limited := LIMITED.fullmatch(name):
        kind = "char" if limited[1].startswith("char") else "varchar"
        return Typed(STRING, f"{kind}({int(limited[2])})")
    return Typed(parse_type(text))
