"""`schema diff`: two versions of a table, or two tables, side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from deltactl.errors import Notice
from deltactl.report import Report, TableRef
from deltactl.spec.schema.column_mapping import unmapped
from deltactl.spec.schema.diff import Pair, SchemaChange, changes, compare
from deltactl.spec.schema.types import Struct
from deltactl.table.snapshot import Snapshot
from deltactl.table.table import At, Table
from deltactl.table.version_facts import table_ref


class Side(NamedTuple):
    """One of the two schemas, and where it comes from."""

    uri: str
    version: int
    schema: Struct

    def to_json(self) -> dict[str, Any]:
        return {"uri": self.uri, "version": self.version}


@dataclass(frozen=True, kw_only=True)
class SchemaDiffReport(Report):
    """Two schemas, and the changes from one to the other: `changes`, and `pairs` of all columns.

    Attributes:
        table: its place, its id and its name.
        before: the first schema, and where it is from.
        after: the second one.
        is_one_table: whether both are versions of one table, which a reader may have open.
        exit_code: 5 if there is a difference, and that was asked for.
        warnings: what is odd, each with a `code` and a `message`.
    """

    table: TableRef
    before: Side
    after: Side
    is_one_table: bool = True
    exit_code: int = 0
    warnings: tuple[Notice, ...] = field(default=())

    @property
    def pairs(self) -> tuple[Pair, ...]:
        return compare(self.before.schema, self.after.schema)

    @property
    def changes(self) -> tuple[SchemaChange, ...]:
        return tuple(changes(self.before.schema, self.after.schema))

    def body(self) -> Mapping[str, Any]:
        return {
            "from": self.before.to_json(),
            "to": self.after.to_json(),
            "changes": [change.to_json() for change in self.changes],
        }

    def elements(self) -> Iterator[Mapping[str, Any]]:
        return (change.to_json() for change in self.changes)


def report_schema_diff(
    before: tuple[Table, At], after: tuple[Table, At], *, fail_on_changes: bool = False
) -> SchemaDiffReport:
    """Compare two schemas; `fail_on_changes` makes a difference exit 5.

    Versions of one table are matched by column-mapping id, other tables by name.

    Raises:
        BrokenLogError: one of them has no schema, or none that an engine could use.
    """
    sides, notices = [], dict[Notice, None]()
    snapshots: list[Snapshot] = []
    for table, at in (before, after):
        snapshot = table.snapshot(at, even_if_unsupported=True)
        snapshots.append(snapshot)
        sides.append(Side(table.uri, snapshot.version, snapshot.usable_schema))
        notices.update(dict.fromkeys(snapshot.notices))
    older, newer = snapshots
    is_one_table = _is_one_table(sides, older, newer)
    if not is_one_table:
        sides = [side._replace(schema=unmapped(side.schema)) for side in sides]
    report = SchemaDiffReport(
        table=table_ref(before[0], older.metadata),
        before=sides[0],
        after=sides[1],
        is_one_table=is_one_table,
        exit_code=0,
        warnings=tuple(notices),
    )
    return replace(report, exit_code=5) if fail_on_changes and report.changes else report


def _is_one_table(sides: Sequence[Side], older: Snapshot, newer: Snapshot) -> bool:
    """Return whether the two are one table, or one is a copy of the other's folder."""
    same_id = older.metadata.id == newer.metadata.id != ""
    return sides[0].uri == sides[1].uri or same_id
