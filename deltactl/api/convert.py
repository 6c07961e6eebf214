"""From reports, which the command line shows, to the values of the public API."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from deltactl.api import maintenance, values
from deltactl.api.work import Request
from deltactl.changes.change_report import ChangeReport
from deltactl.changes.report_rows import SettingChange
from deltactl.findings import Finding
from deltactl.spec.schema.diff import SchemaChange
from deltactl.table.snapshot import Snapshot
from deltactl.text.hints import text_of

if TYPE_CHECKING:
    from deltactl.operations.inspect.files import FilesReport
    from deltactl.operations.inspect.history import CommitRow
    from deltactl.operations.inspect.show import ShowReport
    from deltactl.operations.schema.show import ColumnRow
    from deltactl.verify.report import VerifyReport

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OF_COLUMNS = {"path", "type", "nullable", "typeChanges"}


def plan(request: Request, report: ChangeReport) -> values.Plan:
    """Return the plan of the report, which `request` asked for."""
    made = report.plan
    undo = made.undo
    return values.Plan(
        operation=made.operation,
        read_version=made.read_version,
        changes=(*map(change, made.schema_changes), *map(change, made.settings)),
        warnings=made.warnings,
        refusals=tuple(
            values.Refusal(code=r.code, message=r.message, hint=text_of(r.hint))
            for r in made.refusals
        ),
        undo=values.Undo(commands=tuple(map(str, undo.commands)), note=text_of(undo.note))
        if undo
        else values.Undo(),
        clients_lost=tuple(impact.client.title for impact in made.clients_lost),
        is_empty=report.done_before or (made.is_empty and not made.refusals),
        request=request,
        report=report,
    )


def change(found: SchemaChange | SettingChange) -> values.Change:
    """Return the change."""
    return values.Change(
        kind=found.kind.value, path=found.path, before=found.before, after=found.after
    )


def schema(snapshot: Snapshot) -> values.Schema:
    """Return the schema of the snapshot.

    Raises:
        BrokenLogError: it has none, or one that no engine could use.
    """
    fields = tuple(
        values.Field(name=f.name, type=str(f.type), nullable=f.nullable, metadata=dict(f.metadata))
        for f in snapshot.usable_schema.fields
    )
    return values.Schema(fields=fields, json=json.loads(snapshot.metadata.schema_string or "{}"))


def column(row: "ColumnRow") -> values.Column:
    """Return the column."""
    found = row.to_json()
    return values.Column(
        path=found["path"],
        type=found["type"],
        nullable=found["nullable"],
        type_changes=tuple(found["typeChanges"]),
        details={key: value for key, value in found.items() if key not in _OF_COLUMNS},
    )


def commit(row: "CommitRow") -> values.Commit:
    """Return the commit."""
    info = dict(row.commit.info)
    operation = info.get("operation")
    return values.Commit(
        version=row.commit.version,
        timestamp=_moment(row.commit.timestamp),
        operation=None if operation is None else str(operation),
        changes=tuple(map(change, row.schema_changes)),
        info=info,
    )


def files(report: "FilesReport") -> Iterator[values.DataFile]:
    """Yield the live files, as they are read."""
    for lines in report.elements():
        for line in lines.splitlines():
            found = json.loads(line)
            yield values.DataFile(
                path=found["path"],
                size=found["size"],
                partition_values=found["partitionValues"],
                modification_time=_read_moment(found["modificationTime"]),
                records=found["records"],
                deletion_vector=found["deletionVector"],
            )


def verification(report: "VerifyReport") -> maintenance.Verification:
    """Return what the verification found."""
    return maintenance.Verification(
        version=report.version,
        findings=tuple(_finding(found) for _, found in report.findings),
        warnings=report.warnings,
    )


def detail(report: "ShowReport") -> values.Detail:
    """Return the table in figures."""
    snapshot, files = report.snapshot, report.files
    return values.Detail(
        uri=report.table.uri,
        id=report.table.id,
        name=report.table.name,
        description=snapshot.metadata.description,
        version=snapshot.version,
        timestamp=None if report.timestamp is None else _moment(report.timestamp),
        partition_columns=tuple(snapshot.metadata.partition_columns),
        properties=dict(snapshot.configuration),
        num_files=files.count,
        size_in_bytes=files.size,
        num_records=None if files.records is None else files.records - files.deleted_rows,
        findings=tuple(map(_finding, report.health)),
    )


def _finding(found: Finding) -> maintenance.Finding:
    return maintenance.Finding(**{**found._asdict(), "severity": found.severity.value})


def repair(report: "VerifyReport") -> maintenance.Repair:
    """Return what the repair did, or would do; of a log that cannot be repaired, nothing."""
    planned = report.repair
    return maintenance.Repair(
        done=report.repaired,
        files=tuple(
            maintenance.RepairedFile(path=f.path, action=f.how.value, target=f.target)
            for f in (planned.files if planned else ())
        ),
        checkpoints=tuple(version for version, _ in (planned.checkpoints if planned else ())),
        commits=tuple(commit.value for commit in (planned.commits if planned else ())),
        verification=verification(report),
    )


def _moment(milliseconds: int) -> datetime:
    """Return the time; a log may hold one that Python cannot: then the nearest that it can."""
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return (datetime.max if milliseconds > 0 else datetime.min).replace(tzinfo=UTC)


def _read_moment(text: str | None) -> datetime | None:
    try:
        return None if text is None else datetime.fromisoformat(text)
    except ValueError:
        return None
