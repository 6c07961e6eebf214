"""When a feature can be dropped whose history is still too young to be deleted."""

from collections.abc import Iterable, Iterator
from itertools import chain

from deltactl.errors import SparkError, UnfinishedError
from deltactl.spec.keys import (
    CHECKPOINT_POLICY,
    CHECKPOINT_PROTECTION_FEATURE,
    COLUMN_MAPPING_FEATURE,
    COLUMN_MAPPING_MODE,
    DELETION_VECTORS_FEATURE,
    DROP_FEATURE_RETENTION,
    ENABLE_DELETION_VECTORS,
    PROTECTED_BEFORE_VERSION,
    TYPE_CHANGES,
    TYPE_WIDENING_FEATURE,
    TYPE_WIDENING_PREVIEW_FEATURE,
    V2_CHECKPOINT_FEATURE,
)
from deltactl.spec.properties import registry
from deltactl.table.commit_times import rfc3339
from deltactl.table.history import read_history
from deltactl.table.table import Table

# Delta's words for: what could be done is done, and the rest takes an older history.
WAITS = frozenset(
    {
        "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD",
        "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST",
        "DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD",
    }
)
MINUTE = 60_000
# What a commit says that uses a feature, as Delta looks for it; of a feature that is not here, a
# commit says nothing.
_TRACES: dict[str, tuple[bytes, ...]] = {
    COLUMN_MAPPING_FEATURE: (
        f'"{COLUMN_MAPPING_MODE}":"name"'.encode(),
        f'"{COLUMN_MAPPING_MODE}":"id"'.encode(),
    ),
    DELETION_VECTORS_FEATURE: (
        b'"deletionVector":{',
        f'"{ENABLE_DELETION_VECTORS}":"true"'.encode(),
    ),
    TYPE_WIDENING_FEATURE: (TYPE_CHANGES.encode(),),
    TYPE_WIDENING_PREVIEW_FEATURE: (TYPE_CHANGES.encode(),),
    V2_CHECKPOINT_FEATURE: (f'"{CHECKPOINT_POLICY}":"v2"'.encode(),),
}


def unfinished(error: SparkError, table: Table, feature: str, *, now: int) -> UnfinishedError:
    """Return when to continue after Delta has said that the history is too young.

    `now` is the time in milliseconds.

    Raises:
        DeltactlError: the log cannot be read.
    """
    table = Table(table.storage)
    configuration = table.snapshot().configuration
    retention = registry.effective(configuration, DROP_FEATURE_RETENTION)
    assert isinstance(retention, int)
    clean = _first_clean(table, feature, configuration.get(PROTECTED_BEFORE_VERSION))
    again = _next_time(_times_of_checkpoints(table, clean), retention, now)
    young = f"the table no longer uses {feature}, but its history does, which"
    if feature == CHECKPOINT_PROTECTION_FEATURE:
        young = f"the history that {feature} guards"
    return UnfinishedError(
        "DROP_UNFINISHED",
        f"{young} is too young to be deleted before {rfc3339(again)}",
        hint=f"run it again after {rfc3339(again)}",
        details={"again": rfc3339(again), "feature": feature, "cause": error.details.get("cause")},
    )


def _first_clean(table: Table, feature: str, protected_before: str | None) -> int:
    """Return the first version from which on no commit uses the feature."""
    if feature not in _TRACES and protected_before is not None:
        return int(protected_before)
    commits = table.log.listing().commits
    traces = _TRACES.get(feature, ())
    for version in sorted(commits, reverse=True):
        blocks = table.log.blocks(commits[version])
        if any(trace in text for _, text in blocks for trace in traces):
            return version + 1
    return min(commits)


def _next_time(checkpoints: Iterable[int], retention: int, now: int) -> int:
    """Return the first time at which Delta can delete the history, in milliseconds.

    A checkpoint that is old enough already did not let Delta do so: for one, Delta deletes files
    with equal times together or not at all. Then a later one counts, or that of the last run.
    """
    # Delta deletes whole minutes, and keeps the newest checkpoint that is old enough.
    times = (
        (came + retention) // MINUTE * MINUTE + 2 * MINUTE for came in chain(checkpoints, [now])
    )
    return next(time for time in times if time > now)


def _times_of_checkpoints(table: Table, version: int) -> Iterator[int]:
    """Yield when each checkpoint from `version` on came, oldest first, in milliseconds."""
    whole = (c.version for c in table.log.listing().checkpoints if c.is_complete)
    for came in sorted({found for found in whole if found >= version}):
        yield read_history(table.log, [came], lambda _: True).commits[0].timestamp
