"""`diff` and `schema diff`: what differs between two versions of a table, or two tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from deltactl.errors import Notice
from deltactl.log.segment import recreatable
from deltactl.operations.inspect.history import HistoryFilter, report_history
from deltactl.report import Report, TableRef
from deltactl.spec.schema.clustering import logical_names, physical_columns
from deltactl.spec.schema.column_mapping import unmapped
from deltactl.spec.schema.diff import ColumnPair, SchemaChange, compare
from deltactl.spec.schema.types import Struct
from deltactl.table.differences import (
    Differences,
    ValueChange,
    domain_changes,
    property_changes,
    protocol_change,
    table_changes,
)
from deltactl.table.snapshot import Snapshot
from deltactl.table.state.small_actions import read_domains
from deltactl.table.state.type_change_versions import Sighting, TypeChangePlace, find_versions
from deltactl.table.table import At, Table
from deltactl.table.version_facts import table_ref

_NO_SCHEMA = Struct(())


class Side(NamedTuple):
    """One of the two states, and where it comes from; before a table was made it has no version."""

    uri: str
    version: int | None
    snapshot: Snapshot | None
    schema: Struct = _NO_SCHEMA

    def to_json(self) -> dict[str, Any]:
        return {"uri": self.uri, "version": self.version}


@dataclass(frozen=True, kw_only=True)
class DiffReport(Report):
    """What differs between two states of a table, or of two tables.

    Attributes:
        table: the table under its newer name, the first one if there are two.
        before: the older state, or that of the first table.
        after: the newer state, or that of the second table.
        differences: all that differs.
        clustering: the clustering columns by their names, if they differ.
        since: the versions of the newer side's type changes.
        is_one_table: whether both are versions of one table, which a reader may have open.
        exit_code: 5 if there is a difference and that was to fail.
        warnings: what is odd about the tables.
    """

    table: TableRef
    before: Side
    after: Side
    differences: Differences
    clustering: ValueChange | None = None
    since: Mapping[TypeChangePlace, Sighting]
    is_one_table: bool = True
    exit_code: int = 0
    warnings: tuple[Notice, ...] = ()

    def body(self) -> Mapping[str, Any]:
        found = self.differences
        return {
            "from": self.before.to_json(),
            "to": self.after.to_json(),
            "schemaChanges": [change.to_json() for change in found.schema_changes],
            "protocolChange": found.protocol and found.protocol.to_json(),
            "propertyChanges": _values("key", found.properties),
            "tableChanges": _values("path", found.table),
            "domainChanges": _values("domain", found.domains),
            "clusteringColumns": self.clustering
            and {"before": self.clustering.before, "after": self.clustering.after},
        }


@dataclass(frozen=True, kw_only=True)
class SchemaDiffReport(DiffReport):
    """What differs between two schemas.

    Attributes:
        table: the table under its newer name, the first one if there are two.
        before: the older state, or that of the first table.
        after: the newer state, or that of the second table.
        differences: the columns that differ; nothing else is compared.
        clustering: None.
        since: the versions of the newer side's type changes.
        is_one_table: whether both are versions of one table, which a reader may have open.
        exit_code: 5 if there is a difference and that was to fail.
        warnings: what is odd about the tables.
    """

    @property
    def changes(self) -> tuple[SchemaChange, ...]:
        """The changes of columns, in the order of the table, parents first."""
        return self.differences.schema_changes

    def body(self) -> Mapping[str, Any]:
        return {
            "from": self.before.to_json(),
            "to": self.after.to_json(),
            "changes": [change.to_json() for change in self.changes],
        }

    def elements(self) -> Iterator[Mapping[str, Any]]:
        return (change.to_json() for change in self.changes)


R = TypeVar("R", bound=DiffReport)


def _values(key: str, changes: tuple[ValueChange, ...]) -> list[dict[str, Any]]:
    return [{key: c.name, "before": c.before, "after": c.after} for c in changes]


def report_diff(
    before: tuple[Table, At], after: tuple[Table, At], *, fail_on_changes: bool = False
) -> DiffReport:
    """Compare two states; `fail_on_changes` makes a difference exit 5.

    Versions of one table are matched by column-mapping id, other tables by name.

    Raises:
        BrokenLogError: one of them has no schema, or none that an engine could use.
        NotFoundError: there is no such version.
    """
    return _whole(_side(*before), _side(*after), before[0], fail_on_changes=fail_on_changes)


def report_schema_diff(
    before: tuple[Table, At], after: tuple[Table, At], *, fail_on_changes: bool = False
) -> SchemaDiffReport:
    """Compare two schemas, as `report_diff` compares two states.

    Raises:
        BrokenLogError: one of them has no schema, or none that an engine could use.
        NotFoundError: there is no such version.
    """
    older, newer = _side(*before), _side(*after)
    report = _compared(SchemaDiffReport, older, newer, before[0], Differences())
    return replace(report, exit_code=5) if fail_on_changes and report.differences else report


def report_last_change(table: Table, *, fail_on_changes: bool = False) -> DiffReport:
    """Compare the newest version that changed more than rows with the one before it.

    If the log no longer has such a commit, or what was before it, the oldest version that can be
    rebuilt is compared with the newest.
    """
    history = report_history(table, HistoryFilter(limit=1, changes_only=True))
    oldest = recreatable(table.log.listing())
    version = history.commits[0].commit.version if history.commits else None
    if version is not None and (version == 0 or oldest is None or version > oldest):
        before = _side(table, version - 1) if version else Side(table.uri, None, None)
        return _whole(before, _side(table, version), table, fail_on_changes=fail_on_changes)
    report = _whole(
        _side(table, oldest), _side(table, None), table, fail_on_changes=fail_on_changes
    )
    notices = [n for n in history.warnings if n.code == "CHANGE_NOT_KNOWN"]
    if version is not None:
        said = f"what version {version} changed is not known: the log no longer has the one before"
        notices.append(Notice("CHANGE_NOT_KNOWN", said))
    return replace(report, warnings=tuple(dict.fromkeys((*report.warnings, *notices))))


def _side(table: Table, at: At) -> Side:
    snapshot = table.snapshot(at, even_if_unsupported=True)
    return Side(table.uri, snapshot.version, snapshot, snapshot.usable_schema)


def _whole(before: Side, after: Side, table: Table, *, fail_on_changes: bool) -> DiffReport:
    older, newer = before.snapshot, after.snapshot
    assert newer is not None
    old = {} if older is None else read_domains(older)
    metadata = None if older is None else older.metadata
    others = Differences(
        protocol=protocol_change(None if older is None else older.protocol, newer.protocol),
        properties=tuple(property_changes(metadata, newer.metadata)),
        table=tuple(table_changes(metadata, newer.metadata)),
        domains=tuple(domain_changes(old, read_domains(newer))),
    )
    report = _compared(DiffReport, before, after, table, others)
    report = replace(report, clustering=_clustering(others, (before, after)))
    return replace(report, exit_code=5) if fail_on_changes and report.differences else report


def _compared(kind: type[R], before: Side, after: Side, table: Table, others: Differences) -> R:
    """Return the report of that kind: with the schemas compared, and `others` as given."""
    older, newer = before.snapshot, after.snapshot
    assert newer is not None
    one_place = before.uri == after.uri
    is_one_table = one_place or _has_one_id(older, newer)
    if not is_one_table:
        # Ids and type changes are each table's own history.
        before, after = (side._replace(schema=unmapped(side.schema)) for side in (before, after))
    pairs = compare(before.schema, after.schema)
    notices = [*(() if older is None else older.notices), *newer.notices]
    return kind(
        table=table_ref(table, (newer if older is None or one_place else older).metadata),
        before=before,
        after=after,
        differences=others._replace(pairs=pairs),
        since=find_versions(newer) if _gained_type_changes(pairs) else {},
        is_one_table=is_one_table,
        warnings=tuple(dict.fromkeys(notices)),
    )


def _has_one_id(older: Snapshot | None, newer: Snapshot) -> bool:
    """Return whether the two are one table, or one is a copy of the other's folder."""
    return older is None or older.metadata.id == newer.metadata.id != ""


def _gained_type_changes(pairs: tuple[ColumnPair, ...]) -> bool:
    stack = list(pairs)
    while stack:
        pair = stack.pop()
        before, after = pair.type_changes
        if len(after) > len(before):
            return True
        stack.extend(pair.below)
    return False


def _clustering(found: Differences, sides: tuple[Side, Side]) -> ValueChange | None:
    """Return the clustering columns of both sides, as people name them, if they differ."""
    change = found.clustering
    if change is None:
        return None
    names = []
    for side, text in zip(sides, (change.before, change.after), strict=True):
        columns = physical_columns(text)
        names.append(None if columns is None else logical_names(side.schema, columns))
    return ValueChange(change.name, *names)
