"""Checkpoints: from a request to files of the log."""

from functools import partial
from typing import Literal

from deltactl.api.work import Work
from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.log_file_executor import LogFileExecutor
from deltactl.log.filenames import CheckpointKind
from deltactl.operations.checkpoint.checkpoint import (
    CheckpointReport,
    CheckpointRequest,
    Engines,
    plan_checkpoint,
)
from deltactl.table.table import At, Table

KindName = Literal["classic", "multipart", "v2"]


def write_checkpoint(
    table: Table,
    work: Work,
    options: CommitOptions,
    *,
    kind: KindName | None = None,
    parts: int | None = None,
    json_top: bool = True,
    repair: bool = False,
    at: At = None,
) -> CheckpointReport:
    """Plan the checkpoint, and write it unless it is a dry run, it exists, or a rule forbids it.

    Args:
        table: the table.
        work: what the call works with.
        options: how it is written.
        kind: what Spark would write, by default.
        parts: how many parts, or sidecars.
        json_top: the file of a V2 checkpoint that names the others is JSON, not parquet.
        repair: move a damaged checkpoint aside.
        at: the version or the time.
    """
    request = CheckpointRequest(
        kind=None if kind is None else CheckpointKind(kind),
        parts=parts,
        json_top=json_top,
        repair=repair,
    )
    planner = partial(
        plan_checkpoint,
        request=request,
        engines=Engines(work.engine, work.open),
        dry_run=options.dry_run,
    )
    executor = LogFileExecutor(
        table, planner, options, CheckpointReport, at=at, check_spark=work.check
    )
    with work.progress("writing a checkpoint"):
        return executor.execute()
