"""`protocol upgrade`: raise the protocol versions of a table without listed features."""

from functools import partial

import click

from deltactl.api.verbs.features import FeatureVerbs
from deltactl.changes.draft import Draft
from deltactl.changes.executor import Planner
from deltactl.changes.plan import ChangePlan
from deltactl.cli.change_command import change_command
from deltactl.cli.command_options import whole_number
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import planning
from deltactl.errors import InvalidUsageError

SECTION = "Change"


@change_command
@click.option("--reader", metavar="N", type=whole_number(1, 3), help="New reader version, 1 to 3.")
@click.option("--writer", metavar="N", type=whole_number(1, 7), help="New writer version, 1 to 7.")
def command(session: Session, reader: int | None, writer: int | None) -> Planner:
    """Raise the protocol versions of TABLE.

    TABLE must not list table features. Each writer version adds features to those of the version
    before:

    \b
        2  appendOnly, invariants
        3  CHECK constraints
        4  change data feed, generated columns
        5  column mapping (also needs reader version 2)
        6  identity columns

    Versions never go down. To add a single feature, use protocol enable.

    \b
        deltactl protocol upgrade ./events --writer 3 --dry-run
        deltactl protocol upgrade ./events --reader 2 --writer 5 --yes
    """
    if reader is not None or writer is not None:
        return FeatureVerbs(partial(planning, session)).upgrade(reader=reader, writer=writer)

    def none_named(draft: Draft) -> ChangePlan:
        now = draft.base.protocol
        raise InvalidUsageError(
            "USAGE",
            f"say which version: the table has reader version {now.min_reader_version} and writer "
            f"version {now.min_writer_version}",
            hint="give --reader, --writer, or both; see deltactl protocol upgrade --help",
        )

    return none_named
