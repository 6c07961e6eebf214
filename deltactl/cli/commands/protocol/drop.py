"""`protocol drop`: a feature goes."""

from functools import partial

import click

from deltactl.cli.changes import change_command
from deltactl.cli.context import Session
from deltactl.cli.options import completing
from deltactl.operations.change.carry_out import Planner
from deltactl.operations.protocol.drop import plan_protocol_drop


@change_command
@click.argument("feature", metavar="FEATURE", shell_complete=completing("features_it_has"))
def command(session: Session, feature: str) -> Planner:
    """Drop FEATURE from TABLE, with what belongs to it, in one commit.

    That works for checkConstraints, domainMetadata, inCommitTimestamp,
    materializePartitionColumns and rowTracking, which only writers need and no data file depends
    on. For any other feature it says what a drop takes. Safe to run twice.

    \b
        deltactl protocol drop ./events inCommitTimestamp --dry-run
        deltactl protocol drop ./events rowTracking --yes
    """
    return partial(plan_protocol_drop, name=feature)
