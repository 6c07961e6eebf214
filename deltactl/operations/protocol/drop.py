"""`protocol drop`: a writer feature goes, where no data file has to be rewritten for that."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module

from deltactl.model.constraints import CHECK_PREFIX
from deltactl.model.features import FEATURES, Dropping, Feature, feature
from deltactl.model.protocol import without_feature
from deltactl.model.shell_words import quoted
from deltactl.operations.change.draft import Draft
from deltactl.operations.change.plan import Plan
from deltactl.operations.domain.set import set_command
from deltactl.operations.protocol.enablement import DROPPED_HERE, way_back
from deltactl.table.checksum import known_count
from deltactl.table.commit_times import ENABLED, ENABLEMENT_TIMESTAMP, ENABLEMENT_VERSION

_PROTECTION = "and leaves the feature checkpointProtection behind, which guards older versions"


def plan_protocol_drop(draft: Draft, name: str) -> Plan:
    """Plan the protocol without the feature, and the table without what belongs to it."""
    row: Feature | None = None
    with draft.refusing():
        row = feature(name)
    if row is not None and row.name in draft.features:
        _drop(draft, row)
    told = {"featureName": row.name if row else name, "truncateHistory": "false"}
    return draft.plan("DROP FEATURE", told)


def _drop(draft: Draft, row: Feature) -> None:
    if row.name not in DROPPED_HERE:
        draft.refuse("FEATURE_STAYS", *_reason(draft, row))
        return
    dependents = [r.name for r in FEATURES.values() if row.name in r.requires]
    if users := [name for name in dependents if name in draft.features]:
        draft.refuse(
            "FEATURE_IN_USE",
            f"{row.name} is needed by {', '.join(users)}",
            f"deltactl protocol drop TABLE {users[0]}" if users[0] in DROPPED_HERE else None,
        )
        return
    if step := _STEPS.get(row.name):
        step(draft)
    if draft.is_refused:
        return
    draft.protocol = without_feature(draft.protocol, row.name)
    draft.undo_with(f"deltactl protocol enable TABLE {row.name}")


def _reason(draft: Draft, row: Feature) -> tuple[str, str | None]:
    """Why deltactl leaves the feature where it is, and what takes it away."""
    in_spark = f"ALTER TABLE ... DROP FEATURE {row.name} in Spark does it"
    number, _ = known_count(draft.base)
    files = "data files" if number is None else f"data files (the table has {number:,})"
    note = f". {row.dropping_note}" if row.dropping_note else ""
    match row.dropping:
        case Dropping.REWRITES_FILES:
            return f"dropping {row.name} means to rewrite {files}, {_PROTECTION}{note}", in_spark
        case Dropping.HISTORY_PROTECTION:
            return f"dropping {row.name} means to write checkpoints, {_PROTECTION}{note}", in_spark
        case Dropping.TRUNCATES_HISTORY:
            return (
                f"dropping {row.name} means to delete the history that it guards{note}",
                f"ALTER TABLE ... DROP FEATURE {row.name} TRUNCATE HISTORY in Spark does it",
            )
        case Dropping.YES | Dropping.RECOMMITS_FILES:
            return f"deltactl does not drop {row.name}{note}", in_spark
        case _:
            said = f"no engine takes {row.name} out of a protocol"
            way = way_back(row)
            off = way and f"{way} ({row.name} stays listed)"
            return said, off or row.dropping_note or None


def _check_constraints(draft: Draft) -> None:
    for key in sorted(draft.configuration):
        if key.casefold().startswith(CHECK_PREFIX):
            constraint = key[len(CHECK_PREFIX) :]
            draft.refuse(
                "FEATURE_IN_USE",
                f"the table has the CHECK constraint {constraint}",
                f"deltactl constraint drop TABLE {quoted(constraint)}",
            )


def _remove_domains(draft: Draft) -> None:
    gone = sorted(draft.live_domains)
    for name in gone:
        draft.set_domain(replace(draft.live_domains[name], removed=True))
        draft.undo_with(set_command(draft.live_domains[name]))
    if gone:
        draft.warn(
            "DOMAINS_REMOVED",
            f"what is kept under {', '.join(gone)} is removed with the feature",
        )


def _stop_giving_times(draft: Draft) -> None:
    if ENABLED in draft.configuration:
        draft.configuration[ENABLED] = "false"
    for key in (ENABLEMENT_VERSION, ENABLEMENT_TIMESTAMP):
        draft.configuration.pop(key, None)


def _stop_materializing(draft: Draft) -> None:
    draft.configuration.pop("delta.enableMaterializePartitionColumnsFeature", None)


def _forget_rows(draft: Draft) -> None:
    # It loads pyarrow, which takes longer than most changes.
    import_module("deltactl.operations.protocol.row_tracking").forget_rows(draft)
    draft.warn(
        "ROW_IDS_LOST",
        "rows lose their ids: switched on again, row tracking gives them others",
    )
    draft.undo_note("the ids that rows had do not come back: they get others")


_STEPS: Mapping[str, Callable[[Draft], None]] = {
    "checkConstraints": _check_constraints,
    "domainMetadata": _remove_domains,
    "inCommitTimestamp": _stop_giving_times,
    "materializePartitionColumns": _stop_materializing,
    "rowTracking": _forget_rows,
}
