"""`widen`: widen column types."""

from functools import partial

import click

from deltactl.api.verbs.widening import Widening
from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.command_options import completing
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import planning

SECTION = "Change"


@change_command
@click.argument(
    "pairs",
    nargs=-1,
    required=True,
    metavar="COLUMN TYPE [COLUMN TYPE]...",
    shell_complete=completing("columns_and_types"),
)
@click.option("--enable", is_flag=True, help="Add the property and the features that are missing.")
@click.option(
    "--migrate-preview",
    is_flag=True,
    help="Add the feature typeWidening to a table that has typeWidening-preview.",
)
@click.option(
    "--fix-stats",
    is_flag=True,
    help="Float to double: correct statistics of old files that would hide rows.",
)
@click.option(
    "--count",
    is_flag=True,
    help="Count files by their physical type of COLUMN; reads footers.",
)
def command(
    session: Session,
    pairs: tuple[str, ...],
    *,
    enable: bool,
    migrate_preview: bool,
    fix_stats: bool,
    count: bool,
) -> Planner:
    """Widen COLUMN of TABLE to TYPE without rewriting files.

    COLUMN is a path: a, s.x, ar.element, m.key, m.value.x. One commit changes all columns, or
    none. Safe to run twice: a column that already has TYPE does not change. --fix-stats then still
    corrects the statistics of a column that was float.

    \b
        deltactl widen ./events amount long
        deltactl widen ./events user.id long prices.element double --dry-run
        deltactl widen ./events score double --fix-stats
        deltactl widen ./events amount long --enable --yes
    """
    if len(pairs) % 2:
        column, sign, wanted = pairs[-1].partition("=")
        instead = f"; write {column} {wanted}" if sign and wanted else ""
        raise click.UsageError(f"missing TYPE for the column {pairs[-1]!r}{instead}")
    columns = list(zip(pairs[::2], pairs[1::2], strict=True))
    return Widening(partial(planning, session)).widen(
        columns,
        enable=enable,
        migrate_preview=migrate_preview,
        fix_stats=fix_stats,
        count=count,
    )
