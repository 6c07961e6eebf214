"""Conditions evaluated on Arrow columns, as Spark evaluates them."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal as Number
from decimal import localcontext
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.spec.constraints.condition import (
    AllOf,
    AnyOf,
    ColumnReference,
    Compare,
    Condition,
    Constant,
    Flag,
    IsNull,
    Literal,
    Not,
)
from deltactl.spec.schema import types
from deltactl.spec.schema.schema import Path
from deltactl.spec.schema.types import DataType, Decimal
from deltactl.spec.schema.widening import widening_rule

Columns = Mapping[Path, pa.Array]

# Before this day a date in a file may be of the Julian calendar: the file's writer decides.
GREGORIAN = date(1582, 10, 15)
EPOCH = date(1970, 1, 1)

_INTEGERS = (types.BYTE, types.SHORT, types.INTEGER, types.LONG)
_ARROW = {
    **dict.fromkeys(_INTEGERS, pa.int64()),
    **dict.fromkeys((types.FLOAT, types.DOUBLE), pa.float64()),
    types.STRING: pa.string(),
    types.BOOLEAN: pa.bool_(),
    types.DATE: pa.date32(),
}


class NotComparableError(Exception):
    """A file holds a column in a form of which only Spark knows the meaning."""


def as_compared(held: pa.Array, type_in_file: str, column: ColumnReference) -> pa.Array:
    """Return the column's values from one file in the type in which they are compared.

    `type_in_file` is the file's type in Delta's words.

    Raises:
        NotComparableError: the file has another type, or dates of the old calendar.
    """
    wanted = column.type
    arrow = _arrow_type(wanted)
    if arrow is None:
        return held  # Nothing is asked of it but whether it is there.
    in_file = types.type_from_json(type_in_file)
    if in_file != wanted and widening_rule(in_file, wanted) is None:
        raise NotComparableError(f"it holds {'.'.join(column.path)}, a {wanted}, as {type_in_file}")
    values = held.cast(arrow)
    if wanted == types.DATE:
        first = pc.min(values.cast(pa.int32())).as_py()
        if first is not None and first < (GREGORIAN - EPOCH).days:
            raise NotComparableError(f"it holds a date before {GREGORIAN}")
    return values


def constant(text: str | None, column: ColumnReference, rows: int) -> pa.Array:
    """Return a partition column: the same value in every row of a file.

    Raises:
        NotComparableError: the text is not in the one form that all engines write.
    """
    value = None if text in (None, "") else _partition_value(str(text), column)
    return pa.repeat(pa.scalar(value, _arrow_type(column.type) or pa.null()), rows)


def missing(column: ColumnReference, rows: int) -> pa.Array:
    """Return a column that a file does not have."""
    return pa.nulls(rows, _arrow_type(column.type) or pa.null())


def violations(condition: Condition, columns: Columns, rows: int) -> int:
    """Return in how many rows the condition is not true: false, or unknown."""
    met = _evaluate(condition, columns, rows)
    return rows - (pc.sum(met.cast(pa.int64())).as_py() or 0)


def violating(condition: Condition, columns: Columns, rows: int) -> pa.BooleanArray:
    """Return for each row whether it is one of the `violations`."""
    return pc.invert(pc.fill_null(_evaluate(condition, columns, rows), False))


def _arrow_type(data_type: DataType) -> pa.DataType | None:
    if isinstance(data_type, Decimal):
        return pa.decimal128(types.MAX_PRECISION, data_type.scale)
    return next((arrow for known, arrow in _ARROW.items() if known == data_type), None)


def _partition_value(text: str, column: ColumnReference) -> int | Number | date | bool | str:
    wanted = column.type
    try:
        if wanted in _INTEGERS and str(int(text)) == text:
            return int(text)
        if isinstance(wanted, Decimal):
            number = Number(text)
            if number.is_finite() and number == round(number, wanted.scale):
                return number
        if wanted == types.DATE and date.fromisoformat(text).isoformat() == text:
            return date.fromisoformat(text)
    except (ArithmeticError, ValueError):
        pass
    if wanted == types.BOOLEAN and text in ("true", "false"):
        return text == "true"
    if wanted == types.STRING:
        return text
    raise NotComparableError(f"its partition has {column.path[-1]} = {text!r:.40}, a {wanted}")


def _evaluate(condition: Condition, columns: Columns, rows: int) -> pa.BooleanArray:
    match condition:
        case Constant(value):
            return pa.repeat(pa.scalar(value, pa.bool_()), rows)
        case Flag(column):
            return columns[column.path]
        case IsNull(column):
            return columns[column.path].is_null()
        case Not(part):
            return pc.invert(_evaluate(part, columns, rows))
        case AllOf(parts):
            return _joined(pc.and_kleene, parts, columns, rows)
        case AnyOf(parts):
            return _joined(pc.or_kleene, parts, columns, rows)
        case Compare(operator, left, right):
            one = columns[left.path]
            if isinstance(right, ColumnReference):
                return _with_column(operator, one, columns[right.path])
            return _with_constant(operator, one, right)


def _joined(
    join: Callable[[pa.Array, pa.Array], pa.Array],
    parts: Sequence[Condition],
    columns: Columns,
    rows: int,
) -> pa.BooleanArray:
    return reduce(join, (_evaluate(part, columns, rows) for part in parts))


def _with_constant(operator: str, values: pa.Array, constant: Literal) -> pa.BooleanArray:
    if isinstance(constant, Number):
        return _with_number(operator, values, constant)
    if isinstance(constant, float):
        return _with_column(operator, values, pa.repeat(pa.scalar(constant), len(values)))
    return _SIMPLE[operator](values, pa.scalar(constant, values.type))


def _with_number(operator: str, values: pa.Array, number: Number) -> pa.BooleanArray:
    """Compare exactly: `x < 1.5` is `x <= 1` where x has no digits behind the point."""
    is_decimal = pa.types.is_decimal(values.type)
    scale = values.type.scale if is_decimal else 0
    with localcontext() as exactly:
        exactly.prec = 3 * types.MAX_PRECISION
        scaled = number.scaleb(scale)
        floor = int(scaled.to_integral_value("ROUND_FLOOR"))
        is_whole = floor == scaled
        bound = pa.scalar(Number(floor).scaleb(-scale) if is_decimal else floor, values.type)
    if not is_whole:
        if operator in ("=", "<>"):
            return _always(operator == "<>", values)
        operator = {"<": "<=", ">=": ">"}.get(operator, operator)
    return _SIMPLE[operator](values, bound)


def _always(answer: bool, values: pa.Array) -> pa.BooleanArray:
    """Return the answer wherever there is a value."""
    answers = pa.repeat(pa.scalar(answer), len(values))
    return pc.if_else(values.is_valid(), answers, pa.scalar(None, pa.bool_()))


def _with_column(operator: str, one: pa.Array, other: pa.Array) -> pa.BooleanArray:
    if pa.types.is_floating(one.type):
        return _floating(operator, one, other)
    if one.type != other.type:
        scale = max(getattr(one.type, "scale", 0), getattr(other.type, "scale", 0))
        common = pa.decimal128(types.MAX_PRECISION, scale)
        one, other = one.cast(common), other.cast(common)
    return _SIMPLE[operator](one, other)


def _floating(operator: str, one: pa.Array, other: pa.Array) -> pa.BooleanArray:
    """Compare doubles: to Spark NaN equals itself, and is above all other numbers."""
    match operator:
        case "=":
            both = pc.and_(pc.is_nan(one), pc.is_nan(other))
            return pc.or_(pc.equal(one, other), both)
        case "<":
            below_nan = pc.and_(pc.invert(pc.is_nan(one)), pc.is_nan(other))
            return pc.or_(pc.less(one, other), below_nan)
        case ">":
            return _floating("<", other, one)
        case "<>":
            return pc.invert(_floating("=", one, other))
        case "<=":
            return pc.invert(_floating("<", other, one))
        case _:
            return pc.invert(_floating("<", one, other))


_SIMPLE: Mapping[str, Callable[[pa.Array, pa.Array | pa.Scalar], pa.BooleanArray]] = {
    "=": pc.equal,
    "<>": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}
