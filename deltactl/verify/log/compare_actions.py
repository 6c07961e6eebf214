"""At which place two texts of one action first differ."""

from typing import Any

from deltactl.findings import shown

# Of an object that does not have a name that another one has.
_ABSENT = object()


def differing(expected: Any, found: Any) -> tuple[str, str]:
    """Return both sides, of objects and lists the first place where they differ."""
    if isinstance(expected, dict) and isinstance(found, dict):
        names = sorted(expected.keys() | found.keys(), key=str)
        pairs = {n: (expected.get(n, _ABSENT), found.get(n, _ABSENT)) for n in names}
        name = next(n for n in names if pairs[n][0] != pairs[n][1])
        one, other = differing(*pairs[name])
        return shown(f"{name}: {one}"), shown(f"{name}: {other}")
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        places = enumerate(zip(expected, found, strict=True))
        place = next(number for number, (one, other) in places if one != other)
        one, other = differing(expected[place], found[place])
        return shown(f"[{place}] {one}"), shown(f"[{place}] {other}")
    if _ABSENT in (expected, found) and None in (expected, found):
        return _null_or_none(expected), _null_or_none(found)
    return _word(expected), _word(found)


def _null_or_none(value: Any) -> str:
    return "null" if value is None else "none"


def _word(value: Any) -> str:
    return "none" if value is None or value is _ABSENT else shown(value)
