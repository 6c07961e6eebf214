"""Fields of file actions that are missing, or of another type: reading bears them, or some of it.

What is written anew would hide them: a size that is not there becomes 0, a number as text nothing.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_ADD = {"size": int, "modificationTime": int, "dataChange": bool, "partitionValues": dict}
_ADD_MAY_HAVE = {"tags": dict, "baseRowId": int, "defaultRowCommitVersion": int}
_VECTOR = {"sizeInBytes": int, "cardinality": int}
_VECTOR_MAY_HAVE = ("offset", "maxRowIndex")
_OF_32_BITS = ("offset", "sizeInBytes")
_WORDS = {int: "a whole number", bool: "true or false", dict: "an object", str: "a text"}


class Misfit(NamedTuple):
    """A field, what it must be, and what it is, as JSON."""

    code: str
    field: str
    wanted: str
    found: str


def of_add(body: Mapping[str, Any]) -> Iterator[Misfit]:
    """Those of an add, and of its deletion vector."""
    yield from lacking("ADD_INCOMPLETE", body, _ADD)
    held = {field: wanted for field, wanted in _ADD_MAY_HAVE.items() if body.get(field) is not None}
    yield from lacking("ACTION_MALFORMED", body, held)
    yield from of_vector(body)


def of_vector(body: Mapping[str, Any]) -> Iterator[Misfit]:
    """Those of the deletion vector of an add or a remove."""
    vector = body.get("deletionVector")
    if not isinstance(vector, Mapping):
        return
    held = {field: int for field in _VECTOR_MAY_HAVE if vector.get(field) is not None}
    for misfit in lacking("ACTION_MALFORMED", vector, {**_VECTOR, **held}):
        yield misfit._replace(field=f"deletionVector.{misfit.field}")
    for field in _OF_32_BITS:
        value = vector.get(field)
        if type(value) is int and not -(2**31) <= value < 2**31:
            place = f"deletionVector.{field}"
            yield Misfit("ACTION_MALFORMED", place, "a number of 32 bits", str(value))


def lacking(code: str, body: Mapping[str, Any], types: Mapping[str, type]) -> Iterator[Misfit]:
    """The fields of `types` that the body does not have, or has as something else."""
    for field, wanted in types.items():
        if type(body.get(field)) is not wanted:
            found = json.dumps(body[field]) if field in body else "none"
            yield Misfit(code, field, _WORDS[wanted], found)
