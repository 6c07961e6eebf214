"""`protocol enable`: a table gets features, with all that they demand, in one commit."""

from collections.abc import Sequence

from deltactl.changes.draft import Draft
from deltactl.changes.plan import ChangePlan
from deltactl.operations.table_features.clustering import (
    cluster_by,
    clustering_columns,
)
from deltactl.operations.table_features.enablement import (
    PREVIEW,
    enable,
    operation_and_parameters,
    undo,
)
from deltactl.spec.keys import CLUSTERING_FEATURE
from deltactl.spec.protocol.features import FEATURES, Feature, feature
from deltactl.spec.schema.clustering import logical_names
from deltactl.spec.schema.schema import Path
from deltactl.text.hints import Command, Sql


def plan_protocol_enable(
    draft: Draft, names: Sequence[str], columns: Sequence[Path] | None = None
) -> ChangePlan:
    """Plan the features `names` as one commit; none if the table has and uses them already.

    `columns` are those to cluster by; other ones than until now are a change of a clustered table.
    """
    before = clustering_columns(draft) if columns is not None else None
    new: list[Feature] = []
    for row in _rows(draft, names):
        start = (draft.protocol, dict(draft.configuration))
        preview = f"{row.name}{PREVIEW}"
        if preview in draft.features and row.name not in draft.features:
            # Asked for by its name, the released feature comes beside the preview.
            draft.add_features(row.name)
        if row.name == CLUSTERING_FEATURE and columns is not None:
            draft.add_features(row.name)
            cluster_by(draft, columns)
        else:
            enable(draft, row.name)
        if start != (draft.protocol, draft.configuration):
            new.append(row)
    operation, parameters = operation_and_parameters(draft)
    after = clustering_columns(draft) if columns is not None else None
    if after != before:
        old = logical_names(draft.schema, before or ())
        draft.undo_with(_former_clustering(old))
        if operation == "UPGRADE PROTOCOL":
            operation = "CLUSTER BY"
            chosen = logical_names(draft.schema, after or ())
            parameters = {"oldClusteringColumns": old, "newClusteringColumns": chosen}
    _record_undo(draft, new)
    _warn_of_previews(draft, new)
    return draft.plan(operation, parameters)


def _record_undo(draft: Draft, new: Sequence[Feature]) -> None:
    for row in new:
        if row.name != CLUSTERING_FEATURE and (way := undo(row)):
            draft.undo_with(way)


def _warn_of_previews(draft: Draft, new: Sequence[Feature]) -> None:
    for row in new:
        released = row.name.removesuffix(PREVIEW)
        if released != row.name and released in FEATURES:
            draft.warn(
                "PREVIEW_FEATURE",
                f"{row.name} is a preview, which new clients forget in time: {released} is "
                "released",
            )


def _former_clustering(columns: str) -> Command | Sql:
    if not columns:
        return Sql("ALTER TABLE", "CLUSTER BY NONE")
    return Command("protocol enable", CLUSTERING_FEATURE, "--columns", columns)


def _rows(draft: Draft, names: Sequence[str]) -> list[Feature]:
    """Return the features that are meant, each once, those that others build on first."""
    found: set[str] = set()
    for name in names:
        with draft.refusing():
            found.add(feature(name).name)
    return [row for row in FEATURES.values() if row.name in found]
