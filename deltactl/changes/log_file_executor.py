"""From a plan to files of the log: made and checked on this machine, then put one by one."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from deltactl.changes.change_report import PlanReport
from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.draft import Draft
from deltactl.changes.file_changes import FileAction, PreparedFile
from deltactl.changes.jobs import SparkCheck
from deltactl.changes.plan import LogFilePlan
from deltactl.changes.plan_executor import Clock, PlanExecutor
from deltactl.changes.steps_taken import Landed
from deltactl.errors import DeltactlError, StorageError
from deltactl.storage.base import Storage
from deltactl.table.commit.log_files import (
    HINT,
    Stored,
    advance_hint,
    clear_abandoned_scratch,
    is_moved,
    is_put,
    move_aside,
    put_new,
    undo_put,
)
from deltactl.table.commit_times import now
from deltactl.table.table import At, Table
from deltactl.text.hints import Words

FilePlanner = Callable[[Draft], LogFilePlan]

AGAIN = "run it again: it continues from what is there"


@dataclass(frozen=True, kw_only=True)
class LogFilesReport(PlanReport):
    """A plan for files of the log, and what became of it: `put` are those that were written."""

    plan: LogFilePlan
    wrote: bool = False
    put: tuple[PreparedFile, ...] = ()

    @property
    def done(self) -> str | None:
        return _written(file.path for file in self.put) if self.put else None


R = TypeVar("R", bound=LogFilesReport)


class LogFileExecutor(PlanExecutor[LogFilePlan, R]):
    """Carries out one plan for files of one table's log; it makes no version.

    Files are made and checked on this machine first. Then what is damaged is moved aside, and the
    new ones are put in their order. What leads readers to them comes last. `report` is the kind of
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
        super().__init__(table, planner, options, at=at, check_spark=check_spark, clock=clock)
        self._kind = report

    def _execute_plan(self, plan: LogFilePlan) -> R:
        with _folder() as folder, self._cleared(plan.scratch):
            ready = plan.prepare(folder)
            self._change(plan, ready)
        return self._kind(**self._members(plan, None), wrote=True, put=tuple(ready))

    def _outcome(self) -> tuple[str | None, str | Words | None]:
        said = [_written(self.written)] if self.written else []
        if self._steps.in_doubt is not None:
            said.append(f"whether {self._steps.in_doubt} was written is not known")
        return "; ".join(said) or None, AGAIN if said else None

    def _report(self, plan: LogFilePlan, error: DeltactlError | None = None) -> R:
        return self._kind(**self._members(plan, error))

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

    def _change(self, plan: LogFilePlan, ready: Sequence[PreparedFile]) -> None:
        storage = self._table.storage
        for change in plan.files:
            if change.how is FileAction.MOVE_ASIDE:
                assert change.target is not None
                names = storage, change.path, change.target
                with self._steps.taking(change.target, partial(_has_moved, *names)):
                    move_aside(*names)
        files = [file for file in ready if file.path != HINT]
        put: list[Stored] = []
        try:
            for file in files:
                with self._steps.taking(file.path, partial(_has_landed, storage, file)):
                    if put_new(storage, file.path, data=file.data, local_file=file.local_file):
                        put.append(Stored(file.path, file.data, file.local_file))
        except DeltactlError:
            # Parts of two writers together are a checkpoint that says neither's state.
            if plan.as_one:
                undo_put(storage, put, [file.path for file in files])
                for taken in put:
                    self.written.remove(taken.path)
            raise
        for file in ready:
            if file.path == HINT:
                advance_hint(storage, plan.read_version, file.data)


def _written(paths: Iterable[str]) -> str:
    return f"written: {', '.join(paths)}"


def _has_moved(storage: Storage, path: str, target: str) -> Landed:
    found = is_moved(storage, path, target)
    return Landed.UNKNOWN if found is None else Landed.YES if found else Landed.NOT_YET


def _has_landed(storage: Storage, file: PreparedFile) -> Landed:
    is_there = is_put(storage, file.path, data=file.data, local_file=file.local_file)
    return Landed.YES if is_there else Landed.NOT_YET


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
