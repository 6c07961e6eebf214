"""`checkpoint`: write a checkpoint of a version."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Literal

import click

from deltactl.api.checkpointing import KindName, write_checkpoint
from deltactl.changes.file_changes import FileAction, LogFileChange
from deltactl.changes.plan import LogFilePlan
from deltactl.cli.change_command import ChangeOptions, log_file_options, show
from deltactl.cli.command_options import at_option, table_command, whole_number
from deltactl.cli.render.blocks import Block, Fields, Label, Lines, Span, view
from deltactl.cli.render.plan import outcome
from deltactl.cli.render.words import count, size
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import work_of
from deltactl.cli.spark.spark_options import on_any_engine
from deltactl.cli.tables import open_named
from deltactl.log.filenames import CheckpointKind
from deltactl.operations.checkpoint.checkpoint import CheckpointReport
from deltactl.operations.checkpoint.health import CheckpointFacts

SECTION = "Maintain"
MOST_PARTS = 10_000
# A list of files that is longer says how many more there are.
SHOWN = 20
_WORDS = {
    FileAction.PUT_IF_ABSENT: "write",
    FileAction.REPLACE: "replace",
    FileAction.MOVE_ASIDE: "move aside",
}


@view.register
def _(report: CheckpointReport) -> Iterable[Block]:
    if report.error is not None:
        return
    plan = report.plan
    if plan.files:
        name = plan.base.metadata.name or plan.base.log.storage.uri
        yield Lines([[Span(name, "name"), f"  version {plan.read_version}  {plan.operation}"]])
        yield Fields(list(_files(plan)))
    yield Lines([outcome(report)])


def _files(plan: LogFilePlan) -> Iterator[tuple[str, Label]]:
    for file in plan.files[:SHOWN]:
        yield f"  {_WORDS[file.how]}", _file(file)
    if (more := len(plan.files) - SHOWN) > 0:
        yield "", f"and {count(more, 'more file')}"


def _file(file: LogFileChange) -> Label:
    name = file.path.partition("/")[2]
    to = "" if file.target is None else f" → {file.target.rpartition('/')[2]}"
    return [Span(name, "name"), f"{to}  {file.what}"]


@outcome.register
def _(report: CheckpointReport) -> Label:
    version, there = report.plan.read_version, report.checkpoint
    if report.dry_run and report.plan.files:
        return [Span("Dry run: nothing was written.", "warning")]
    assert there is not None
    if not report.wrote:
        return f"Nothing to do: version {version} has a whole {_name(there)} checkpoint."
    if not any(file.rows for file in report.put):
        return [
            Span(f"Put right: version {version} has a whole {_name(there)} checkpoint.", "added")
        ]
    return [Span(f"Written and read back: {_described(there)}.", "added")]


def _name(there: CheckpointFacts) -> str:
    return "V2" if there.kind == "v2" else there.kind


def _described(there: CheckpointFacts) -> str:
    rows = count(sum(part.rows for part in there.parts), "action")
    files = count(len(there.parts), "file")
    total = size(sum(part.size for part in there.parts))
    return f"{_name(there)} checkpoint of version {there.version}, {rows} in {files}, {total}"


@table_command
@click.option(
    "--kind",
    type=click.Choice(("auto", *(kind.value for kind in CheckpointKind))),
    default="auto",
    show_default=True,
    help="Write one file, several parts, or V2 with sidecars.",
)
@click.option(
    "--parts",
    metavar="N",
    type=whole_number(1, MOST_PARTS),
    help="Write N parts or sidecars; default: one for 100,000 files.",
)
@click.option(
    "--top",
    type=click.Choice(("json", "parquet")),
    default="json",
    show_default=True,
    help="Write the top-level file of a V2 checkpoint in this format.",
)
@at_option
@click.option(
    "--repair", is_flag=True, help="Move a damaged checkpoint aside, and write a good one."
)
@on_any_engine
@log_file_options
def command(
    session: Session,
    table: str,
    kind: KindName | Literal["auto"],
    parts: int | None,
    top: str,
    at: int | datetime | None,
    *,
    repair: bool,
    **chosen: Any,
) -> None:
    """Write a checkpoint of TABLE.

    Readers can then skip older commits. deltactl writes a temporary file, reads it back, compares
    it with the log, and then puts it in place. Without --kind, it writes the kind that Spark would
    write: V2 if the table asks for it, otherwise classic. If the version has a complete
    checkpoint, deltactl keeps it.

    deltactl keeps the actions of newer commits in memory. With --engine spark, a Spark job makes
    the same files, first in a folder of the log that readers ignore. The job runs on this machine,
    or on the cluster of --master.

    \b
        deltactl checkpoint ./events
        deltactl checkpoint ./events --kind v2 --parts 8
        deltactl checkpoint ./events --at 120 --dry-run
        deltactl checkpoint ./events --engine spark --master spark://cluster:7077
        deltactl checkpoint ./events --repair
    """
    options = ChangeOptions(**chosen).commit_options(session.invocation.words_of(table))
    report = write_checkpoint(
        open_named(session, table),
        work_of(session),
        options,
        kind=None if kind == "auto" else kind,
        parts=parts,
        json_top=top == "json",
        repair=repair,
        at=at,
    )
    show(session, report)
