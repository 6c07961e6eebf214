"""`history`: show the commits of a table and their schema changes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

import click

from deltactl.cli.command_options import VERSIONS, completing, parse_at, table_command, whole_number
from deltactl.cli.global_options import typed
from deltactl.cli.render.blocks import Block, Column, Grid, Label, Lines, Prose, Span, view
from deltactl.cli.render.column_lines import DiffView
from deltactl.cli.render.differences import difference_blocks
from deltactl.cli.render.visible import plain
from deltactl.cli.render.words import (
    became,
    changed,
    count,
    joined,
    mapping_switched,
    moment,
    of_table,
)
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.errors import Notice
from deltactl.log.commit import commit_info
from deltactl.operations.inspect.history import (
    CommitRow,
    HistoryReport,
)
from deltactl.report import Report, TableRef
from deltactl.spec.schema.diff import without_column_mapping
from deltactl.spec.versions import VersionsBack
from deltactl.table.commit_times import rfc3339
from deltactl.table.differences import (
    Differences,
    ProtocolChange,
    ValueChange,
)

SECTION = "Inspect"

_PATCH = DiffView(keeps_values=True, context=0)

# The place of BY among the columns, and of the seconds in a time.
_BY = 5
_TO_THE_MINUTE = len("2026-11-21 07:28")
# A terminal that is so wide has room for milliseconds, engine and user.
WIDE = 140

# A table that is created with hundreds of columns is still one line.
SHOWN_CHANGES = 6


@view.register
def _(report: HistoryReport) -> Iterable[Block]:
    yield from _grid(report, is_short=False)


@dataclass(frozen=True)
class HistoryScreen(Report):
    """A history for a terminal.

    `is_short` leaves out milliseconds, engine and user. `patch` shows all that each commit
    changed below it.
    """

    streamed: ClassVar[str | None] = HistoryReport.streamed
    found: HistoryReport
    is_short: bool
    patch: bool
    table: TableRef
    warnings: tuple[Notice, ...]

    def body(self) -> Mapping[str, Any]:
        return self.found.body()

    def elements(self) -> Iterator[bytes | Mapping[str, Any]]:
        return self.found.elements()


@view.register
def _(report: HistoryScreen) -> Iterable[Block]:
    if not report.patch:
        yield from _grid(report.found, is_short=report.is_short)
        return
    if not report.found.commits:
        yield Prose(_none(report.found))
    for row in report.found.commits:
        yield Lines([_head(row, is_short=report.is_short)])
        yield from difference_blocks(_with_domains(row), _PATCH)


def _grid(report: HistoryReport, *, is_short: bool) -> Iterator[Block]:
    if not report.commits:
        yield Prose(_none(report))
        return
    columns = [
        Column("VERSION", "right", fold=False),
        Column("TIME", fold=False),
        Column("OPERATION", fold=False, shorten="end"),
        Column("FILES", "right", fold=False),
        Column("ROWS", "right", fold=False),
        Column("BY"),
        Column("CHANGES", shorten="end"),
    ]
    if is_short:
        columns.pop(_BY)
    yield Grid(columns, (_row(row, is_short=is_short) for row in report.commits))


def _head(row: CommitRow, *, is_short: bool) -> Label:
    """Return the line above what a commit changed."""
    version, time, operation, files, rows, by, _ = map(_parts, _row(row))
    head = [Span("v", "number"), *version, "  ", *([_minute(row)] if is_short else time)]
    head += ["  ", *operation]
    for name, figures in (("files", files), ("rows", rows), ("by", [] if is_short else by)):
        if plain(figures) not in ("", "-"):
            head += [f"  {name} ", *figures]
    return head


def _with_domains(row: CommitRow) -> Differences:
    """Return all that the commit changed; what a domain said before is not read for that."""
    domains = []
    for domain in row.commit.domains:
        sides = (domain.configuration, None) if domain.removed else (None, domain.configuration)
        domains.append(ValueChange(domain.domain, *sides))
    return row.differences._replace(domains=tuple(domains))


def _parts(label: Label) -> Sequence[str | Span]:
    return [label] if isinstance(label, str | Span) else list(label)


def _none(report: HistoryReport) -> str:
    if not report.total:
        return "The log has no commits any more: what is left of them is in its checkpoint."
    none = f"No matching commits ({report.total:,} searched)"
    if not report.operations:
        return f"{none}."
    return f"{none}; the operations among them: {', '.join(report.operations)}."


def _row(row: CommitRow, *, is_short: bool = False) -> list[Label]:
    info = row.commit.info
    operation = info.get("operation")
    return [
        Span(str(row.commit.version), "number"),
        _minute(row) if is_short else moment(rfc3339(row.commit.timestamp)),
        "-" if operation is None else str(operation),
        _files(row),
        _rows(row),
        *([] if is_short else [Span(_by(row), "dim")]),
        joined(list(_changes(row)), "; "),
    ]


def _minute(row: CommitRow) -> str:
    """Return the time of the commit without its seconds."""
    return moment(rfc3339(row.commit.timestamp))[:_TO_THE_MINUTE]


def _files(row: CommitRow) -> Label:
    parts = list(_signed(row.files.added, row.files.removed))
    if row.files.cdc:
        parts.append(Span(f"cdc {row.files.cdc:,}", "dim"))
    return joined(parts, " ") or "-"


def _rows(row: CommitRow) -> Label:
    rows = commit_info.rows(row.commit.info)
    parts = list(_signed(rows.added or 0, rows.removed or 0))
    if rows.updated:
        parts.append(Span(f"~{rows.updated:,}", "changed"))
    return joined(parts, " ") or "-"


def _signed(added: int, removed: int) -> Iterator[Span]:
    if added:
        yield Span(f"+{added:,}", "added")
    if removed:
        yield Span(f"-{removed:,}", "removed")


def _by(row: CommitRow) -> str:
    info = row.commit.info
    known = [info.get("userName"), info.get("engineInfo")]
    who = " ".join(str(name) for name in known if name is not None) or "-"
    # What Spark says of itself, on nearly every line, in fewer words.
    return who.replace("Apache-Spark/", "Spark/").replace("Delta-Lake/", "Delta/")


def _changes(row: CommitRow) -> Iterator[Span | str]:
    found = row.differences
    changes = found.schema_changes
    if row.is_first:
        yield Span(f"created with {count(len(changes), 'column')}", "added")
    else:
        if switch := found.mapping_switch:
            changes = tuple(without_column_mapping(changes))
            yield Span(mapping_switched(switch), "changed")
        for change in changes[:SHOWN_CHANGES]:
            yield changed(change)
        if len(changes) > SHOWN_CHANGES:
            yield Span(f"{len(changes) - SHOWN_CHANGES} more", "dim")
    if found.protocol is not None:
        yield Span(_protocol(found.protocol), "changed")
    if not row.is_first:
        for setting in found.properties[:SHOWN_CHANGES]:
            key, new = setting.name, setting.after
            words = f"{key} unset" if new is None else became(key, setting.before, new)
            yield Span(words, "changed")
    for field in found.table:
        yield Span(of_table(field), "changed")
    for domain in row.commit.domains:
        yield Span(f"domain {domain.domain} {'removed' if domain.removed else 'set'}", "changed")
    if row.checkpoint is not None:
        yield Span(f"{row.checkpoint} checkpoint", "dim")
    message = row.commit.info.get("userMetadata")
    if isinstance(message, str):
        yield Span(f"“{message}”", "dim")


def _protocol(change: ProtocolChange) -> str:
    after = change.after
    versions = f"{after.min_reader_version}/{after.min_writer_version}"
    if change.before is None:
        return " ".join([f"protocol {versions}", *sorted(after.listed)])
    before = change.before
    old = f"{before.min_reader_version}/{before.min_writer_version}"
    arrow = f"protocol {versions}" if old == versions else f"protocol {old} → {versions}"
    added = [f"+{name}" for name in change.added]
    dropped = [f"-{name}" for name in change.removed]
    return " ".join([arrow, *added, *dropped])


def _moment(text: str) -> datetime:
    """Return the time that `--since` names; a version raises ValueError."""
    found = parse_at(text)
    if not isinstance(found, datetime):
        raise ValueError(f"{text!r} is a version: --from takes versions, --since a time")
    return found


def _version(text: str) -> int | VersionsBack:
    """Return the version that `--from` names; a time raises ValueError."""
    found = parse_at(text)
    if isinstance(found, datetime):
        raise ValueError(f"{text!r} is a time: --since takes times, --from and --to versions")
    return found


def _screen(session: Session, found: HistoryReport, *, patch: bool) -> HistoryScreen:
    width = session.terminal_width()
    return HistoryScreen(
        found=found,
        is_short=(width or WIDE) < WIDE and not session.settings.verbose,
        patch=patch,
        table=found.table,
        warnings=found.warnings,
    )


@table_command
@click.option("-n", "--limit", type=whole_number(), metavar="N", help="Show N commits; 0: all.")
@click.option(
    "--from",
    "first",
    type=typed(_version),
    metavar="VERSION",
    shell_complete=VERSIONS,
    help="Start at this version (12, -3, @prev).",
)
@click.option(
    "--to",
    "last",
    type=typed(_version),
    metavar="VERSION",
    shell_complete=VERSIONS,
    help="End at this version.",
)
@click.option(
    "--since",
    type=typed(_moment),
    metavar="TIMESTAMP",
    help="Start at this time (2d: two days ago; without an offset: UTC).",
)
@click.option(
    "--operation",
    metavar="NAME",
    shell_complete=completing("operations", "complete_log"),
    help="Show only this operation, such as MERGE.",
)
@click.option(
    "--schema",
    "schema_only",
    is_flag=True,
    help="Show only commits that changed schema or protocol.",
)
@click.option("-p", "--patch", is_flag=True, help="Show the changes below each commit.")
def command(
    session: Session,
    table: str,
    limit: int | None,
    first: int | VersionsBack | None,
    last: int | VersionsBack | None,
    since: datetime | None,
    operation: str | None,
    *,
    schema_only: bool,
    patch: bool,
) -> None:
    """Show the commits and schema changes of TABLE, newest first.

    FILES and ROWS count additions (+), removals (-) and updated rows (~). cdc counts files of the
    change data feed. A terminal shows the newest 20 commits, one on each line. -n shows more, -v
    adds milliseconds, engine and user, and -p shows each change in full.

    \b
        deltactl history ./events -n 5
        deltactl history ./events --since 2d
        deltactl history ./events --schema --patch
        deltactl history ./events --schema -o ndjson
    """
    if isinstance(first, int) and isinstance(last, int) and first > last:
        raise click.UsageError(f"--from {first} is after --to {last}")
    shown = session.rows_to_show(limit)
    report = reports_of(session, table).history(
        first=first,
        last=last,
        since=since,
        operation=operation,
        schema_only=schema_only,
        limit=shown,
    )
    session.show(_screen(session, report, patch=patch))
    if limit is None and shown and len(report.commits) == shown < report.total:
        session.note(f"{shown} of {report.total:,} commits; -n 0 shows all")
