"""`verify-checksum`: a table's log checked against itself, and on demand its data files too."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from deltactl.errors import Notice
from deltactl.log.verify.finding import Finding
from deltactl.operations.report import Report, TableRef
from deltactl.operations.verify.gathered import Check, Findings
from deltactl.operations.verify.newest import Newest
from deltactl.operations.verify.places import check_hint, check_names, check_side_files
from deltactl.operations.verify.walk import Walk
from deltactl.operations.version_facts import table_ref
from deltactl.table.table import Table

Advance = Callable[[int], None]

FAILED = 5


@dataclass(frozen=True, kw_only=True)
class VerifyReport(Report):
    """Every check with what it found; `findings` holds at most so many of one code and check."""

    table: TableRef
    version: int
    checks: tuple[Check, ...]
    findings: tuple[tuple[str, Finding], ...]
    warnings: tuple[Notice, ...] = ()
    exit_code: int = field(default=0)

    def body(self) -> Mapping[str, Any]:
        return {
            "version": self.version,
            "checks": [check.to_json() for check in self.checks],
            "findings": list(self.elements()),
        }

    def elements(self) -> Iterator[Mapping[str, Any]]:
        return (finding.to_json() for _, finding in self.findings)


def report_verify(
    table: Table, *, every: bool = False, data: bool = False, advance: Advance = lambda _: None
) -> VerifyReport:
    """Check the newest state of the table, or with `every` each version that there is.

    With `data` the data files of the newest state are read, too.

    Raises:
        NotFoundError: the log holds no version.
    """
    log = table.log
    listing = log.listing()
    log.check_not_empty(listing)
    findings = Findings()
    check_names(listing, findings)
    walk = Walk(log, findings, advance)
    if every:
        walk.everything()
    newest = Newest(log, findings, advance, knows_commits=every)
    newest.run()
    check_hint(log, newest, findings)
    check_side_files(log, None if every else newest.files_read, findings, advance)
    if data:
        newest.check_data()
    return VerifyReport(
        table=table_ref(table, newest.metadata),
        version=newest.version,
        checks=tuple(findings.checks.values()),
        findings=tuple(findings.held),
        exit_code=FAILED if findings.held else 0,
    )
