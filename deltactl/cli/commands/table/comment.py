"""`table comment`: set the description of a table."""

from functools import partial

import click

from deltactl.api.verbs.properties import PropertyVerbs
from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import planning


@change_command
@click.argument("text", metavar="TEXT")
def command(session: Session, text: str) -> Planner:
    """Set the description of TABLE to TEXT; an empty TEXT removes it.

    \b
        deltactl table comment ./events "one row for each click"
    """
    return PropertyVerbs(partial(planning, session)).set_description(text)
