"""`verify-checksum`: a table's log checked against itself, and on demand its data files too."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.plan_executor import Clock
from deltactl.errors import Notice, RefusedError
from deltactl.explanations import explanations
from deltactl.findings import Finding
from deltactl.report import Report, TableRef
from deltactl.spec.protocol.protocol import check_readable
from deltactl.table.commit_times import now
from deltactl.table.snapshot import unreadable
from deltactl.table.table import Table
from deltactl.table.version_facts import table_ref
from deltactl.verify import repair
from deltactl.verify.findings import Check
from deltactl.verify.next_steps import LeftOut, left_out, next_command
from deltactl.verify.repair import Repair, Repairer
from deltactl.verify.unrepairable import give_up, nothing_to_repair
from deltactl.verify.verifier import NEWEST, Advance, LogVerifier, Scope

FAILED = 5


@dataclass(frozen=True, kw_only=True)
class VerifyReport(Report):
    """Every check with what it found; `findings` holds a limited number for one code and check.

    After a repair both are those of the log as it is by then.
    """

    table: TableRef
    version: int
    checks: tuple[Check, ...]
    findings: tuple[tuple[str, Finding], ...]
    repair: Repair | None = None
    dry_run: bool = False
    repaired: bool = False
    left_out: tuple[LeftOut, ...] = ()
    # How commands to type next name the table.
    called: str | None = None
    warnings: tuple[Notice, ...] = ()
    exit_code: int = field(default=0)

    @property
    def is_to_be_repaired(self) -> bool:
        """Whether there is something that carrying out the repair changes."""
        return not (self.repair is None or self.repair.is_empty or self.dry_run or self.repaired)

    @property
    def done(self) -> str | None:
        return "the log was repaired" if self.repaired else None

    def body(self) -> Mapping[str, Any]:
        return {
            "version": self.version,
            "checks": [check.to_json() for check in self.checks],
            "findings": list(self.elements()),
            "notLookedAt": [part._asdict() for part in self.left_out],
            "repair": self.repair
            and {
                "done": self.repaired,
                "files": [file.to_json() for file in self.repair.files],
                "commits": [commit.value for commit in self.repair.commits],
                "checkpoints": [
                    {"version": version, "kind": kind.value}
                    for version, kind in self.repair.checkpoints
                ],
            },
        }

    def elements(self) -> Iterator[Mapping[str, Any]]:
        return (
            {
                **finding.to_json(),
                "meaning": self.meaning_of(finding),
                "next": self.next_command(finding),
            }
            for _, finding in self.findings
        )

    def meaning_of(self, finding: Finding) -> str:
        """Return in one sentence what the finding means for those who use the table."""
        return explanations()[finding.code].meaning

    def next_command(self, finding: Finding) -> str:
        """Return the command that mends what was found, or the one that says what to do."""
        return next_command(finding, self.called)


def report_verify(
    table: Table, scope: Scope = NEWEST, advance: Advance = lambda _: None
) -> VerifyReport:
    """Check the table.

    Raises:
        NotFoundError: the log holds no version.
    """
    return _report(table, _verified(table, scope, advance), scope)


def plan_repair(
    table: Table,
    scope: Scope,
    options: CommitOptions,
    advance: Advance = lambda _: None,
    clock: Clock = now,
) -> VerifyReport:
    """Check the table, and plan how to put right what the log can give again.

    Raises:
        NotFoundError: the log holds no version.
        ConflictError: the table is not at the version that it is to be at.
    """
    time = clock()
    verifier = _verified(table, scope, advance)
    options.check_version(verifier.version)
    found = replace(_report(table, verifier, scope), dry_run=options.dry_run)
    stop = nothing_to_repair(table, verifier.version, is_sound=verifier.is_sound)
    if stop is not None:
        return replace(found, warnings=(*found.warnings, stop))
    planned = repair.plan(table, verifier.findings, time)
    return replace(found, repair=planned, warnings=(*found.warnings, *planned.kept))


def report_repair(
    table: Table,
    planned: VerifyReport,
    scope: Scope,
    options: CommitOptions,
    advance: Advance = lambda _: None,
) -> VerifyReport:
    """Carry out the repair that was planned, and check the table once more.

    Raises:
        DeltactlError: a rule forbids it, the store refused, or the user ended it; the message says
            what was done, and stays.
    """
    assert planned.repair is not None
    repairer = Repairer(table, planned.repair, options)
    repairer.execute()
    try:
        again = report_verify(Table(table.storage), scope, advance)
    except KeyboardInterrupt:
        raise repairer.interrupted() from None
    return replace(again, repair=planned.repair, repaired=True, warnings=planned.warnings)


def repair_table(
    table: Table,
    scope: Scope,
    options: CommitOptions,
    advance: Advance = lambda _: None,
) -> VerifyReport:
    """Check the table, repair what the log can give again, and report what is left.

    Nothing is written in a dry run, or if there is nothing to repair.

    Raises:
        NotFoundError: the log holds no version.
        DeltactlError: a rule forbids it, the store refused, or the user ended it; the message says
            what was done, and stays.
    """
    planned = plan_repair(table, scope, options, advance)
    if not planned.is_to_be_repaired:
        return planned
    return report_repair(table, planned, scope, options, advance)


def _verified(table: Table, scope: Scope, advance: Advance) -> LogVerifier:
    """Check the table, and settle what of the findings can be repaired."""
    verifier = LogVerifier(table.log, scope, advance)
    verifier.run()
    give_up(table.log.listing(), verifier.findings, is_sound=verifier.is_sound)
    return verifier


def _report(table: Table, verifier: LogVerifier, scope: Scope) -> VerifyReport:
    findings = verifier.findings
    return VerifyReport(
        table=table_ref(table, verifier.metadata),
        version=verifier.version,
        checks=tuple(findings.checks.values()),
        findings=tuple(findings.kept),
        left_out=tuple(left_out(scope, verifier.version, findings.checks)),
        warnings=(*_unsupported(verifier), *_unfinished(table, verifier)),
        exit_code=FAILED if findings.kept else 0,
    )


def _unsupported(verifier: LogVerifier) -> Iterator[Notice]:
    """Yield that deltactl cannot read the table, sound as its log is."""
    if verifier.protocol is None:
        return
    try:
        check_readable(verifier.protocol)
    except RefusedError as error:
        yield unreadable(error)


def _unfinished(table: Table, verifier: LogVerifier) -> Iterator[Notice]:
    """Yield the checkpoints that readers ignore; nothing is wrong with a log that has one."""
    if verifier.is_sound:
        for checkpoint in table.log.listing().checkpoints:
            if checkpoint.is_unfinished:
                yield checkpoint.flaw()
