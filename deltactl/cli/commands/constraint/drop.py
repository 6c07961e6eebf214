"""`constraint drop`: drop a CHECK constraint."""

from functools import partial

import click

from deltactl.api.verbs.constraints import ConstraintVerbs
from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.command_options import completing
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import planning


@change_command
@click.argument("name", metavar="NAME", shell_complete=completing("constraints"))
@click.option("--if-exists", is_flag=True, help="Do nothing if the constraint does not exist.")
def command(session: Session, name: str, *, if_exists: bool) -> Planner:
    """Drop the CHECK constraint NAME of TABLE.

    The table feature stays.

    \b
        deltactl constraint drop ./events positive
        deltactl constraint drop ./events positive --if-exists
    """
    return ConstraintVerbs(partial(planning, session)).drop(name, if_exists=if_exists)
