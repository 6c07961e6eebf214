"""Lengths of char and varchar columns: a text beside the type, which is string to the schema.

The text describes a whole field: `varchar(5)`, or `struct<x:varchar(5),n:int>` on the column that
has such a field below it.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from deltactl.spec.keys import CHAR_VARCHAR
from deltactl.spec.schema.edit import with_field
from deltactl.spec.schema.schema import Node, Path, find
from deltactl.spec.schema.type_names import LIMITED, Typed
from deltactl.spec.schema.types import BYTE, INTEGER, LONG, SHORT, Array, DataType, Map, Struct
from deltactl.text.identifiers import backticked

_LEAF = re.compile(r"[^,<>(]+(?:\([^()]*\))?")
_CATALOG: dict[DataType, str] = {
    BYTE: "tinyint", SHORT: "smallint", INTEGER: "int", LONG: "bigint",
}  # fmt: skip


class _Text(NamedTuple):
    """The text of the nearest field that has one, and where it refers to a node."""

    owner: Path
    text: str
    start: int
    end: int

    @property
    def part(self) -> str:
        return self.text[self.start : self.end]


def limit_of(schema: Struct, node: Node) -> str | None:
    """Return the `varchar(5)` or `char(5)` of a string node; None if it has no length."""
    found = _text_of(schema, node)
    return found.part if found and LIMITED.fullmatch(found.part.lower()) else None


def with_limit(schema: Struct, node: Node, new: Typed) -> Struct:
    """Return the schema with the declared text adapted to a node's new type, or dropped.

    `node` is of the schema from before the change.
    """
    found = _text_of(schema, node)
    if found is None:
        if new.limit is None:
            return schema
        found = _Text(node.path, "", 0, 0)
    part = new.limit or _CATALOG.get(new.type, str(new.type))
    text = found.text[: found.start] + part + found.text[found.end :]
    kept: dict[str, Any] = {CHAR_VARCHAR: text} if _has_length(text) else {}

    return with_field(
        schema,
        found.owner,
        lambda f: replace(
            f, metadata={**{k: v for k, v in f.metadata.items() if k != CHAR_VARCHAR}, **kept}
        ),
    )


def holds_more(old: str, new: str | None) -> bool:
    """Return whether a column limited by `old` may be limited by `new` instead, or by nothing."""
    if new is None:
        return True
    before, after = LIMITED.fullmatch(old.lower()), LIMITED.fullmatch(new)
    if before is None or after is None or after[1] != "varchar":
        return False
    return int(after[2]) >= int(before[2])


def _has_length(text: str) -> bool:
    return re.search(r"\b(?:var)?char\(", text.lower()) is not None


def _text_of(schema: Struct, node: Node) -> _Text | None:
    for end in range(len(node.path), 0, -1):
        above = find(schema, node.path[:end])
        text = above.field.metadata.get(CHAR_VARCHAR)
        if not above.is_field or not isinstance(text, str):
            continue
        try:
            spans = {path: (start, stop) for path, start, stop in _leaves(text, above.type)}
        except ValueError:
            return None  # It refers to another type, as after a rename: engines go by it no more.
        place = spans.get(node.path[end:])
        return None if place is None else _Text(above.path, text, *place)
    return None


def _leaves(text: str, data_type: DataType) -> Iterator[tuple[Path, int, int]]:
    """Yield each node without parts, with the place of its type in the text.

    Raises:
        ValueError: the text is not one of this type.
    """
    end = yield from _read(text, 0, data_type, ())
    if end != len(text):
        raise ValueError(text)


def _read(text: str, at: int, data_type: DataType, path: Path) -> Any:
    match data_type:
        case Struct(fields):
            at = _expect(text, at, "struct<")
            for place, field in enumerate(fields):
                at = _expect(text, at, ",") if place else at
                quoted = backticked(field.name)
                name = quoted if text.startswith(quoted, at) else field.name
                at = _expect(text, at, f"{name}:")
                at = yield from _read(text, at, field.type, (*path, field.name))
            return _expect(text, at, ">")
        case Array(element):
            at = _expect(text, at, "array<")
            at = yield from _read(text, at, element, (*path, "element"))
            return _expect(text, at, ">")
        case Map(key, value):
            at = _expect(text, at, "map<")
            at = yield from _read(text, at, key, (*path, "key"))
            at = yield from _read(text, _expect(text, at, ","), value, (*path, "value"))
            return _expect(text, at, ">")
        case _:
            if not (leaf := _LEAF.match(text, at)):
                raise ValueError(text)
            yield path, at, leaf.end()
            return leaf.end()


def _expect(text: str, at: int, part: str) -> int:
    if not text.startswith(part, at):
        raise ValueError(text)
    return at + len(part)
