"""A table as an object: every call reads it again, and changes are planned, then committed."""

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from os import PathLike, fspath
from typing import TYPE_CHECKING

from deltactl.api import convert, maintenance, values
from deltactl.api.arguments import checks_arguments, wrong
from deltactl.api.executing import execute, raise_refusal
from deltactl.api.groups import Changes, Columns, Constraints, Domains, Plans, Properties
from deltactl.api.reading.lazy_module import LazyModule
from deltactl.api.reading.reports import Reports
from deltactl.api.saved.files import check_table
from deltactl.api.saved.plans import request_of
from deltactl.api.spark import spark_access
from deltactl.api.verbs.verbs import Options, Spark, SparkSession
from deltactl.api.work import Bar, Planner, Progress, Request, Work, checked_progress
from deltactl.changes import saved_plan
from deltactl.changes.change_report import ChangeReport
from deltactl.changes.commit_options import CommitOptions, Names
from deltactl.errors import Notice
from deltactl.log.paths import is_absolute
from deltactl.storage.options.settings import StoreSettings
from deltactl.table.table import At, Table, open_table
from deltactl.text.hints import words_of

if TYPE_CHECKING:
    from deltactl.api import checkpointing, verifying
else:
    checkpointing = LazyModule("deltactl.api.checkpointing")
    verifying = LazyModule("deltactl.api.verifying")

LOG = logging.getLogger("deltactl")
LOG.addHandler(logging.NullHandler())


class _NoBar:
    """Counts nothing."""

    def advance(self, amount: int = 1) -> None:
        pass


def _working_folder() -> str | None:
    """Return the folder that the program works in; None if it was deleted."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


def _no_progress(label: str) -> AbstractContextManager[Bar]:
    return nullcontext(_NoBar())


class DeltaTable(Changes[values.Result]):
    """A Delta table; `deltactl.open` makes one.

    Nothing of the table is kept: every call sees what other writers have committed. An object can
    be used from several threads. A call that changes the table commits without a question:
    `plan` shows first what would happen.

    >>> import deltactl
    >>> table = deltactl.open("./events")
    >>> table.version
    0
    >>> [(column.path, column.type) for column in table.columns.list()]
    [('id', 'integer'), ('amount', 'integer')]
    >>> table.properties.set({"owner.team": "billing"}, message="who owns it").version
    1
    >>> table.columns.comment("amount", "in cents").plan.undo.commands
    ("deltactl column comment ./events amount ''",)
    >>> [(commit.version, commit.operation) for commit in table.history(limit=2)]
    [(2, 'CHANGE COLUMN'), (1, 'SET TBLPROPERTIES')]

    Attributes:
        uri: the path or URL of the table.
        plan: every change as a plan; nothing is written.
        reports: every look at the table as commands print it: `show`, `protocol`, `log`, ...
        columns: the columns: `list`, `add`, `drop`, `rename`, ...
        properties: the properties: `list`, `set`, `unset`, ...
        constraints: the constraints: `list`, `add`, `drop`.
        domains: the metadata domains: `list`, `set`, `unset`.
        features: the table features: `enable`, `drop`, `upgrade`.
    """

    @checks_arguments
    def __init__(
        self,
        uri: str | PathLike[str],
        *,
        storage_options: Mapping[str, str] | None = None,
        timeout: float = 60.0,
        progress: Progress = _no_progress,
    ) -> None:
        super().__init__(self._change)
        self.uri = fspath(uri)
        self._folder = _working_folder()
        self._settings = StoreSettings(dict(storage_options or {}), timeout)
        self._progress = checked_progress(progress)
        self.reports = Reports(self._opened, self._progress)
        self.plan = Plans(self._planned)
        self.columns = Columns(self._change, self.reports)
        self.properties = Properties(self._change, self.reports)
        self.constraints = Constraints(self._change, self.reports)
        self.domains = Domains(self._change, self.reports)

    def __repr__(self) -> str:
        return f"DeltaTable({self.uri!r})"

    @property
    def version(self) -> int:
        """The newest version."""
        return self._opened().snapshot().version

    @property
    def schema(self) -> values.Schema:
        """The schema of the newest version."""
        return convert.schema(self._opened().snapshot())

    @property
    def protocol(self) -> values.Protocol:
        """The protocol of the newest version."""
        found = self._opened().snapshot().protocol
        return values.Protocol(
            min_reader_version=found.min_reader_version,
            min_writer_version=found.min_writer_version,
            reader_features=found.reader_features,
            writer_features=found.writer_features,
        )

    @checks_arguments
    def history(
        self, limit: int | None = None, *, since: datetime | None = None
    ) -> tuple[values.Commit, ...]:
        """Return the commits, newest first; at most `limit` of them, none before `since`."""
        report = self.reports.history(limit=limit, since=since)
        self._tell(report.warnings)
        return tuple(map(convert.commit, report.commits))

    @checks_arguments
    def detail(self, *, at: At = None, rows: bool = False) -> values.Detail:
        """Return the table in figures; `rows` counts rows even if that takes a while."""
        report = self.reports.show(at=at, rows=rows)
        self._tell(report.warnings)
        return convert.detail(report)

    @checks_arguments
    def files(self, *, at: At = None, limit: int | None = None) -> Iterator[values.DataFile]:
        """Return the live files of one version, read as they are asked for."""
        return convert.files(self.reports.files(at=at, limit=limit))

    @checks_arguments
    def apply(
        self,
        plan: values.Plan | values.SavedPlan,
        *,
        if_version: int | None = None,
        message: str | None = None,
        spark: Spark | SparkSession | None = None,
    ) -> values.Result:
        """Commit a plan of `plan`.

        >>> table = deltactl.open("./events")
        >>> plan = table.plan.widen({"amount": "long"}, enable=True)
        >>> [(change.kind, change.path) for change in plan.changes]
        [('widened', 'amount'), ('property', 'delta.enableTypeWidening')]
        >>> plan.refusals
        ()
        >>> table.apply(plan, if_version=0, message="amounts grow").version
        1

        Args:
            plan: the plan, one of `load_plan` too; only what it says is done.
            if_version: raise ConflictError unless the table is at this version.
            message: kept in the commit, as userMetadata.
            spark: where Spark runs, if the change needs it; or a session to run in.

        Raises:
            RefusedError: the plan has refusals, or a saved plan is for another table.
            ConflictError: the table has changed since the plan was made.
        """
        saved, asked = self._kept(plan)

        def request(work: Work) -> Planner:
            return saved_plan.bound(saved, asked(work))

        options = Options(if_version=if_version, message=message, spark=spark)
        return self._result(asked, self._execute(request, options, saved.names))

    def _kept(self, plan: values.Plan | values.SavedPlan) -> tuple[saved_plan.SavedPlan, Request]:
        """Return what is kept of the plan, and the request."""
        if isinstance(plan, values.SavedPlan):
            check_table(plan.saved, "the file", self._opened().uri, self.uri)
            return plan.saved, request_of(plan.saved)
        if words_of(plan.report.table.uri) != words_of(self._opened().uri):
            raise wrong("plan", f"plan is for {plan.report.table.uri}, not for {self.uri}")
        raise_refusal(plan.report)
        # The same text as of a saved plan: what is kept of a plan, and compared, is one thing.
        text = saved_plan.to_text(plan.report, (), {})
        return saved_plan.parse(text, "plan"), plan.request

    @checks_arguments
    def checkpoint(
        self,
        *,
        kind: "checkpointing.KindName | None" = None,
        parts: int | None = None,
        at: At = None,
        repair: bool = False,
        dry_run: bool = False,
        if_version: int | None = None,
        spark: Spark | SparkSession | None = None,
    ) -> maintenance.Checkpoint:
        """Write a checkpoint; one that exists, and is whole, stays.

        Args:
            kind: what Spark would write, by default.
            parts: how many parts, or sidecars.
            at: the version or the time, by default the newest version.
            repair: move a damaged checkpoint aside, and write a good one.
            dry_run: plan, and write nothing.
            if_version: raise ConflictError unless the table is at this version.
            spark: where Spark runs, if it is to write the files.
        """
        if parts is not None and not 1 <= parts <= 10_000:
            raise wrong("parts", f"parts must be 1 to 10,000, not {parts}")
        options = CommitOptions(called=words_of(self.uri), dry_run=dry_run, if_version=if_version)
        with self._work(spark) as work:
            report = checkpointing.write_checkpoint(
                self._opened(), work, options, kind=kind, parts=parts, repair=repair, at=at
            )
        raise_refusal(report)
        self._tell(report.warnings)
        facts = report.checkpoint
        return maintenance.Checkpoint(
            version=report.plan.read_version,
            kind=None if facts is None else str(facts.kind),
            wrote=report.wrote,
            files=tuple(file.path for file in report.plan.files),
        )

    @checks_arguments
    def verify(
        self, *, every: bool = False, data: bool = False, spark: Spark | SparkSession | None = None
    ) -> maintenance.Verification:
        """Check the log against itself, and on demand the data files; nothing is written.

        Args:
            every: every version, not the newest only.
            data: also the data files.
            spark: with `data`, read every row there, if its engine is `spark`, or in this session.
        """
        with self._work(spark) as work:
            report = self._verifier(work, spark, every=every, data=data).verify()
        self._tell(report.warnings)
        return convert.verification(report)

    @checks_arguments
    def repair(
        self,
        *,
        every: bool = False,
        data: bool = False,
        dry_run: bool = False,
        if_version: int | None = None,
        message: str | None = None,
        spark: Spark | SparkSession | None = None,
    ) -> maintenance.Repair:
        """Repair what the rest of the log can rebuild; nothing is deleted.

        Damaged checkpoints, checksums, compacted and side files are moved aside, under names that
        no engine reads, and good ones are written.

        >>> table = deltactl.open("./events")
        >>> found = table.repair()
        >>> (found.done, found.verification.is_sound)
        (False, True)

        Args:
            every: look for damage in every version, not in the newest only.
            data: also in the data files.
            dry_run: plan, and write nothing.
            if_version: raise ConflictError unless the table is at this version.
            message: kept in the commits, as userMetadata.
            spark: with `data`, read every row there, if its engine is `spark`, or in this session.
        """
        options = CommitOptions(
            called=words_of(self.uri), dry_run=dry_run, if_version=if_version, message=message
        )
        with self._work(spark) as work:
            report = self._verifier(work, spark, every=every, data=data).repair_all(options)
        self._tell(report.warnings)
        return convert.repair(report)

    def _verifier(
        self, work: Work, spark: Spark | SparkSession | None, *, every: bool, data: bool
    ) -> "verifying.Verifier":
        may_read = spark.engine == "spark" if isinstance(spark, Spark) else spark is not None
        return verifying.Verifier(
            self._opened(), work, every=every, data=data, reads_rows=data and may_read
        )

    def _opened(self) -> Table:
        # A store keeps what it has read: what others have written since shows in a new one.
        return open_table(self._place, self._settings)

    @property
    def _place(self) -> str:
        """The table as it was named; from where it was named, if the program has gone elsewhere."""
        if self._folder in (None, _working_folder()) or is_absolute(self.uri):
            return self.uri
        return os.path.join(self._folder, self.uri)

    def _work(self, spark: Spark | SparkSession | None) -> Work:
        return Work(spark_access(spark, self._settings), self._progress)

    def _planned(self, request: Request, options: Options) -> values.Plan:
        for name in options:
            if name != "spark":
                raise wrong(name, f"{name} goes with a change: a plan writes nothing")
        report = self._execute(request, {**options, "dry_run": True})
        return convert.plan(request, report)

    def _change(self, request: Request, options: Options) -> values.Result:
        return self._result(request, self._execute(request, options))

    def _execute(
        self, request: Request, options: Options, names: Names | None = None
    ) -> ChangeReport:
        commit_options = CommitOptions(
            called=words_of(self.uri),
            dry_run=options.get("dry_run", False),
            if_version=options.get("if_version"),
            message=options.get("message"),
            once=options.get("once"),
        )
        with self._work(options.get("spark")) as work:
            return execute(self._opened(), request, work, commit_options, names)

    def _result(self, request: Request, report: ChangeReport) -> values.Result:
        raise_refusal(report)
        self._tell(report.warnings)
        if report.version is not None:
            LOG.info("%s: version %d, %s", self.uri, report.version, report.plan.operation)
        return values.Result(
            version=report.version, plan=convert.plan(request, report), warnings=report.warnings
        )

    def _tell(self, warnings: tuple[Notice, ...]) -> None:
        for notice in warnings:
            LOG.warning("%s: %s [%s]", self.uri, notice.message, notice.code)


@checks_arguments
def open(
    uri: str | PathLike[str],
    *,
    storage_options: Mapping[str, str] | None = None,
    timeout: float = 60.0,
    progress: Progress = _no_progress,
) -> DeltaTable:
    """Return the table at a path or a URL.

    No configuration file is read. Whether there is a table is known at the first call.

    >>> table = deltactl.open("./events", timeout=10)
    >>> table
    DeltaTable('./events')
    >>> table.widen({"id": "date"})
    Traceback (most recent call last):
    ...
    deltactl.errors.RefusedError: id is int, which cannot become date without rewriting data
    >>> deltactl.open("./nothing").version
    Traceback (most recent call last):
    ...
    deltactl.errors.NotFoundError: no table at ./nothing: ...

    Args:
        uri: a path, or a URL: `file:// s3:// gs:// abfss:// hdfs://`.
        storage_options: options of the store, such as `AWS_REGION`.
        timeout: how many seconds the store may take for an answer.
        progress: shows how far long calls are.
    """
    return DeltaTable(uri, storage_options=storage_options, timeout=timeout, progress=progress)
