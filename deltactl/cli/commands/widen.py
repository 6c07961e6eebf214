"""`widen`: widen column types."""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

import click

from deltactl.changes.cached_scan import CachedScan
from deltactl.changes.draft import Draft
from deltactl.changes.executor import Planner
from deltactl.changes.plan import Plan
from deltactl.cli.change_command import change_command
from deltactl.cli.command_options import completing
from deltactl.cli.session import Session
from deltactl.operations.widen.widen import WidenRequest, plan_widen
from deltactl.spec.schema.schema import Node
from deltactl.table.snapshot import Snapshot

if TYPE_CHECKING:
    from deltactl.operations.physical_types import Counted
    from deltactl.operations.widen.fix_stats import FixedBounds

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
    help="Add the stable feature to a table that has the preview of type widening.",
)
@click.option(
    "--fix-stats",
    is_flag=True,
    help="Float to double: correct the statistics of old files, which would otherwise hide rows.",
)
@click.option(
    "--count",
    is_flag=True,
    help="Count files by the type in which they hold COLUMN; reads their footers.",
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
    """Widen COLUMN of TABLE to TYPE, in one commit that rewrites no file.

    COLUMN is a path: a, s.x, ar.element, m.key, m.value.x. Several columns change together or not
    at all. Safe to run twice: a column that has the type already stays as it is; with --fix-stats,
    the statistics of one that was float are corrected even then.

    \b
        deltactl widen ./events amount long
        deltactl widen ./events user.id long prices.element "decimal(12,2)" --dry-run
        deltactl widen ./events score double --fix-stats
        deltactl widen ./events amount long --enable --yes
    """
    if len(pairs) % 2:
        raise click.UsageError(f"missing TYPE for the column {pairs[-1]!r}")
    spark_config = [WidenRequest(*pair) for pair in zip(pairs[::2], pairs[1::2], strict=True)]

    # Looking at files loads pyarrow, which takes longer than a change that looks at none.
    def look_at_bounds(snapshot: Snapshot, nodes: Sequence[Node]) -> "FixedBounds":
        module = import_module("deltactl.operations.widen.fix_stats")
        with session.progress("reading statistics") as bar:
            found: FixedBounds = module.fixed_bounds(snapshot, nodes, bar.advance)
        return found

    def look_at_types(snapshot: Snapshot, nodes: Sequence[Node]) -> "Counted":
        module = import_module("deltactl.operations.physical_types")
        with session.progress("reading footers") as bar:
            found: Counted = module.count_types(snapshot, nodes, bar.advance)
        return found

    fix = CachedScan(look_at_bounds) if fix_stats else None
    counted = CachedScan(look_at_types) if count else None

    def planner(draft: Draft) -> Plan:
        return plan_widen(
            draft, spark_config, enabling=enable, migrating=migrate_preview, fix=fix, count=counted
        )

    return planner
