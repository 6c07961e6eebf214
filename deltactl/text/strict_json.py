"""JSON as all engines read it: no NaN, no number beyond a double, no half of a surrogate pair."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn

# Python's own strip takes more for blanks, some of them beyond ASCII; no engine does.
BLANKS = " \t\r\n"

# Of the longest number in 64 bits. Python refuses to read one of some thousand digits.
DIGITS = 19

_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


def loads(text: str) -> Any:
    """Return the value that `text` holds.

    Raises:
        ValueError: the text is not JSON, or holds what some engine cannot.
        RecursionError: it is nested too deeply.
    """
    text = text.lstrip(BLANKS)
    value, end = _scan(text)
    if end < len(text) and text[end:].strip(BLANKS):
        raise ValueError(f"there is more after column {end}")
    # What may be half of a pair: without its other half it is not text, and no file can hold it.
    if "\\" in text and _HALF_PAIR.search(text):
        json.dumps(value, ensure_ascii=False).encode()
    return value


def loads_once(text: str) -> tuple[Any, str | None]:
    """Return the value, and a key that one of its objects has twice; raises as `loads` does."""
    doubled: list[str] = []
    decoder = json.JSONDecoder(
        object_pairs_hook=note_duplicates(doubled),
        parse_constant=_no_constant,
        parse_float=_finite,
    )
    value = decoder.decode(text)
    if "\\" in text and _HALF_PAIR.search(text):
        json.dumps(value, ensure_ascii=False).encode()
    return value, next(iter(doubled), None)


def note_duplicates(doubled: list[str]) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    """Return an `object_pairs_hook` that adds each key to `doubled` that an object has twice.

    The object gets the last value of such a key, as from Python's own reader.
    """

    def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            times = Counter(key for key, _ in pairs)
            doubled.extend(key for key in found if times[key] > 1)
        return found

    return as_object


def dumps(value: Any) -> str:
    """Return the value as a log holds it: without blanks, letters as they are.

    Raises:
        ValueError: a number in it is not finite.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def _finite(text: str) -> float:
    if math.isinf(number := float(text)):
        raise ValueError(f"{text:.40} is beyond the numbers that engines have")
    return number


_scan = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite).raw_decode
