"""Whether two texts of one action say the same, and at which place they first do not."""

from collections.abc import Mapping
from typing import Any

from deltactl.log.verify.finding import shown
from deltactl.model import strict_json


def plain(body: Any) -> Any:
    """An action without what says nothing: nulls, the order of features, blanks in a schema."""
    if not isinstance(body, Mapping):
        return body
    kept = {key: value for key, value in body.items() if value not in (None, {}, "")}
    for key in ("readerFeatures", "writerFeatures"):
        if isinstance(value := kept.get(key), list):
            kept[key] = sorted(set(map(str, value)))
    if isinstance(form := kept.get("format"), dict):
        kept["format"] = form.get("provider")
    if isinstance(text := kept.get("schemaString"), str):
        kept["schemaString"] = _parsed(text)
    return kept


def differing(expected: Any, found: Any) -> tuple[str, str]:
    """Both sides, of objects and lists the first place where they differ."""
    if isinstance(expected, dict) and isinstance(found, dict):
        names = sorted(expected.keys() | found.keys(), key=str)
        name = next(n for n in names if expected.get(n) != found.get(n))
        one, other = differing(expected.get(name), found.get(name))
        return shown(f"{name}: {one}"), shown(f"{name}: {other}")
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(expected, found, strict=True))
        place = next(number for number, (one, other) in pairs if one != other)
        one, other = differing(expected[place], found[place])
        return shown(f"[{place}] {one}"), shown(f"[{place}] {other}")
    return _word(expected), _word(found)


def _parsed(text: str) -> Any:
    try:
        return strict_json.loads(text)
    except (ValueError, RecursionError):
        return text  # What is no JSON is compared as it stands.


def _word(value: Any) -> str:
    return "none" if value is None else shown(value)
