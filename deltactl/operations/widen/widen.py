"""Widen column types without touching a file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from deltactl.changes.draft import Draft, as_text
from deltactl.changes.plan import ChangePlan
from deltactl.operations.table_features.enablement import enable, undo
from deltactl.operations.widen.float_columns import has_bounds, was_float
from deltactl.operations.widen.obstacles import obstacles, obstacles_to_void, workarounds_for_rules
from deltactl.operations.widen.warnings import warn_of_widening
from deltactl.spec.constraints.rules import RowRules
from deltactl.spec.keys import (
    ENABLE_TYPE_WIDENING,
    TIMESTAMP_NTZ_FEATURE,
    TYPE_CHANGES,
    TYPE_WIDENING_FEATURE,
    TYPE_WIDENING_FEATURES,
    TYPE_WIDENING_PREVIEW_FEATURE,
    VARIANT_TYPE_FEATURE,
    is_enabled,
)
from deltactl.spec.protocol.features import FEATURES
from deltactl.spec.protocol.protocol import supported
from deltactl.spec.schema.change_words import type_words
from deltactl.spec.schema.char_varchar import holds_more, limit_of, with_limit
from deltactl.spec.schema.edit import with_columns, with_field, with_type
from deltactl.spec.schema.schema import Node, Path, find, format_path, parse_path
from deltactl.spec.schema.type_names import Typed, parse_typed
from deltactl.spec.schema.types import (
    DOUBLE,
    FLOAT,
    STRING,
    TIMESTAMP_NTZ,
    VARIANT,
    VOID,
    Array,
    Map,
    Struct,
    StructField,
    field_to_json,
    short_name,
    type_to_json,
)
from deltactl.spec.schema.widening import targets, widening_rule
from deltactl.table.snapshot import Snapshot
from deltactl.text.hints import Command, Option, Words

if TYPE_CHECKING:  # They load pyarrow, which takes longer than a change that looks at no file.
    from deltactl.operations.physical_types import Counted
    from deltactl.operations.widen.fix_stats import FixedBounds

Count = Callable[[Snapshot, Sequence[Node]], "Counted"]
Fix = Callable[[Snapshot, Sequence[Node]], "FixedBounds"]


class WidenRequest(NamedTuple):
    """A column and the type that it is to have, as they were typed."""

    column: str
    type: str


class WidenStep(NamedTuple):
    """A node of the schema as it is, and the type that it is to have, or has already."""

    node: Node
    old: Typed
    new: Typed

    @property
    def is_change(self) -> bool:
        return self.old != self.new

    @property
    def is_recorded(self) -> bool:
        """Whether readers need to know: files may hold the column in its old type."""
        return self.node.type not in (STRING, VOID)


def plan_widen(
    draft: Draft,
    spark_config: Sequence[WidenRequest],
    *,
    enabling: bool = False,
    migrating: bool = False,
    count: Count | None = None,
    fix: Fix | None = None,
) -> ChangePlan:
    """Plan the new types of all `spark_config` as one commit; none if they have them already.

    `enabling` adds the property and the features that are missing; `migrating` adds the stable
    feature to a table that has the preview. `count` counts files by the types in which they hold
    the columns; `fix` finds the adds whose bounds are wrong once a float is read as a double.
    """
    known = _understood(draft, spark_config)
    steps = [step for step in known if step.is_change]
    if migrating and TYPE_WIDENING_PREVIEW_FEATURE in draft.features:
        draft.add_features(TYPE_WIDENING_FEATURE)
    if enabling:
        _enable(draft, steps)
    before, rules = draft.schema, draft.rules
    # Entries of one map's key and value go onto one field, those of the key first.
    in_order = sorted(steps, key=lambda step: step.node.below)
    allowed = [step for step in in_order if _is_allowed(draft, rules, step)]
    draft.schema = with_columns(
        before, ((step.node.path, partial(_widened, step, draft.version)) for step in allowed)
    )
    # Files are looked at, which takes time, only where the change can be made.
    if fix is not None and not draft.is_refused:
        _fix_bounds(draft, before, known, fix)
    if count is not None and not draft.is_refused:
        _count_types(draft, [step.node for step in known if step.is_recorded], count)
    if steps:
        recorded = [step.node for step in steps if step.is_recorded]
        warn_of_widening(draft, before, recorded, fixes_bounds=fix is not None)
    _record_undo(draft, steps)
    operation, parameters = _operation(draft, steps)
    return draft.plan(operation, parameters)


def _record_undo(draft: Draft, steps: Sequence[WidenStep]) -> None:
    gained = sorted(draft.features - supported(draft.base.protocol))
    for name in gained:
        if way := undo(FEATURES[name]):
            draft.undo_with(way)
    if steps:
        draft.undo_with_restore("; types cannot be narrowed")
    elif draft.file_actions is not None:
        draft.undo_note("bounds that were wrong are right, and nothing else changes")


def _understood(draft: Draft, spark_config: Sequence[WidenRequest]) -> list[WidenStep]:
    """Return the wishes that name a column and a type for it; the others are refused."""
    found: dict[Path, WidenStep] = {}
    for request in spark_config:
        node = new = None
        with draft.refusing():
            node = find(draft.schema, parse_path(request.column))
        with draft.refusing():
            new = parse_typed(request.type)
        if node is None or new is None:
            continue
        if node.path in found:
            draft.refuse(
                "COLUMN_NAMED_TWICE",
                f"{node} is to become {found[node.path].new} and {new}: a column has one type",
                "name each column once",
            )
        elif isinstance(node.type, Struct | Array | Map):
            draft.refuse(*_whole(node))
        else:
            limit = limit_of(draft.schema, node) if node.type == STRING else None
            found[node.path] = WidenStep(node, Typed(node.type, limit), new)
    return list(found.values())


def _whole(node: Node) -> tuple[str, str, str]:
    match node.type:
        case Array():
            kind, hint = "an array", format_path((*node.path, "element"))
        case Map():
            kind = "a map"
            hint = f"{format_path((*node.path, 'key'))} or {format_path((*node.path, 'value'))}"
        case _:
            kind, hint = "a struct", f"{node}.FIELD"
    said = f"{node} is {kind}: its type is changed part by part"
    return "NOT_A_SINGLE_VALUE", said, f"name what is inside: {hint}"


def _enable(draft: Draft, steps: Sequence[WidenStep]) -> None:
    if any(step.is_recorded for step in steps):
        if TYPE_WIDENING_FEATURES.isdisjoint(draft.features):
            enable(draft, TYPE_WIDENING_FEATURE)
        draft.configuration[ENABLE_TYPE_WIDENING] = "true"
    for data_type, feature in (
        (TIMESTAMP_NTZ, TIMESTAMP_NTZ_FEATURE),
        (VARIANT, VARIANT_TYPE_FEATURE),
    ):
        if any(step.new.type == data_type for step in steps):
            enable(draft, feature)


def _is_allowed(draft: Draft, rules: RowRules, step: WidenStep) -> bool:
    """Return whether the step may be made; what forbids it is refused."""
    node, new = step.node, step.new
    if node.type == STRING:
        return _is_longer(draft, step)
    if node.type == VOID and (node.is_field or new.limit is None):
        found = list(obstacles_to_void(draft.features, draft.configuration, rules, node, new.type))
    else:
        rule = widening_rule(node.type, new.type)
        if rule is None:
            kind = short_name(node.type)
            legal = ", ".join(type_words(t.type) for t in targets(node.type))
            draft.refuse(
                "ILLEGAL_WIDENING",
                f"{node} is {kind}, which cannot become {new.shown} without rewriting data",
                f"{node} can become: {legal}" if legal else f"{kind} cannot be widened at all",
            )
            return False
        found = list(obstacles(draft.features, draft.configuration, rules, node, new.type, rule))
    is_on = is_enabled(draft.base.configuration, ENABLE_TYPE_WIDENING)
    option = () if is_on else ("--enable",)
    ways = workarounds_for_rules(rules, node, (str(new), *option)) if found else {}
    for notice in found:
        hint = _REMEDIES.get(notice.code) or ways.get(notice)
        draft.refuse(notice.code, f"{node}: {notice.message}", hint)
    return not found


def _is_longer(draft: Draft, step: WidenStep) -> bool:
    node, old, new = step.node, step.old, step.new
    if new.type == STRING and old.limit is not None and holds_more(old.limit, new.limit):
        return True
    draft.refuse(
        "ILLEGAL_WIDENING",
        f"{node} is {old.shown}, which cannot become {new.shown} without rewriting data",
        f"{node} can become: varchar of the same length or more, string"
        if old.limit
        else "string cannot be widened at all",
    )
    return False


_REMEDIES: Mapping[str, Words] = {
    code: Option("--enable") + ", or first: " + Command("protocol enable", name)
    for code, name in {
        "TYPE_WIDENING_NOT_SUPPORTED": TYPE_WIDENING_FEATURE,
        "TYPE_WIDENING_NOT_ENABLED": TYPE_WIDENING_FEATURE,
        "TIMESTAMP_NTZ_NOT_SUPPORTED": TIMESTAMP_NTZ_FEATURE,
        "VARIANT_NOT_SUPPORTED": VARIANT_TYPE_FEATURE,
    }.items()
}


def _widened(step: WidenStep, version: int, schema: Struct) -> Struct:
    """Return a schema with the step, which the table makes in its `version`."""
    node, new = step.node, step.new
    owner = node.path[: len(node.path) - len(node.below)]
    schema = with_type(with_limit(schema, node, new), node.path, lambda _: new.type)
    if not step.is_recorded:
        return schema
    entry = {
        "fromType": type_to_json(node.type),
        "toType": type_to_json(new.type),
        **({"fieldPath": ".".join(node.below)} if node.below else {}),
        "tableVersion": version,
    }
    return with_field(schema, owner, lambda f: _remembering(f, entry))


def _remembering(field: StructField, entry: dict[str, Any]) -> StructField:
    entries = [*field.metadata.get(TYPE_CHANGES, ()), entry]
    return replace(field, metadata={**field.metadata, TYPE_CHANGES: entries})


def _fix_bounds(draft: Draft, schema: Struct, steps: Sequence[WidenStep], fix: Fix) -> None:
    """Commit the adds again whose bounds are of floats, for columns that are double now."""
    nodes = [
        step.node
        for step in steps
        if step.new.type == DOUBLE
        and (step.node.type == FLOAT or was_float(step.node))
        and has_bounds(schema, step.node, draft.partition_columns)
    ]
    if not nodes:
        return
    found = fix(draft.base, nodes)
    draft.file_actions = found.actions
    if found.unfit is not None:
        draft.refuse(
            "ADD_INCOMPLETE",
            f"{found.unfit} has no modificationTime in the log, so that it cannot be committed "
            "again",
        )
    for fault in found.faults[:_TOLD]:
        draft.warn(fault.code, f"{fault.message}; its statistics stay as they are")


def _count_types(draft: Draft, nodes: Sequence[Node], count: Count) -> None:
    counted = count(draft.base, nodes)
    draft.old_types = tuple(
        {"path": str(node), **held.to_json()}
        for node, types in zip(nodes, counted.types, strict=True)
        for held in types
    )
    for fault in counted.faults[:_TOLD]:
        draft.warn(fault.code, f"{fault.message}; it is not counted")


# Of unreadable files, so many are named.
_TOLD = 20


def _operation(draft: Draft, steps: Sequence[WidenStep]) -> tuple[str, dict[str, str]]:
    """Return as Spark has it: the new types, beside the metadata from before the change."""
    columns = [_as_changed(draft, step) for step in steps]
    match columns:
        case [column]:
            return "CHANGE COLUMN", {"column": as_text(column)}
        case []:
            if draft.file_actions is not None:
                return "COMPUTE STATS", {"predicate": "[]"}
            if draft.is_refused or draft.protocol == draft.base.protocol:
                return "CHANGE COLUMN", {}
            return "UPGRADE PROTOCOL", {"newProtocol": as_text(draft.protocol.to_json())}
    return "CHANGE COLUMNS", {"columns": as_text(columns)}


def _as_changed(draft: Draft, step: WidenStep) -> dict[str, Any]:
    node = step.node
    field = StructField(node.path[-1], step.new.type)
    if node.is_field:
        # A length is part of the new type, and stands in the metadata.
        now = find(draft.schema, node.path).field
        field = node.field if step.is_recorded else now
    name = ".".join(f"`{part}`" if "." in part else part for part in node.path)
    return {
        **field_to_json(replace(field, type=step.new.type)),
        "name": name,
        "nullable": node.nullable,
    }
