"""`table set-name`: set the name in a table's metadata."""

from functools import partial

import click

from deltactl.api.verbs.properties import PropertyVerbs
from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import planning


@change_command
@click.argument("name", metavar="NAME")
def command(session: Session, name: str) -> Planner:
    """Set the name in the metadata of TABLE to NAME; an empty NAME removes it.

    The folder of the table, and its name in a catalog, stay as they are.

    \b
        deltactl table set-name ./events clicks
    """
    return PropertyVerbs(partial(planning, session)).set_name(name)
