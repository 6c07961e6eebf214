"""Values of Arrow types from the texts of partition values and statistics; null if they fail."""

import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal, InvalidOperation
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from deltactl.spec.schema.types import MAX_PRECISION

# Spark's casts trim these, and nothing beyond ASCII.
_BLANKS = "".join(map(chr, (*range(33), 127)))
_EPOCH = date(1970, 1, 1)
_DATE = re.compile(r"(\d{4,})-(\d{1,2})-(\d{1,2})", re.ASCII)
_TIME = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,9}))?)?)?"
    r"(Z|[+-]\d{2}:?\d{2})?",
    re.ASCII,
)
_WORDS = {"nan": math.nan, "infinity": math.inf, "inf": math.inf, "-infinity": -math.inf}
_WORDS |= {"-inf": -math.inf, "+infinity": math.inf}
# Python's own context keeps 28 digits.
_EXACT = Context(prec=MAX_PRECISION)
_INTEGER = re.compile(r"[+-]?\d{1,20}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?", re.ASCII)


def cast_texts(texts: pa.StringArray, kind: pa.DataType) -> pa.Array:
    """Return the values of the texts, each distinct one looked at once.

    A text that has no value of that type is null. A time without a zone is one in UTC.
    """
    if (values := cast_quickly(texts, kind)) is not None:
        return values
    distinct = texts.dictionary_encode()
    read = _READERS[_name(kind)]
    known = distinct.dictionary.to_pylist()
    values = [None if text is None else read(text, kind) for text in known]
    return pa.array(values, kind).take(distinct.indices)


def cast_quickly(texts: pa.StringArray, kind: pa.DataType) -> pa.Array | None:
    """Return the values that Arrow reads from the texts; None if it cannot read one.

    Of instants it reads those that all end in Z only.
    """
    if kinds.is_string(kind):
        return texts
    if kinds.is_binary(kind):
        return texts.cast(kind)
    if texts.null_count == len(texts):
        return pa.nulls(len(texts), kind)
    is_instant = kinds.is_timestamp(kind) and kind.tz is not None
    if is_instant and not pc.all(pc.ends_with(texts, "Z"), min_count=0).as_py():
        return None
    if kinds.is_decimal(kind) and not _fits_in_128_bits(texts, kind.scale):
        return None
    try:
        return texts.cast(kind)
    except pa.ArrowInvalid:
        return None


def _fits_in_128_bits(texts: pa.StringArray, scale: int) -> bool:
    """Return whether every text is short enough for Arrow, which scales in 128 bits."""
    longest = pc.max(pc.binary_length(texts)).as_py()
    has_exponent = pc.match_substring(texts, "e", ignore_case=True)
    return longest + scale <= MAX_PRECISION and not pc.any(has_exponent).as_py()


def value_of(value: Any, kind: pa.DataType) -> Any:
    """Return a member's value; numbers with a point or exponent come as text."""
    match value:
        case bool():
            return value if kinds.is_boolean(kind) else None
        case int():
            is_number = not (kinds.is_string(kind) or kinds.is_boolean(kind) or _is_time(kind))
            return _READERS[_name(kind)](str(value), kind) if is_number else None
        case str() if kinds.is_string(kind):
            return value if _is_text(value) else None
        case str() if not kinds.is_boolean(kind):
            return _READERS[_name(kind)](value, kind)
    return None


def _is_time(kind: pa.DataType) -> bool:
    return bool(kinds.is_temporal(kind))


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _integer(text: str, kind: pa.DataType) -> int | None:
    text = text.strip(_BLANKS)
    if not _INTEGER.fullmatch(text):
        return None
    value, bound = int(text), 1 << (kind.bit_width - 1)
    return value if -bound <= value < bound else None


def _float(text: str, _: pa.DataType) -> float | None:
    text = text.strip(_BLANKS)
    if (word := _WORDS.get(text.casefold())) is not None:
        return word
    return float(text) if _NUMBER.fullmatch(text) else None


def _decimal(text: str, kind: pa.DataType) -> Decimal | None:
    if not _NUMBER.fullmatch(text.strip(_BLANKS)):
        return None
    try:
        value = Decimal(text.strip(_BLANKS))
        scaled = value.quantize(Decimal(1).scaleb(-kind.scale), context=_EXACT)
    except InvalidOperation:
        return None
    fits = scaled == value and len(scaled.as_tuple().digits) <= kind.precision
    return scaled if fits else None


def _boolean(text: str, _: pa.DataType) -> bool | None:
    return {"true": True, "false": False}.get(text.strip(_BLANKS).casefold())


def _date(text: str, _: pa.DataType) -> int | None:
    found = _DATE.match(text.strip(_BLANKS))
    if found is None:
        return None
    try:
        return (date(*map(int, found.groups())) - _EPOCH).days
    except (ValueError, OverflowError):
        return None


def _timestamp(text: str, kind: pa.DataType) -> datetime | None:
    found = _TIME.fullmatch(text.strip(_BLANKS))
    if found is None:
        return None
    *parts, fraction, zone = found.groups()
    year, month, day, hour, minute, second = (int(part or 0) for part in parts)
    micros = int((fraction or "0")[:6].ljust(6, "0"))
    try:
        time = datetime(year, month, day, hour, minute, second, micros, UTC)
        if kind.tz is None:
            return time.replace(tzinfo=None)
        return time - _offset(zone)
    except (ValueError, OverflowError):
        return None


def _offset(zone: str | None) -> timedelta:
    if zone is None or zone == "Z":
        return timedelta()
    size = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
    return -size if zone[0] == "-" else size


def _binary(text: str, _: pa.DataType) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(text: str, _: pa.DataType) -> str:
    return text


_READERS: dict[str, Callable[[str, pa.DataType], Any]] = {
    "integer": _integer, "floating": _float, "decimal": _decimal, "boolean": _boolean,
    "date": _date, "timestamp": _timestamp, "binary": _binary, "string": _text,
}  # fmt: skip


def _name(kind: pa.DataType) -> str:
    return next(name for name in _READERS if getattr(kinds, f"is_{name}")(kind))
