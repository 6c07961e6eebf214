"""What the rows of a table must satisfy, as conditions of Spark SQL."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from deltactl.operations.row_checks.sql import quoted_path
from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.spec.constraints import rules
from deltactl.spec.constraints.rules import FEATURES, RuleKind, row_rules
from deltactl.spec.keys import IDENTITY_COLUMNS_FEATURE, INVARIANTS_FEATURE
from deltactl.spec.protocol.protocol import supported
from deltactl.spec.schema.schema import Node, find, parse_path, parse_schema, steps, walk
from deltactl.spec.schema.types import Struct

_CODES = {
    RuleKind.CHECK: "CHECK_VIOLATED",
    RuleKind.GENERATED: "GENERATED_VALUE_WRONG",
    RuleKind.INVARIANT: "INVARIANT_VIOLATED",
}


class RowCondition(NamedTuple):
    """A condition that is true for every row, and the code of rows for which it is not."""

    code: str
    name: str
    condition: str


class Identity(NamedTuple):
    """A column whose values engines count up from `start` by `step`; the last was `mark`."""

    name: str
    sql: str
    start: int
    step: int
    mark: int | None
    takes_values: bool


def has_rules(metadata: Metadata, protocol: Protocol | None) -> bool:
    """Return whether there is anything that rows must satisfy."""
    if protocol is None or metadata.schema_string is None:
        return False
    schema = parse_schema(metadata.schema_string)
    found = (*rules_in_force(schema, metadata, protocol), *identities(schema, protocol))
    return bool(found)


def rules_in_force(
    schema: Struct, metadata: Metadata, protocol: Protocol
) -> Iterator[RowCondition]:
    """Yield the rules that writers obey: those of features that the protocol has."""
    features = supported(protocol)
    for rule in row_rules(schema, metadata.configuration):
        if FEATURES[rule.kind] not in features:
            continue
        condition = rule.expression
        if rule.kind is RuleKind.GENERATED:
            condition = f"{quoted_path(find(schema, parse_path(rule.name)).path)} <=> ({condition})"
        name = f"CHECK {rule.name}" if rule.kind is RuleKind.CHECK else rule.name
        yield RowCondition(_CODES[rule.kind], name, condition)
    if INVARIANTS_FEATURE in features:
        yield from _not_null(schema)


def identities(schema: Struct, protocol: Protocol) -> Iterator[Identity]:
    """Yield the identity columns, where writers know of them."""
    if IDENTITY_COLUMNS_FEATURE not in supported(protocol):
        return
    for field in schema.fields:
        settings = rules.identity(field)
        if settings is None:
            continue
        start, step = _number(settings, "start", 1), _number(settings, "step", 1)
        mark = _number(settings, "highWaterMark", None)
        takes = settings.get("allowExplicitInsert") is True
        if start is not None and step:
            yield Identity(field.name, quoted_path((field.name,)), start, step, mark, takes)


def is_in_structs_only(schema: Struct, node: Node) -> bool:
    """Return whether each row has the field once, or not at all."""
    return all(step.is_field for step in steps(schema, node.path))


def _not_null(schema: Struct) -> Iterator[RowCondition]:
    for node in walk(schema):
        if node.nullable or not node.is_field or not is_in_structs_only(schema, node):
            continue
        above = [n for n in steps(schema, node.path[:-1]) if n.nullable]
        absent = "".join(f"{quoted_path(n.path)} IS NULL OR " for n in above)
        condition = f"{absent}{quoted_path(node.path)} IS NOT NULL"
        yield RowCondition("NOT_NULL_VIOLATED", str(node), condition)


def _number(settings: Mapping[str, Any], name: str, default: int | None) -> int | None:
    value = settings.get(name, default)
    return value if type(value) is int else None
