"""Fields of file actions that are missing, or of another type: most readers tolerate them.

What is rewritten would hide them: a size that is not there becomes 0, a number as text nothing.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from deltactl.spec.actions.fields import ACTIONS, DELETION_VECTOR, json_types

# Whoever reads an action refuses these himself where they are wrong, or has no use for them.
_READ = ("path", "stats", "deletionVector", "clusteringProvider", "storageType", "pathOrInlineDv")
_ADD = json_types(ACTIONS["add"], required=True, without=_READ)
_ADD_MAY_HAVE = json_types(ACTIONS["add"], required=False, without=_READ)
_REMOVE_MAY_HAVE = json_types(ACTIONS["remove"], required=False, without=("deletionVector",))
_VECTOR = json_types(DELETION_VECTOR, required=True, without=_READ)
_VECTOR_MAY_HAVE = json_types(DELETION_VECTOR, required=False)
_OF_32_BITS = tuple(name for name, field in DELETION_VECTOR.items() if field.type.bits == 32)
_WORDS = {int: "a whole number", bool: "true or false", dict: "an object", str: "a text"}


class FieldError(NamedTuple):
    """A field, what it must be, and what it is, as JSON."""

    code: str
    field: str
    expected: str
    found: str


def add_errors(body: Mapping[str, Any]) -> list[FieldError]:
    """Return those of an add, and of its deletion vector."""
    found = missing_fields("ADD_INCOMPLETE", body, _ADD)
    found += _mistyped(body, _ADD_MAY_HAVE)
    size = body.get("size")
    if type(size) is int and size < 0:
        found.append(FieldError("ACTION_MALFORMED", "size", "0 or more", str(size)))
    return found + vector_errors(body) if "deletionVector" in body else found


def remove_errors(body: Mapping[str, Any]) -> list[FieldError]:
    """Return those of a remove, and of its deletion vector."""
    found = _mistyped(body, _REMOVE_MAY_HAVE)
    return found + vector_errors(body) if "deletionVector" in body else found


def vector_errors(body: Mapping[str, Any]) -> list[FieldError]:
    """Return those of the deletion vector of an add or a remove."""
    vector = body.get("deletionVector")
    if not isinstance(vector, Mapping):
        return []
    found = missing_fields("ACTION_MALFORMED", vector, _VECTOR) + _mistyped(
        vector, _VECTOR_MAY_HAVE
    )
    for field in _OF_32_BITS:
        value = vector.get(field)
        if type(value) is int and not -(2**31) <= value < 2**31:
            found.append(FieldError("ACTION_MALFORMED", field, "a number of 32 bits", str(value)))
    return [error._replace(field=f"deletionVector.{error.field}") for error in found]


def missing_fields(
    code: str, body: Mapping[str, Any], types: Mapping[str, type]
) -> list[FieldError]:
    """Return the fields of `types` that the body does not have, or has as something else."""
    return [
        FieldError(
            code, field, _WORDS[expected], json.dumps(body[field]) if field in body else "none"
        )
        for field, expected in types.items()
        if type(body.get(field)) is not expected
    ]


def _mistyped(body: Mapping[str, Any], types: Mapping[str, type]) -> list[FieldError]:
    held = {field: expected for field, expected in types.items() if body.get(field) is not None}
    return missing_fields("ACTION_MALFORMED", body, held) if held else []
