"""Verification: a table's log against itself, and on demand its data files."""

from deltactl.api.work import Work
from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.jobs import Job
from deltactl.table.table import Table
from deltactl.verify.report import (
    VerifyReport,
    plan_repair,
    repair_table,
    report_repair,
    report_verify,
)
from deltactl.verify.verifier import Scope


class Verifier:
    """Verifies one table, and repairs it; `reads_rows` has Spark read every row of it."""

    def __init__(
        self, table: Table, work: Work, *, every: bool, data: bool, reads_rows: bool
    ) -> None:
        self._table = table
        self._progress = work.progress
        self._scope = Scope(every=every, data=data, spark=work if reads_rows else None)
        if reads_rows:
            work.check(Job("verify", {"table": table.uri}, ""))

    def verify(self) -> VerifyReport:
        """Check the table; nothing is written."""
        with self._progress("verifying") as bar:
            return report_verify(self._table, self._scope, bar.advance)

    def plan_repair(self, options: CommitOptions) -> VerifyReport:
        """Check the table, and plan what the rest of the log can rebuild.

        Raises:
            ConflictError: the table is not at the version that it should be at.
        """
        with self._progress("verifying") as bar:
            return plan_repair(self._table, self._scope, options, bar.advance)

    def repair(self, planned: VerifyReport, options: CommitOptions) -> VerifyReport:
        """Carry out what was planned, and check the table again.

        Raises:
            DeltactlError: a rule forbids it, or the store refused; the message says what was done.
        """
        with self._progress("repairing") as bar:
            return report_repair(self._table, planned, self._scope, options, bar.advance)

    def repair_all(self, options: CommitOptions) -> VerifyReport:
        """Check the table, repair what is planned, and check it again."""
        with self._progress("repairing") as bar:
            return repair_table(self._table, self._scope, options, bar.advance)
