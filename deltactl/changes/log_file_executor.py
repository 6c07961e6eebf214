"""From a plan to files of the log: made and checked on this machine, then put one by one."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from deltactl.changes.change_report import PlanReport
from deltactl.changes.commit_options import CommitOptions, FreshNames
from deltactl.changes.draft import Draft
from deltactl.changes.executor import Clock
from deltactl.changes.file_changes import FileAction, PreparedFile
from deltactl.changes.jobs import Job, SparkCheck, checked
from deltactl.changes.plan import LogFilePlan
from deltactl.errors import DeltactlError, InterruptedRunError, Notice, StorageError
from deltactl.storage.base import InterruptedWriteError
from deltactl.table.commit.log_files import (
    HINT,
    Stored,
    advance_hint,
    clear_abandoned_scratch,
    is_moved,
    is_put,
    move_aside,
    put_new,
    take_back,
)
from deltactl.table.commit_times import now
from deltactl.table.snapshot import Snapshot
from deltactl.table.table import At, Table
from deltactl.table.version_facts import table_ref

# Plans from a draft of the version that was asked for, and from the table as it is now.
FilePlanner = Callable[[Draft, Snapshot], LogFilePlan]


@dataclass(frozen=True, kw_only=True)
class LogFilesReport(PlanReport):
    """A plan for files of the log, and what became of it: `put` are those that were written."""

    plan: LogFilePlan
    wrote: bool = False
    put: tuple[PreparedFile, ...] = ()

    @property
    def done(self) -> str | None:
        return f"written: {', '.join(file.path for file in self.put)}" if self.put else None


R = TypeVar("R", bound=LogFilesReport)


class LogFileExecutor(Generic[R]):
    """Carries out one plan for files of one table's log; it makes no version.

    `at` is the version or the time that it is about, None for the newest. `report` is the kind of
    report that it gives.
    """

    def __init__(
        self,
        table: Table,
        planner: FilePlanner,
        options: CommitOptions,
        report: type[R],
        *,
        at: At = None,
        check_spark: SparkCheck | None = None,
        clock: Clock = now,
    ) -> None:
        self._table = table
        self._planner = planner
        self._options = options
        self._kind = report
        self._at = at
        self._check_spark = check_spark
        self._fresh = FreshNames()
        self._clock = clock
        # What has been moved aside, and written, by the names that it has now.
        self.done: list[str] = []
        self._in_doubt: str | None = None

    def execute(self) -> R:
        """Plan, and change the files unless it is a dry run, or a rule forbids it.

        Files are made and checked on this machine first; then what is damaged is moved aside, and
        the new ones are put in their order. What leads readers to them comes last.

        Raises:
            ConflictError: another writer put one of the files first.
            OutcomeUnknownError: the store does not say whether a file was put.
            InterruptedRunError: the user ended it; the message says what was written.
            StorageError: the store refused, or what was made is not what was to be made.
            BrokenLogError: the log contradicts the protocol.
        """
        try:
            return self._carry_out()
        except KeyboardInterrupt:
            raise self.interrupted() from None

    def interrupted(self) -> InterruptedRunError:
        """Return what is true after Ctrl-C."""
        said = [f"written: {', '.join(self.done)}"] if self.done else []
        if self._in_doubt is not None:
            said.append(f"whether {self._in_doubt} was written is not known")
        known = "; ".join(said) or "nothing was written"
        hint = "run it again: it continues from what is there" if said else None
        return InterruptedRunError("INTERRUPTED", f"interrupted; {known}", hint=hint)

    def _carry_out(self) -> R:
        snapshot = self._table.snapshot(self._at)
        newest = snapshot if self._at is None else self._table.snapshot()
        self._options.check_version(newest.version)
        draft = Draft(
            snapshot, now=self._clock(), fresh=self._fresh, check_spark=self._spark_notice
        )
        plan = self._planner(draft, newest)
        if self._options.called is not None:
            plan = plan.naming(self._options.called, self._table.uri)
        if plan.refusals or plan.is_empty or self._options.dry_run:
            return self._report(plan)
        with _folder() as folder, self._cleared(plan.scratch):
            ready = plan.prepare(folder)
            self._change(plan, ready)
        return self._report(plan, wrote=True, put=tuple(ready))

    @contextmanager
    def _cleared(self, scratch: str | None) -> Iterator[None]:
        if scratch is None:
            yield
            return
        clear_abandoned_scratch(self._table.storage, self._clock())
        try:
            yield
        finally:
            self._table.storage.clear(scratch)

    def _spark_notice(self, job: Job) -> Notice | None:
        if self._check_spark is None:
            return None
        return checked(self._check_spark, job, dry_run=self._options.dry_run)

    def _change(self, plan: LogFilePlan, ready: Sequence[PreparedFile]) -> None:
        storage = self._table.storage
        for change in plan.files:
            if change.how is FileAction.MOVE_ASIDE:
                assert change.target is not None
                names = storage, change.path, change.target
                with self._step(change.target, partial(is_moved, *names)):
                    move_aside(*names)
        files = [file for file in ready if file.path != HINT]
        put: list[Stored] = []
        try:
            for file in files:
                path, data, local = file.path, file.data, file.local_file
                asked = partial(is_put, storage, path, data=data, local_file=local)
                with self._step(path, asked):
                    if put_new(storage, path, data=data, local_file=local):
                        put.append(Stored(path, data, local))
        except DeltactlError:
            # Parts of two writers together are a checkpoint that says neither's state.
            if plan.as_one:
                take_back(storage, put, [file.path for file in files])
                for taken in put:
                    self.done.remove(taken.path)
            raise
        for file in ready:
            if file.path == HINT:
                advance_hint(storage, plan.read_version, file.data)

    @contextmanager
    def _step(self, made: str, is_made: Callable[[], bool | None]) -> Iterator[None]:
        """Note what the block has made; if Ctrl-C ends it, the store says whether it was."""
        try:
            yield
        except KeyboardInterrupt as stop:
            self._table.storage.use_short_timeout()
            try:
                found = is_made()
            except (DeltactlError, KeyboardInterrupt):
                found = None
            if found:
                self.done.append(made)
            elif found is None or isinstance(stop, InterruptedWriteError):
                self._in_doubt = made
            raise
        self.done.append(made)

    def _report(
        self, plan: LogFilePlan, *, wrote: bool = False, put: tuple[PreparedFile, ...] = ()
    ) -> R:
        error = plan.error()
        waiting = bool(plan.files) and not wrote
        return self._kind(
            table=table_ref(self._table, plan.base.metadata),
            plan=plan,
            dry_run=self._options.dry_run,
            error=error,
            exit_code=self._options.exit_code(error, waiting=waiting),
            names=self._fresh.given,
            warnings=() if plan.refusals else plan.warnings,
            wrote=wrote,
            put=put,
        )


@contextmanager
def _folder() -> Iterator[str]:
    """Provide a folder of this machine that is gone afterwards."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="deltactl-", ignore_cleanup_errors=True)
    except OSError as error:
        raise StorageError(
            "TEMPORARY_FILE_FAILED",
            f"no folder for temporary files: {error.strerror or error}; nothing was written",
            hint="with TMPDIR set to a folder with room, run it again",
        ) from error
    with folder as path:
        yield path
