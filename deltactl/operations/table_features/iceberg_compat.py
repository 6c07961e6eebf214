"""IcebergCompat: what a table must be like, so that it can be read as an Iceberg table too."""

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import NamedTuple

from deltactl.changes.draft import Draft
from deltactl.spec.keys import (
    COLUMN_MAPPING_MAX_ID,
    CURRENT_DEFAULT,
    DELETION_VECTORS_FEATURE,
    ENABLE_DELETION_VECTORS,
    ICEBERG_COMPAT_V1_FEATURE,
    ICEBERG_COMPAT_V2_FEATURE,
    ICEBERG_COMPAT_V3_FEATURE,
    ROW_TRACKING_FEATURE,
    is_enabled,
)
from deltactl.spec.protocol.features import FEATURES, is_active
from deltactl.spec.protocol.protocol import supported
from deltactl.spec.schema import column_mapping, type_changes
from deltactl.spec.schema.schema import Node, format_path, walk
from deltactl.spec.schema.types import (
    INTERVALS,
    VARIANT,
    VOID,
    Array,
    Map,
    Unknown,
    type_from_json,
)
from deltactl.spec.schema.widening import widening_rule
from deltactl.table.commit.checksum import known_count
from deltactl.text.hints import Command, Sql, Words

_LITERAL = re.compile(
    r"\s*(?:[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|(?:(?:date|timestamp(?:_ntz)?|x)\s*)?"
    r"(?:'(?:[^'\\]|''|\\.)*'|\"(?:[^\"\\]|\\.)*\")|true|false|null)\s*",
    re.IGNORECASE,
)


class IcebergCompatVersion(NamedTuple):
    """What one version of IcebergCompat asks of a table beyond column mapping."""

    feature: str
    allows_vectors: bool = False
    allows_variant: bool = False
    allows_collections: bool = True
    has_nested_ids: bool = True
    stays_on: bool = False

    @property
    def key(self) -> str:
        return FEATURES[self.feature].activation.keys[0]


VERSIONS: Mapping[str, IcebergCompatVersion] = {
    version.feature: version
    for version in (
        IcebergCompatVersion(
            ICEBERG_COMPAT_V1_FEATURE, allows_collections=False, has_nested_ids=False
        ),
        IcebergCompatVersion(ICEBERG_COMPAT_V2_FEATURE),
        IcebergCompatVersion(
            ICEBERG_COMPAT_V3_FEATURE, allows_vectors=True, allows_variant=True, stays_on=True
        ),
    )
}


def active_versions(draft: Draft) -> list[IcebergCompatVersion]:
    """Return those that are switched on now."""
    return [v for v in VERSIONS.values() if is_active(FEATURES[v.feature], draft.configuration, ())]


def require_compatibility(draft: Draft, version: IcebergCompatVersion) -> None:
    """Refuse what such a table may not have, and give what is inside arrays and maps ids."""
    for other in active_versions(draft):
        if other != version:
            draft.refuse(
                "ICEBERG_VERSION_TAKEN",
                f"{other.key} is true: a table has one version of IcebergCompat",
                Command("property set", f"{other.key}=false")
                if not other.stays_on
                else f"{other.feature} cannot be switched off",
            )
    if not version.allows_vectors:
        _refuse_vectors(draft)
    for node in walk(draft.schema):
        kind = _unfit_type(node, version)
        if kind is not None:
            said = f"{node} is {kind}, which {version.feature} does not allow"
            draft.refuse("NOT_IN_ICEBERG", said)
    for said, hint in _unfit_changes(draft):
        draft.refuse("NOT_IN_ICEBERG", said, hint)
    if version.feature == ICEBERG_COMPAT_V3_FEATURE:
        _check_version_3(draft)
    if version.has_nested_ids:
        last = column_mapping.max_column_id(draft.schema, draft.configuration)
        draft.schema, last = column_mapping.with_nested_ids(draft.schema, last)
        draft.configuration[COLUMN_MAPPING_MAX_ID] = str(last)
    number, _ = known_count(draft.base)
    if number != 0:
        draft.warn(
            "ICEBERG_OLD_FILES",
            "existing files have no field ids"
            + (", and lack the partition columns" if draft.partition_columns else "")
            + ": REORG TABLE ... APPLY (UPGRADE UNIFORM(...)) in Spark rewrites them",
        )


def _refuse_vectors(draft: Draft) -> None:
    if is_enabled(draft.configuration, ENABLE_DELETION_VECTORS):
        draft.refuse(
            "ICEBERG_FORBIDS_VECTORS",
            f"{ENABLE_DELETION_VECTORS} is true, and a table that Iceberg reads may have no "
            "deletion vectors",
            Command("property set", f"{ENABLE_DELETION_VECTORS}=false"),
        )
    if DELETION_VECTORS_FEATURE not in draft.features:
        return
    number = 0
    # It loads pyarrow, which takes longer than most changes.
    state = import_module("deltactl.table.state.files").prepare_state(draft.base)
    for batch in state.batches(()):
        number += batch.num_rows - batch.column("storageType").null_count
    if number:
        draft.refuse(
            "ICEBERG_FORBIDS_VECTORS",
            f"{number:,} files have deletion vectors, and a table that Iceberg reads may have none",
            Sql("REORG TABLE", "APPLY (PURGE)") + " in Spark rewrites them",
        )


def _unfit_changes(draft: Draft) -> Iterator[tuple[str, Words]]:
    """Yield the type changes that Iceberg does not have, and how a column forgets them."""
    for node in type_changes.fields_with_changes(draft.schema):
        command = Command("prune-type-changes", "--column", str(node), "--rewrite")
        for change in type_changes.type_changes(node.field):
            old, new = type_from_json(change.from_type), type_from_json(change.to_type)
            rule = widening_rule(old, new)
            if rule is not None and not rule.iceberg:
                where = format_path((*node.path, *change.below))
                said = f"{where} was {old} and is {new} now: Iceberg has no such change"
                yield said, "have it forgotten: " + command


def _unfit_type(node: Node, version: IcebergCompatVersion) -> str | None:
    match node.type:
        case Array() if not version.allows_collections:
            return "an array"
        case Map() if not version.allows_collections:
            return "a map"
        case Unknown():
            return str(node.type)
    if (
        node.type == VOID
        or node.type in INTERVALS.values()
        or (node.type == VARIANT and not version.allows_variant)
    ):
        return str(node.type)
    return None


def _has_row_ids(draft: Draft) -> bool:
    """Return whether any file says which ids its rows have, though row tracking may be off now."""
    # It loads pyarrow, which takes longer than most changes.
    state = import_module("deltactl.table.state.files").prepare_state(draft.base)
    batches = state.batches(("baseRowId",))
    return any(batch.num_rows > batch.column("baseRowId").null_count for batch in batches)


def _check_version_3(draft: Draft) -> None:
    row = FEATURES[ROW_TRACKING_FEATURE]
    is_on = is_active(row, draft.base.configuration, ())
    if row.name in supported(draft.base.protocol) and (is_on or _has_row_ids(draft)):
        draft.refuse(
            "ROW_TRACKING_CAME_FIRST",
            "the table has row tracking already, and its files row ids that Iceberg does not find: "
            "icebergCompatV3 must switch row tracking on itself",
            Command("protocol drop", row.name),
        )
    for field in draft.schema.fields:
        default = field.metadata.get(CURRENT_DEFAULT)
        if default is not None and not _LITERAL.fullmatch(str(default)):
            draft.refuse(
                "NOT_IN_ICEBERG",
                f"the default of {format_path((field.name,))} is {default}, not a plain value",
                Command("column drop-default", format_path((field.name,))),
            )
