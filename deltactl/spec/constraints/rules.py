"""What the rows of a table must satisfy: CHECK constraints, generated columns, old invariants."""

import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

from deltactl.spec.constraints.expression import columns_in
from deltactl.spec.keys import (
    CHECK_CONSTRAINTS_FEATURE,
    CONSTRAINT_PREFIX,
    GENERATED_COLUMNS_FEATURE,
    GENERATION_EXPRESSION,
    IDENTITY_PREFIX,
    INVARIANTS,
    INVARIANTS_FEATURE,
)
from deltactl.spec.schema.schema import Node, Path, format_path, resolve_prefix, walk
from deltactl.spec.schema.types import Struct, StructField


class RuleKind(StrEnum):
    """Where a rule is written down."""

    CHECK = "check"
    GENERATED = "generated"
    INVARIANT = "invariant"

    @property
    def noun(self) -> str:
        """What people call a rule of this kind."""
        return _NOUNS[self]


_NOUNS: Mapping[RuleKind, str] = {
    RuleKind.CHECK: "CHECK constraint",
    RuleKind.GENERATED: "generated column",
    RuleKind.INVARIANT: "invariant of column",
}
FEATURES: Mapping[RuleKind, str] = {
    RuleKind.CHECK: CHECK_CONSTRAINTS_FEATURE,
    RuleKind.GENERATED: GENERATED_COLUMNS_FEATURE,
    RuleKind.INVARIANT: INVARIANTS_FEATURE,
}
"""The feature by which writers obey rules of a kind."""


class RowRule(NamedTuple):
    """One rule: `name` is the constraint's, or the column's that carries it."""

    kind: RuleKind
    name: str
    expression: str


class RowRules:
    """Rules of one table, by the columns that their expressions name.

    A rule names a column if it names the column itself, what lies below it, or what lies above it.
    """

    def __init__(self, rules: Iterable[RowRule], schema: Struct) -> None:
        self.rules = tuple(rules)
        self._schema = schema
        self._carried: dict[str, list[int]] = {}
        for number, rule in enumerate(self.rules):
            if rule.kind is not RuleKind.CHECK:
                self._carried.setdefault(rule.name, []).append(number)

    def naming(self, column: Path) -> list[RowRule]:
        """Return the rules that name the column."""
        return [self.rules[number] for number in sorted(self._named.of(column))]

    def perhaps_naming(self, column: Path) -> list[RowRule]:
        """Return also the rules whose expressions do not parse: they may name any column."""
        numbers = self._named.of(column) | self._named.unclear
        return [self.rules[number] for number in sorted(numbers)]

    def of(self, column: Path) -> list[RowRule]:
        """Return what `perhaps_naming` does and the rules that the column itself carries."""
        numbers = self._named.of(column) | self._named.unclear
        numbers |= set(self._carried.get(format_path(column), ()))
        return [self.rules[number] for number in sorted(numbers)]

    @cached_property
    def _named(self) -> "_Named":
        found = _Named()
        for number, rule in enumerate(self.rules):
            found.add(number, columns_in(rule.expression), self._schema)
        return found


class CarriedRules:
    """The rules that columns carry, from one schema of a plan to the next."""

    def __init__(self) -> None:
        self._carriers: list[str] | None = None

    def of(self, schema: Struct) -> list[RowRule]:
        """Return the rules; after the first call only columns that had rules are looked at.

        No change of columns adds a rule. Each rename calls this before the next one, so a column
        that is missing under its old name leads to a new search.
        """
        if self._carriers is not None:
            carried = [_carried_by(schema.named(name), name) for name in self._carriers]
            if all(carried):
                return [rule for rules in carried for rule in rules]
        found = [(field.name, _carried_by(field, field.name)) for field in schema.fields]
        self._carriers = [name for name, rules in found if rules]
        return [rule for _, rules in found for rule in rules]


def _carried_by(field: StructField | None, name: str) -> list[RowRule]:
    if field is None or field.name != name:
        return []
    return list(column_rules(Struct((field,))))


class _Named:
    """The numbers of rules by the columns that they name, case folded."""

    def __init__(self) -> None:
        self.unclear: set[int] = set()
        self._exactly: dict[Path, set[int]] = {}
        self._at_or_below: dict[Path, set[int]] = {}

    def add(self, number: int, named: Iterable[Path] | None, schema: Struct) -> None:
        """Note what a rule names; None for a rule that does not parse."""
        if named is None:
            self.unclear.add(number)
            return
        for names in named:
            path = _folded(resolve_prefix(schema, names))
            self._exactly.setdefault(path, set()).add(number)
            for end in range(1, len(path) + 1):
                self._at_or_below.setdefault(path[:end], set()).add(number)

    def of(self, column: Path) -> set[int]:
        """Return the rules that name the column, or what is above or below it."""
        path = _folded(column)
        found = set(self._at_or_below.get(path, ()))
        for end in range(1, len(path)):
            found |= self._exactly.get(path[:end], set())
        return found


def _folded(path: Path) -> Path:
    return tuple(name.casefold() for name in path)


def row_rules(schema: Struct, configuration: Mapping[str, Any]) -> Iterator[RowRule]:
    """Yield every rule of the table."""
    yield from check_rules(configuration)
    yield from column_rules(schema)


def check_rules(configuration: Mapping[str, Any]) -> Iterator[RowRule]:
    """Yield the CHECK constraints."""
    for key, value in configuration.items():
        if key.lower().startswith(CONSTRAINT_PREFIX):
            yield RowRule(RuleKind.CHECK, key[len(CONSTRAINT_PREFIX) :], str(value))


def column_rules(schema: Struct) -> Iterator[RowRule]:
    """Yield the rules that columns carry."""
    for node in walk(schema):
        if node.is_field:
            yield from _rules_of(node)


def generation(field: StructField) -> str | None:
    """Return the expression of a generated column."""
    value = field.metadata.get(GENERATION_EXPRESSION)
    return value if isinstance(value, str) else None


def invariant(field: StructField) -> str | None:
    """Return the expression of a column invariant, which writers before CHECK constraints used."""
    value = field.metadata.get(INVARIANTS)
    if not isinstance(value, str):
        return None
    try:
        found = json.loads(value)["expression"]["expression"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return value
    return found if isinstance(found, str) else value


def identity(field: StructField) -> dict[str, Any] | None:
    """Return the settings of an identity column, by the last part of their names."""
    found = {
        key.removeprefix(IDENTITY_PREFIX): value
        for key, value in field.metadata.items()
        if key.startswith(IDENTITY_PREFIX)
    }
    return found or None


def _rules_of(node: Node) -> Iterator[RowRule]:
    if expression := generation(node.field):
        yield RowRule(RuleKind.GENERATED, str(node), expression)
    if expression := invariant(node.field):
        yield RowRule(RuleKind.INVARIANT, str(node), expression)
