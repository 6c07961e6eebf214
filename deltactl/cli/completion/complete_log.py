"""What the shell offers of a table's log: versions, files and operations."""

from collections.abc import Callable
from typing import TypeVar

import click
from click.shell_completion import CompletionItem

from deltactl.api.reading.reports import Reports
from deltactl.cli.completion.complete import tables
from deltactl.cli.completion.offers import starting, typed_table
from deltactl.cli.global_options import Invocation
from deltactl.cli.render.words import moment
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.errors import DeltactlError
from deltactl.log.filenames import LogFileKind
from deltactl.operations.inspect.log_list import LogReport

OFFERED = 100  # versions at most, the newest
SEARCHED = 200  # commits whose operations are offered, the newest
T = TypeVar("T")


def versions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the versions that can be read, newest first, each with its time."""
    report = _asked(ctx, lambda reports: reports.log())
    found = _versions(report) if report else []
    oldest = report.oldest_recreatable if report else None
    readable = [(v, about) for v, about in found if oldest is not None and int(v) >= oldest]
    return starting(incomplete, readable)[:OFFERED]


def newest_version(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the newest version that begins so."""
    return versions(ctx, param, incomplete)[:1]


def versions_and_tables(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the versions of the table, and other tables."""
    return [*versions(ctx, param, incomplete), *tables(ctx, param, incomplete)]


def log_files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the versions that have a commit, and the files of the log, by name."""
    report = _asked(ctx, lambda reports: reports.log())
    if report is None:
        return []
    # A commit is offered by its version, and by its name once a name is being typed.
    is_name = incomplete.startswith("00")
    files = [(r.name, r.kind) for r in report.files if is_name or r.kind != LogFileKind.COMMIT]
    return starting(incomplete, [*_versions(report)[:OFFERED], *files])


def operations(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the operations of the newest commits."""
    rows = _asked(ctx, lambda reports: reports.history(limit=SEARCHED).commits) or ()
    named = dict.fromkeys(row.commit.info.get("operation") for row in rows)
    return starting(incomplete, ((name, None) for name in named if isinstance(name, str)))


def _versions(report: LogReport) -> list[tuple[str, str | None]]:
    commits = {
        row.version: moment(row.to_json()["modified"])
        for row in report.files
        if row.kind == LogFileKind.COMMIT and row.version is not None
    }
    return [(str(version), commits[version]) for version in sorted(commits, reverse=True)]


def _asked(ctx: click.Context, ask: Callable[[Reports], T]) -> T | None:
    """Return what the table that was typed answers, None without one that can be read."""
    invocation, table = ctx.find_object(Invocation), typed_table(ctx)
    if invocation is None or not table:
        return None
    try:
        return ask(reports_of(Session(invocation), table))
    except DeltactlError:  # no such table, or a broken one: told when the command runs
        return None
