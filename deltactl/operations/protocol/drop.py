"""`protocol drop`: a feature goes, by our commit, or by Delta where data files depend on it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module

from deltactl.changes.draft import Draft, as_text
from deltactl.changes.plan import ChangePlan
from deltactl.operations.protocol.drop_on_spark import DROPPED_BY_DELTA, drop_on_spark
from deltactl.operations.prune.prune_type_changes import FileScan
from deltactl.operations.table_features.enablement import DROPPED_HERE, undo
from deltactl.spec.keys import (
    CHECK_CONSTRAINTS_FEATURE,
    CONSTRAINT_PREFIX,
    DOMAIN_METADATA_FEATURE,
    ENABLE_IN_COMMIT_TIMESTAMPS,
    ENABLE_MATERIALIZE_PARTITION_COLUMNS,
    ICT_ENABLEMENT_TIMESTAMP,
    ICT_ENABLEMENT_VERSION,
    IN_COMMIT_TIMESTAMP_FEATURE,
    MATERIALIZE_PARTITION_COLUMNS_FEATURE,
    ROW_TRACKING_FEATURE,
)
from deltactl.spec.protocol.features import FEATURES, Dropping, Feature, feature
from deltactl.spec.protocol.protocol import without_feature
from deltactl.text.hints import Command, Sql, Words


def plan_protocol_drop(
    draft: Draft,
    name: str,
    files: FileScan,
    *,
    truncate: bool = False,
) -> ChangePlan:
    """Plan the protocol without the feature, and the table without what belongs to it.

    With `truncate` the history that knows the feature goes with it.
    """
    row: Feature | None = None
    with draft.refusing():
        row = feature(name)
    if row is not None and row.name in draft.features:
        _drop(draft, row, files, truncate=truncate)
    told = {"featureName": row.name if row else name, "truncateHistory": as_text(truncate)}
    return draft.plan("DROP FEATURE", told)


def _drop(draft: Draft, row: Feature, files: FileScan, *, truncate: bool) -> None:
    by_delta = row.dropping in DROPPED_BY_DELTA
    if row.name not in DROPPED_HERE and not by_delta:
        draft.refuse("FEATURE_STAYS", *_reason(row))
        return
    dependents = [r.name for r in FEATURES.values() if row.name in r.requires]
    if users := [name for name in dependents if name in draft.features]:
        draft.refuse(
            "FEATURE_IN_USE",
            f"{row.name} is needed by {', '.join(users)}",
            Command("protocol drop", users[0]) if _is_droppable(users[0]) else None,
        )
        return
    if by_delta:
        drop_on_spark(draft, row, truncate=truncate, files=files)
        return
    if truncate:
        draft.refuse(
            "NO_HISTORY_TO_TRUNCATE",
            f"no older version has to go for {row.name}: clients read them without it",
            Command("protocol drop", row.name),
        )
        return
    if step := _STEPS.get(row.name):
        step(draft)
    if draft.is_refused:
        return
    draft.protocol = without_feature(draft.protocol, row.name)
    draft.undo_with(Command("protocol enable", row.name))


def _is_droppable(name: str) -> bool:
    return name in DROPPED_HERE or FEATURES[name].dropping in DROPPED_BY_DELTA


def _reason(row: Feature) -> tuple[str, str | Words | None]:
    """Return why deltactl leaves the feature where it is, and what takes it away."""
    in_spark = Sql("ALTER TABLE", "DROP FEATURE", row.name) + " in Spark does it"
    note = f". {row.dropping_note}" if row.dropping_note else ""
    match row.dropping:
        case Dropping.YES | Dropping.RECOMMITS_FILES:
            return f"deltactl does not drop {row.name}{note}", in_spark
        case _:
            said = f"no engine takes {row.name} out of a protocol"
            way = undo(row)
            off = way and way + f" ({row.name} stays listed)"
            return said, off or row.dropping_note or None


def _check_constraints(draft: Draft) -> None:
    for key in sorted(draft.configuration):
        if key.casefold().startswith(CONSTRAINT_PREFIX):
            constraint = key[len(CONSTRAINT_PREFIX) :]
            draft.refuse(
                "FEATURE_IN_USE",
                f"the table has the CHECK constraint {constraint}",
                Command("constraint drop", constraint),
            )


def _remove_domains(draft: Draft) -> None:
    gone = sorted(draft.live_domains)
    for name in gone:
        draft.set_domain(replace(draft.live_domains[name], removed=True))
        draft.undo_by_setting(draft.live_domains[name])
    if gone:
        draft.warn(
            "DOMAINS_REMOVED",
            f"what is kept under {', '.join(gone)} is removed with the feature",
        )


def _stop_giving_times(draft: Draft) -> None:
    if ENABLE_IN_COMMIT_TIMESTAMPS in draft.configuration:
        draft.configuration[ENABLE_IN_COMMIT_TIMESTAMPS] = "false"
    for key in (ICT_ENABLEMENT_VERSION, ICT_ENABLEMENT_TIMESTAMP):
        draft.configuration.pop(key, None)


def _stop_materializing(draft: Draft) -> None:
    draft.configuration.pop(ENABLE_MATERIALIZE_PARTITION_COLUMNS, None)


def _forget_rows(draft: Draft) -> None:
    # It loads pyarrow, which takes longer than most changes.
    import_module("deltactl.operations.table_features.row_tracking").forget_rows(draft)
    draft.warn(
        "ROW_IDS_LOST",
        "rows lose their ids: switched on again, row tracking gives them others",
    )
    draft.undo_note("the ids that rows had do not come back: they get others")


_STEPS: Mapping[str, Callable[[Draft], None]] = {
    CHECK_CONSTRAINTS_FEATURE: _check_constraints,
    DOMAIN_METADATA_FEATURE: _remove_domains,
    IN_COMMIT_TIMESTAMP_FEATURE: _stop_giving_times,
    MATERIALIZE_PARTITION_COLUMNS_FEATURE: _stop_materializing,
    ROW_TRACKING_FEATURE: _forget_rows,
}
