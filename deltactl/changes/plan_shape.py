"""The structure of a saved plan: what each member must be, before anything relies on it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from uuid import UUID

LARGEST = (1 << 63) - 1
Check = Callable[[Any, str], Iterator[str]]
"""Yields what is wrong with the value of a member that is named."""


def faults(found: Any) -> Iterator[str]:
    """Yield what is wrong with the content of a saved plan, its digest and format aside."""
    yield from _SAVED(found, "")


def _of(is_right: Callable[[Any], bool], what: str) -> Check:
    def check(value: Any, where: str) -> Iterator[str]:
        if not is_right(value):
            yield f"{where or 'the file'} is not {what}"

    return check


def _or_null(inner: Check) -> Check:
    def check(value: Any, where: str) -> Iterator[str]:
        if value is not None:
            yield from inner(value, where)

    return check


def _list(inner: Check) -> Check:
    def check(value: Any, where: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield f"{where} is not a list"
            return
        for number, element in enumerate(value):
            yield from inner(element, f"{where}[{number}]")

    return check


def _map(inner: Check) -> Check:
    def check(value: Any, where: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{where} is not an object"
            return
        for key, member in value.items():
            yield from inner(member, f"{where}.{key}")

    return check


def _object(members: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """Return an object with these members; others are for newer versions to know."""

    def check(value: Any, where: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{where or 'the file'} is not an object"
            return
        for key, inner in members.items():
            place = f"{where}.{key}".lstrip(".")
            if key not in value:
                yield f"{place} is missing"
            else:
                yield from inner(value[key], place)
        for key, inner in (optional or {}).items():
            if key in value:
                yield from inner(value[key], f"{where}.{key}".lstrip("."))

    return check


def _is_whole(value: Any) -> bool:
    return type(value) is int and 0 <= value <= LARGEST


def _is_place(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def _is_name(value: Any) -> bool:
    """Return whether the name was generated: prefix, name, prefix and a UUID."""
    if not (isinstance(value, list) and len(value) == 3 and all(isinstance(v, str) for v in value)):
        return False
    prefix, _, name = map(str, value)
    tail = name.removeprefix(prefix)
    try:
        return name == f"{prefix}{UUID(tail)}"
    except ValueError:
        return False


def _names(value: Any, where: str) -> Iterator[str]:
    wrong = list(_list(_of(_is_name, "a name with its prefix"))(value, where))
    yield from wrong
    if not wrong and len({name for _, _, name in value}) < len(value):
        yield f"{where} has a name twice"


_ANY: Check = _of(lambda _: True, "")
_TEXT = _of(lambda value: isinstance(value, str), "text")
_FLAG = _of(lambda value: isinstance(value, bool), "true or false")
_WHOLE = _of(_is_whole, "a version or a number from 0 on")
_SIDES = {"before": _ANY, "after": _ANY}

_METADATA = _object(
    {
        "id": _TEXT,
        "format": _map(_ANY),
        "schemaString": _TEXT,
        "partitionColumns": _list(_TEXT),
        "configuration": _map(_TEXT),
    },
    {"name": _TEXT, "description": _TEXT, "createdTime": _of(lambda v: type(v) is int, "a time")},
)
_FEATURES = _or_null(_list(_TEXT))
_PROTOCOL = _object(
    {"minReaderVersion": _WHOLE, "minWriterVersion": _WHOLE},
    {"readerFeatures": _FEATURES, "writerFeatures": _FEATURES},
)
_WORK = _object({"files": _WHOLE, "bytes": _WHOLE})
_PLAN = _object(
    {
        "operation": _TEXT,
        "readVersion": _WHOLE,
        "changes": _list(_object({"kind": _TEXT, "path": _TEXT, **_SIDES})),
        "protocol": _or_null(
            _object({"before": _PROTOCOL, "after": _PROTOCOL, "clientsLost": _list(_map(_ANY))})
        ),
        "actions": _object(
            {
                "metaData": _or_null(_METADATA),
                "protocol": _or_null(_PROTOCOL),
                "domains": _list(
                    _object({"domain": _TEXT, "configuration": _ANY, "removed": _FLAG})
                ),
                "fileActions": _object({"count": _WHOLE, "sample": _list(_map(_ANY))}),
            }
        ),
        "files": _list(_map(_ANY)),
        "dataFiles": _map(_ANY),
        "rowsChecked": _or_null(_map(_ANY)),
        "counterexamples": _list(_map(_ANY)),
        "rewrites": _or_null(_object({"comeFirst": _FLAG, "files": _WHOLE, "bytes": _WHOLE})),
        "backfill": _or_null(_object({"column": _TEXT, "files": _WHOLE, "bytes": _WHOLE})),
        "undo": _or_null(_object({"commands": _list(_TEXT), "note": _or_null(_TEXT)})),
        "warnings": _list(_object({"code": _TEXT, "message": _TEXT})),
        "refusals": _list(_map(_ANY)),
    },
    {"job": _object({"name": _TEXT, "files": _WHOLE, "bytes": _WHOLE})},
)
_SAVED = _object(
    {
        "deltactl": _TEXT,
        "table": _object({"uri": _of(_is_place, "a path or a URL"), "id": _TEXT}),
        "request": _list(_TEXT),
        "inputs": _map(_TEXT),
        "names": _names,
        "base": _object({"version": _WHOLE, "metaData": _METADATA, "protocol": _PROTOCOL}),
        "plan": _PLAN,
    },
    {"call": _object({"method": _TEXT, "arguments": _map(_ANY)})},
)
