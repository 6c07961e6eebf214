"""Defaults of columns: which texts every engine takes as a value of the column's type.

Engines store a default as a text that they evaluate at each insert. One that does not fit makes
every insert fail that leaves the column out, long after it was set: so only plain values are taken,
and the few functions without arguments that Spark calls constant.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, time
from decimal import Decimal as Number
from math import isfinite

from deltactl.errors import RefusedError
from deltactl.spec.constraints.expression import columns_in
from deltactl.spec.schema.type_names import Typed
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
    DataType,
    Decimal,
    short_name,
)

_WHOLE = {BYTE: 8, SHORT: 16, INTEGER: 32, LONG: 64}
_SUFFIXES = {"Y": BYTE, "S": SHORT, "L": LONG}
_LARGEST_FLOAT = 3.4028234663852886e38

_NUMBER = re.compile(
    r"(?P<sign>[+-]?)\s*(?P<digits>[0-9]+(?P<point>\.[0-9]*)?|\.[0-9]+)"
    r"(?P<exponent>[eE][+-]?[0-9]{1,3})?(?P<suffix>[yYsSlLfFdD]|[bB][dD])?"
)
_TEXT = r"'(?:[^'\\]|\\.)*'" + r'|"(?:[^"\\]|\\.)*"'
_STRING = re.compile(rf"(?:{_TEXT})(?:\s*(?:{_TEXT}))*", re.DOTALL)
_TAGGED = re.compile(r"(?P<tag>date|timestamp|timestamp_ltz|timestamp_ntz|x)\s*'(?P<text>[^'\\]*)'",
                     re.IGNORECASE)  # fmt: skip
_CALL = re.compile(r"(?P<name>[a-z_]+)\s*(?P<brackets>\(\s*\))?", re.IGNORECASE)
_MOMENT = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[ T](?P<time>[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]{1,6})?"
    r"(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
_FUNCTIONS: Mapping[str, DataType] = {
    "current_date": DATE,
    "current_timestamp": TIMESTAMP,
    "now": TIMESTAMP,
    "localtimestamp": TIMESTAMP_NTZ,
    "current_user": STRING,
}
_WITHOUT_BRACKETS = frozenset({"current_date", "current_timestamp", "current_user"})
_EXAMPLES: Mapping[DataType, str] = {
    BOOLEAN: "true", STRING: "'text'", BINARY: "X'1F'", DATE: "DATE'2024-05-31'",
    TIMESTAMP: "TIMESTAMP'2024-05-31 12:00:00'",
    TIMESTAMP_NTZ: "TIMESTAMP_NTZ'2024-05-31 12:00:00'", FLOAT: "1.5", DOUBLE: "1.5",
}  # fmt: skip


def check_default(expression: str, typed: Typed) -> bool:
    """Return whether the default is a plain value, and no function such as current_date().

    Raises:
        RefusedError: it is not a constant, or none that the column's type holds.
    """
    text = expression.strip()
    if text.upper() == "NULL":
        return True
    call = _CALL.fullmatch(text)
    name = call["name"].lower() if call else ""
    if call and name in _FUNCTIONS and (call["brackets"] or name in _WITHOUT_BRACKETS):
        if _FUNCTIONS[name] != typed.type or typed.limit:
            raise _unfit(text, typed)
        return False
    if not any(form(text) for form in (_NUMBER.fullmatch, _STRING.fullmatch, _TAGGED.fullmatch)) \
            and text.lower() not in ("true", "false"):  # fmt: skip
        raise _no_constant(text, typed)
    if not _fits(text, typed):
        raise _unfit(text, typed)
    return True


def _fits(text: str, typed: Typed) -> bool:
    data_type = typed.type
    if data_type == BOOLEAN:
        return text.lower() in ("true", "false")
    if data_type == STRING:
        return _STRING.fullmatch(text) is not None and _is_short_enough(text, typed.limit)
    if number := _NUMBER.fullmatch(text):
        return _number_fits(number, data_type)
    if tagged := _TAGGED.fullmatch(text):
        check = _TAGS[tagged["tag"].lower()]
        return check(tagged["text"], data_type)
    return data_type == DATE and _STRING.fullmatch(text) is not None and _is_date(text[1:-1])


def _number_fits(found: re.Match[str], data_type: DataType) -> bool:
    suffix = (found["suffix"] or "").upper()
    value = Number(f"{found['sign']}{found['digits']}{found['exponent'] or ''}")
    is_whole = "." not in found["digits"] and not found["exponent"]
    if own := _SUFFIXES.get(suffix):
        if not (is_whole and _in_range(value, _WHOLE[own])):
            return False
    elif suffix:
        is_whole = False
    match data_type:
        case Decimal(precision, scale):
            _, digits, exponent = value.as_tuple()
            assert isinstance(exponent, int)
            whole = len(digits) + exponent if value else 0
            return -exponent <= scale and whole <= precision - scale
        case known if known in _WHOLE:
            return is_whole and _in_range(value, _WHOLE[known])
        case known if known in (FLOAT, DOUBLE):
            most = _LARGEST_FLOAT if known == FLOAT else float("inf")
            return isfinite(float(value)) and abs(float(value)) <= most
        case _:
            return False


def _in_range(value: Number, bits: int) -> bool:
    limit: int = 2 ** (bits - 1)
    return -limit <= value < limit


def _is_short_enough(text: str, limit: str | None) -> bool:
    """Return whether the text keeps to `varchar(n)`; its escapes count as they are written."""
    if limit is None:
        return True
    written = sum(len(part[0]) - 2 for part in re.finditer(_TEXT, text, re.DOTALL))
    return written <= int(limit.partition("(")[2].rstrip(")"))


def _is_date(text: str) -> bool:
    found = _MOMENT.fullmatch(text)
    if found is None or found["time"]:
        return False
    return _is_valid(found)


def _is_valid(found: re.Match[str]) -> bool:
    try:
        date.fromisoformat(found["date"])
        time.fromisoformat(found["time"] or "00:00:00")
    except ValueError:
        return False
    return True


def _date(text: str, data_type: DataType) -> bool:
    return data_type in (DATE, TIMESTAMP, TIMESTAMP_NTZ) and _is_date(text)


def _instant(text: str, data_type: DataType) -> bool:
    found = _MOMENT.fullmatch(text)
    return data_type == TIMESTAMP and found is not None and _is_valid(found)


def _local(text: str, data_type: DataType) -> bool:
    found = _MOMENT.fullmatch(text)
    return (
        data_type == TIMESTAMP_NTZ and found is not None and not found["zone"] and _is_valid(found)
    )


def _bytes(text: str, data_type: DataType) -> bool:
    return data_type == BINARY and re.fullmatch("(?:[0-9A-Fa-f]{2})*", text) is not None


_TAGS: Mapping[str, Callable[[str, DataType], bool]] = {
    "date": _date,
    "timestamp": _instant,
    "timestamp_ltz": _instant,
    "timestamp_ntz": _local,
    "x": _bytes,
}


def _no_constant(text: str, typed: Typed) -> RefusedError:
    named = columns_in(text)
    if named is None:
        why = "cannot be read as SQL"
    elif re.search(r"\bselect\b", text, re.IGNORECASE):
        why = "is a query"
    elif named:
        columns = ", ".join(sorted(".".join(path) for path in named))
        why = f"names a column ({columns}); string literals need quotes"
    else:
        why = "is computed, and engines take only a constant"
    return RefusedError("DEFAULT_NOT_CONSTANT", f"the default {text} {why}", hint=_hint(typed))


def _unfit(text: str, typed: Typed) -> RefusedError:
    kind = typed.limit or short_name(typed.type)
    return RefusedError(
        "DEFAULT_WRONG_TYPE", f"the default {text} is not a value of {kind}", hint=_hint(typed)
    )


def _hint(typed: Typed) -> str:
    match typed.type:
        case Decimal(_, scale):
            example = "1." + "5" * min(scale, 2) if scale else "1"
        case known if known in _WHOLE:
            example = "42"
        case known:
            example = _EXAMPLES.get(known, "")
    calls = [f"{name}()" for name, kind in _FUNCTIONS.items() if kind == typed.type]
    shown = " or ".join(filter(None, [example, *calls, "NULL"]))
    # A shell removes the only quotes of a string.
    typed_so = f'; in a shell: "{example}"' if "'" in example else ""
    return f"write the value itself, such as {shown}{typed_so}"
