"""What blocks a type change on a table as it is today."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from deltactl.errors import InvalidUsageError, Notice
from deltactl.spec.constraints.rules import RowRule, RowRules, RuleKind, identity
from deltactl.spec.keys import (
    ENABLE_ICEBERG_COMPAT,
    ENABLE_TYPE_WIDENING,
    TIMESTAMP_NTZ_FEATURE,
    TYPE_CHANGES,
    TYPE_WIDENING_FEATURES,
    VARIANT_TYPE_FEATURE,
    VARIANT_TYPE_PREVIEW_FEATURE,
    is_enabled,
)
from deltactl.spec.schema import type_changes
from deltactl.spec.schema.schema import Node, format_path
from deltactl.spec.schema.types import TIMESTAMP_NTZ, VARIANT, DataType, parse_type
from deltactl.spec.schema.widening import WideningRule, widening_rule
from deltactl.text.hints import Command, Words


def obstacles(
    features: Collection[str],
    configuration: Mapping[str, str],
    rules: RowRules,
    node: Node,
    new: DataType,
    rule: WideningRule,
) -> Iterator[Notice]:
    """Yield what forbids the change now, though the protocol allows it in general."""
    if TYPE_WIDENING_FEATURES.isdisjoint(features):
        yield Notice(
            "TYPE_WIDENING_NOT_SUPPORTED", "the table does not have the feature typeWidening"
        )
    if not is_enabled(configuration, ENABLE_TYPE_WIDENING):
        value = configuration.get(ENABLE_TYPE_WIDENING, "not true").lower()
        said = f"the property {ENABLE_TYPE_WIDENING} is {value}"
        yield Notice("TYPE_WIDENING_NOT_ENABLED", said)
    yield from _features_of(features, new)
    yield from _unreadable_changes(node)
    yield from row_rule_obstacles(rules, node)
    if node.is_field and identity(node.field):
        yield Notice("IDENTITY_COLUMN", f"{node} is an identity column")
    for key in ENABLE_ICEBERG_COMPAT:
        if not rule.iceberg and is_enabled(configuration, key):
            said = f"Iceberg has no such change, and {key} is true"
            yield Notice("ICEBERG_COMPAT", said)


def obstacles_to_void(
    features: Collection[str],
    configuration: Mapping[str, str],
    rules: RowRules,
    node: Node,
    new: DataType,
) -> Iterator[Notice]:
    """Yield what forbids to give a void column a type; no file holds it."""
    yield from _features_of(features, new)
    yield from row_rule_obstacles(rules, node)


def row_rule_obstacles(rules: RowRules, node: Node) -> Iterator[Notice]:
    """Yield the constraints, generated columns and invariants that use the column."""
    yield from (notice for notice, _ in _conflicting_rules(rules, node))


def workarounds_for_rules(
    rules: RowRules, node: Node, wanted: Sequence[str]
) -> dict[Notice, str | Words]:
    """Return what to type, or what is possible, about each of `row_rule_obstacles`.

    `wanted` are the words that follow the column in the command that widens it.
    """
    found: dict[Notice, str | Words] = {}
    for notice, rule in _conflicting_rules(rules, node):
        if rule.kind is RuleKind.CHECK:
            found[notice] = (
                "without the constraint for the while: "
                + Command("constraint drop", rule.name)
                + " && "
                + Command("widen", format_path(node.path), *wanted)
                + " && "
                + Command("constraint add", rule.name, rule.expression)
            )
        elif rule.name == format_path(node.path):
            found[notice] = "its type stays: only a rewrite of the table gives it another"
        elif rule.kind is RuleKind.GENERATED:
            found[notice] = (
                f"only without {rule.name} it can be widened: "
                + Command("column drop", rule.name)
                + "; no command makes a generated column again"
            )
    return found


def _conflicting_rules(rules: RowRules, node: Node) -> Iterator[tuple[Notice, RowRule]]:
    own = format_path(node.path)
    for rule in rules.of(node.path):
        if rule.kind is not RuleKind.CHECK and rule.name == own:
            said = f"{own} itself is a {rule.kind} column: {rule.expression}"
        else:
            said = f"it is used by the {rule.kind.noun} {rule.name}: {rule.expression}"
        yield Notice(f"{rule.kind.upper()}_DEPENDS_ON_COLUMN", said), rule


def _features_of(features: Collection[str], new: DataType) -> Iterator[Notice]:
    """Yield what the protocol must have before a column may be of the type."""
    if new == TIMESTAMP_NTZ and TIMESTAMP_NTZ_FEATURE not in features:
        said = "the table does not have the feature timestampNtz"
        yield Notice("TIMESTAMP_NTZ_NOT_SUPPORTED", said)
    if new == VARIANT and {VARIANT_TYPE_FEATURE, VARIANT_TYPE_PREVIEW_FEATURE}.isdisjoint(features):
        yield Notice("VARIANT_NOT_SUPPORTED", "the table does not have the feature variantType")


def _unreadable_changes(node: Node) -> Iterator[Notice]:
    """Yield the type changes with which Spark reads no row; a new one would hide them."""
    if TYPE_CHANGES not in node.field.metadata:
        return
    held = node.field.metadata[TYPE_CHANGES]
    known = type_changes.type_changes(node.field)
    if not isinstance(held, list) or not held or len(known) < len(held):
        said = f"its {TYPE_CHANGES} is not a list of type changes: {held!r:.80}"
        yield Notice("TYPE_CHANGES_UNREADABLE", said)
    for change in known:
        if not _is_readable(change):
            said = f"it has a change from {change.from_type} to {change.to_type}"
            yield Notice("TYPE_CHANGES_UNREADABLE", f"{said}, which engines do not know")


def _is_readable(change: type_changes.TypeChange) -> bool:
    try:
        old, new = parse_type(change.from_type), parse_type(change.to_type)
    except InvalidUsageError:
        return False
    return old == new or widening_rule(old, new) is not None
