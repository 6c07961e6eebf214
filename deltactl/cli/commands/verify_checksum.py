"""`verify-checksum`: is a table's log in keeping with itself, and with its files."""

from collections.abc import Iterable

import click

from deltactl.cli.changes import OPTIONS
from deltactl.cli.context import Session
from deltactl.cli.options import table_command
from deltactl.cli.render.blocks import Block, Column, Grid, Heading, Label, Lines, Span, view
from deltactl.cli.render.words import count
from deltactl.cli.tables import open_named
from deltactl.log.verify.finding import Finding, Severity
from deltactl.operations.change.plan import How, LogFileChange
from deltactl.operations.verify.gathered import Check
from deltactl.operations.verify.repair import Repair
from deltactl.operations.verify.verify_checksum import (
    Scope,
    VerifyReport,
    report_repair,
    report_verify,
)

SECTION = "Maintain"


@view.register
def _(report: VerifyReport) -> Iterable[Block]:
    yield Grid(
        [Column("CHECK", fold=False), Column("LOOKED AT", "right", fold=False), Column("RESULT")],
        ([check.name, count(check.subjects), _result(check)] for check in report.checks),
    )
    for check in report.checks:
        found = [finding for name, finding in report.findings if name == check.name]
        if not found:
            continue
        yield Heading(check.name)
        yield Lines([line for finding in found for line in _lines(finding)])
        if more := check.findings - len(found):
            yield Lines([Span(f"  and {count(more, 'finding')} more of these kinds", "dim")])
    if report.repair is not None:
        yield from _repair(report.repair, done=report.repaired)
    total = sum(check.findings for check in report.checks)
    version = f"Version {report.version}"
    yield Lines([f"{version}: {count(total, 'finding')}." if total else f"{version} is sound."])


def _repair(repair: Repair, *, done: bool) -> Iterable[Block]:
    if repair.is_empty:
        yield Lines(["Nothing to repair."])
        return
    yield Heading("repaired" if done else "to be repaired")
    yield Lines([_change(file) for file in repair.files])
    yield Lines(
        [f"  write a {kind.value} checkpoint of version {v}" for v, kind in repair.checkpoints]
    )
    yield Lines([f"  commit      {commit.value}" for commit in repair.commits])
    if not done:
        yield Lines([Span("Dry run: nothing was written.", "warning")])


def _change(file: LogFileChange) -> Label:
    name = file.path.partition("/")[2]
    if file.how is How.MOVE_ASIDE and file.target is not None:
        to = file.target.rpartition("/")[2]
        return ["  move aside  ", Span(name, "name"), f" → {to}  {file.what}"]
    return ["  write       ", Span(name, "name"), f"  {file.what}"]


def _result(check: Check) -> Label:
    if check.findings:
        return Span(count(check.findings, "finding"), "error")
    if check.skipped is not None:
        return Span(check.skipped, "dim")
    return ["ok", *([Span(f", {check.detail}", "dim")] if check.detail else [])]


def _lines(finding: Finding) -> list[Label]:
    is_error = finding.severity is Severity.ERROR
    since = "" if finding.since_version is None else f"  since version {finding.since_version}"
    return [
        [
            "  ",
            Span(finding.code, "error" if is_error else "warning"),
            f"  {finding.subject}{since}",
        ],
        ["    expected  ", finding.expected],
        ["    found     ", finding.found],
    ]


@table_command
@click.option("--all", "every", is_flag=True, help="Check every version, not the newest only.")
@click.option("--data", is_flag=True, help="Read the footers of the data files, too.")
@click.option(
    "--repair", is_flag=True, help="Put right what can be made again from the log itself."
)
@OPTIONS["dry_run"]
def command(
    session: Session, table: str, *, every: bool, data: bool, repair: bool, dry_run: bool
) -> None:
    """Check the log of TABLE against itself, and on demand the data files.

    Without options the newest version and all that engines would read for it. Exit 0 if nothing
    is wrong, 5 if anything is; `deltactl explain CODE` tells what a finding means.

    --repair moves damaged checkpoints, checksums, compacted and side files aside, under names
    that no engine reads, and writes good ones. Nothing is deleted.

    \b
        deltactl verify-checksum ./events
        deltactl verify-checksum ./events --all --data -o json | jq .findings
        deltactl verify-checksum ./events --repair --dry-run
    """
    opened, scope = open_named(session, table), Scope(every=every, data=data)
    with session.progress("verifying") as bar:
        if repair:
            report = report_repair(opened, scope, bar.advance, dry_run=dry_run)
        else:
            report = report_verify(opened, scope, bar.advance)
    session.show(report)
