"""`prune-type-changes`: remove type changes that no data file needs."""

from functools import partial

import click

from deltactl.api.verbs.file_scan import BATCH
from deltactl.api.verbs.pruning import Pruning
from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.command_options import completing, whole_number
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import planning
from deltactl.cli.spark.spark_options import on_any_engine

SECTION = "Maintain"


@change_command
@click.option(
    "--column",
    "columns",
    metavar="COLUMN",
    multiple=True,
    help="Prune only this column and columns nested in it; can be repeated.",
    shell_complete=completing("columns"),
)
@click.option(
    "--rewrite",
    is_flag=True,
    help="First rewrite the files that hold an old type, on Spark.",
)
@click.option(
    "--batch",
    metavar="FILES",
    type=whole_number(1, 20_000),
    help=f"With --rewrite: at most FILES files in a commit (default: {BATCH:,}).",
)
@on_any_engine
def command(
    session: Session, *, columns: tuple[str, ...], rewrite: bool, batch: int | None
) -> Planner:
    """Remove type changes from TABLE that no data file needs.

    A widened column records its former types (delta.typeChanges). Readers of old files need this
    record. If no live data file has a former type, no reader needs its record. Iceberg forbids
    some records. deltactl reads the footer of every live file to prove this. It keeps each record
    that a file still needs. If --column names the column of such a record, deltactl removes
    nothing. The property and the feature stay.

    With --rewrite, Delta's own writer on Spark first rewrites the files that hold an old type.
    Rows, row ids, deletion vectors, tags and partitions do not change, and the commits record no
    data change. It commits in batches. If it is interrupted, run it again to continue.

    This machine reads the footers. If there are 100,000 or more, the cluster of --master reads
    them. Its executors need a Python with pyarrow, and with obstore for object stores. --engine
    spark always uses Spark for it, --engine local never.

    \b
        deltactl prune-type-changes ./events --dry-run
        deltactl prune-type-changes ./events --rewrite --master spark://h:7077
        deltactl prune-type-changes ./events --column amount --column user.id
    """

    if batch is not None and not rewrite:
        raise click.UsageError("--batch goes with --rewrite")

    pruning = Pruning(partial(planning, session))
    return pruning.prune_type_changes(columns, rewrite=rewrite, batch=batch)
