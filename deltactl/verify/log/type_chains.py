"""`delta.typeChanges`: whether each list leads, step by allowed step, to the column's type."""

from collections.abc import Iterator

from deltactl.findings import Finding, shown
from deltactl.spec.keys import TYPE_CHANGES
from deltactl.spec.schema import type_changes
from deltactl.spec.schema.schema import Node
from deltactl.spec.schema.type_changes import ChainFault, TypeChange, chain_faults
from deltactl.spec.schema.types import Struct, parse_type

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
    for index, fault in chain_faults(chain, target.type):
        change = chain[index]
        step = f"{change.from_type} to {change.to_type}"
        match fault:
            case ChainFault.UNKNOWN_TYPE:
                yield Finding(_CODE, place, "types that engines know", shown(step))
            case ChainFault.NOT_CONTINUOUS:
                expected = f"a change from {parse_type(chain[index - 1].to_type)}"
                yield Finding("TYPE_CHANGE_NOT_CONTINUOUS", place, expected, step)
            case ChainFault.NOT_ALLOWED:
                yield Finding("TYPE_CHANGE_NOT_ALLOWED", place, "an allowed widening", step)
            case ChainFault.NOT_CURRENT:
                expected = f"{target.type}, the type of {target}"
                found = f"{parse_type(change.to_type)} at its end"
                yield Finding("TYPE_CHANGE_NOT_CURRENT", place, expected, found)
