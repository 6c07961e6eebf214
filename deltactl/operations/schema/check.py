"""`schema check`: whether a table takes data of another schema, and what becomes of its own."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from deltactl.errors import Notice
from deltactl.report import Report, TableRef
from deltactl.spec.keys import ENABLE_TYPE_WIDENING
from deltactl.spec.protocol.protocol import supported
from deltactl.spec.schema.diff import ChangeKind
from deltactl.spec.schema.types import parse_type, type_to_json
from deltactl.spec.schema.widening import INTEGER_TO_DECIMAL, INTEGER_TO_DOUBLE, widening_rule
from deltactl.spec.write_compat import (
    Mode,
    Remark,
    WriteTarget,
    WriteVerdict,
    columns_of_files,
    remarks,
    write_verdict,
)
from deltactl.table.parquet.data_schema import DataSchema
from deltactl.table.snapshot import Snapshot
from deltactl.table.table import At, Table
from deltactl.table.version_facts import table_ref


@dataclass(frozen=True, kw_only=True)
class SchemaCheckReport(Report):
    """The answer for each kind of write.

    Attributes:
        table: its place, its id and its name.
        version: the version that was read.
        against: what the data is called.
        data: the schema of the data, and the form that it was found in.
        asked: the kind of write that decides the exit code.
        answers: whether each kind of write is accepted, what it changes, and what clashes.
        conditions: for each kind, what must hold for the changes.
        remarks: what else to know of the data.
        exit_code: 5 if the asked kind of write would be refused.
        warnings: what is odd, each with a `code` and a `message`.
    """

    table: TableRef
    version: int
    against: str
    data: DataSchema
    asked: Mode
    answers: tuple[WriteVerdict, ...]
    conditions: Mapping[Mode, tuple[Notice, ...]]
    remarks: tuple[Remark, ...]
    exit_code: int = 0
    warnings: tuple[Notice, ...] = field(default=())

    def body(self) -> Mapping[str, Any]:
        return {
            "version": self.version,
            "against": {
                "file": self.against,
                "format": self.data.form,
                "schema": type_to_json(self.data.schema),
            },
            "mode": self.asked,
            "accepted": not self.exit_code,
            "answers": [self._answer(found) for found in self.answers],
            "remarks": [remark.to_json() for remark in self.remarks],
        }

    def elements(self) -> Iterator[Mapping[str, Any]]:
        return (self._answer(found) for found in self.answers)

    def _answer(self, found: WriteVerdict) -> dict[str, Any]:
        return {
            "mode": found.mode,
            "accepted": found.accepted,
            "conditions": [notice._asdict() for notice in self.conditions[found.mode]],
            "changes": [change.to_json() for change in found.changes],
            "clashes": [clash.to_json() for clash in found.clashes],
        }


def report_schema_check(
    table: Table, against: str, data: DataSchema, asked: Mode, at: At = None
) -> SchemaCheckReport:
    """Say for each mode what Delta would do with data of that schema; exit 5 if `asked` refuses.

    Raises:
        BrokenLogError: the table has no schema, or none that an engine could use.
    """
    snapshot = table.snapshot(at, even_if_unsupported=True)
    target = WriteTarget(
        snapshot.usable_schema,
        snapshot.metadata.partition_columns,
        supported(snapshot.protocol),
        snapshot.configuration,
    )
    answers = tuple(write_verdict(target, data.schema, mode) for mode in Mode)
    accepted = next(found.accepted for found in answers if found.mode is asked)
    return SchemaCheckReport(
        table=table_ref(table, snapshot.metadata),
        version=snapshot.version,
        against=against,
        data=data,
        asked=asked,
        answers=answers,
        conditions={a.mode: tuple(_conditions(a, snapshot, target)) for a in answers},
        remarks=tuple(dict.fromkeys(remarks(target, data.schema))),
        exit_code=0 if accepted else 5,
        warnings=snapshot.notices,
    )


def _conditions(found: WriteVerdict, snapshot: Snapshot, target: WriteTarget) -> Iterator[Notice]:
    """Yield what must hold beside the schema for the answer to be true."""
    mode = found.mode
    if mode in (Mode.MERGE_SCHEMA, Mode.TYPE_WIDENING):
        yield Notice("MERGE_SCHEMA_SET", "the write sets the option mergeSchema")
    if mode is Mode.TYPE_WIDENING and not target.widens:
        yield Notice(
            "TYPE_WIDENING_NOT_ENABLED",
            f"the property {ENABLE_TYPE_WIDENING} is true, which it is not today",
        )
    if mode is not Mode.OVERWRITE_SCHEMA:
        yield from _automatic(found)
        return
    yield Notice("OVERWRITE_MODE", "the write overwrites the table and sets overwriteSchema")
    yield Notice("NO_REPLACE_WHERE", "it has no replaceWhere, which keeps the schema")
    partitions = snapshot.metadata.partition_columns
    names = ", ".join(partitions)
    given = {field.name.casefold() for field in found.schema.fields}
    if names and not (
        given.issuperset(map(str.casefold, partitions))
        and columns_of_files(found.schema, partitions)
    ):
        yield Notice(
            "PARTITIONING_GIVEN",
            f"it names no partitionBy, for such data cannot be partitioned by {names}: the table "
            "loses its partitioning",
        )
    elif names:
        yield Notice(
            "PARTITIONING_GIVEN",
            f"it names partitionBy {names}, or the table loses its partitioning; dynamic partition "
            "overwrite is off",
        )


def _automatic(found: WriteVerdict) -> Iterator[Notice]:
    """Yield the setting on which changes from one family of types to another rest."""
    for change in found.changes:
        if change.kind is not ChangeKind.WIDENED:
            continue
        rule = widening_rule(parse_type(change.before), parse_type(change.after))
        if rule in (INTEGER_TO_DOUBLE, INTEGER_TO_DECIMAL):
            yield Notice(
                "AUTOMATIC_WIDENING_ALWAYS",
                f"for {change.path} spark.databricks.delta.typeWidening.allowAutomaticWidening is "
                "always, its default",
            )
