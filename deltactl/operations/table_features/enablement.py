"""Switching table features on, each with all that its row requires, in one commit."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module

from deltactl.changes.draft import Draft, as_text
from deltactl.changes.refusal import Refusal
from deltactl.operations.table_features import iceberg_compat
from deltactl.operations.table_features.dormant_rules import refuse_dormant_rules
from deltactl.spec.keys import (
    CHANGE_DATA_FEED_FEATURE,
    CHECK_CONSTRAINTS_FEATURE,
    CHECKPOINT_PROTECTION_FEATURE,
    CLUSTERING_DOMAIN,
    CLUSTERING_FEATURE,
    COLUMN_MAPPING_FEATURE,
    COLUMN_MAPPING_MAX_ID,
    DELETION_VECTORS_FEATURE,
    DOMAIN_METADATA_FEATURE,
    ENABLE_CHANGE_DATA_FEED,
    IN_COMMIT_TIMESTAMP_FEATURE,
    MATERIALIZE_PARTITION_COLUMNS_FEATURE,
    ROW_TRACKING_FEATURE,
    is_enabled,
)
from deltactl.spec.protocol.features import (
    FEATURES,
    By,
    Dropping,
    Enabling,
    Feature,
    Support,
    is_active,
)
from deltactl.spec.protocol.protocol import supported
from deltactl.spec.schema import column_mapping, column_names
from deltactl.spec.schema.schema import format_path
from deltactl.table.version_facts import protocol_json
from deltactl.text.hints import Command, Sql

Step = Callable[[Draft], None]

PREVIEW = "-preview"
DROPPED_HERE = frozenset(
    {
        CHECK_CONSTRAINTS_FEATURE,
        DOMAIN_METADATA_FEATURE,
        IN_COMMIT_TIMESTAMP_FEATURE,
        MATERIALIZE_PARTITION_COLUMNS_FEATURE,
        ROW_TRACKING_FEATURE,
    }
)
"""The features that `protocol drop` takes away: no data file has to be rewritten for that."""


def enable(draft: Draft, name: str) -> None:
    """Have the table support the feature, and make it active; a no-op if it is already.

    A table with the preview of a feature stays with that. What forbids it becomes a refusal of
    the draft.
    """
    row = FEATURES[name]
    was_active = _was_active(draft, row)
    has_preview = f"{name}{PREVIEW}" in draft.features
    if name not in draft.features and not has_preview:
        obstacles = list(_obstacles(row))
        for obstacle in obstacles:
            draft.refuse(obstacle.code, obstacle.message)
        if obstacles:
            return
    if name in draft.features or not has_preview:
        # Somebody may have listed it without what it requires.
        draft.add_features(name)
    _switch_on(draft, row)
    if not was_active and (step := _STEPS.get(name)):
        step(draft)
    refuse_dormant_rules(draft)


def operation_and_parameters(draft: Draft) -> tuple[str, dict[str, str]]:
    """Return the operation and parameters by which other engines' history names the change.

    Spark gives ids to the rows of writers that are under way only if it is the backfill.
    """
    if draft.file_actions is not None:
        return "ROW TRACKING BACKFILL", {"batchId": "0"}
    before = draft.base.configuration
    changed = {key: v for key, v in sorted(draft.configuration.items()) if before.get(key) != v}
    if changed:
        return "SET TBLPROPERTIES", {"properties": as_text(changed)}
    return "UPGRADE PROTOCOL", {"newProtocol": as_text(protocol_json(draft.protocol))}


def undo(row: Feature) -> Command | Sql | None:
    """Return the command that drops the feature, or at least switches it off."""
    if row.name in DROPPED_HERE:
        return Command("protocol drop", row.name)
    if row.dropping not in (Dropping.NO, Dropping.UNKNOWN):
        return Sql("ALTER TABLE", "DROP FEATURE", row.name)
    version = iceberg_compat.VERSIONS.get(row.name)
    stays_on = version is not None and version.stays_on
    if row.activation.by is By.PROPERTY and row.activation.values == ("true",) and not stays_on:
        key = row.activation.keys[0]
        return Command("property set", f"{key}=false")
    return None


def _was_active(draft: Draft, row: Feature) -> bool:
    """Return whether the table, as it is, has the feature and uses it: then all is in place."""
    if supported(draft.base.protocol).isdisjoint({row.name, f"{row.name}{PREVIEW}"}):
        return False
    by_property = row.activation.by is By.PROPERTY
    return not by_property or is_active(row, draft.base.configuration, ())


def _obstacles(row: Feature) -> Iterator[Refusal]:
    if row.enabling is Enabling.NOT_SUPPORTED or Support.WRITE not in row.support:
        yield Refusal(
            "FEATURE_NOT_OFFERED",
            f"{row.name} cannot be enabled: "
            + (row.enabling_note or "it is proposed, and no engine has it yet"),
        )
    if row.name == CHECKPOINT_PROTECTION_FEATURE:
        yield Refusal(
            "FEATURE_NOT_OFFERED",
            "checkpointProtection is what dropping another feature leaves behind: by itself it "
            "protects nothing, and only a drop with TRUNCATE HISTORY takes it away",
        )


def _switch_on(draft: Draft, row: Feature) -> None:
    wanted = row.activation
    if wanted.by is not By.PROPERTY or not wanted.values or wanted.keys[0].endswith("."):
        return
    if not is_active(row, draft.configuration, ()):
        draft.configuration[wanted.keys[0]] = wanted.values[0]


def _map_columns(draft: Draft) -> None:
    """Give every field an id, and its name as its physical name: files know it by that."""
    _refuse_reserved_names(draft)
    last = column_mapping.max_column_id(draft.schema, draft.configuration)
    draft.schema, last = column_mapping.assigned(draft.schema, last)
    draft.configuration[COLUMN_MAPPING_MAX_ID] = str(last)
    if draft.protocol.min_reader_version == 2:
        # Engines write this form, and lower a higher one to it with their next protocol change.
        draft.warn(
            "MAPPED_AT_READER_2",
            "deltalake's to_pyarrow_table reads a mapped table at reader version 2 by the names "
            "that columns have now: it gives nulls for columns that are renamed or added later, "
            "where its QueryBuilder and other engines read right",
        )
    if is_enabled(draft.configuration, ENABLE_CHANGE_DATA_FEED):
        draft.warn(
            "CHANGE_FEED_RANGE",
            f"changes before version {draft.version} can no longer be read together with later "
            "ones: begin a range of the change data feed there, or end it before",
        )


def _begin_change_feed(draft: Draft) -> None:
    _refuse_reserved_names(draft)
    draft.warn("CHANGE_FEED_BEGINS", f"changes of rows can be read from version {draft.version} on")


def _refuse_reserved_names(draft: Draft) -> None:
    """Refuse columns whose names are taken, now that a feature reserves them."""
    can_be_renamed = column_mapping.mode(draft.base.configuration) != "none"
    for field in draft.schema.fields:
        for fault in column_names.faults(field.name, draft.configuration, is_top=True):
            if fault.code == "RESERVED_COLUMN_NAME":
                hint = Command("column rename", format_path((field.name,)), "NAME")
                draft.refuse(fault.code, fault.message, hint if can_be_renamed else None)


def _allow_vectors(draft: Draft) -> None:
    for version in iceberg_compat.active_versions(draft):
        if not version.allows_vectors:
            draft.refuse(
                "ICEBERG_FORBIDS_VECTORS",
                f"{version.key} is true, and a table that Iceberg reads may have no deletion "
                "vectors",
                Command("property set", f"{version.key}=false"),
            )


def _ask_for_columns(draft: Draft) -> None:
    if draft.domain(CLUSTERING_DOMAIN) is None:
        draft.refuse(
            "CLUSTERING_COLUMNS_NEEDED",
            "clustering needs the columns by which files are laid out",
            Command("protocol enable", CLUSTERING_FEATURE, "--columns", "a,b"),
        )


def _number_rows(draft: Draft) -> None:
    # It loads pyarrow, which takes longer than most changes.
    import_module("deltactl.operations.table_features.row_tracking").number_rows(draft)


def _become_iceberg(draft: Draft, version: iceberg_compat.IcebergCompatVersion) -> None:
    if column_mapping.mode(draft.base.configuration) == "none":
        enable(draft, COLUMN_MAPPING_FEATURE)
    if ROW_TRACKING_FEATURE in FEATURES[version.feature].requires:
        enable(draft, ROW_TRACKING_FEATURE)
    iceberg_compat.require_compatibility(draft, version)
    if version.stays_on:
        draft.undo_with_restore()


_STEPS: Mapping[str, Step] = {
    CHANGE_DATA_FEED_FEATURE: _begin_change_feed,
    CLUSTERING_FEATURE: _ask_for_columns,
    COLUMN_MAPPING_FEATURE: _map_columns,
    DELETION_VECTORS_FEATURE: _allow_vectors,
    ROW_TRACKING_FEATURE: _number_rows,
    **{
        version.feature: partial(_become_iceberg, version=version)
        for version in iceberg_compat.VERSIONS.values()
    },
}
