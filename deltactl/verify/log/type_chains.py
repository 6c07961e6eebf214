"""`delta.typeChanges`: whether each list leads, step by allowed step, to the column's type."""

from collections.abc import Iterator

from deltactl.errors import InvalidUsageError
from deltactl.findings import Finding, shown
from deltactl.spec.keys import TYPE_CHANGES
from deltactl.spec.schema import type_changes
from deltactl.spec.schema.schema import Node
from deltactl.spec.schema.type_changes import TypeChange
from deltactl.spec.schema.types import DataType, Struct, parse_type
from deltactl.spec.schema.widening import widening_rule

_CODE = "TYPE_CHANGES_UNREADABLE"


def check(schema: Struct, subject: str) -> Iterator[Finding]:
    """Yield what is wrong with a schema's type changes."""
    for node in type_changes.fields_with_changes(schema):
        held = node.field.metadata[TYPE_CHANGES]
        place = f"{subject}, column {node}"
        if held == []:
            yield Finding(_CODE, place, "no list, or one with changes", "[]", repairable=True)
            continue
        changes = type_changes.type_changes(node.field)
        if not isinstance(held, list) or len(changes) < len(held):
            expected = "a list of objects with fromType and toType"
            yield Finding(_CODE, place, expected, shown(held))
            continue
        for below in dict.fromkeys(change.below for change in changes):
            chain = [change for change in changes if change.below == below]
            target = type_changes.below(node, below)
            if target is None:
                path = chain[0].field_path or ""
                expected = "a path below the column"
                yield Finding("TYPE_CHANGE_PATH_MISSING", place, expected, shown(path))
            else:
                yield from _chain(chain, target, place)


def _chain(chain: list[TypeChange], target: Node, place: str) -> Iterator[Finding]:
    before: DataType | None = None
    for change in chain:
        old, new = _type(change.from_type), _type(change.to_type)
        step = f"{change.from_type} to {change.to_type}"
        if old is None or new is None:
            yield Finding(_CODE, place, "types that engines know", shown(step))
            return
        if before is not None and before != old:
            yield Finding("TYPE_CHANGE_NOT_CONTINUOUS", place, f"a change from {before}", step)
        if widening_rule(old, new) is None:
            yield Finding("TYPE_CHANGE_NOT_ALLOWED", place, "an allowed widening", step)
        before = new
    if before is not None and before != target.type:
        expected = f"{target.type}, the type of {target}"
        yield Finding("TYPE_CHANGE_NOT_CURRENT", place, expected, f"{before} at its end")


def _type(text: str) -> DataType | None:
    try:
        return parse_type(text)
    except InvalidUsageError:
        return None
