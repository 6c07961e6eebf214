"""`prune-type-changes`: fields forget types that no file holds any more."""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING

import click

from deltactl.cli.changes import change_command
from deltactl.cli.context import Session
from deltactl.cli.options import completing
from deltactl.model.schema import Node
from deltactl.operations.change.carry_out import Planner
from deltactl.operations.change.once_per_snapshot import OncePerSnapshot
from deltactl.operations.prune.prune_type_changes import plan_prune
from deltactl.table.snapshot import Snapshot

if TYPE_CHECKING:
    from deltactl.operations.prune.census import Census, Footers

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
def command(session: Session, *, columns: tuple[str, ...]) -> Planner:
    """Have columns of TABLE forget old types that none of its files holds any more.

    A widened column remembers the types it had (delta.typeChanges), for old files hold these.
    Once such files are rewritten or gone, nobody needs that: Iceberg, for one, allows no such
    memory of some changes. The footer of every live file is read, and nothing else is taken for
    proof. Columns that old files still hold stay as they are; one that was named with --column
    then refuses it all. The property and the feature stay.

    \b
        deltactl prune-type-changes ./events --dry-run
        deltactl prune-type-changes ./events --column amount --column user.id
    """

    # Looking at files loads pyarrow, which takes longer than a look at a table without changes.
    @cache
    def footers() -> "Footers":
        found: Footers = import_module("deltactl.operations.prune.census").Footers()
        return found

    def look(snapshot: Snapshot, nodes: Sequence[Node]) -> "Census":
        with session.progress("reading footers") as bar:
            return footers().census(snapshot, nodes, bar.advance)

    def old_files(snapshot: Snapshot) -> Iterator[str]:
        return footers().old_files(snapshot)

    return partial(plan_prune, columns=columns, look=OncePerSnapshot(look), old_files=old_files)
