"""`prune-type-changes`: remove type changes that no live file needs."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from deltactl.changes.column_operations import changed, recorded
from deltactl.changes.draft import Draft
from deltactl.changes.file_changes import Rewrites
from deltactl.changes.plan import ChangePlan
from deltactl.changes.report_rows import PhysicalColumn
from deltactl.changes.spark_steps import REWRITE
from deltactl.spec.keys import TYPE_CHANGES
from deltactl.spec.schema import type_changes
from deltactl.spec.schema.edit import with_columns, with_field
from deltactl.spec.schema.schema import Node, Path, find, parse_path, walk
from deltactl.spec.schema.types import Array, Map, Struct, short_name
from deltactl.table.snapshot import Snapshot
from deltactl.table.state.type_change_versions import DatedChange
from deltactl.text.hints import Command

if TYPE_CHECKING:  # It loads pyarrow, which takes longer than a look at a table without changes.
    from deltactl.operations.physical_types import PhysicalType
    from deltactl.operations.prune.physical_type_scan import PhysicalTypeScan

ScanTypes = Callable[[Snapshot, Sequence[Node]], "PhysicalTypeScan"]
Stream = Callable[[Snapshot], Iterator[tuple[str, int]]]

OLD, UNREAD = "OLD_TYPES_IN_FILES", "FOOTERS_UNREADABLE"
_MISLED = ", though the defaultRowCommitVersion of each would permit it, which proves nothing"


class FieldWithTypeChanges(NamedTuple):
    """A field that has type changes, and the nodes whose types have changed: itself or inside."""

    field: Node
    nodes: Sequence[Node]


class FileScan(NamedTuple):
    """What plans ask of live files.

    `scan` asks each for its types, `old_files` are those that it then knows to hold an old type.
    With a `batch` these may be rewritten before the commit, that many in a commit of their own.
    """

    scan: ScanTypes
    old_files: Stream
    batch: int | None = None


def plan_prune(draft: Draft, columns: Sequence[str], files: FileScan) -> ChangePlan:
    """Plan the removal of the type changes that no live file needs.

    Without `columns` all fields are looked at, and those that still need their changes keep them;
    one that was named and needs them refuses all. Where files may be rewritten first, no field
    needs its changes.
    """
    draft.columns = ()
    fields = list(_chosen(draft, columns))
    pruned: list[FieldWithTypeChanges] = []
    if fields and files.batch is not None:
        draft.need_spark(REWRITE)
    # Reading footers takes time: not for a table that cannot be changed anyhow.
    if fields and not draft.is_refused:
        nodes = [node for field in fields for node in field.nodes]
        scan = files.scan(draft.base, nodes)
        draft.columns = tuple(row for field in fields for row in _rows(field, scan))
        rewritten = files.batch is not None and not scan.unread
        pruned = [field for field in fields if rewritten or not _needs(field, scan)]
        rest = [field for field in fields if not (rewritten or not _needs(field, scan))]
        named = [word for column in columns for word in ("--column", column)]
        goes_on = pruned and not columns
        _warn_of_rest(draft, scan, rest, None if goes_on else [*named, "--rewrite"])
        draft.rewrites = _rewrites(draft, scan, files)
    entries = [changed(field.field.path, field.field.field) for field in pruned]
    before = draft.schema
    draft.schema = with_columns(
        before, ((field.field.path, partial(_forgetting, field.field.path)) for field in pruned)
    )
    if pruned:
        draft.undo_with_restore("; no command restores pruned type changes")
    # As Spark has it when it drops the feature: the fields with the changes that they forget.
    operation, parameters = recorded(entries, before, draft.schema)
    return draft.plan(operation, parameters)


def _forgetting(path: Path, column: Struct) -> Struct:
    """Return a column's schema without the type changes of the field at `path`."""
    return with_field(column, path, type_changes.without_changes)


def plan_rewrites(draft: Draft, files: FileScan) -> None:
    """Plan that all files are rewritten that hold a column in a type of old."""
    fields = list(_chosen(draft, ()))
    if fields:
        draft.need_spark(REWRITE)
    if not fields or draft.is_refused:
        return
    scan = files.scan(draft.base, [node for field in fields for node in field.nodes])
    draft.columns = tuple(row for field in fields for row in _rows(field, scan))
    if scan.unread:
        _warn_of_rest(draft, scan, fields, None)
    draft.rewrites = _rewrites(draft, scan, files)


def _rewrites(draft: Draft, scan: "PhysicalTypeScan", files: FileScan) -> Rewrites | None:
    if not scan.old.files:
        return None
    return Rewrites(
        scan.old.files,
        scan.old.size,
        tuple(scan.sample),
        partial(files.old_files, draft.base),
        files.batch,
    )


def _chosen(draft: Draft, columns: Sequence[str]) -> Iterator[FieldWithTypeChanges]:
    """Yield the fields with type changes at, in, or around the named columns."""
    named: list[Path] = []
    for column in columns:
        with draft.refusing():
            node = find(draft.schema, parse_path(column))
            # What an element, a key or a value was, the field round it remembers.
            named.append(node.path[: len(node.path) - len(node.below)])
    for field in type_changes.fields_with_changes(draft.schema):
        if not columns or any(field.path[: len(path)] == path for path in named):
            yield FieldWithTypeChanges(field, _changed(field))


def _changed(field: Node) -> list[Node]:
    """Return the nodes whose types have changed, as the entries say.

    Where one cannot be understood, or the list is empty, that is everything in the field.
    """
    held = field.field.metadata[TYPE_CHANGES]
    known = type_changes.type_changes(field.field)
    paths = list(dict.fromkeys(change.below for change in known))
    nodes = [type_changes.below(field, path) for path in paths]
    singles = [node for node in nodes if node is not None and _is_single(node)]
    if isinstance(held, list) and 0 < len(held) == len(known) and len(singles) == len(paths):
        return singles
    return [node for node in walk(Struct((field.field,)), field.path[:-1]) if _is_single(node)]


def _is_single(node: Node) -> bool:
    return not isinstance(node.type, Struct | Array | Map)


def _needs(field: FieldWithTypeChanges, scan: "PhysicalTypeScan") -> bool:
    """Return whether a live file holds the field in an old type, or might."""
    return scan.unread > 0 or any(_old(node, scan) for node in field.nodes)


def _old(node: Node, scan: "PhysicalTypeScan") -> "list[PhysicalType]":
    """Return the other types that files hold the node in."""
    return [held for held in scan.types_of(node) if held.type not in (None, str(node.type))]


def _because(field: FieldWithTypeChanges, scan: "PhysicalTypeScan") -> str:
    """Return why the field needs its type changes, or why it does not."""
    if scan.unread:
        unread = f"{scan.unread:,} of {scan.files:,} files cannot be read"
        return f"{unread}, so that their types are unknown: {scan.faults[0].message}"
    found = [_said(node, scan) for node in field.nodes if _old(node, scan)]
    if not found:
        return "no live file holds it in another type"
    verdicts = [scan.permits(change.table_version) for change in _changes(field)]
    return "; ".join(found) + (_MISLED if verdicts and all(verdicts) else "")


def _said(node: Node, scan: "PhysicalTypeScan") -> str:
    types = " and ".join(
        f"{'int' if held.type == 'integer' else held.type} in {held.files:,}"
        for held in _old(node, scan)
    )
    return f"{node} is {short_name(node.type)}, but {types} of {scan.files:,} files"


def _changes(field: FieldWithTypeChanges) -> list[type_changes.TypeChange]:
    return [change for node in field.nodes for change in type_changes.changes_of(node)]


def _rows(field: FieldWithTypeChanges, scan: "PhysicalTypeScan") -> Iterator[PhysicalColumn]:
    """Yield the field's nodes as documents hold them."""
    for node in field.nodes:
        yield PhysicalColumn(
            path=str(node),
            field=str(field.field),
            type=str(node.type),
            changes=tuple(_changes_json(node, scan)),
            types=tuple(held.to_json() for held in scan.types_of(node)),
            is_prunable=not _needs(field, scan),
            reason=_because(field, scan),
        )


def _changes_json(node: Node, scan: "PhysicalTypeScan") -> Iterator[dict[str, Any]]:
    """Yield the type changes of the node, and what the draft's rule makes of each."""
    for place, change in enumerate(type_changes.changes_of(node)):
        sighting = scan.since[node.path, place]
        yield {
            **DatedChange(change, sighting).to_json(),
            "draftRule": {
                "byTableVersion": scan.permits(change.table_version),
                "bySinceVersion": scan.permits(sighting.since),
            },
        }


def _warn_of_rest(
    draft: Draft,
    scan: "PhysicalTypeScan",
    rest: Sequence[FieldWithTypeChanges],
    options: Sequence[str] | None,
) -> None:
    """Say why fields keep their type changes: refuse that, with the `options` that rewrite."""
    for fault in (*scan.notices, *scan.faults):
        draft.warn(fault.code, fault.message)
    if rest and scan.unread:
        hint = (
            "bring them back from a copy, or RESTORE to a version without them; "
            + Command("verify-checksum", "--data")
            + " names them all"
        )
        draft.refuse(UNREAD, _because(rest[0], scan), hint, in_storage=True)
        return
    for field in rest:
        said = _because(field, scan)
        if options is None:
            draft.warn(OLD, f"{said}: its type changes stay")
        else:
            hint = "rewrite these files first: " + Command("prune-type-changes", *options)
            draft.refuse(OLD, said, hint)
