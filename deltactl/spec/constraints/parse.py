"""From the text of a CHECK constraint to a condition, where Spark can mean but one thing by it.

What an expression means in Spark depends on how types are coerced, and on the ANSI mode and the
time zone of the session. What is not certain to be the same under all of them is declined.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal as Number
from typing import Any, NamedTuple, NoReturn

from deltactl.errors import NotFoundError, RefusedError
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
from deltactl.spec.constraints.expression import columns_in
from deltactl.spec.keys import CHAR_VARCHAR, COLLATIONS
from deltactl.spec.schema import types
from deltactl.spec.schema.schema import Path, find, format_path, resolve_prefix, steps
from deltactl.spec.schema.types import DataType, Decimal, Map, Struct, short_name

_OPERATORS = {"eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_FLIPPED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
# The digits before the point that an integer counts as where it meets a decimal.
_WHOLE_DIGITS = {types.BYTE: 3, types.SHORT: 5, types.INTEGER: 10, types.LONG: 20}
_FLOATS = (types.FLOAT, types.DOUBLE)
_SINGLE = {*_WHOLE_DIGITS, *_FLOATS, types.STRING, types.BOOLEAN, types.BINARY, types.DATE,
           types.TIMESTAMP, types.TIMESTAMP_NTZ}  # fmt: skip
# Up to here every integer is a float too; beyond, the ANSI mode decides whether it is rounded.
_EXACT_FLOAT = 2**24
_BITS = {types.BYTE: 8, types.SHORT: 16, types.INTEGER: 32, types.LONG: 64}
_SUFFIXES = {"TINYINT": 2**7, "SMALLINT": 2**15, "BIGINT": 2**63}
_KEYWORDS = frozenset(["and", "between", "date", "false", "in", "is", "not", "null", "or", "true"])
_TOKEN = re.compile(
    r"\s+|`(?:[^`]|``)+`|'[^'\\]*'|[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?[lsy]?(?![\w.])"
    r"|(?P<word>[a-z_]\w*)|<>|!=|==|<=(?!>)|>=|,(?!\s*\))|[=<>().!-]",
    re.ASCII | re.IGNORECASE,
)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]*)?", re.ASCII)
_DOUBLE = re.compile(r"[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]{1,4}", re.ASCII)
# What is said of a constant alone says little: its comparison is shown.
_CONSTANTS = {"boolean", "cast", "literal", "neg", "null", "trycast"}


class Expression(NamedTuple):
    """A parsed expression."""

    text: str
    tree: Any


class Declined(NamedTuple):
    """Why only Spark can say what an expression means."""

    reason: str


class _DeclinedError(Exception):
    """Unwinds the reading of an expression; it never leaves this module."""


def parse_expression(text: str) -> Expression:
    """Read a condition on one row.

    Raises:
        RefusedError: it is not an expression, or refers to more than one row.
    """
    # It takes longer to load than most commands run.
    import sqlglot
    from sqlglot import exp

    try:
        trees = sqlglot.parse(text, read="spark")
    except (sqlglot.errors.SqlglotError, RecursionError) as error:
        raise _refused(text, _where(getattr(error, "errors", ()))) from error
    tree = trees[0] if len(trees) == 1 and not text.rstrip().endswith(";") else None
    if not isinstance(tree, exp.Condition | exp.Predicate):
        raise _refused(text, "it must be one expression")
    for kind, said in (
        (exp.Query, "a subquery"),
        (exp.AggFunc, "an aggregate"),
        (exp.Window, "a window function"),
    ):
        if tree.find(kind) is not None:
            raise _refused(text, f"it has {said}, and must refer to one row")
    top = tree.unnest()
    if isinstance(top, exp.Literal | exp.Null | exp.Add | exp.Sub | exp.Mul | exp.Div | exp.Neg):
        raise _refused(text, "it is neither true nor false")
    return Expression(text, tree)


def unknown_columns(text: str, schema: Struct) -> Iterator[NotFoundError]:
    """Yield one error for each column of the expression that the schema does not have."""
    for names in sorted(columns_in(text) or ()):
        known = resolve_prefix(schema, names)
        nodes = steps(schema, known)
        if nodes and isinstance(nodes[-1].type, Map):
            continue  # What is named below a map is a key.
        # Below an array SQL names the fields of its structs without a step for the element.
        done = sum(node.is_field for node in nodes)
        if done < len(names):
            try:
                find(schema, (*known, names[done]))
            except NotFoundError as error:
                yield error


def read_condition(expression: Expression, schema: Struct) -> Condition | Declined:
    """Return the condition that the expression is in every session of Spark, if that is certain.

    Raises:
        RefusedError: a column is used as a truth value and is not BOOLEAN.
    """
    try:
        condition = _condition(expression.tree, schema)
        if odd := _foreign(expression):
            return Declined(f"it is not certain how Spark's grammar takes {odd!r:.40}")
        return condition
    except _DeclinedError as error:
        return Declined(str(error))
    except RecursionError:
        return Declined("it is nested too deeply")


def _refused(text: str, reason: str) -> RefusedError:
    return RefusedError(
        "BAD_EXPRESSION",
        f"{text!r:.200} is not a condition: {reason:.200}",
        hint="write a condition on one row, such as: amount > 0 AND currency IS NOT NULL",
    )


def _foreign(expression: Expression) -> str | None:
    """Return what Spark may read differently from the parser, which knows more dialects.

    Double quotes and backslashes are among it: how they are read depends on settings.
    """
    named = columns_in(expression.text) or ()
    names = {name.casefold() for path in named for name in path}
    position = 0
    while found := _TOKEN.match(expression.text, position):
        word = found["word"]
        if word and word.casefold() not in _KEYWORDS | names:
            return str(word)
        position = found.end()
    return expression.text[position:] or None


def _where(faults: Sequence[Mapping[str, Any]]) -> str:
    """Return where the parser gave up, as far as it says."""
    for fault in faults:
        if fault.get("col"):
            return f"it cannot be read beyond line {fault['line']}, character {fault['col']}"
    return "it cannot be read"


def _decline(tree: Any) -> NoReturn:
    shown = tree.parent if tree.key in _CONSTANTS and tree.parent is not None else tree
    raise _DeclinedError(f"only Spark knows exactly what this means: {shown.sql('spark'):.120}")


def _condition(tree: Any, schema: Struct) -> Condition:
    match tree.key:
        case "paren":
            return _condition(tree.this, schema)
        case "and":
            return AllOf((_condition(tree.left, schema), _condition(tree.right, schema)))
        case "or":
            return AnyOf((_condition(tree.left, schema), _condition(tree.right, schema)))
        case "not":
            return Not(_condition(tree.this, schema))
        case "boolean":
            return Constant(bool(tree.this))
        case "column":
            column = _column(tree, schema)
            if column.type != types.BOOLEAN:
                reason = f"{format_path(column.path)} is {column.type}, neither true nor false"
                raise _refused(tree.sql("spark"), reason)
            return Flag(column)
        case "is":
            return _is(tree, schema)
        case "in":
            return _one_of(tree, schema)
        case "between" if not tree.args.get("symmetric"):
            column, low, high = _column(tree.this, schema), tree.args["low"], tree.args["high"]
            return AllOf(
                (
                    Compare(">=", column, _literal(low, column.type)),
                    Compare("<=", column, _literal(high, column.type)),
                )
            )
        case key if key in _OPERATORS:
            return _comparison(tree, schema)
        case _:
            _decline(tree)


def _is(tree: Any, schema: Struct) -> Condition:
    column, wanted = _column(tree.this, schema), tree.expression
    if wanted.key == "null":
        return IsNull(column)
    if wanted.key == "boolean" and column.type == types.BOOLEAN:
        flag = Flag(column) if wanted.this else Not(Flag(column))
        return AllOf((Not(IsNull(column)), flag))
    _decline(tree)


def _one_of(tree: Any, schema: Struct) -> Condition:
    if not tree.expressions:
        _decline(tree)
    column = _column(tree.this, schema)
    parts: list[Condition] = []
    for item in tree.expressions:
        if item.key == "null":
            parts.append(Constant(None))
        else:
            parts.append(Compare("=", column, _literal(item, column.type)))
    return AnyOf(tuple(parts))


def _comparison(tree: Any, schema: Struct) -> Compare:
    operator, left, right = _OPERATORS[tree.key], tree.left, tree.right
    if left.key != "column":
        operator, left, right = _FLIPPED[operator], right, left
    column = _column(left, schema)
    if column.type == types.BOOLEAN and operator not in ("=", "<>"):
        _decline(tree)
    if right.key != "column":
        return Compare(operator, column, _literal(right, column.type))
    other = _column(right, schema)
    if not _are_comparable(column.type, other.type):
        _decline(tree)
    return Compare(operator, column, other)


def _column(tree: Any, schema: Struct) -> ColumnReference:
    """Return a column whose single values Spark compares byte by byte or as numbers."""
    if tree.key != "column":
        _decline(tree)
    names: Path = tuple(part.name for part in tree.parts)
    path = resolve_prefix(schema, names)
    if len(path) != len(names):
        _decline(tree)
    nodes = steps(schema, path)
    node = nodes[-1]
    if not all(step.is_field for step in nodes):
        _decline(tree)
    if node.type not in _SINGLE and not isinstance(node.type, Decimal):
        raise _DeclinedError(f"{node} is {short_name(node.type)}, no single value")
    limit = str(node.field.metadata.get(CHAR_VARCHAR, ""))
    if COLLATIONS in node.field.metadata or limit.startswith("char"):
        raise _DeclinedError(f"{format_path(path)} is padded or collated when it is compared")
    return ColumnReference(node.path, node.type)


def _are_comparable(one: DataType, other: DataType) -> bool:
    """Return whether values of the two types are compared as they are, without loss."""
    if _is_exact(one) and _is_exact(other):
        whole = max(_whole(one), _whole(other))
        return whole + max(_scale(one), _scale(other)) <= types.MAX_PRECISION
    if one in _FLOATS and other in _FLOATS:
        return True
    return one == other and one in (types.STRING, types.DATE, types.BOOLEAN)


def _is_exact(data_type: DataType) -> bool:
    return isinstance(data_type, Decimal) or data_type in _WHOLE_DIGITS


def _whole(data_type: DataType) -> int:
    if isinstance(data_type, Decimal):
        return data_type.precision - data_type.scale
    return next(digits for known, digits in _WHOLE_DIGITS.items() if known == data_type)


def _scale(data_type: DataType) -> int:
    return data_type.scale if isinstance(data_type, Decimal) else 0


def _literal(tree: Any, beside: DataType) -> Literal:
    """Return the constant, as it is compared with a column of the type `beside`."""
    if tree.key == "boolean" and beside == types.BOOLEAN:
        return bool(tree.this)
    if beside == types.STRING and _is_text(tree):
        return str(tree.this)
    if beside == types.DATE:
        return _day(tree)
    if _is_exact(beside):
        return _exact(tree, beside)
    if beside in _FLOATS:
        return _floating(tree, beside)
    _decline(tree)


def _is_text(tree: Any) -> bool:
    return tree.key == "literal" and bool(tree.is_string)


def _day(tree: Any) -> date:
    """Return the day of `DATE '2020-01-31'`, or of its string alone, which Spark coerces."""
    if tree.key == "cast" and tree.to.sql() == "DATE":
        tree = tree.this
    if _is_text(tree) and _DAY.fullmatch(tree.this):
        try:
            return date.fromisoformat(tree.this)
        except ValueError:
            pass
    _decline(tree)


def _exact(tree: Any, beside: DataType) -> Number:
    number, digits = _number(tree)
    if not _is_within(number, beside):
        # Spark 4.2 takes i < 99999999999999999999 for true even where i is NULL.
        raise _DeclinedError(f"{number} is beyond what a column of type {beside} can hold")
    whole, _, fraction = digits.partition(".")
    if "." in digits:
        needed = len(whole.lstrip("0"))
    else:
        # Spark may take an integer for an int or a long when it makes a decimal of it.
        needed = max(len(whole.lstrip("0")), 10 if abs(number) < 2**31 else 20)
    scale = max(_scale(beside), len(fraction))
    if max(needed, _whole(beside)) + scale > types.MAX_PRECISION:
        _decline(tree)
    return number


def _is_within(number: Number, data_type: DataType) -> bool:
    if isinstance(data_type, Decimal):
        return number.adjusted() < _whole(data_type) or not number
    limit = next(1 << (bits - 1) for known, bits in _BITS.items() if known == data_type)
    return -limit <= number < limit


def _number(tree: Any) -> tuple[Number, str]:
    """Return an integer or a decimal, and how it is written without its sign."""
    if tree.key == "neg":
        number, digits = _number(tree.this)
        return number.copy_negate(), digits
    limit = None
    if tree.key == "trycast" and tree.to.sql("spark") in _SUFFIXES:
        limit, tree = _SUFFIXES[tree.to.sql("spark")], tree.this
    if tree.key != "literal" or tree.is_string or not _NUMBER.fullmatch(tree.this):
        _decline(tree)
    number = Number(tree.this)
    if limit is not None and ("." in tree.this or number >= limit):
        _decline(tree)
    return number, tree.this


def _floating(tree: Any, beside: DataType) -> float:
    sign, bare = (-1, tree.this) if tree.key == "neg" else (1, tree)
    if bare.key == "literal" and not bare.is_string and _DOUBLE.fullmatch(bare.this):
        value = float(bare.this)
    else:
        number, digits = _number(bare)
        if beside == types.FLOAT and "." not in digits and number > _EXACT_FLOAT:
            _decline(tree)
        if len(digits.replace(".", "").lstrip("0")) > types.MAX_PRECISION:
            _decline(tree)
        value = float(number)
    if value == float("inf"):
        _decline(tree)
    return sign * value
