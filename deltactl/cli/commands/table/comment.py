"""`table comment`: the description in a table's metadata."""

from functools import partial

import click

from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.session import Session
from deltactl.operations.properties.table_details import plan_table_comment


@change_command
@click.argument("text", metavar="TEXT")
def command(session: Session, text: str) -> Planner:
    """Set the description of TABLE to TEXT; an empty TEXT removes it.

    \b
        deltactl table comment ./events "one row for each click"
    """
    return partial(plan_table_comment, text=text)
