"""How a log is checked, from names to data files, as far as the scope says."""

from collections.abc import Callable
from typing import NamedTuple

from deltactl.changes.jobs import JobRunner
from deltactl.errors import DeltactlError
from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.table.log import TableLog
from deltactl.verify.checkpoint import checkpoints
from deltactl.verify.data.data_files import ExpectedColumns, check_change_files, check_data
from deltactl.verify.data.row_rules import has_rules
from deltactl.verify.data.rows_on_spark import ROWS, Known, VerifiedVersion, check_rows
from deltactl.verify.every_version import EveryVersion
from deltactl.verify.file_checks import FileChecks
from deltactl.verify.files.vectors import OF_VECTOR, VECTORS
from deltactl.verify.findings import Findings
from deltactl.verify.log.log_folder import check_hint, check_names, check_side_files
from deltactl.verify.newest_version import NewestVersion

Advance = Callable[[int], None]


class Scope(NamedTuple):
    """What is checked: the newest version, or `every` one; with `data` also data files.

    Footers of data files are read here; with `spark` a job reads every row, too.
    """

    every: bool = False
    data: bool = False
    spark: JobRunner | None = None


NEWEST = Scope()
UNREADABLE = "the table cannot be read"


class LogVerifier:
    """Checks a log as far as `scope` says, and keeps what it found in `findings`.

    The order of work stands here, and each check of a file of the log in `FileChecks`. The scope
    chooses how versions are put together to be compared with these files: only the newest one, or
    every one before that, too.
    """

    def __init__(
        self, log: TableLog, scope: Scope = NEWEST, advance: Advance = lambda _: None
    ) -> None:
        self.findings = Findings()
        self._log = log
        self._scope = scope
        self._advance = advance
        self._checks = FileChecks(log, self.findings, advance)
        self._newest = NewestVersion(self._checks, knows_commits=scope.every)

    @property
    def version(self) -> int:
        return self._newest.version

    @property
    def protocol(self) -> Protocol | None:
        return self._newest.protocol

    @property
    def metadata(self) -> Metadata | None:
        return self._newest.metadata

    @property
    def is_sound(self) -> bool:
        """Whether the newest version can be put together."""
        return self._newest.is_sound

    def run(self) -> None:
        """Check everything in the scope.

        Raises:
            NotFoundError: the log holds no version.
            SparkError: Spark is not there, or its job failed.
        """
        log, findings, newest = self._log, self.findings, self._newest
        log.check_not_empty(log.listing())
        check_names(log, findings)
        if self._scope.every:
            EveryVersion(self._checks).run()
        newest.run()
        for finding in checkpoints.above_commits(log.listing()):
            findings.add("checkpoints", [finding])
        check_hint(log, newest.contents, findings)
        names = None if self._scope.every else newest.files_read
        check_side_files(log, names, findings, self._advance)
        if self._scope.data:
            self._data()
        findings.close("nothing to check" if newest.is_sound else UNREADABLE)

    def _data(self) -> None:
        """Look at the data files, too: at their footers, and on Spark at every row."""
        newest, storage, metadata = self._newest, self._log.storage, self._newest.metadata
        check = self.findings.check("data files")
        if not newest.is_sound or metadata is None:
            check.skipped = UNREADABLE
            return
        try:
            columns = ExpectedColumns(metadata)
        except DeltactlError as error:
            check.skipped = error.message
            return
        found, known = check_data(storage, columns, newest.files(), check, self._advance), Known()
        self.findings.add("data files", known.noting(found))
        if self._scope.spark is not None:
            self._rows(self._scope.spark, metadata, known)
        elif has_rules(metadata, newest.protocol):
            self.findings.check(ROWS).skipped = "rules for rows: only --engine spark reads rows"
        feed = check_change_files(storage, newest.change_files, check, self._advance)
        self.findings.add("data files", feed)

    def _rows(self, spark: JobRunner, metadata: Metadata, known: Known) -> None:
        newest = self._newest
        assert newest.protocol is not None
        broken = (found.subject for name, found in self.findings.kept if name == VECTORS)
        left_out = {subject.removeprefix(OF_VECTOR) for subject in broken}
        version = VerifiedVersion(
            self._log.storage, newest.version, metadata, newest.protocol, left_out
        )
        check_rows(spark, version, newest.files(), self.findings, known)
