"""What changed between two schemas, column by column."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from deltactl.model import column_mapping, type_changes
from deltactl.model.schema import Node, children, parse_path
from deltactl.model.typed_names import CHAR_VARCHAR
from deltactl.model.types import Array, Map, Struct
from deltactl.model.widening import widening_rule

# It moves with every insert: it is data, though it stands in the schema.
_HIGH_WATER_MARK = "delta.identity.highWaterMark"
# `integer` where a type stands, not in the name of a field.
_INTEGER = re.compile(r"(?:^|(?<=[<:,]))integer(?=[>,]|$)")
# What a string has instead of a varchar(5) or char(5).
_UNLIMITED = "no limit of length"

# Beside the keys of field metadata, none of which is written like this.
POSITION = "(position)"


class ChangeKind(StrEnum):
    """What happened to a column."""

    ADDED = "added"
    DROPPED = "dropped"
    RENAMED = "renamed"
    WIDENED = "widened"
    RETYPED = "retyped"
    METADATA = "metadata"


class SchemaChange(NamedTuple):
    """One change; `path` is the column's path after it, for a dropped one the path before."""

    kind: ChangeKind
    path: str
    before: Any
    after: Any

    @property
    def readers_go_on(self) -> bool:
        """Whether a reader that opened the table before the change can go on after it.

        Delta's rule: every column that it knew is still there, under the same name in the same
        letters, of the same type, not null where it was not null, and under the same physical
        name. A void column that got a type passes Delta's check, but the reader then fails on the
        first file that has values.
        """
        match self.kind:
            case ChangeKind.ADDED:
                return True
            case ChangeKind.METADATA:
                return self.after.get("nullable") is not True and self._stays_in_place
            case _:
                return False

    @property
    def _stays_in_place(self) -> bool:
        """Whether files have the column under the same name; until it is mapped, its own."""
        key = column_mapping.PHYSICAL_NAME
        before, after = self.before.get(key), self.after.get(key)
        return before == after or (before is None and after == parse_path(self.path)[-1])

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "path": self.path,
            "before": self.before,
            "after": self.after,
            "readersGoOn": self.readers_go_on,
        }

    def __str__(self) -> str:
        match self.kind:
            case ChangeKind.ADDED:
                return f"+ {self.path} {_words(self.after)}"
            case ChangeKind.DROPPED:
                return f"- {self.path} {_words(self.before)}"
            case ChangeKind.RENAMED:
                return f"{self.before} renamed {self.path}"
            case ChangeKind.WIDENED | ChangeKind.RETYPED:
                return f"{self.path} {_words(self.before)} → {_words(self.after)}"
            case _:
                return f"{self.path}: {', '.join(_metadata_words(self.before, self.after))}"


class Pair(NamedTuple):
    """A column in the two schemas; one side is None where it was added or dropped."""

    before: Node | None
    after: Node | None
    changes: tuple[SchemaChange, ...]
    below: tuple["Pair", ...]


def compare(before: Struct, after: Struct) -> tuple[Pair, ...]:
    """Pair the columns of two schemas, by column-mapping id where both have one, else by name."""
    return tuple(_pairs(_top(before), _top(after)))


def changes(before: Struct, after: Struct) -> Iterator[SchemaChange]:
    """Every change, parents before what is below them; below an added column nothing is listed."""
    stack = list(reversed(compare(before, after)))
    while stack:
        pair = stack.pop()
        yield from pair.changes
        stack.extend(reversed(pair.below))


def _top(schema: Struct) -> list[Node]:
    return [Node((f.name,), f.type, f.nullable, f, ()) for f in schema.fields]


def _pairs(before: list[Node], after: list[Node]) -> Iterator[Pair]:
    by_id = {_id(node): node for node in before if _id(node) is not None}
    by_name = {node.path[-1].casefold(): node for node in before}
    matched = {id(node): by_id[_id(node)] for node in after if _id(node) in by_id}
    kept = {id(node) for node in matched.values()}
    for node in after:
        named = by_name.get(node.path[-1].casefold())
        if named is None or id(node) in matched or id(named) in kept:
            continue
        # A name that went to another column in between is not the same column.
        if None in (_id(named), _id(node)):
            matched[id(node)] = named
            kept.add(id(named))
    moved = _moved(before, [matched[id(node)] for node in after if id(node) in matched])
    for place, node in enumerate(after):
        pair = _pair(matched.get(id(node)), node)
        if (was := moved.get(id(pair.before))) is not None:
            sides = {POSITION: was}, {POSITION: place}
            change = SchemaChange(ChangeKind.METADATA, str(node), *sides)
            pair = pair._replace(changes=(*pair.changes, change))
        yield pair
    for node in before:
        if id(node) not in kept:
            yield _pair(node, None)


def _moved(before: list[Node], kept: list[Node]) -> dict[int, int]:
    """Which of the nodes that are kept, given in their new order, changed places; from where.

    The longest run that is in order stays where it is; the others moved past it.
    """
    old = {id(node): place for place, node in enumerate(before)}
    tails: list[int] = []
    lengths: list[int] = []
    for node in kept:
        length = bisect_left(tails, old[id(node)])
        tails[length : length + 1] = [old[id(node)]]
        lengths.append(length)
    wanted, staying = len(tails) - 1, set()
    bound = len(before)
    for node, length in zip(reversed(kept), reversed(lengths), strict=True):
        if length == wanted and old[id(node)] < bound:
            staying.add(id(node))
            wanted, bound = wanted - 1, old[id(node)]
    return {id(node): old[id(node)] for node in kept if id(node) not in staying}


def _id(node: Node) -> int | None:
    return column_mapping.column_id(node.field) if node.is_field else None


def _pair(before: Node | None, after: Node | None) -> Pair:
    if before is not None and after is not None:
        same = _same_shape(before, after)
        below = _pairs(children(before), children(after)) if same else ()
        return Pair(before, after, tuple(_own_changes(before, after)), tuple(below))
    if after is not None:
        change = SchemaChange(ChangeKind.ADDED, str(after), None, str(after.type))
    else:
        assert before is not None
        change = SchemaChange(ChangeKind.DROPPED, str(before), str(before.type), None)
    return Pair(before, after, (change,), _one_sided(before, after))


def _one_sided(before: Node | None, after: Node | None) -> tuple[Pair, ...]:
    """What is below an added or dropped column: shown with it, but no change of its own."""
    if after is not None:
        return tuple(Pair(None, n, (), _one_sided(None, n)) for n in children(after))
    assert before is not None
    return tuple(Pair(n, None, (), _one_sided(n, None)) for n in children(before))


def _own_changes(before: Node, after: Node) -> Iterator[SchemaChange]:
    path = str(after)
    if before.is_field and before.path[-1] != after.path[-1]:
        yield SchemaChange(ChangeKind.RENAMED, path, str(before), path)
    if not _same_shape(before, after):
        widened = widening_rule(before.type, after.type) is not None
        kind = ChangeKind.WIDENED if widened else ChangeKind.RETYPED
        yield SchemaChange(kind, path, str(before.type), str(after.type))
    old, new = _facts(before), _facts(after)
    keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    if _grew(old.get(type_changes.KEY), new.get(type_changes.KEY)):
        keys.remove(type_changes.KEY)
    if keys:
        sides = ({k: s[k] for k in keys if k in s} for s in (old, new))
        yield SchemaChange(ChangeKind.METADATA, path, *sides)


def _grew(old: Any, new: Any) -> bool:
    """Whether type changes were only recorded: that a widening does by itself."""
    known = [] if old is None else old
    if not isinstance(known, list) or not isinstance(new, list):
        return False
    return len(new) > len(known) and new[: len(known)] == known


def _same_shape(before: Node, after: Node) -> bool:
    match before.type, after.type:
        case (Struct(), Struct()) | (Array(), Array()) | (Map(), Map()):
            return True
        case one, other:
            return one == other


def _facts(node: Node) -> Mapping[str, Any]:
    """Everything of a node but its name and type."""
    metadata = node.field.metadata if node.is_field else {}
    facts = {"nullable": node.nullable, **metadata}
    facts.pop(_HIGH_WATER_MARK, None)
    return facts


def _words(type_text: str) -> str:
    return _INTEGER.sub("int", type_text)


def _metadata_words(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for key in {**before, **after}:
        if key == "nullable":
            yield "nullable" if after[key] else "not null"
        elif key == POSITION:
            yield f"moved from place {before[key] + 1} to {after[key] + 1}"
        elif key == type_changes.KEY:
            yield "type changes pruned" if not after.get(key) else "type changes rewritten"
        elif key == CHAR_VARCHAR:
            yield f"{before.get(key, _UNLIMITED)} → {after.get(key, _UNLIMITED)}"
        elif key not in after:
            yield f"{key} removed"
        else:
            value = after[key]
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield f"{key} {'=' if key in before else 'added:'} {text}"
