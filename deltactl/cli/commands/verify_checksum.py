"""`verify-checksum`: is a table's log in keeping with itself, and with its files."""

from collections.abc import Iterable

import click

from deltactl.cli.context import Session
from deltactl.cli.options import table_command
from deltactl.cli.render.blocks import Block, Column, Grid, Heading, Label, Lines, Span, view
from deltactl.cli.render.words import count
from deltactl.cli.tables import open_named
from deltactl.log.verify.finding import Finding, Severity
from deltactl.operations.verify.gathered import Check
from deltactl.operations.verify_checksum import VerifyReport, report_verify

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
    total = sum(check.findings for check in report.checks)
    version = f"Version {report.version}"
    yield Lines([f"{version}: {count(total, 'finding')}." if total else f"{version} is sound."])


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
def command(session: Session, table: str, *, every: bool, data: bool) -> None:
    """Check the log of TABLE against itself, and on demand the data files.

    Without options the newest version and all that engines would read for it. Exit 0 if nothing
    is wrong, 5 if anything is; `deltactl explain CODE` tells what a finding means.

    \b
        deltactl verify-checksum ./events
        deltactl verify-checksum ./events --all --data -o json | jq .findings
    """
    with session.progress("verifying") as bar:
        report = report_verify(
            open_named(session, table), every=every, data=data, advance=bar.advance
        )
    session.show(report)
