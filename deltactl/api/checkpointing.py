"""Checkpoints: from a request to files of the log."""

from functools import partial

from deltactl.api.work import Work
from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.log_file_executor import LogFileExecutor
from deltactl.operations.checkpoint.checkpoint import (
    CheckpointReport,
    CheckpointRequest,
    Engines,
    plan_checkpoint,
)
from deltactl.table.table import At, Table


def write_checkpoint(
    table: Table, request: CheckpointRequest, work: Work, options: CommitOptions, at: At = None
) -> CheckpointReport:
    """Plan the checkpoint, and write it unless it is a dry run, it exists, or a rule forbids it."""
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
