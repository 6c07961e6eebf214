"""Whether Spark can surely resolve a condition that only Spark can evaluate.

A condition that it cannot resolve stops every write of the table. What is known here are the
operators and functions that constraints mostly have, on operands of one kind: an implicit cast
may fail, and does so in some sessions only.
"""

import re
from collections.abc import Mapping
from typing import Any

from deltactl.spec.constraints.expression import columns_in
from deltactl.spec.constraints.parse import Expression
from deltactl.spec.schema import types
from deltactl.spec.schema.schema import find, resolve_prefix
from deltactl.spec.schema.types import DataType, Decimal, Struct

_NUMBER, _TEXT, _DATE, _TIME, _TRUTH = "number", "text", "date", "timestamp", "truth"
_COLUMNS: Mapping[DataType, str] = {
    types.BYTE: _NUMBER,
    types.SHORT: _NUMBER,
    types.INTEGER: _NUMBER,
    types.LONG: _NUMBER,
    types.FLOAT: _NUMBER,
    types.DOUBLE: _NUMBER,
    types.STRING: _TEXT,
    types.BOOLEAN: _TRUTH,
    types.DATE: _DATE,
    types.TIMESTAMP: _TIME,
}
_KEYWORDS = frozenset(
    ["and", "between", "false", "in", "is", "like", "not", "null", "or", "rlike", "true"]
)
# By Spark's names, since the parser knows those of other dialects too.
_FUNCTIONS = frozenset(
    [
        "abs", "ceil", "char_length", "coalesce", "contains", "current_date", "current_timestamp",
        "day", "endswith", "floor", "length", "lower", "ltrim", "mod", "month", "rtrim",
        "startswith", "trim", "upper", "year",
    ]
)  # fmt: skip
_TOKEN = re.compile(
    r"\s+|`(?:[^`]|``)+`|'[^'\\]*'|[0-9]+(?:\.[0-9]*)?(?![\w.])|(?P<word>[a-z_]\w*)"
    r"(?P<call>\s*\()?|<>|!=|<=(?!>)|>=|,(?!\s*\))|[=<>().+*/%-]",
    re.ASCII | re.IGNORECASE,
)
# What each makes of operands of a kind, by the parser's names of them.
_SAME = {"add", "sub", "mul", "div", "mod", "neg", "paren", "coalesce", "abs", "ceil", "floor"}
_OF_ONE = {"abs", "ceil", "floor", "length", "upper", "lower", "trim", "year", "month", "day"}
_COMPARING = {"eq", "neq", "lt", "lte", "gt", "gte", "between", "in", "is"}
_OF_TEXT = {
    "length": _NUMBER,
    "upper": _TEXT,
    "lower": _TEXT,
    "trim": _TEXT,
    "startswith": _TRUTH,
    "endswith": _TRUTH,
    "contains": _TRUTH,
    "like": _TRUTH,
    "regexplike": _TRUTH,
}
_OF_DATE = {"year", "month", "day"}
_CURRENT = {"currentdate": _DATE, "currenttimestamp": _TIME}


class _UnsureError(Exception):
    """Unwinds the look at an expression; it never leaves this module."""


def surely_resolves(expression: Expression, schema: Struct) -> bool:
    """Return whether Spark knows all that the condition is made of."""
    try:
        return _has_known_words(expression.text) and _kind(expression.tree, schema) == _TRUTH
    except (_UnsureError, RecursionError):
        return False


def _has_known_words(text: str) -> bool:
    names = {name.casefold() for path in columns_in(text) or () for name in path}
    position = 0
    while found := _TOKEN.match(text, position):
        if word := found["word"]:
            plain = _KEYWORDS if found["call"] else _KEYWORDS | names
            is_function = bool(found["call"]) and word.casefold() in _FUNCTIONS
            if word.casefold() not in plain and not is_function:
                return False
        position = found.end()
    return position == len(text)


def _kind(tree: Any, schema: Struct) -> str | None:
    """Return the kind of value; None for NULL, which goes with all."""
    key = tree.key
    if key == "column":
        return _of_column(tree.sql("spark"), schema)
    if key in ("literal", "null", "boolean"):
        return _of_constant(tree)
    if key in _CURRENT and not any(True for _ in tree.iter_expressions()):
        return _CURRENT[key]
    if key == "tsordstodate":  # what the parser puts round the operand of year, month and day
        return _kind(tree.this, schema)
    parts = [_kind(part, schema) for part in tree.iter_expressions()]
    found = {*parts} - {None}
    if len(found) > 1 or (key in _OF_ONE and len(parts) > 1):
        raise _UnsureError
    (kind,) = found or {None}
    if key in ("and", "or", "not") and kind in (_TRUTH, None):
        return _TRUTH
    if key in _COMPARING and kind != _TRUTH:
        return _TRUTH
    if key in _OF_TEXT and kind == _TEXT:
        return _OF_TEXT[key]
    if key in _OF_DATE and kind in (_DATE, _TIME):
        return _NUMBER
    if key in _SAME and (kind == _NUMBER or key in ("paren", "coalesce")):
        return kind
    raise _UnsureError


def _of_column(name: str, schema: Struct) -> str:
    for names in columns_in(name) or ():
        known = resolve_prefix(schema, names)
        if len(known) == len(names):
            data_type = find(schema, known).type
            is_number = isinstance(data_type, Decimal)
            kind = _NUMBER if is_number else _COLUMNS.get(data_type)
            if kind is not None:
                return kind
    raise _UnsureError


def _of_constant(tree: Any) -> str | None:
    if tree.key == "null":
        return None
    if tree.key == "boolean":
        return _TRUTH
    return _TEXT if tree.is_string else _NUMBER
