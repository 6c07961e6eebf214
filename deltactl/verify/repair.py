"""What `--repair` does: only what can be made again from the log itself, and nothing is deleted."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any

from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.draft import Draft
from deltactl.changes.executor import ChangeExecutor
from deltactl.changes.file_changes import (
    FileAction,
    LogFileChange,
    PreparedFile,
    moved_aside,
)
from deltactl.changes.log_file_executor import AGAIN, LogFileExecutor, LogFilesReport
from deltactl.changes.plan import ChangePlan, LogFilePlan
from deltactl.changes.plan_executor import PlanExecutor
from deltactl.errors import DeltactlError, InterruptedRunError, Notice, StorageError
from deltactl.log.filenames import LAST_CHECKPOINT, LOG, CheckpointKind
from deltactl.log.segment import Checkpoint
from deltactl.operations.checkpoint.checkpoint import (
    CheckpointReport,
    CheckpointRequest,
    plan_checkpoint,
)
from deltactl.operations.widen.fix_stats import fixed_bounds
from deltactl.operations.widen.widen import WidenRequest, plan_widen
from deltactl.spec.keys import TYPE_CHANGES, V2_CHECKPOINT_FEATURE
from deltactl.spec.protocol.protocol import supported
from deltactl.spec.schema import type_changes
from deltactl.spec.schema.edit import schema_string, with_each_field
from deltactl.spec.schema.schema import walk
from deltactl.spec.schema.types import DOUBLE, StructField
from deltactl.table.table import Table
from deltactl.verify.findings import Findings, file_of
from deltactl.verify.unrepairable import checkpoints_named, left_over

OPERATION = "REPAIR"


class RepairCommit(StrEnum):
    """A commit of its own, for what is wrong in the newest state and not in a file of the log."""

    TYPE_CHANGES = "empty delta.typeChanges removed"
    FLOAT_STATISTICS = "statistics of floats written as the doubles they are"


@dataclass(frozen=True, kw_only=True)
class Repair:
    """What is moved aside, what is put in its place, and which checkpoints are rewritten.

    `now` is the time at which it was planned, in milliseconds.
    """

    now: int
    files: tuple[LogFileChange, ...]
    ready: tuple[PreparedFile, ...]
    checkpoints: tuple[tuple[int, CheckpointKind], ...]
    commits: tuple[RepairCommit, ...]
    kept: tuple[Notice, ...]

    @property
    def is_empty(self) -> bool:
        return not (self.files or self.checkpoints or self.commits)

    def plan(self, draft: Draft) -> LogFilePlan:
        """Plan what becomes of the files beside checkpoints."""
        return draft.file_plan(OPERATION, self.files, lambda _: self.ready)


def plan(table: Table, findings: Findings, now: int) -> Repair:
    """Return what to do about the findings of a table; `now` is the time in milliseconds."""
    listing = table.log.listing()
    files: list[LogFileChange] = []
    ready: list[PreparedFile] = []
    named = findings.repairable

    def aside(name: str, what: str) -> None:
        files.append(moved_aside(f"{LOG}/{name}", what, now))

    moved = checkpoints_named(listing, named)
    lost = checkpoints_named(listing, findings.given_up)
    for checkpoint in moved:
        for file in checkpoint.files:
            aside(file.name, f"damaged checkpoint of version {checkpoint.version}")
    for name in named.get("compacted files", {}):
        aside(name, "a compacted file that is not what its commits say")
    for name in named.get("checksums", {}):
        aside(name, "a wrong checksum")
        if name in findings.good_checksums:
            data = findings.good_checksums[name]
            ready.append(PreparedFile(f"{LOG}/{name}", len(data), data=data))
            what = "the checksum by replay"
            files.append(
                LogFileChange(f"{LOG}/{name}", what, FileAction.PUT_IF_ABSENT, size=len(data))
            )
    faulty = {file_of(finding) for _, finding in findings.kept}
    for name in named.get("side files", {}):
        # One that is right about a damaged file is all that tells of the damage.
        if name.rpartition("/")[2].removeprefix(".").removesuffix(".crc") not in faulty:
            aside(name, "a side file that does not fit")
    rewritten = {(c.version, _kind_to_write(table, c)) for c in moved}
    if LAST_CHECKPOINT in named.get(LAST_CHECKPOINT, {}):
        aside(LAST_CHECKPOINT, "a wrong hint")
        left = [c for c in listing.checkpoints if c.is_complete and c not in lost]
        newest = max(left, key=lambda c: c.version, default=None)
        if newest is not None:
            rewritten.add((newest.version, _kind_to_write(table, newest)))
    return Repair(
        now=now,
        files=tuple(files),
        ready=tuple(ready),
        checkpoints=tuple(sorted(rewritten)),
        commits=tuple(_commits(findings)),
        kept=tuple(left_over(table, findings, lost)),
    )


class Repairer:
    """Carries out a repair, plan by plan: moves what is damaged aside, puts checksums, then writes
    checkpoints, the hint last, and commits what is wrong in the state itself.

    Whatever step it ends at, engines read the table by its commits, and a second run continues.
    """

    def __init__(self, table: Table, repair: Repair, options: CommitOptions) -> None:
        self._table = table
        self._repair = repair
        self._options = options
        self._done: list[str] = []

    def execute(self) -> None:
        """Carry out every plan.

        Raises:
            DeltactlError: a rule forbids it, the store refused, or the user ended it; the message
                says what was done before that, and stays.
        """
        try:
            for executor in self._executors():
                self._execute_one(executor)
        except KeyboardInterrupt:
            raise self.interrupted() from None

    def interrupted(self) -> InterruptedRunError:
        """Return what is true after Ctrl-C."""
        said = f"done: {', '.join(self._done)}" if self._done else "nothing was written"
        hint = AGAIN if self._done else None
        return InterruptedRunError("INTERRUPTED", f"interrupted; {said}", hint=hint)

    def _executors(self) -> Iterator[PlanExecutor[Any, Any]]:
        """Yield what carries out each plan, which is made of the table as it is by then."""
        repair, options, storage = self._repair, self._options, self._table.storage

        def clock() -> int:
            return repair.now

        if repair.files:
            yield LogFileExecutor(self._table, repair.plan, options, LogFilesReport, clock=clock)
        for version, kind in repair.checkpoints:
            request = CheckpointRequest(kind=kind, repair=True)
            planner = partial(plan_checkpoint, request=request)
            yield LogFileExecutor(Table(storage), planner, options, CheckpointReport, at=version)
        wanted = options.if_version
        for number, commit in enumerate(repair.commits):
            # Those before it have made versions of their own.
            own = replace(options, if_version=None if wanted is None else wanted + number)
            yield ChangeExecutor(Table(storage), _PLANNERS[commit], own, clock=clock)

    def _execute_one(self, executor: PlanExecutor[Any, Any]) -> None:
        before = ", ".join(self._done)
        try:
            report = executor.execute()
            if report.error is not None:
                raise report.error
        except DeltactlError as error:
            # It speaks for its own plan, and does not know what was done before that.
            if before:
                error.message = f"{error.message}; done before that: {before}"
                error.remedy = error.remedy or AGAIN
            raise
        finally:
            self._done += executor.written


def _kind_to_write(table: Table, checkpoint: Checkpoint) -> CheckpointKind:
    """Return its own kind, or classic if the table may not have that kind."""
    if checkpoint.kind is CheckpointKind.CLASSIC:
        return checkpoint.kind
    try:
        protocol = table.snapshot(checkpoint.version, even_if_unsupported=True).protocol
    except StorageError:
        raise
    except DeltactlError:
        return checkpoint.kind
    has_v2 = V2_CHECKPOINT_FEATURE in supported(protocol)
    forbidden = CheckpointKind.MULTIPART if has_v2 else CheckpointKind.V2
    return CheckpointKind.CLASSIC if checkpoint.kind is forbidden else checkpoint.kind


def _commits(findings: Findings) -> Iterator[RepairCommit]:
    """Yield what the newest state needs; of older versions nothing can be changed."""
    codes = {finding.code for _, finding in findings.kept if finding.repairable}
    if "TYPE_CHANGES_UNREADABLE" in codes:
        yield RepairCommit.TYPE_CHANGES
    if "FLOAT_STATISTICS" in codes:
        yield RepairCommit.FLOAT_STATISTICS


def _plan_type_changes(draft: Draft) -> ChangePlan:
    """Remove the key where its list is empty: with it Spark reads no row of the table."""

    def cleaned(field: StructField) -> StructField:
        is_empty = field.metadata.get(TYPE_CHANGES) == []
        return type_changes.without_changes(field) if is_empty else field

    before = draft.schema
    draft.schema = with_each_field(before, cleaned)
    both = {"oldSchema": schema_string(before), "newSchema": schema_string(draft.schema)}
    return draft.plan("UPDATE SCHEMA", both)


def _plan_float_statistics(draft: Draft) -> ChangePlan:
    doubles = [node for node in walk(draft.schema) if node.is_field and node.type == DOUBLE]
    spark_config = [WidenRequest(str(node), "double") for node in doubles]
    return plan_widen(draft, spark_config, fix=fixed_bounds)


_PLANNERS = {
    RepairCommit.TYPE_CHANGES: _plan_type_changes,
    RepairCommit.FLOAT_STATISTICS: _plan_float_statistics,
}
