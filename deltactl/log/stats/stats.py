"""Statistics of data files: their JSON in an add, rebuilt from a checkpoint's structs."""

import json
import math
import struct
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

Path = tuple[str, ...]

BOUNDS = ("minValues", "maxValues")


class _Number(str):
    """A number in its own digits, which a double might not have."""

    __slots__ = ()


class Float32(float):
    """A float of 32 bits, which is written in as few digits as tell it from others of its kind."""

    __slots__ = ()


def imprecise(stats: str | None, columns: Sequence[Path]) -> tuple[Path, ...]:
    """Return the columns whose bounds are not the doubles of their float values.

    Statistics that do not parse bound nothing, and have none of them.
    """
    if stats is None or (held := _parse(stats)) is None:
        return ()
    return tuple(path for path in columns if any(_corrections(held, path)))


def with_exact_floats(stats: str, columns: Sequence[Path]) -> str:
    """Return the statistics with the bounds of these columns, read as floats, written as doubles.

    A float is written in as few digits as tell it from other floats: 1.1 stands for
    1.10000002384185791015625, and engines that read it as a double skip rows that match. All else
    stays in its own digits; NaN and the infinities are texts and stay too.
    """
    held = _parse(stats)
    if held is None:
        return stats
    for path in columns:
        for values, name, number in list(_corrections(held, path)):
            values[name] = number
    return _text(held)


def from_parsed(parsed: Mapping[str, Any]) -> str:
    """Return the JSON of a checkpoint's `stats_parsed`, without values that JSON cannot hold."""
    return _text(_present(parsed))


def float32(text: str) -> float | None:
    """Return the float that a decimal number stands for; None if it is beyond all floats."""
    double = float(text)
    try:
        (found,) = struct.unpack("<f", struct.pack("<f", double))
    except OverflowError:
        return None
    number = float(found)
    if math.isinf(number):
        return None
    # Rounded twice a number can end up wrong only from the middle between two floats.
    if number != double and not math.isinf(other := _beyond(number, double)):
        exact, middle = Fraction(text), Fraction(double)
        if exact != middle and middle * 2 == Fraction(number) + Fraction(other):
            return max(number, other) if exact > middle else min(number, other)
    return number


def _beyond(number: float, towards: float) -> float:
    """Return the next float from `number` on the side of `towards`."""
    (bits,) = struct.unpack("<i", struct.pack("<f", number))
    if number == 0:
        return math.copysign(2.0**-149, towards)
    bits += 1 if (towards > number) == (number > 0) else -1
    (found,) = struct.unpack("<f", struct.pack("<i", bits))
    return float(found)


def _parse(stats: str) -> dict[str, Any] | None:
    try:
        held = json.loads(stats, parse_int=_Number, parse_float=_Number, parse_constant=_Number)
    except (ValueError, RecursionError):
        return None
    return held if isinstance(held, dict) else None


def _corrections(held: dict[str, Any], path: Path) -> Any:
    """Yield each bound of the column that is to be another number: where it is, and the number."""
    for bound in BOUNDS:
        values: Any = held.get(bound)
        for name in path[:-1]:
            values = values.get(name) if isinstance(values, dict) else None
        text = values.get(path[-1]) if isinstance(values, dict) else None
        if not isinstance(text, _Number) or not math.isfinite(float(text)):
            continue
        number = float32(text)
        if number is not None and number != float(text):
            yield values, path[-1], _Number(repr(number))


def _text(value: Any) -> str:
    match value:
        case _Number():
            return str(value)
        case dict():
            parts = (f"{json.dumps(k, ensure_ascii=False)}:{_text(v)}" for k, v in value.items())
            return "{" + ",".join(parts) + "}"
        case list():
            return "[" + ",".join(map(_text, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: _json(value) for name, value in values.items()}
    return {name: value for name, value in found.items() if value is not None}


def _json(value: Any) -> Any:
    """Return a value as Spark writes it into statistics; None if it writes none."""
    match value:
        case Mapping():
            return _present(value)
        case bool() | int() | str():
            return value
        case float() if not math.isfinite(value):
            return _word(value)
        case Float32():
            texts = (format(value, f".{digits}g") for digits in range(1, 9))
            own = float(value)
            return _Number(next((t for t in texts if float32(t) == own), format(value, ".9g")))
        case float():
            return _Number(repr(value))
        case Decimal():
            return _Number(format(value, "f"))
        case datetime():
            return _time(value)
        case date():
            return value.isoformat()
        case _:
            return None


def _word(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _time(value: datetime) -> str:
    """Return a time to the millisecond, or to the microsecond if it has one: cut short, a maximum
    would lie below the value that it bounds."""
    local = value if value.tzinfo is None else value.astimezone(UTC)
    precision = "microseconds" if local.microsecond % 1000 else "milliseconds"
    text = local.replace(tzinfo=None).isoformat(timespec=precision)
    return text if value.tzinfo is None else f"{text}Z"
