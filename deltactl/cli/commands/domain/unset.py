"""`domain unset`: remove an application's metadata domain."""

from functools import partial

import click

from deltactl.api.verbs.domains import DomainVerbs
from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.command_options import completing
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import planning


@change_command
@click.argument("name", metavar="NAME", shell_complete=completing("domains"))
@click.option("--if-exists", is_flag=True, help="Do nothing if the domain does not exist.")
def command(session: Session, name: str, *, if_exists: bool) -> Planner:
    """Remove the application-owned metadata domain NAME from TABLE.

    \b
        deltactl domain unset ./events billing.lineage
    """
    return DomainVerbs(partial(planning, session)).unset(name, if_exists=if_exists)
