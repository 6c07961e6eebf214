"""`verify-checksum`: check a table's log, and its data files."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import click

from deltactl.api.verifying import Verifier
from deltactl.changes.file_changes import FileAction, LogFileChange
from deltactl.changes.jobs import Engine
from deltactl.cli.change_command import OPTIONS, ChangeOptions
from deltactl.cli.command_options import table_command
from deltactl.cli.render.blocks import (
    Block,
    Column,
    Fields,
    Grid,
    Heading,
    Label,
    Lines,
    Span,
    Style,
    view,
)
from deltactl.cli.render.words import count
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import work_of
from deltactl.cli.spark.spark_options import on_any_engine
from deltactl.cli.tables import open_named
from deltactl.errors import InvalidUsageError
from deltactl.findings import Finding, Severity
from deltactl.verify.findings import Check
from deltactl.verify.repair import Repair
from deltactl.verify.report import VerifyReport

SECTION = "Maintain"


@view.register
def _(report: VerifyReport) -> Iterable[Block]:
    if report.repair is not None and report.repaired:
        yield Lines([Span(f"Repaired: {_summary(report.repair)}. By now:", "added")])
    yield Grid(
        [Column("CHECK", fold=False), Column("LOOKED AT", "right", fold=False), Column("RESULT")],
        ([check.name, count(check.subjects), _result(check)] for check in report.checks),
    )
    told: set[tuple[str, bool]] = set()
    for check in report.checks:
        found = [finding for name, finding in report.findings if name == check.name]
        if not found:
            continue
        yield Heading(check.name)
        for finding in found:
            yield from _blocks(finding, report, told)
        if more := check.findings - len(found):
            yield Lines([Span(f"  and {count(more, 'finding')} more of these kinds", "dim")])
    if report.repair is not None and not report.repaired:
        yield from _repair(report.repair, any_found=bool(report.findings), dry_run=report.dry_run)
    yield Lines(_conclusion(report))


def _conclusion(report: VerifyReport) -> list[Label]:
    findings = sum(check.findings for check in report.checks)
    warnings = sum(check.warnings for check in report.checks)
    version = f"Version {report.version}"
    found = f"{version}: {_numbers(findings, warnings)}." if findings else f"{version} is sound."
    parts = ", ".join(f"{part.what} ({part.option})" for part in report.left_out)
    return [found, *([Span(f"Not looked at: {parts}.", "dim")] if parts else [])]


def _numbers(findings: int, warnings: int) -> str:
    numbers = ((findings - warnings, "error"), (warnings, "warning"))
    return ", ".join(count(number, what) for number, what in numbers if number)


def _repair(repair: Repair, *, any_found: bool, dry_run: bool) -> Iterable[Block]:
    if repair.is_empty:
        of_all = "Nothing of this can be repaired from the log."
        yield Lines([of_all if any_found else "Nothing to repair."])
        return
    yield Heading("to be repaired")
    checkpoints = (
        f"  write       a {kind.value} checkpoint of version {version}"
        for version, kind in repair.checkpoints
    )
    commits = (f"  commit      {commit.value}" for commit in repair.commits)
    yield Lines([*map(_change, repair.files), *checkpoints, *commits])
    if dry_run:
        yield Lines([Span("Dry run: nothing was written.", "warning")])


def _summary(repair: Repair) -> str:
    aside = sum(file.how is FileAction.MOVE_ASIDE for file in repair.files)
    put = len(repair.files) - aside
    numbers = (
        (aside, "file", "moved aside"),
        (put, "checksum", "written"),
        (len(repair.checkpoints), "checkpoint", "written"),
        (len(repair.commits), "commit", "made"),
    )
    return ", ".join(f"{count(number, what)} {done}" for number, what, done in numbers if number)


def _change(file: LogFileChange) -> Label:
    name = file.path.partition("/")[2]
    if file.how is FileAction.MOVE_ASIDE and file.target is not None:
        to = file.target.rpartition("/")[2]
        return ["  move aside  ", Span(name, "name"), f" → {to}  {file.what}"]
    return ["  write       ", Span(name, "name"), f"  {file.what}"]


def _result(check: Check) -> Label:
    if check.findings:
        is_error = check.findings > check.warnings
        return Span(_numbers(check.findings, check.warnings), "error" if is_error else "warning")
    if check.skipped is not None:
        return Span(check.skipped, "dim")
    return ["ok", *([Span(f", {check.detail}", "dim")] if check.detail else [])]


def _blocks(finding: Finding, report: VerifyReport, told: set[tuple[str, bool]]) -> Iterator[Block]:
    """Yield a finding; the first of a kind says what it means, and what to type.

    `told` are the kinds that were shown, by code and whether they can be repaired.
    """
    style: Style = "error" if finding.severity is Severity.ERROR else "warning"
    since = "" if finding.since_version is None else f"  since version {finding.since_version}"
    kind = Span(f"{finding.severity}  {finding.code}", style)
    yield Heading(["  ", kind, f"  {finding.subject}{since}"])
    facts: list[tuple[str, Label]] = [("expected", finding.expected), ("found", finding.found)]
    if (finding.code, finding.repairable) not in told:
        told.add((finding.code, finding.repairable))
        facts.append(("means", report.meaning_of(finding)))
        is_planned = finding.repairable and report.repair is not None and not report.dry_run
        if not is_planned:
            command = Span(report.next_command(finding), "name")
            facts.append(("repair" if finding.repairable else "next", command))
    yield Fields([(f"    {label}", fact) for label, fact in facts])


@table_command
@click.option("--all", "every", is_flag=True, help="Check every version, not only the newest.")
@click.option("--data", is_flag=True, help="Also check the data files.")
@click.option("--repair", is_flag=True, help="Repair what can be rebuilt from the log.")
@OPTIONS["dry_run"]
@OPTIONS["yes"]
@OPTIONS["if_version"]
@OPTIONS["message"]
@on_any_engine
def command(
    session: Session, table: str, *, every: bool, data: bool, repair: bool, **chosen: Any
) -> None:
    """Check the log of TABLE, and with --data its data files.

    Without options, it checks the newest version and every log file that engines would read for
    it. It exits 0 if it finds nothing, and 5 for any finding, even a warning. An error breaks a
    rule that engines rely on; most clients tolerate a warning. `deltactl explain CODE` explains a
    finding.

    --data looks for the data files and reads their footers, always on this machine. With --engine
    spark, a Spark job then reads every row. It checks row counts, null counts, bounds, CHECK
    constraints, NOT NULL, generated columns, invariants and the values of identity columns.

    --repair moves damaged checkpoints, checksum files, compacted files and Hadoop's side files
    (.NAME.crc) aside, to names that no engine reads. It then writes good ones. It deletes nothing.
    Afterwards it checks again, and exits 5 if there are findings left.

    \b
        deltactl verify-checksum ./events
        deltactl verify-checksum ./events --all --data -o json | jq .findings
        deltactl verify-checksum ./events --data --engine spark
        deltactl verify-checksum ./events --repair --dry-run
    """
    if not repair and any(value not in (None, False) for value in chosen.values()):
        said = "--dry-run, --yes, --expect-version and -m go with --repair"
        raise click.UsageError(said)
    called = session.invocation.words_of(table)
    options = ChangeOptions(**chosen, exit_code=False).commit_options(called)
    on_spark = Engine(session.settings.engine) is Engine.SPARK
    # A setting for all commands is not a wish for this one.
    if on_spark and not data and session.settings.origins["engine"] == "command line":
        raise InvalidUsageError(
            "USAGE",
            "--engine spark goes with --data: without it no data file is looked at",
            hint=f"deltactl verify-checksum {called} --data --engine spark",
        )
    verifier = Verifier(
        open_named(session, table),
        work_of(session),
        every=every,
        data=data,
        reads_rows=on_spark and data,
    )
    report = verifier.plan_repair(options) if repair else verifier.verify()
    report = replace(report, called=called)
    if report.is_to_be_repaired:
        if session.settings.output == "text" and not session.settings.quiet:
            session.show(replace(report, warnings=()), is_last=False)
        report = replace(verifier.repair(report, options), called=called)
    session.show(report)
