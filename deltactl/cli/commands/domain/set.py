"""`domain set`: store an application's metadata domain."""

from functools import partial

import click

from deltactl.api.verbs.domains import DomainVerbs
from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import planning


@change_command
@click.argument("name", metavar="NAME")
@click.argument("text", metavar="TEXT")
@click.option("--enable", is_flag=True, help="Add the feature domainMetadata if it is missing.")
def command(session: Session, name: str, text: str, *, enable: bool) -> Planner:
    """Store TEXT verbatim in TABLE as the metadata domain NAME.

    Engines keep application domains but do not read them. `deltactl domain list` shows them. TEXT
    is usually JSON.

    \b
        deltactl domain set ./events billing.lineage '{"source": "crm"}'
        deltactl domain set ./events billing.lineage "$(cat FILE)" --enable
    """
    return DomainVerbs(partial(planning, session)).set(name, text, enable=enable)
