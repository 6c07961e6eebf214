"""What `--repair` does: only what can be made again from the log itself, and nothing is deleted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from deltactl.errors import DeltactlError, Notice
from deltactl.log.names import LAST_CHECKPOINT, LOG, CheckpointKind
from deltactl.log.segment import Checkpoint, Listing, select
from deltactl.operations.carry_out import Terms
from deltactl.operations.carry_out_files import LogFileChanger, LogFilesReport
from deltactl.operations.checkpoint import CheckpointReport, Wish, plan_checkpoint
from deltactl.operations.draft import Draft
from deltactl.operations.plan import How, LogFileChange, Plan, Ready
from deltactl.operations.verify.gathered import Findings
from deltactl.table.snapshot import Snapshot
from deltactl.table.table import Table

OPERATION = "REPAIR"


@dataclass(frozen=True, kw_only=True)
class Repair:
    """What is moved aside, what is put in its place, and which checkpoints are written anew."""

    files: tuple[LogFileChange, ...]
    ready: tuple[Ready, ...]
    checkpoints: tuple[tuple[int, CheckpointKind], ...]
    kept: tuple[Notice, ...]

    @property
    def is_empty(self) -> bool:
        return not (self.files or self.checkpoints)


def plan(listing: Listing, findings: Findings, now: int) -> Repair:
    """What to do about the findings; `now` is the time in milliseconds."""
    stamp = datetime.fromtimestamp(now / 1000, UTC).strftime("%Y%m%dT%H%M%S.%f")[:-3]
    files: list[LogFileChange] = []
    ready: list[Ready] = []
    named = findings.repairable

    def aside(name: str, what: str) -> None:
        path = f"{LOG}/{name}"
        target = f"{path}.quarantined-{stamp}Z"
        files.append(LogFileChange(path, what, How.MOVE_ASIDE, target=target))

    damaged = [c for c in listing.checkpoints if c.files[0].name in named.get("checkpoints", {})]
    lost = list(_not_replaceable(listing, damaged))
    moved = [checkpoint for checkpoint in damaged if checkpoint not in lost]
    for checkpoint in moved:
        for file in checkpoint.files:
            aside(file.name, f"damaged checkpoint of version {checkpoint.version}")
    for name in named.get("compacted files", {}):
        aside(name, "a compacted file that is not what its commits say")
    for name in named.get("checksums", {}):
        aside(name, "a wrong checksum")
        if name in findings.good_checksums:
            data = findings.good_checksums[name]
            ready.append(Ready(f"{LOG}/{name}", len(data), data=data))
            what = "the checksum by replay"
            files.append(LogFileChange(f"{LOG}/{name}", what, How.PUT_IF_ABSENT, size=len(data)))
    faulty = {finding.subject.partition(":")[0].partition(",")[0] for _, finding in findings.held}
    for name in named.get("side files", {}):
        # One that is right about a damaged file is all that tells of the damage.
        if name.rpartition("/")[2].removeprefix(".").removesuffix(".crc") not in faulty:
            aside(name, "a side file that does not fit")
    rewritten = {(c.version, c.kind) for c in moved}
    if LAST_CHECKPOINT in named.get(LAST_CHECKPOINT, {}):
        aside(LAST_CHECKPOINT, "a wrong hint")
        left = [c for c in listing.checkpoints if c.is_complete and c not in lost]
        newest = max(left, key=lambda c: c.version, default=None)
        if newest is not None:
            rewritten.add((newest.version, newest.kind))
    return Repair(
        files=tuple(files),
        ready=tuple(ready),
        checkpoints=tuple(sorted(rewritten)),
        kept=tuple(map(_needed, lost)),
    )


def carry_out(table: Table, repair: Repair, now: int) -> None:
    """Move what is damaged aside, put checksums, then write checkpoints, and the hint last.

    Whatever step it ends at, engines read the table by its commits, and a second run goes on.

    Raises:
        DeltactlError: a rule forbids it, or the store refused.
    """
    terms = Terms()

    def planner(draft: Draft, _: Snapshot) -> Plan:
        return draft.file_plan(OPERATION, repair.files, lambda _: repair.ready)

    if repair.files:
        changer = LogFileChanger(table, planner, terms, LogFilesReport, clock=lambda: now)
        _raise(changer.carry_out())
    for version, kind in repair.checkpoints:
        # What was listed before has moved.
        fresh = Table(table.storage)
        planned = partial(plan_checkpoint, wish=Wish(kind=kind, repair=True))
        _raise(LogFileChanger(fresh, planned, terms, CheckpointReport, at=version).carry_out())


def _raise(report: LogFilesReport) -> None:
    if report.error is not None:
        raise report.error


def _not_replaceable(listing: Listing, damaged: Sequence[Checkpoint]) -> Iterator[Checkpoint]:
    """Those without which their own version cannot be had any more, damaged as they are."""
    without = frozenset(damaged)
    for checkpoint in damaged:
        try:
            select(listing, checkpoint.version, without)
        except DeltactlError:
            yield checkpoint


def _needed(checkpoint: Checkpoint) -> Notice:
    name = checkpoint.files[0].name
    said = (
        f"{name} cannot be made again, for the commits below it are gone: what can still be read "
        "of it is all that there is"
    )
    return Notice("NOT_REPAIRABLE", said)
