"""`history`: the commits of a table, and what each did to its schema."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from deltactl.errors import BrokenLogError, DeltactlError, InvalidUsageError, Notice
from deltactl.log.commit import commit_info
from deltactl.log.commit.commit_info_form import CommitInfoForm, FormedInfo
from deltactl.log.commit.digest import FileCounts
from deltactl.report import Report, TableRef
from deltactl.spec.actions.action import Metadata
from deltactl.spec.schema.diff import ColumnPair, SchemaChange, compare
from deltactl.spec.schema.schema import parse_schema
from deltactl.spec.schema.types import Struct
from deltactl.spec.versions import VersionsBack
from deltactl.table.commit_times import file_times, in_commit_since, milliseconds, rfc3339
from deltactl.table.differences import (
    Differences,
    property_changes,
    protocol_change,
    table_changes,
)
from deltactl.table.history import Commit, read_history
from deltactl.table.snapshot import read_protocol_and_metadata
from deltactl.table.table import Table
from deltactl.table.version_facts import table_ref
from deltactl.text.hints import Command

_NO_SCHEMA = Struct(())

_NO_REST = (
    '"checkpoint":null,"schemaChanges":[],"propertyChanges":[],"tableChanges":[],'
    '"domainChanges":[],"protocolChange":null}'
)
_NULL = "null"
# Memory of this much is used again, where that of more would go back to the system each time.
_LOT = 100
_encode = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
).encode
# A history may be long, so what is a number or seldom there is not worth an object.
_ELEMENT = (
    '{{"version":%d,"timestamp":"%s",{said},'
    '"files":{{"added":%d,"removed":%d,"cdc":%d}},"rows":{rows},'
)
_PARSED = _ELEMENT.format(said='"operation":%s', rows="%s")
# How what is said begins. Inside a JSON string no quotation mark stands without a backslash.
_SAID = '{"operation":'


_NO_DIFFERENCES = Differences()


class CommitRow(NamedTuple):
    """One commit as it is shown, with what it changed; its domains are in `commit`."""

    commit: Commit
    differences: Differences = _NO_DIFFERENCES
    is_first: bool = False
    checkpoint: str | None = None

    @property
    def schema_changes(self) -> tuple[SchemaChange, ...]:
        return self.differences.schema_changes

    @property
    def files(self) -> FileCounts:
        return self.commit.files

    def commit_info_fields(self) -> dict[str, Any]:
        """Return what the document takes from commitInfo as it is."""
        info = self.commit.info.get
        return {
            "operation": info("operation"),
            "operationParameters": info("operationParameters"),
            "operationMetrics": info("operationMetrics"),
            "engineInfo": info("engineInfo"),
            "userName": info("userName"),
            "userMetadata": info("userMetadata"),
            "readVersion": info("readVersion"),
            "isBlindAppend": info("isBlindAppend"),
        }

    def rest_json(self) -> str:
        """Return what comes after the rows: the checkpoint, and what changed."""
        changes = self.differences is not _NO_DIFFERENCES or self.commit.domains
        if not (self.checkpoint or changes):
            return _NO_REST
        checkpoint = _NULL if self.checkpoint is None else f'"{self.checkpoint}"'
        return f'"checkpoint":{checkpoint},{_encode(self._changes())[1:]}'

    def rows_json(self) -> str:
        """Return the rows that were added, removed and updated."""
        rows = commit_info.rows(self.commit.info)
        added, removed, updated = rows.added, rows.removed, rows.updated
        return (
            f'{{"in":{_NULL if added is None else added},'
            f'"out":{_NULL if removed is None else removed},'
            f'"updated":{_NULL if updated is None else updated}}}'
        )

    def _changes(self) -> dict[str, Any]:
        found = self.differences
        return {
            "schemaChanges": [change.to_json() for change in found.schema_changes],
            "propertyChanges": [
                {"key": change.name, "before": change.before, "after": change.after}
                for change in found.properties
            ],
            "tableChanges": [
                {"path": change.name, "before": change.before, "after": change.after}
                for change in found.table
            ],
            "domainChanges": [
                {"domain": d.domain, "configuration": d.configuration, "removed": d.removed}
                for d in self.commit.domains
            ],
            "protocolChange": found.protocol and found.protocol.to_json(),
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class HistoryReport(Report):
    """The commits of a table.

    Attributes:
        table: its place, its id and its name.
        commits: the commits, newest first.
        total: how many commits the log still has.
        operations: if no commit matches, the operations of those that were searched.
        warnings: what is odd, each with a `code` and a `message`.
    """

    streamed: ClassVar[str | None] = "commits"
    table: TableRef
    commits: tuple[CommitRow, ...]
    total: int
    operations: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = field(default=())

    def body(self) -> Mapping[str, Any]:
        return {}

    def elements(self) -> Iterator[bytes | Mapping[str, Any]]:
        for start in range(0, len(self.commits), _LOT):
            texts = _json_texts(self.commits[start : start + _LOT])
            try:
                yield ("\n".join(texts) + "\n").encode()
            except UnicodeEncodeError:
                # Half of a surrogate pair is in one of them: that is for the writer to escape.
                yield from map(json.loads, texts)


class HistoryFilter(NamedTuple):
    """Which commits to show. A version range is inclusive; `since` is a time.

    `changes_only`: those that changed more than rows.
    """

    first: int | VersionsBack | None = None
    last: int | VersionsBack | None = None
    since: datetime | None = None
    operation: str | None = None
    schema_only: bool = False
    changes_only: bool = False
    limit: int | None = None


def report_history(table: Table, wanted: HistoryFilter) -> HistoryReport:
    """Return the commits that the log still has, newest first.

    Raises:
        NotFoundError: the log is empty, or it has fewer versions.
        InvalidUsageError: the first version is after the last.
    """
    versions = _versions(table, wanted)
    schemas = _Schemas()
    whole = (c for c in table.log.listing().checkpoints if c.is_complete)
    checkpoints = {c.version: c.kind.value for c in whole}
    rows: dict[int, CommitRow] = {}

    others: set[str] = set()

    def keep(commit: Commit) -> bool:
        if wanted.operation is not None and not _is_operation(commit, wanted.operation):
            others.add(str(commit.info.get("operation")))
            return False
        row = schemas.describe(commit) if commit.changes_protocol_or_metadata else CommitRow(commit)
        if wanted.schema_only and not (row.schema_changes or row.differences.protocol):
            return False
        if wanted.changes_only and not (row.differences or commit.domains):
            return False
        if kind := checkpoints.get(commit.version):
            row = row._replace(checkpoint=kind)
        rows[commit.version] = row
        return True

    history = read_history(table.log, versions, keep, wanted.limit)
    found = (rows[commit.version] for commit in history.commits)
    since = None if wanted.since is None else milliseconds(wanted.since)
    commits = tuple(row for row in found if since is None or row.commit.timestamp >= since)
    notices = (*history.notices, *schemas.notices)
    return HistoryReport(
        table=table_ref(table, history.metadata),
        commits=commits,
        total=history.total,
        operations=() if commits else tuple(sorted(others)),
        warnings=tuple(dict.fromkeys(notices)),
    )


def _versions(table: Table, wanted: HistoryFilter) -> list[int]:
    listing = table.log.listing()
    first = 0 if wanted.first is None else table.absolute(wanted.first)
    last = None if wanted.last is None else table.absolute(wanted.last)
    if last is not None and first > last:
        said = f"version {first} is after version {last}"
        hint = Command("history", "--from", str(last), "--to", str(first))
        raise InvalidUsageError("USAGE", said, hint=hint)
    if wanted.since is not None and not _has_own_times(table):
        earliest = milliseconds(wanted.since)
        late = (v for v, time in file_times(listing).items() if time >= earliest)
        first = max(first, min(late, default=max(listing.commits, default=0) + 1))
    chosen = (v for v in listing.commits if v >= first and (last is None or v <= last))
    return sorted(chosen, reverse=True)


def _has_own_times(table: Table) -> bool:
    """Return whether commits give their own time, which that of their file need not be near."""
    try:
        heads = read_protocol_and_metadata(table.log)
    except DeltactlError:
        return True  # It is not known, and reading more than is shown does no harm.
    return in_commit_since(heads.protocol, heads.metadata) is not None


def _json_texts(rows: Sequence[CommitRow]) -> list[str]:
    """Return the rows as JSON, encoded in one call, since each call has its price."""
    others = [row for row in rows if not isinstance(row.commit.info, FormedInfo)]
    parts = iter(_said(others)) if others else iter(())
    patterns: dict[CommitInfoForm, str] = {}
    texts = []
    for row in rows:
        commit = row.commit
        info = commit.info
        if isinstance(info, FormedInfo):
            form = info.form
            pattern = patterns.get(form)
            if pattern is None:
                pattern = patterns[form] = _ELEMENT.format(said=form.shown, rows=form.rows)
            said, counted = info.shown(), info.rows()
        else:
            pattern, said, counted = _PARSED, (next(parts),), (row.rows_json(),)
        begin = commit.version, rfc3339(commit.timestamp)
        texts.append(pattern % (begin + said + commit.files + counted) + row.rest_json())
    return texts


def _said(rows: Sequence[CommitRow]) -> list[str]:
    said = [row.commit_info_fields() for row in rows]
    parts = _encode(said)[len(_SAID) + 1 : -2].split("}," + _SAID)
    if len(parts) != len(rows):
        # Some commitInfo has a list of objects that begin like this, where no engine writes one.
        parts = [_encode(one)[len(_SAID) : -1] for one in said]
    return parts


def _is_operation(commit: Commit, operation: str) -> bool:
    return str(commit.info.get("operation", "")).casefold() == operation.casefold()


class _Schemas:
    """Finds what commits changed; keeps the schema parsed last, which the next one starts from."""

    def __init__(self) -> None:
        self.notices: dict[Notice, None] = {}
        self._parsed: dict[str, Struct] = {}

    def describe(self, commit: Commit) -> CommitRow:
        """Return the commit with what it changed of the heads."""
        before = commit.before
        protocol = None
        unknown = []
        if commit.protocol is not None and not before.knows_protocol:
            unknown.append("protocol")
        elif commit.protocol is not None:
            protocol = protocol_change(before.protocol, commit.protocol)
        if commit.metadata is not None and not before.knows_metadata:
            unknown.append("metadata")
        if unknown:
            what = " and ".join(unknown)
            said = f"what version {commit.version} changed is not known: the log no longer has "
            self.notices[Notice("CHANGE_NOT_KNOWN", f"{said}the {what} from before it")] = None
        if commit.metadata is None or not before.knows_metadata:
            return CommitRow(commit, Differences(protocol=protocol))
        found = Differences(
            pairs=self._pairs(before.metadata, commit.metadata),
            protocol=protocol,
            properties=tuple(property_changes(before.metadata, commit.metadata)),
            table=tuple(table_changes(before.metadata, commit.metadata)),
        )
        return CommitRow(commit, found, is_first=before.metadata is None)

    def _pairs(self, before: Metadata | None, after: Metadata) -> tuple[ColumnPair, ...]:
        if before is not None and before.schema_string == after.schema_string:
            return ()
        try:
            old = _NO_SCHEMA if before is None else self._parse(before.schema_string)
            return compare(old, self._parse(after.schema_string))
        except BrokenLogError as error:
            self.notices[Notice(error.code, error.message)] = None
        except RecursionError:
            said = "a schema is nested too deeply to be compared"
            self.notices[Notice("SCHEMA_TOO_DEEP", said)] = None
        return ()

    def _parse(self, text: str | None) -> Struct:
        if text is None:
            return _NO_SCHEMA
        if text not in self._parsed:
            if len(self._parsed) > 1:
                self._parsed.pop(next(iter(self._parsed)))
            self._parsed[text] = parse_schema(text)
        return self._parsed[text]
