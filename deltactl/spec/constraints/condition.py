"""Conditions on a row whose meaning is the same in every session of Spark."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal as Number
from typing import TypeAlias

from deltactl.spec.schema.schema import Path
from deltactl.spec.schema.types import DataType


@dataclass(frozen=True, slots=True)
class ColumnReference:
    """A column that holds single values, spelt as in the schema; its steps are all fields."""

    path: Path
    type: DataType


Literal: TypeAlias = Number | float | str | date | bool
"""A constant; a number is exact, or a float where it is compared as a double.

An exact one is within the range of the column's type.
"""


@dataclass(frozen=True, slots=True)
class Compare:
    """A column against a constant or another column, with `=`, `<>`, `<`, `<=`, `>` or `>=`."""

    operator: str
    left: ColumnReference
    right: ColumnReference | Literal


@dataclass(frozen=True, slots=True)
class IsNull:
    """Whether a column has no value."""

    column: ColumnReference


@dataclass(frozen=True, slots=True)
class Flag:
    """What a boolean column says."""

    column: ColumnReference


@dataclass(frozen=True, slots=True)
class Constant:
    """True, false, or unknown, whatever the row."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite; of what is unknown, unknown."""

    part: "Condition"


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part, in three-valued logic."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Some part, in three-valued logic."""

    parts: tuple["Condition", ...]


Condition: TypeAlias = Compare | IsNull | Flag | Constant | Not | AllOf | AnyOf


def columns_of(condition: Condition) -> Iterator[ColumnReference]:
    """Yield every column that the condition looks at, as often as it does."""
    match condition:
        case Compare(_, left, right):
            yield left
            if isinstance(right, ColumnReference):
                yield right
        case IsNull(column) | Flag(column):
            yield column
        case Not(part):
            yield from columns_of(part)
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from columns_of(part)
        case Constant():
            pass
