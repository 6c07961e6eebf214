"""`verify-checksum`: a table's log checked against itself, and on demand its data files too."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.executor import Clock
from deltactl.changes.jobs import JobRunner
from deltactl.errors import Notice, RefusedError
from deltactl.findings import Finding
from deltactl.log.segment import Checkpoint
from deltactl.report import Report, TableRef
from deltactl.spec.protocol.protocol import check_readable
from deltactl.table.commit_times import now
from deltactl.table.snapshot import unreadable
from deltactl.table.table import Table
from deltactl.table.version_facts import table_ref
from deltactl.verify import repair
from deltactl.verify.checkpoint import checkpoints
from deltactl.verify.gathered import Check, Findings
from deltactl.verify.log.places import check_hint, check_names, check_side_files
from deltactl.verify.newest import Newest
from deltactl.verify.repair import Repair, Repairer
from deltactl.verify.still_readable import is_readable, newest_readable
from deltactl.verify.walk import Walk

Advance = Callable[[int], None]

FAILED = 5


class Scope(NamedTuple):
    """What is checked: the newest version, or `every` one; with `data` also data files.

    Footers of data files are read here; with `spark` a job reads every row, too.
    """

    every: bool = False
    data: bool = False
    spark: JobRunner | None = None


NEWEST = Scope()


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
        return (finding.to_json() for _, finding in self.findings)


def report_verify(
    table: Table, scope: Scope = NEWEST, advance: Advance = lambda _: None
) -> VerifyReport:
    """Check the table.

    Raises:
        NotFoundError: the log holds no version.
    """
    findings = Findings()
    return _report(table, _check(table, scope, findings, advance), findings)


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
    findings, time = Findings(), clock()
    newest = _check(table, scope, findings, advance)
    options.check_version(newest.version)
    found = replace(_report(table, newest, findings), dry_run=options.dry_run)
    if not newest.is_sound:
        return replace(found, warnings=(*found.warnings, _lost(table, newest.version)))
    if above := table.log.listing().above_commits():
        return replace(found, warnings=(*found.warnings, _undecided(table, above[0])))
    planned = repair.plan(table, findings, time)
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


def _check(table: Table, scope: Scope, findings: Findings, advance: Advance) -> Newest:
    log = table.log
    listing = log.listing()
    log.check_not_empty(listing)
    check_names(log, findings)
    if scope.every:
        Walk(log, findings, advance).everything()
    newest = Newest(log, findings, advance, knows_commits=scope.every)
    newest.run()
    for finding in checkpoints.above_commits(listing):
        findings.take("checkpoints", [finding])
    check_hint(log, newest, findings)
    check_side_files(log, None if scope.every else newest.files_read, findings, advance)
    if scope.data:
        newest.check_data(scope.spark)
    if newest.is_sound and not listing.above_commits():
        repair.give_up_lost(listing, findings)
    else:
        # Without a version to end at, or a sure one, nothing is repaired.
        for name, files in list(findings.repairable.items()):
            findings.give_up(name, set(files))
    return newest


def _report(table: Table, newest: Newest, findings: Findings) -> VerifyReport:
    return VerifyReport(
        table=table_ref(table, newest.metadata),
        version=newest.version,
        checks=tuple(findings.checks.values()),
        findings=tuple(findings.held),
        warnings=(*_unsupported(newest), *_unfinished(table, newest)),
        exit_code=FAILED if findings.held else 0,
    )


def _unsupported(newest: Newest) -> Iterator[Notice]:
    """Yield that a log, sound as it is, is not one that deltactl can read a table from."""
    if newest.protocol is None:
        return
    try:
        check_readable(newest.protocol)
    except RefusedError as error:
        yield unreadable(error)


def _unfinished(table: Table, newest: Newest) -> Iterator[Notice]:
    """Yield the checkpoints that readers ignore; nothing is wrong with a log that has one."""
    if newest.is_sound:
        for checkpoint in table.log.listing().checkpoints:
            if checkpoint.is_unfinished:
                yield checkpoint.flaw()


def _undecided(table: Table, checkpoint: Checkpoint) -> Notice:
    """Report that only the user can say which version is the newest: commits, or a checkpoint."""
    last = max(table.log.listing().commits)
    said = (
        f"nothing was repaired: {checkpoint.files[0].name} may be all that is left of the versions "
        f"above {last}, or a foreign file. Restore their commits from a copy, or move it out of "
        "the log"
    )
    if is_readable(table, last):
        said += f"; --at {last} reads the table by its commits"
    return Notice("NOT_REPAIRABLE", said)


def _lost(table: Table, newest: int) -> Notice:
    """Return what is still to be had of a table whose newest version is not sound."""
    version = newest_readable(table)
    if version == newest:
        said = "a commit is not as the protocol wants it, and engines may differ on it"
    elif version is None:
        said = "no version of the table can be put together from what the log still has"
    else:
        said = f"what is lost is not in the log any more; --at {version} still reads the table"
    return Notice("NOT_REPAIRABLE", f"nothing was repaired: {said}")
