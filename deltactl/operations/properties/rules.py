"""What a table's properties may be, given the table: columns that they name, and one another."""

from collections.abc import Iterator, Mapping

from deltactl.changes.draft import Draft
from deltactl.changes.refusal import Refusal
from deltactl.errors import DeltactlError, NotFoundError
from deltactl.operations.table_features.iceberg_compat import VERSIONS
from deltactl.spec.keys import (
    COLUMN_MAPPING_FEATURE,
    COLUMN_MAPPING_MODE,
    DATA_SKIPPING_COLUMNS,
    DELETED_FILE_RETENTION,
    ICEBERG_COMPAT_V3_FEATURE,
    LOG_RETENTION,
    ROW_TRACKING_FEATURE,
)
from deltactl.spec.properties import registry
from deltactl.spec.properties.column_lists import parse_columns
from deltactl.spec.properties.indexed_columns import has_bounds
from deltactl.spec.properties.registry import Property
from deltactl.spec.protocol.features import FEATURES, is_active
from deltactl.spec.schema import column_mapping
from deltactl.spec.schema.schema import Node, children, find
from deltactl.spec.schema.types import Struct
from deltactl.text.hints import Sql

_NEEDED_BY: Mapping[str, tuple[str, ...]] = {
    COLUMN_MAPPING_FEATURE: tuple(VERSIONS),
    ROW_TRACKING_FEATURE: (ICEBERG_COMPAT_V3_FEATURE,),
}


def check_settings(draft: Draft, keys: set[str]) -> None:
    """Refuse values of `keys` that contradict the table, or what else is set now."""
    if DATA_SKIPPING_COLUMNS in keys:
        for refusal in _unfit_for_stats(draft, draft.configuration[DATA_SKIPPING_COLUMNS]):
            draft.refuse(refusal.code, refusal.message, refusal.hint, is_missing=refusal.is_missing)
    if {LOG_RETENTION, DELETED_FILE_RETENTION} & keys:
        _check_retention(draft)


def refuse_switching_off(draft: Draft, row: Property) -> bool:
    """Return whether a feature's property may not be unset; refuse with the reason."""
    feature = row.feature or ""
    if row.name == COLUMN_MAPPING_MODE and column_mapping.mode(draft.base.configuration) != "none":
        draft.refuse(
            "COLUMN_MAPPING_STAYS",
            f"{row.name} cannot go back to none: data files store columns under physical names",
            Sql("ALTER TABLE", "DROP FEATURE", COLUMN_MAPPING_FEATURE)
            + " in Spark rewrites the files",
        )
        return True
    version = VERSIONS.get(feature)
    before = draft.base.configuration
    if version and version.stays_on and is_active(FEATURES[feature], before, ()):
        draft.refuse("ICEBERG_STAYS", f"{row.name} is true: no engine switches {feature} off again")
        return True
    for name in _NEEDED_BY.get(feature, ()):
        if is_active(FEATURES[name], draft.configuration, ()):
            draft.refuse("FEATURE_IN_USE", f"{name} is active on the table and needs {feature}")
            return True
    return False


def _unfit_for_stats(draft: Draft, text: str) -> Iterator[Refusal]:
    seen: set[tuple[str, ...]] = set()
    try:
        paths = parse_columns(text)
    except DeltactlError as error:
        yield Refusal(error.code, error.message, error.remedy)
        return
    partitions = {name.casefold() for name in draft.partition_columns}
    for path in paths:
        try:
            node = find(draft.schema, path)
        except NotFoundError as error:
            yield Refusal(error.code, error.message, error.remedy, is_missing=True)
            continue
        if node.path in seen:
            yield Refusal("COLUMN_NAMED_TWICE", f"{DATA_SKIPPING_COLUMNS} names {node} twice")
        seen.add(node.path)
        if len(path) == 1 and path[0].casefold() in partitions:
            yield Refusal(
                "NO_STATISTICS",
                f"{node} is a partition column: its values are known without statistics",
            )
        for inner in _leaves(node):
            if not has_bounds(inner.type):
                yield Refusal(
                    "NO_STATISTICS",
                    f"{inner} is {inner.type}, a type for which files have no statistics",
                )


def _leaves(node: Node) -> Iterator[Node]:
    """Yield what a column of the list stands for: itself, or all that is in the struct."""
    if isinstance(node.type, Struct):
        for child in children(node):
            yield from _leaves(child)
    else:
        yield node


def _check_retention(draft: Draft) -> None:
    log, files = (
        registry.effective(draft.configuration, key)
        for key in (LOG_RETENTION, DELETED_FILE_RETENTION)
    )
    if isinstance(log, int) and isinstance(files, int) and log < files:
        log_text, files_text = (
            draft.configuration.get(key, registry.PROPERTIES[key].default)
            for key in (LOG_RETENTION, DELETED_FILE_RETENTION)
        )
        draft.refuse(
            "RETENTION_TOO_SHORT",
            f"{LOG_RETENTION} ({log_text}) is shorter than {DELETED_FILE_RETENTION} "
            f"({files_text}): the log would forget removed files that still lie there",
            f"set {LOG_RETENTION} to at least {files_text}, or both",
        )
