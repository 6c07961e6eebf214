"""Whether two texts of one action say the same, and at which place they first do not."""

from collections.abc import Mapping
from typing import Any

from deltactl.findings import shown
from deltactl.text import strict_json

_NOTHING: tuple[Any, ...] = (None, {}, "")
# Of an object that does not have a name that another one has.
_ABSENT = object()


def plain(body: Any) -> Any:
    """An action without what says nothing: nulls, the order of features, blanks in a schema."""
    if not isinstance(body, Mapping):
        return body
    kept = {key: value for key, value in body.items() if value not in _NOTHING}
    for key in ("readerFeatures", "writerFeatures"):
        if isinstance(value := kept.get(key), list):
            kept[key] = sorted(set(map(str, value)))
    if isinstance(form := kept.get("format"), dict):
        del kept["format"]
        if (provider := form.get("provider")) not in _NOTHING:
            kept["format"] = provider
    if isinstance(text := kept.get("schemaString"), str):
        kept["schemaString"] = _parsed(text)
    return kept


def differing(expected: Any, found: Any) -> tuple[str, str]:
    """Both sides, of objects and lists the first place where they differ."""
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


def _parsed(text: str) -> Any:
    try:
        return strict_json.loads(text)
    except (ValueError, RecursionError):
        return text  # What is not JSON is compared as it stands.


def _null_or_none(value: Any) -> str:
    return "null" if value is None else "none"


def _word(value: Any) -> str:
    return "none" if value is None or value is _ABSENT else shown(value)
