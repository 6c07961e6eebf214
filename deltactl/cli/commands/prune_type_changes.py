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
    help="Only this column, and what is in it; may be given several times.",
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
    help=f"With --rewrite: files in a commit, at most ({BATCH:,}).",
)
@on_any_engine
def command(
    session: Session, *, columns: tuple[str, ...], rewrite: bool, batch: int | None
) -> Planner:
    """Remove type changes from TABLE that no data file needs.

    A widened column records its former types (delta.typeChanges), which readers of old files
    need. Once no data file has a former type, no reader needs the record, and Iceberg forbids some.
    The proof is the footer of every live file. A record that a file still needs stays; if --column
    names its column, nothing is removed at all. The property and the feature stay.

    With --rewrite, the files that hold an old type are rewritten first, by Delta's own writer on
    Spark: rows, their ids and deletion vectors, tags and partitions stay as they are, and no change
    of data is recorded. It commits in batches; if it is interrupted, run it again to continue.

    This machine reads the footers. If there are 100,000 or more, the cluster of --master does; its
    executors need a Python with pyarrow, and with obstore for object stores. --engine spark always
    uses Spark for it, --engine local never.

    \b
        deltactl prune-type-changes ./events --dry-run
        deltactl prune-type-changes ./events --rewrite --master spark://h:7077
        deltactl prune-type-changes ./events --column amount --column user.id
    """

    if batch is not None and not rewrite:
        raise click.UsageError("--batch goes with --rewrite")

    pruning = Pruning(partial(planning, session))
    return pruning.prune_type_changes(columns, rewrite=rewrite, batch=batch)
