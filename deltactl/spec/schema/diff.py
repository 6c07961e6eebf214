"""What changed between two schemas, column by column."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from deltactl.spec.keys import (
    COLUMN_MAPPING_ID,
    COLUMN_MAPPING_PHYSICAL_NAME,
    COLUMN_MAPPING_PREFIX,
    IDENTITY_HIGH_WATER_MARK,
    TYPE_CHANGES,
)
from deltactl.spec.schema import column_mapping
from deltactl.spec.schema.change_words import (
    POSITION,
    new_field_words,
    position_words,
    setting_words,
    type_words,
)
from deltactl.spec.schema.schema import Node, children, parse_path
from deltactl.spec.schema.type_changes import TypeChange, changes_of
from deltactl.spec.schema.types import Array, Map, Struct
from deltactl.spec.schema.widening import widening_rule


class ChangeKind(StrEnum):
    """What happened to a column."""

    ADDED = "added"
    DROPPED = "dropped"
    RENAMED = "renamed"
    WIDENED = "widened"
    RETYPED = "retyped"
    METADATA = "metadata"


class SchemaChange(NamedTuple):
    """One change; `path` is the column's path after it, for a dropped one the path before.

    `field` is what an added column has beside its type: whether it is nullable, its metadata, and
    its position if it is not the last. `type_changes` are the entries of `delta.typeChanges` for
    exactly this column, before and after.
    """

    kind: ChangeKind
    path: str
    before: Any
    after: Any
    field: Mapping[str, Any] | None = None
    type_changes: tuple[tuple[TypeChange, ...], tuple[TypeChange, ...]] = ((), ())

    @property
    def readers_can_continue(self) -> bool:
        """Whether a reader that opened the table before the change can continue after it.

        Delta's rule: every column that it knew is still there, under the same name in the same
        letters, of the same type, not null if it was not null, and under the same physical
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
        """Whether files have the column under the same name; if it is not mapped, its own."""
        key, own = COLUMN_MAPPING_PHYSICAL_NAME, parse_path(self.path)[-1]
        before, after = self.before.get(key), self.after.get(key)
        return (own if before is None else before) == (own if after is None else after)

    @property
    def switches_id(self) -> bool:
        """Whether a column gets its first column-mapping id, or loses the one it had."""
        key = COLUMN_MAPPING_ID
        return self.kind is ChangeKind.METADATA and (key in self.after) != (key in self.before)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "path": self.path,
            "before": self.before,
            "after": self.after,
            **({} if self.field is None else {"field": self.field}),
            "typeChanges": {
                "before": [change.to_json() for change in self.type_changes[0]],
                "after": [change.to_json() for change in self.type_changes[1]],
            },
            "readersGoOn": self.readers_can_continue,
        }

    def __str__(self) -> str:
        match self.kind:
            case ChangeKind.ADDED:
                return f"+ {self.path} {self.words}"
            case ChangeKind.DROPPED:
                return f"- {self.path} {self.words}"
            case ChangeKind.RENAMED:
                return f"{self.before} renamed {self.path}"
            case ChangeKind.WIDENED | ChangeKind.RETYPED:
                return f"{self.path} {self.words}"
            case _:
                return f"{self.path}: {self.words}"

    @property
    def words(self) -> str:
        """What changed, for people, beside the kind of change and the column's name."""
        match self.kind:
            case ChangeKind.ADDED:
                field = {"nullable": True, "metadata": {}, "position": None}
                return new_field_words(self.after, self.field or field)
            case ChangeKind.DROPPED:
                return type_words(self.before)
            case ChangeKind.RENAMED:
                return f"was {self.before}"
            case ChangeKind.WIDENED | ChangeKind.RETYPED:
                return f"{type_words(self.before)} → {type_words(self.after)}"
            case _:
                return ", ".join(setting_words(self.before, self.after))


class ColumnPair(NamedTuple):
    """A column in the two schemas; one side is None if it was added or dropped."""

    before: Node | None
    after: Node | None
    changes: tuple[SchemaChange, ...]
    below: tuple["ColumnPair", ...]

    @property
    def type_changes(self) -> tuple[tuple[TypeChange, ...], tuple[TypeChange, ...]]:
        """The type changes of exactly this column, before and after."""
        return _type_changes(self.before, self.after)


def compare(before: Struct, after: Struct) -> tuple[ColumnPair, ...]:
    """Pair the columns of two schemas, by column-mapping id if both have one, else by name."""
    return tuple(_pairs(_top(before), _top(after)))


def changes(before: Struct, after: Struct) -> Iterator[SchemaChange]:
    """Return every change, parents first; nothing is listed below an added column."""
    return flattened(compare(before, after))


def flattened(pairs: Sequence[ColumnPair]) -> Iterator[SchemaChange]:
    """Yield every change of the pairs, as `changes` has them."""
    stack = list(reversed(pairs))
    while stack:
        pair = stack.pop()
        yield from pair.changes
        stack.extend(reversed(pair.below))


class MappingSwitch(NamedTuple):
    """Column mapping that was switched on, or off, for all columns of a table at once."""

    is_on: bool
    columns: int


def mapping_switch(pairs: Sequence[ColumnPair]) -> MappingSwitch | None:
    """Return whether all columns got their ids between the two schemas, or lost them.

    Of the columns that both schemas have none had an id before, and every column of the newer
    schema has one, or the other way round. None if neither is so, or no column is in both.
    """
    kept: set[tuple[bool, bool]] = set()
    added: set[bool] = set()
    found = 0
    stack = list(pairs)
    while stack:
        pair = stack.pop()
        stack.extend(pair.below)
        if pair.after is None or not pair.after.is_field:
            continue
        found += 1
        has_id = _id(pair.after) is not None
        if pair.before is None:
            added.add(has_id)
        else:
            kept.add((_id(pair.before) is not None, has_id))
        if len(kept) > 1 or len(added) > 1:
            return None
    if kept == {(False, True)} and False not in added:
        return MappingSwitch(is_on=True, columns=found)
    if kept == {(True, False)} and True not in added:
        return MappingSwitch(is_on=False, columns=found)
    return None


def without_column_mapping(changes: Iterable[SchemaChange]) -> Iterator[SchemaChange]:
    """Yield the changes without the ids and names in files that all columns get together.

    Those after which a column has another name, or none, are first.
    """
    kept = [change for one in changes if (change := _without_mapping(one)) is not None]
    lost = (ChangeKind.DROPPED, ChangeKind.RENAMED)
    yield from (change for change in kept if change.kind in lost)
    yield from (change for change in kept if change.kind not in lost)


def _without_mapping(change: SchemaChange) -> SchemaChange | None:
    if not change.switches_id:
        return change
    rest = [
        {key: value for key, value in side.items() if not key.startswith(COLUMN_MAPPING_PREFIX)}
        for side in (change.before, change.after)
    ]
    return change._replace(before=rest[0], after=rest[1]) if any(rest) else None


def _top(schema: Struct) -> list[Node]:
    return [Node((f.name,), f.type, f.nullable, f, ()) for f in schema.fields]


def _pairs(before: list[Node], after: list[Node]) -> Iterator[ColumnPair]:
    """Pair siblings, in the order of `after`; dropped ones keep their place."""
    by_id = {_id(node): node for node in before if _id(node) is not None}
    by_name = {node.path[-1].casefold(): node for node in before}
    in_files = {
        (_id(node) is None, column_mapping.physical_name(node.field)): node
        for node in before
        if node.is_field
    }
    matched = {id(node): by_id[_id(node)] for node in after if _id(node) in by_id}
    taken = {id(node) for node in matched.values()}
    for node in after:
        # Mapping was switched on or off in between: files have the column under one name.
        if not node.is_field or id(node) in matched:
            continue
        has_id = _id(node) is not None
        key = has_id, column_mapping.physical_name(node.field)
        if (named := in_files.pop(key, None)) is not None and id(named) not in taken:
            matched[id(node)] = named
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
    pairs: list[ColumnPair] = []
    last = max((place for place, node in enumerate(after) if id(node) in matched), default=-1)
    for place, node in enumerate(after):
        position = None
        if place < last:
            position = position_words(after[place - 1].path[-1] if place else None)
        pair = _pair(matched.get(id(node)), node, position)
        if (was := moved.get(id(pair.before))) is not None:
            sides = {POSITION: was}, {POSITION: place}
            change = _change(ChangeKind.METADATA, pair.before, node, *sides)
            pair = pair._replace(changes=(*pair.changes, change))
        pairs.append(pair)
    return _with_dropped(pairs, before, kept) if len(kept) < len(before) else iter(pairs)


def _with_dropped(
    pairs: list[ColumnPair], before: list[Node], kept: set[int]
) -> Iterator[ColumnPair]:
    """Yield the pairs, and each dropped column behind the one that it stood behind."""
    dropped: dict[int | None, list[Node]] = {}
    above: int | None = None
    for node in before:
        if id(node) in kept:
            above = id(node)
        else:
            dropped.setdefault(above, []).append(node)
    yield from (_pair(node, None) for node in dropped.get(None, ()))
    for pair in pairs:
        yield pair
        if pair.before is not None:
            yield from (_pair(node, None) for node in dropped.get(id(pair.before), ()))


def _moved(before: list[Node], kept: list[Node]) -> dict[int, int]:
    """Return which kept nodes, given in their new order, changed places, and from where.

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


def _pair(before: Node | None, after: Node | None, position: str | None = None) -> ColumnPair:
    if before is not None and after is not None:
        same = _same_shape(before, after)
        if same:
            below = tuple(_pairs(children(before), children(after)))
        else:
            below = (*_one_sided(before, None), *_one_sided(None, after))
        return ColumnPair(before, after, tuple(_own_changes(before, after)), below)
    if after is not None:
        field = {**_described(after), "position": position}
        change = _change(ChangeKind.ADDED, None, after, None, str(after.type), field)
    else:
        assert before is not None
        change = _change(ChangeKind.DROPPED, before, None, str(before.type), None)
    return ColumnPair(before, after, (change,), _one_sided(before, after))


def _change(
    kind: ChangeKind,
    before: Node | None,
    after: Node | None,
    was: Any,
    now: Any,
    field: Mapping[str, Any] | None = None,
) -> SchemaChange:
    """Return a change of the column, with its type changes on both sides."""
    path = str(before if after is None else after)
    return SchemaChange(kind, path, was, now, field, _type_changes(before, after))


def _type_changes(
    before: Node | None, after: Node | None
) -> tuple[tuple[TypeChange, ...], tuple[TypeChange, ...]]:
    return (
        () if before is None else changes_of(before),
        () if after is None else changes_of(after),
    )


def _one_sided(before: Node | None, after: Node | None) -> tuple[ColumnPair, ...]:
    """Return what is below an added, dropped or retyped column: it is no change of its own."""
    if after is not None:
        return tuple(ColumnPair(None, n, (), _one_sided(None, n)) for n in children(after))
    assert before is not None
    return tuple(ColumnPair(n, None, (), _one_sided(n, None)) for n in children(before))


def _own_changes(before: Node, after: Node) -> Iterator[SchemaChange]:
    if before.is_field and before.path[-1] != after.path[-1]:
        yield _change(ChangeKind.RENAMED, before, after, str(before), str(after))
    if not _same_shape(before, after):
        widened = widening_rule(before.type, after.type) is not None
        kind = ChangeKind.WIDENED if widened else ChangeKind.RETYPED
        yield _change(kind, before, after, str(before.type), str(after.type))
    old, new = _facts(before), _facts(after)
    keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
    if before.type != after.type and _grew(old.get(TYPE_CHANGES), new.get(TYPE_CHANGES)):
        keys.remove(TYPE_CHANGES)
    if keys:
        was, now = ({k: s[k] for k in keys if k in s} for s in (old, new))
        yield _change(ChangeKind.METADATA, before, after, was, now)


def _grew(old: Any, new: Any) -> bool:
    """Return whether type changes were only recorded: that a widening does by itself."""
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


def _described(node: Node) -> dict[str, Any]:
    """Return an added column's settings beside type and place, without mapping's identity."""
    kept = {
        key: value
        for key, value in node.field.metadata.items()
        if not key.startswith(COLUMN_MAPPING_PREFIX) and key != IDENTITY_HIGH_WATER_MARK
    }
    return {"nullable": node.nullable, "metadata": kept}


def _facts(node: Node) -> Mapping[str, Any]:
    """Return all facts of a node but its name and type."""
    metadata = node.field.metadata if node.is_field else {}
    facts = {"nullable": node.nullable, **metadata}
    # It moves with every insert: it is data, though it stands in the schema.
    facts.pop(IDENTITY_HIGH_WATER_MARK, None)
    return facts
