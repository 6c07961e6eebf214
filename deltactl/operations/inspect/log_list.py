"""`log`: what lies in a table's `_delta_log`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from deltactl.errors import DeltactlError, Notice
from deltactl.log.filenames import (
    LOG,
    SIDECARS,
    STAGED_COMMITS,
    LogFile,
    LogFileKind,
    checkpoint_name,
    kind_of,
)
from deltactl.log.segment import recreatable, select
from deltactl.report import Report, TableRef
from deltactl.table.commit_times import rfc3339
from deltactl.table.snapshot import check, read_protocol_and_metadata, unreadable
from deltactl.table.table import Table


class LogRow(NamedTuple):
    """A file of the log; `kind` is finer than its name's if a checkpoint has several."""

    folder: str
    file: LogFile
    kind: str
    version: int | None

    @property
    def name(self) -> str:
        return f"{self.folder}/{self.file.name}" if self.folder else self.file.name

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "version": self.version,
            "size": self.file.size,
            "modified": rfc3339(self.file.modified),
        }


@dataclass(frozen=True, kw_only=True)
class LogReport(Report):
    """The files of a log.

    Attributes:
        table: its place, its id and its name.
        files: the files, those of sub-folders too.
        newest: the newest version, None without one.
        oldest_recreatable: the oldest version that can be read, None without one.
        warnings: what is odd, each with a `code` and a `message`.
    """

    table: TableRef
    files: tuple[LogRow, ...]
    newest: int | None
    oldest_recreatable: int | None
    warnings: tuple[Notice, ...] = field(default=())

    def body(self) -> Mapping[str, Any]:
        return {
            "newestVersion": self.newest,
            "oldestRecreatableVersion": self.oldest_recreatable,
            "files": [row.to_json() for row in self.files],
        }

    def elements(self) -> Iterator[Mapping[str, Any]]:
        return (row.to_json() for row in self.files)


def report_log(table: Table) -> LogReport:
    """Return all that the log's folder holds, whatever the table's state."""
    rows = []
    for folder in ("", SIDECARS, STAGED_COMMITS):
        for file in table.storage.list_from(f"{LOG}/{folder}" if folder else LOG):
            rows.append(LogRow(folder, file, *_kind(folder, file.name)))
    listing = table.log.listing()
    return LogReport(
        table=TableRef(table.uri),
        files=tuple(rows),
        newest=listing.newest,
        oldest_recreatable=recreatable(listing),
        warnings=_notices(table),
    )


def _kind(folder: str, name: str) -> tuple[str, int | None]:
    kind, version = kind_of(name)
    match folder, kind:
        case _, LogFileKind.HADOOP_CHECKSUM | LogFileKind.TEMPORARY:
            return kind.value, None
        case "_sidecars", _:
            return "sidecar", None
        case "_staged_commits", _:
            return "staged-commit", None
        case _, LogFileKind.CHECKPOINT:
            found = checkpoint_name(name)
            return f"{found.kind} checkpoint" if found else kind.value, version
        case _:
            return kind.value, version


def _notices(table: Table) -> tuple[Notice, ...]:
    hint = table.log.hint()
    found = [hint] if isinstance(hint, Notice) else []
    try:
        found += select(table.log.listing()).notices
        heads = read_protocol_and_metadata(table.log)
        found += heads.notices
        check(heads)
    except DeltactlError as error:
        found.append(unreadable(error))
        found += _strays(table)
    return tuple(dict.fromkeys(found))


def _strays(table: Table) -> list[Notice]:
    names = table.log.listing().strays
    return [Notice("NAME_NOT_CANONICAL", f"{name} is not a canonical name") for name in names]
