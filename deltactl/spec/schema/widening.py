"""Which type changes keep every value, as one table of rules, and what each rule rests on."""

from collections.abc import Iterator
from typing import NamedTuple

from deltactl.spec.schema.types import (
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    TIMESTAMP_NTZ,
    DataType,
    Decimal,
    Primitive,
)


class WideningRule(NamedTuple):
    """One kind of widening. `draft`: the draft has it too; `iceberg`: Iceberg does."""

    name: str
    draft: bool
    iceberg: bool


INTEGERS = WideningRule("integer widening", draft=True, iceberg=True)
FLOATS = WideningRule("floating-point widening", draft=True, iceberg=True)
INTEGER_TO_DOUBLE = WideningRule("integer to double", draft=False, iceberg=False)
INTEGER_TO_DECIMAL = WideningRule("integer to decimal", draft=False, iceberg=False)
DECIMAL_SAME_SCALE = WideningRule("decimal widening", draft=True, iceberg=True)
DECIMAL_MORE_SCALE = WideningRule("decimal widening with more scale", draft=True, iceberg=False)
DATES = WideningRule("date widening", draft=True, iceberg=False)

# PROTOCOL.md, "Type Widening". Decimals follow a formula and stand below.
WIDER: dict[Primitive, dict[Primitive, WideningRule]] = {
    BYTE: {SHORT: INTEGERS, INTEGER: INTEGERS, LONG: INTEGERS, DOUBLE: INTEGER_TO_DOUBLE},
    SHORT: {INTEGER: INTEGERS, LONG: INTEGERS, DOUBLE: INTEGER_TO_DOUBLE},
    INTEGER: {LONG: INTEGERS, DOUBLE: INTEGER_TO_DOUBLE},
    FLOAT: {DOUBLE: FLOATS},
    DATE: {TIMESTAMP_NTZ: DATES},
}
# The digits an integer counts as, whatever its values: Decimal(p,s) must leave p - s for them.
DIGITS: dict[Primitive, int] = {BYTE: 10, SHORT: 10, INTEGER: 10, LONG: 20}


class WideningTarget(NamedTuple):
    """A type, or a family of decimals, that a column may be widened to."""

    type: str
    rule: WideningRule
    example: DataType


def widening_rule(old: DataType, new: DataType) -> WideningRule | None:
    """Return the rule by which `old` may become `new`; None if none does, or they are equal."""
    match old, new:
        case Primitive(), Primitive():
            return WIDER.get(old, {}).get(new)
        case Primitive(), Decimal(precision, scale) if old in DIGITS:
            return INTEGER_TO_DECIMAL if precision - scale >= DIGITS[old] else None
        case Decimal(p, s), Decimal(precision, scale) if old != new:
            if precision - scale < p - s or scale < s:
                return None
            return DECIMAL_SAME_SCALE if scale == s else DECIMAL_MORE_SCALE
        case _:
            return None


def targets(old: DataType) -> Iterator[WideningTarget]:
    """Yield the types that a column of type `old` may become, nearest first."""
    match old:
        case Primitive():
            for new, rule in WIDER.get(old, {}).items():
                yield WideningTarget(str(new), rule, new)
            if digits := DIGITS.get(old):
                family = f"decimal(p,s) with p - s >= {digits}"
                yield WideningTarget(family, INTEGER_TO_DECIMAL, Decimal(digits, 0))
        case Decimal(precision, scale) if precision < 38:
            whole = precision - scale
            same = f"decimal(p,{scale}) with p > {precision}"
            yield WideningTarget(same, DECIMAL_SAME_SCALE, Decimal(precision + 1, scale))
            more = f"decimal(p,s) with s > {scale} and p - s >= {whole}"
            yield WideningTarget(more, DECIMAL_MORE_SCALE, Decimal(precision + 1, scale + 1))
