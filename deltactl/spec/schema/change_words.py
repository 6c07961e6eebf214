"""A column's settings, and what changed in them, in words for people."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from deltactl.spec.keys import (
    CHAR_VARCHAR,
    COLUMN_MAPPING_ID,
    COLUMN_MAPPING_NESTED_IDS,
    COLUMN_MAPPING_PHYSICAL_NAME,
    COMMENT,
    CURRENT_DEFAULT,
    GENERATION_EXPRESSION,
    IDENTITY_PREFIX,
    INVARIANTS,
    TYPE_CHANGES,
)
from deltactl.spec.schema.schema import format_path

# Beside the keys of field metadata, none of which is written like this.
POSITION = "(position)"

# `integer` where a type stands, not in the name of a field.
_INTEGER = re.compile(r"(?:^|(?<=[<:,]))integer(?=[>,]|$)")
# What a string has instead of a varchar(5) or char(5).
_UNLIMITED = "no limit of length"
_NAMES = {
    CURRENT_DEFAULT: "default",
    GENERATION_EXPRESSION: "generated as",
    INVARIANTS: "invariant",
    f"{IDENTITY_PREFIX}start": "identity from",
    f"{IDENTITY_PREFIX}step": "identity step",
    f"{IDENTITY_PREFIX}allowExplicitInsert": "identity takes given values",
    COLUMN_MAPPING_ID: "column id",
    COLUMN_MAPPING_PHYSICAL_NAME: "name in files",
    COLUMN_MAPPING_NESTED_IDS: "ids of elements",
}
# Their values are SQL, and need no quotation marks to be told from words.
_SQL = frozenset({CURRENT_DEFAULT, GENERATION_EXPRESSION})
# What is said of a new column beside its comment, in this order.
_OF_NEW = (
    CURRENT_DEFAULT,
    GENERATION_EXPRESSION,
    f"{IDENTITY_PREFIX}start",
    f"{IDENTITY_PREFIX}step",
)


def type_words(text: str) -> str:
    """Return a type in one line, with `int` for `integer`."""
    return _INTEGER.sub("int", text)


def position_words(before: str | None) -> str:
    """Return where a new field stands if it is not last: `before` or after a neighbour."""
    return "first" if before is None else f"after {format_path((before,))}"


def new_field_words(type_text: str, field: Mapping[str, Any]) -> str:
    """Return a new column: `int not null, default 5, first — the comment`."""
    metadata = field["metadata"]
    head = str(metadata.get(CHAR_VARCHAR) or type_words(type_text))
    return head + ("" if field["nullable"] else " not null") + beside_type(field)


def beside_type(field: Mapping[str, Any]) -> str:
    """Return what is to say of a new column after its type: `, default 5, first — the comment`."""
    metadata = field["metadata"]
    said = [f", {_NAMES[key]} {_value(key, metadata[key])}" for key in _OF_NEW if key in metadata]
    if field["position"] is not None:
        said.append(f", {field['position']}")
    if comment := metadata.get(COMMENT):
        said.append(f" — {comment}")
    return "".join(said)


def setting_words(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Yield each setting that differs, as in `comment 'cents' → 'euros'` or `default 4 removed`."""
    for key in {**before, **after}:
        if key == "nullable":
            yield "nullable" if after[key] else "not null"
        elif key == POSITION:
            yield f"moved from place {before[key] + 1} to {after[key] + 1}"
        elif key == TYPE_CHANGES:
            sides = before.get(key), after.get(key)
            did = "pruned" if not sides[1] else "rewritten" if sides[0] else "recorded"
            yield f"type changes {did}"
        elif key == CHAR_VARCHAR:
            yield f"{before.get(key, _UNLIMITED)} → {after.get(key, _UNLIMITED)}"
        else:
            yield f"{_NAMES.get(key, key)} {_sides(key, before, after)}"


def _sides(key: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    if key not in after:
        return f"{_value(key, before[key])} removed"
    new = _value(key, after[key])
    return f"{_value(key, before[key])} → {new}" if key in before else new


def _value(key: str, value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return value if key in _SQL else f"'{value}'"
