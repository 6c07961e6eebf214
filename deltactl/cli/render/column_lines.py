"""The columns that differ between two schemas, as lines with a mark, a name, a type and a note."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from deltactl.errors import DeltactlError
from deltactl.spec.keys import (
    CHAR_VARCHAR,
    TYPE_CHANGES,
)
from deltactl.spec.schema.change_words import beside_type, setting_words, type_words
from deltactl.spec.schema.diff import (
    ChangeKind,
    ColumnPair,
    SchemaChange,
    mapping_switch,
    without_column_mapping,
)
from deltactl.spec.schema.schema import Node, format_path, parse_path, steps
from deltactl.spec.schema.type_changes import ChainFault, TypeChange, chain_faults
from deltactl.spec.schema.types import Array, Struct, kind, short_name
from deltactl.table.differences import ValueChange

if TYPE_CHECKING:
    from deltactl.table.state.type_change_versions import Sighting, TypeChangePlace

# Unchanged columns that are shown on each side of a changed one.
CONTEXT = 2
_INDENT = "  "

_FAULTS = {
    ChainFault.UNKNOWN_TYPE: "unknown type",
    ChainFault.NOT_CONTINUOUS: "does not continue the change before it",
    ChainFault.NOT_ALLOWED: "is no widening",
}


class DiffLine(NamedTuple):
    """One line of a diff: its mark (`+`, `-`, `~` or a blank), a column, and what became of it.

    `level` is how deep the name stands; a line of `typeChanges` stands below its column.
    """

    mark: str
    level: int
    name: str
    type: str = ""
    note: str = ""

    @property
    def indented(self) -> str:
        return _INDENT * self.level + self.name


class DiffView(NamedTuple):
    """How to show a schema's differences, and what is known about them.

    `since` has the version of each type change of the newer side. `keeps_values`: files still have
    the values of a dropped column. `clustering` has the columns by their names. `context` None
    shows every column; `limit` is for changed columns, and for the lines of each title.
    """

    since: "Mapping[TypeChangePlace, Sighting] | None" = None
    keeps_values: bool = False
    clustering: ValueChange | None = None
    context: int | None = CONTEXT
    limit: int | None = None


PLAIN = DiffView()


class DiffLines(NamedTuple):
    """The lines of a schema's differences, and how many columns they leave out.

    `hidden` are unchanged ones, `more` changed ones.
    """

    lines: tuple[DiffLine, ...]
    hidden: int
    more: int


def column_lines(pairs: Sequence[ColumnPair], shown: DiffView = PLAIN) -> DiffLines:
    """Return the lines of the columns that changed, and of their unchanged neighbours."""
    folds = mapping_switch(pairs) is not None
    changed = _changed(pairs, folds=folds)
    places = [place for place, pair in enumerate(pairs) if id(pair) in changed]
    left = places[: shown.limit]
    near = range(len(pairs)) if shown.context is None else _near(left, shown.context)
    visible = [pairs[place] for place in near if place < len(pairs)]
    lines = tuple(_lines(visible, changed, shown, folds=folds))
    more = len(places) - len(left)
    return DiffLines(lines, len(pairs) - len(visible) - more, more)


def shown_paths(pairs: Sequence[ColumnPair]) -> Iterator[tuple[str, ColumnPair]]:
    """Yield each column with its path as the lines have it: `items[].quantity`, parents first."""
    stack = [("", pair) for pair in reversed(pairs)]
    while stack:
        above, pair = stack.pop()
        node = pair.after or pair.before
        assert node is not None
        path = above + _step_into(node)
        yield path.removeprefix("."), pair
        stack.extend((path, inner) for inner in reversed(pair.below))


def shown_path(schema: Struct, path: str) -> str:
    """Return the path of a column of that schema as the lines of a diff have it."""
    try:
        nodes = steps(schema, parse_path(path))
    except DeltactlError:
        return path
    return "".join(map(_step_into, nodes)).removeprefix(".")


def _step_into(node: Node) -> str:
    """Return how the path continues from the node above."""
    return "[]" if node.below[-1:] == ("element",) else f".{format_path(node.path[-1:])}"


def _near(places: Sequence[int], context: int) -> list[int]:
    near = {n for place in places for n in range(place - context, place + context + 1) if n >= 0}
    return sorted(near)


def _changed(pairs: Sequence[ColumnPair], *, folds: bool) -> set[int]:
    """Return the `id()` of the pairs that changed, or hold one that did."""
    order: list[tuple[ColumnPair, ColumnPair | None]] = [(pair, None) for pair in pairs]
    for pair, _ in order:
        order.extend((below, pair) for below in pair.below)
    found: set[int] = set()
    for pair, parent in reversed(order):
        before, after = pair.type_changes
        if id(pair) in found or _own(pair, folds=folds) or before != after:
            found.add(id(pair))
            if parent is not None:
                found.add(id(parent))
    return found


def _lines(
    pairs: Sequence[ColumnPair], changed: set[int], shown: DiffView, *, folds: bool
) -> Iterator[DiffLine]:
    # Without recursion, since a schema may be nested deeper than Python's stack.
    stack = [(pair, 0, _name(pair)) for pair in reversed(pairs)]
    while stack:
        pair, level, name = stack.pop()
        one_sided = None in (pair.before, pair.after)
        if not one_sided and id(pair) not in changed:
            yield DiffLine(" ", level, name, _type(pair.after))
            below = _fields_below(pair) if shown.context is None else []
        elif one_sided:
            yield from _of_pair(pair, level, name, shown, folds=folds)
            below = _fields_below(pair)
        else:
            while _is_array(pair) and not _own(pair, folds=folds):
                pair, name = pair.below[0], f"{name}[]"
            yield from _of_pair(pair, level, name, shown, folds=folds)
            below = [b for b in pair.below if shown.context is None or id(b) in changed]
            if _is_retyped(pair):
                below = [inner for side in _sides(pair) for inner in _fields_below(side)]
            elif _is_array(pair):
                # It has changes of its own, and what it holds stands on a line below.
                stack.extend((element, level, f"{name}[]") for element in below)
                continue
        stack.extend((inner, level + 1, f".{_name(inner)}") for inner in reversed(below))


def _own(pair: ColumnPair, *, folds: bool) -> tuple[SchemaChange, ...]:
    """Return the changes of the pair; `folds` leaves out ids that all columns get or lose."""
    return tuple(without_column_mapping(pair.changes)) if folds else pair.changes


def _of_pair(
    pair: ColumnPair, level: int, name: str, shown: DiffView, *, folds: bool
) -> Iterator[DiffLine]:
    changes = _own(pair, folds=folds)
    mark = "+" if pair.before is None else "-" if pair.after is None else "~" if changes else " "
    note = "; ".join(_notes(pair, changes, shown))
    yield DiffLine(mark, level, name, _type_words(pair, changes), note)
    yield from _type_change_lines(pair, level + 1)


def _name(pair: ColumnPair) -> str:
    before, after = pair.before, pair.after
    if before is None or after is None:
        node = after or before
        assert node is not None
        return format_path(node.path[-1:])
    old, new = format_path(before.path[-1:]), format_path(after.path[-1:])
    return new if old == new else f"{old} → {new}"


def _is_retyped(pair: ColumnPair) -> bool:
    return any(change.kind is ChangeKind.RETYPED for change in pair.changes)


def _sides(pair: ColumnPair) -> tuple[ColumnPair, ColumnPair]:
    """Return what a column was and what it is, each with all that is below."""
    gone, came = [tuple(b for b in pair.below if (b.after is None) is old) for old in (True, False)]
    return ColumnPair(pair.before, None, (), gone), ColumnPair(None, pair.after, (), came)


def _is_array(pair: ColumnPair) -> bool:
    sides = (pair.before, pair.after)
    return all(side is not None and isinstance(side.type, Array) for side in sides)


def _fields_below(pair: ColumnPair) -> list[ColumnPair]:
    """Return the fields of the struct that the pair is or holds, whatever arrays are around it."""
    below = list(pair.below)
    node = pair.after or pair.before
    while node is not None and isinstance(node.type, Array) and below:
        node = below[0].after or below[0].before
        below = list(below[0].below)
    return below


def _type(node: Node | None) -> str:
    """Return the type, without the fields of structs in it: they have lines of their own."""
    if node is None:
        return ""
    shape = _declared(node)
    return shape if node.nullable or node.path[-1] == "key" else f"{shape} not null"


def _declared(node: Node) -> str:
    """Return the type as it was declared: `varchar(5)` for a string of that length."""
    declared = node.field.metadata.get(CHAR_VARCHAR) if node.is_field else None
    return str(declared) if declared else _shape(node.type)


def _shape(data_type: Any) -> str:
    arrays = 0
    while isinstance(data_type, Array):
        data_type, arrays = data_type.element, arrays + 1
    inner = "struct" if isinstance(data_type, Struct) else kind(data_type, short_name)
    return "array<" * arrays + inner + ">" * arrays


def _type_words(pair: ColumnPair, changes: Sequence[SchemaChange]) -> str:
    before, after = pair.before, pair.after
    if before is not None and after is not None:
        if not changes:
            return ""
        old, new = _declared(before), _declared(after)
        if old != new:
            return f"{old} → {new}"
        if any(c.kind is ChangeKind.METADATA and "nullable" in c.after for c in changes):
            # Its note says so; beside the type it would look like what it was before, too.
            return new
    return _type(after or before)


def _notes(pair: ColumnPair, changes: Sequence[SchemaChange], shown: DiffView) -> Iterator[str]:
    for change in changes:
        match change.kind:
            case ChangeKind.RENAMED:
                yield "renamed"
            case ChangeKind.WIDENED:
                yield "widened" + _since(pair, shown.since)
            case ChangeKind.RETYPED:
                yield "type replaced"
            case ChangeKind.DROPPED if shown.keeps_values:
                yield "values stay in the files"
            case ChangeKind.ADDED if change.field is not None:
                yield from filter(None, [beside_type(_unplaced(change.field)).strip(" ,—")])
            case ChangeKind.METADATA:
                sides = (_unshown(change.before), _unshown(change.after))
                yield from setting_words(*sides)
                if not _names_type_changes(pair):
                    yield from setting_words(*map(_type_changes, (change.before, change.after)))


def _unplaced(field: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what an added column has beside its place, which its line shows."""
    return {**field, "position": None}


def _unshown(side: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings without those that stand elsewhere: type changes, the declared type."""
    return {key: value for key, value in side.items() if key not in (TYPE_CHANGES, CHAR_VARCHAR)}


def _type_changes(side: Mapping[str, Any]) -> dict[str, Any]:
    return {TYPE_CHANGES: side[TYPE_CHANGES]} if TYPE_CHANGES in side else {}


def _names_type_changes(pair: ColumnPair) -> bool:
    """Return whether lines of the column, or of its elements, name type changes that differ."""
    stack = [pair]
    for one in stack:
        before, after = one.type_changes
        if before != after:
            return True
        stack.extend(b for b in one.below if b.after is not None and not b.after.is_field)
    return False


def _since(pair: ColumnPair, since: "Mapping[TypeChangePlace, Sighting] | None") -> str:
    assert pair.after is not None
    before, after = pair.type_changes
    known = since or {}
    found = [known.get((pair.after.path, index)) for index in range(len(before), len(after))]
    versions = [
        f"v{sighting.since}" for sighting in found if sighting and sighting.since is not None
    ]
    return f" in {', '.join(dict.fromkeys(versions))}" if versions else ""


def _type_change_lines(pair: ColumnPair, level: int) -> Iterator[DiffLine]:
    """Yield the type changes that came and went; all of them if they contradict each other."""
    before, after = pair.type_changes
    faults: dict[int, list[str]] = {}
    for index, fault in () if pair.after is None else chain_faults(after, pair.after.type):
        words = _FAULTS.get(fault, f"column is {_type(pair.after)}")
        faults.setdefault(index, []).append(words)
    gone = list((Counter(before) - Counter(after)).elements()) if pair.after is not None else []
    came = Counter(after) - Counter(before)
    lines = [("-", change, "") for change in gone]
    for index, change in enumerate(after):
        note = "; ".join(faults.get(index, ()))
        is_new = came[change] > 0
        came[change] -= is_new
        if is_new or faults:
            lines.append(("!" if note else "+" if is_new else " ", change, note))
    for place, (mark, change, note) in enumerate(lines):
        yield DiffLine(" ", level, "" if place else "typeChanges", f"{mark} {_step(change)}", note)


def _step(change: TypeChange) -> str:
    return f"{type_words(change.from_type)} → {type_words(change.to_type)}"
