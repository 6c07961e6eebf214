"""`property unset`: unset table properties, so that their defaults apply."""

from functools import partial

import click

from deltactl.api.verbs.properties import PropertyVerbs
from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.command_options import completing
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import planning


@change_command
@click.argument(
    "keys",
    nargs=-1,
    required=True,
    metavar="KEY...",
    shell_complete=completing("set_properties"),
)
@click.option("--if-exists", is_flag=True, help="Skip properties that are not set.")
def command(session: Session, keys: tuple[str, ...], *, if_exists: bool) -> Planner:
    """Unset properties of TABLE.

    Their defaults apply again. Table features stay.

    \b
        deltactl property unset ./events delta.logRetentionDuration
        deltactl property unset ./events owner.team owner.mail --if-exists
    """
    return PropertyVerbs(partial(planning, session)).unset(*keys, if_exists=if_exists)
