"""Features that Delta's own statement drops: what it will rewrite, and what it leaves behind."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import NamedTuple

from deltactl.changes.draft import Draft
from deltactl.changes.file_changes import Rewrites
from deltactl.changes.jobs import Job
from deltactl.operations.properties.unset import plan_unset_properties
from deltactl.operations.prune.prune_type_changes import FileScan, plan_prune, plan_rewrites
from deltactl.spec.keys import (
    CHECKPOINT_POLICY,
    CHECKPOINT_PROTECTION_FEATURE,
    COLUMN_MAPPING_FEATURE,
    COLUMN_MAPPING_MAX_ID,
    COLUMN_MAPPING_MODE,
    DELETION_VECTORS_FEATURE,
    ENABLE_DELETION_VECTORS,
    ENABLE_TYPE_WIDENING,
    PROTECTED_BEFORE_VERSION,
    TYPE_WIDENING_FEATURE,
    TYPE_WIDENING_PREVIEW_FEATURE,
    V2_CHECKPOINT_FEATURE,
    is_enabled,
)
from deltactl.spec.protocol.features import Dropping, Enabling, Feature
from deltactl.spec.protocol.protocol import with_features, without_feature
from deltactl.spec.schema import column_mapping, column_names, type_changes
from deltactl.spec.schema.edit import with_field
from deltactl.spec.schema.schema import walk
from deltactl.table.snapshot import Snapshot
from deltactl.text.hints import Command

# By Delta's statement, or by its parts: the statement of some features reads the footers of all
# files first, which fails on the executors of a cluster after a commit of our own.
JOB, JOB_IN_PARTS = "drop_feature", "drop_in_parts"
TRUNCATE = "--truncate-history"
SAMPLE = 20

DROPPED_BY_DELTA = frozenset(
    {Dropping.REWRITES_FILES, Dropping.HISTORY_PROTECTION, Dropping.TRUNCATES_HISTORY}
)


class _Files(NamedTuple):
    number: int = 0
    size: int = 0


def drop_on_spark(draft: Draft, row: Feature, *, truncate: bool, files: FileScan) -> None:
    """Have Delta drop the feature: by what it calls DROP FEATURE, in several commits.

    With `truncate` the history that knows the feature goes, too, which needs two runs.
    """
    if row.dropping is Dropping.TRUNCATES_HISTORY and not truncate:
        draft.refuse(
            "DROP_TRUNCATES_HISTORY",
            f"{row.name} goes only with the history that it guards",
            Command("protocol drop", row.name, TRUNCATE),
        )
        return
    if step := _STEPS.get(row.name):
        step(draft, files)
    job = JOB_IN_PARTS if row.name == DELETION_VECTORS_FEATURE else JOB
    draft.need_spark(job)
    if draft.is_refused:
        return
    _record_undo(draft, row)
    touched = _TOUCHED.get(row.name, _none)(draft)
    draft.configuration = {
        key: value for key, value in draft.configuration.items() if key not in _gone(row)
    }
    protocol = without_feature(draft.protocol, row.name)
    draft.protocol = (
        protocol if truncate else with_features(protocol, [CHECKPOINT_PROTECTION_FEATURE])
    )
    draft.job = Job(
        job,
        {"feature": row.name, "truncateHistory": truncate, "off": _switched_off(row)},
        f"Delta's DROP FEATURE {row.name} {_does(touched)}",
        files=touched.number,
        size=touched.size,
    )
    _tell(draft, row, truncate=truncate)


def _does(touched: _Files) -> str:
    return "rewrites them" if touched.number else "makes checkpoints that do not know it"


def _tell(draft: Draft, row: Feature, *, truncate: bool) -> None:
    draft.undo_note(
        "older versions stay, but those that know the feature can only be read by clients that do"
        if not truncate
        else "the history that knows the feature is deleted"
    )
    if truncate:
        draft.warn(
            "DROP_TAKES_TWO_RUNS",
            f"where the history still knows {row.name}, this run cleans the table up, and a second "
            "one, whose time it names, takes the feature away",
        )
    elif CHECKPOINT_PROTECTION_FEATURE not in draft.base.protocol.listed:
        draft.warn(
            "CHECKPOINT_PROTECTION_LEFT",
            f"the protocol gets {CHECKPOINT_PROTECTION_FEATURE}, which guards older versions: "
            "writers must know it",
        )


def _record_undo(draft: Draft, row: Feature) -> None:
    """Say how the table gets the feature back, and uses it as it did."""
    values = {key: draft.base.configuration.get(key) for key in row.activation.keys}
    on = [f"{key}={value}" for key, value in values.items() if value is not None]
    if row.enabling in (Enabling.METADATA_ONLY, Enabling.REWRITES_SCHEMA) and on:
        draft.undo_with(Command("property set", *on))
    elif row.name != CHECKPOINT_PROTECTION_FEATURE and row.enabling is not Enabling.NOT_SUPPORTED:
        draft.undo_with(Command("protocol enable", row.name))


def _switched_off(row: Feature) -> list[str]:
    """Return the properties that are off by then; one that is on again refutes the scan."""
    return [
        key for key in (ENABLE_TYPE_WIDENING, ENABLE_DELETION_VECTORS) if key in row.activation.keys
    ]


def _gone(row: Feature) -> frozenset[str]:
    """Return the properties that go with a feature."""
    if row.name == COLUMN_MAPPING_FEATURE:
        return frozenset({COLUMN_MAPPING_MODE, COLUMN_MAPPING_MAX_ID})
    if row.name == CHECKPOINT_PROTECTION_FEATURE:
        return frozenset({PROTECTED_BEFORE_VERSION})
    return frozenset() if row.name == V2_CHECKPOINT_FEATURE else frozenset(row.activation.keys)


def _forget_types(draft: Draft, files: FileScan) -> None:
    # Delta looks for old types of columns, but not inside arrays and maps: such files would stay
    # unnoticed. So all of them are rewritten first, and before that the property is switched off,
    # so that no writer adds more. Then the type changes are removed: for any that are left, Delta's
    # statement searches the files once more, on executors.
    _switch_off(draft, ENABLE_TYPE_WIDENING)
    plan_rewrites(draft, files)
    for node in type_changes.fields_with_changes(draft.schema):
        draft.schema = with_field(draft.schema, node.path, type_changes.without_changes)
        draft.between = partial(plan_prune, columns=(), files=files._replace(batch=None))


def _forget_vectors(draft: Draft, files: FileScan) -> None:
    _switch_off(draft, ENABLE_DELETION_VECTORS)
    found = list(_with_vectors(draft.base))
    if found:
        sample = tuple(path for path, _ in found[:SAMPLE])
        size = sum(size for _, size in found)
        stream = partial(_with_vectors, draft.base)
        draft.rewrites = Rewrites(len(found), size, sample, stream, files.batch, "deletion vectors")


def _switch_off(draft: Draft, key: str) -> None:
    if is_enabled(draft.configuration, key):
        draft.first = partial(plan_unset_properties, keys=[key], if_exists=True)


def _forget_names(draft: Draft, _: FileScan) -> None:
    for node in walk(draft.schema):
        if not node.is_field:
            continue
        for fault in column_names.faults(node.path[-1], {}, is_top=False):
            draft.refuse(
                fault.code,
                fault.message,
                Command("column rename", str(node), "NEW"),
            )
    draft.schema = column_mapping.without_mapping(draft.schema)


def _be_classic(draft: Draft, _: FileScan) -> None:
    if draft.configuration.get(CHECKPOINT_POLICY, "").casefold() == "v2":
        draft.configuration[CHECKPOINT_POLICY] = "classic"


_STEPS: Mapping[str, Callable[[Draft, FileScan], None]] = {
    COLUMN_MAPPING_FEATURE: _forget_names,
    DELETION_VECTORS_FEATURE: _forget_vectors,
    TYPE_WIDENING_FEATURE: _forget_types,
    TYPE_WIDENING_PREVIEW_FEATURE: _forget_types,
    V2_CHECKPOINT_FEATURE: _be_classic,
}


def _none(_: Draft) -> _Files:
    return _Files()


def _all_files(draft: Draft) -> _Files:
    number = total = 0
    for _, size, _ in _files(draft.base):
        number, total = number + 1, total + size
    return _Files(number, total)


def _with_vectors(snapshot: Snapshot) -> Iterator[tuple[str, int]]:
    return ((path, size) for path, size, has_vector in _files(snapshot) if has_vector)


def _files(snapshot: Snapshot) -> Iterator[tuple[str, int, bool]]:
    """Yield each live file with its size, and whether it has a deletion vector."""
    # It loads pyarrow, which takes longer than most changes.
    state = import_module("deltactl.table.state.files").prepare_state(snapshot)
    for batch in state.batches(("size",)):
        vectors = batch.column("storageType").is_valid().to_pylist()
        rows = (batch.column(name).to_pylist() for name in ("path", "size"))
        for path, size, has_vector in zip(*rows, vectors, strict=True):
            yield path, size or 0, has_vector


_TOUCHED: Mapping[str, Callable[[Draft], _Files]] = {COLUMN_MAPPING_FEATURE: _all_files}
