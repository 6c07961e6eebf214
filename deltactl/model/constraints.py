"""What the rows of a table must satisfy: CHECK constraints, generated columns, old invariants."""

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from deltactl.model.expressions import columns_in, touches
from deltactl.model.schema import Node, Path, as_far_as_known, walk
from deltactl.model.types import Struct, StructField

CHECK_PREFIX = "delta.constraints."
GENERATION = "delta.generationExpression"
INVARIANTS = "delta.invariants"
IDENTITY = "delta.identity."


class RuleKind(StrEnum):
    """Where a rule is written down."""

    CHECK = "check"
    GENERATED = "generated"
    INVARIANT = "invariant"


FEATURES: Mapping[RuleKind, str] = {
    RuleKind.CHECK: "checkConstraints",
    RuleKind.GENERATED: "generatedColumns",
    RuleKind.INVARIANT: "invariants",
}
"""The feature by which writers obey rules of a kind."""


class RowRule(NamedTuple):
    """One rule: `name` is the constraint's, or the column's that carries it."""

    kind: RuleKind
    name: str
    expression: str

    def concerns(self, column: Path, schema: Struct) -> bool | None:
        """Whether the rule speaks of the column; None where its expression does not parse."""
        named = columns_in(self.expression)
        if named is None:
            return None
        return touches({as_far_as_known(schema, names) for names in named}, column)


def row_rules(schema: Struct, configuration: Mapping[str, Any]) -> Iterator[RowRule]:
    """Every rule of the table."""
    for key, value in configuration.items():
        if key.lower().startswith(CHECK_PREFIX):
            yield RowRule(RuleKind.CHECK, key[len(CHECK_PREFIX) :], str(value))
    for node in walk(schema):
        if node.is_field:
            yield from _rules_of(node)


def generation(field: StructField) -> str | None:
    """The expression of a generated column."""
    value = field.metadata.get(GENERATION)
    return value if isinstance(value, str) else None


def invariant(field: StructField) -> str | None:
    """The expression of a column invariant, which writers before CHECK constraints used."""
    value = field.metadata.get(INVARIANTS)
    if not isinstance(value, str):
        return None
    try:
        found = json.loads(value)["expression"]["expression"]
    except (ValueError, KeyError, TypeError):
        return value
    return found if isinstance(found, str) else value


def identity(field: StructField) -> dict[str, Any] | None:
    """The settings of an identity column, by the last part of their names."""
    found = {
        key.removeprefix(IDENTITY): value
        for key, value in field.metadata.items()
        if key.startswith(IDENTITY)
    }
    return found or None


def _rules_of(node: Node) -> Iterator[RowRule]:
    if expression := generation(node.field):
        yield RowRule(RuleKind.GENERATED, str(node), expression)
    if expression := invariant(node.field):
        yield RowRule(RuleKind.INVARIANT, str(node), expression)
