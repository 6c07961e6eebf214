"""`protocol enable`: enable table features."""

from functools import partial

import click

from deltactl.api.verbs.features import FeatureVerbs
from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.command_options import completing
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import planning
from deltactl.spec.keys import CLUSTERING_FEATURE

SECTION = "Change"


@change_command
@click.argument(
    "features",
    nargs=-1,
    required=True,
    metavar="FEATURE...",
    shell_complete=completing("features_it_lacks"),
)
@click.option(
    "--columns",
    metavar="COLUMN[,COLUMN]...",
    help="Cluster by these columns, with the feature clustering.",
    shell_complete=completing("columns"),
)
def command(session: Session, features: tuple[str, ...], columns: str | None) -> Planner:
    """Enable each FEATURE on TABLE, with the features it needs.

    One commit adds each feature to the protocol and sets its property. columnMapping gives every
    column an id. rowTracking adds every file to the log again, with row ids. No data file is
    written. Clients without support for a feature lose access: the plan names them, and deltactl
    asks first. Safe to run twice. `deltactl protocol features` lists all features.

    \b
        deltactl protocol enable ./events columnMapping --dry-run
        deltactl protocol enable ./events rowTracking deletionVectors --yes
        deltactl protocol enable ./events clustering --columns day,user.id
    """
    if columns is not None and CLUSTERING_FEATURE not in map(str.casefold, features):
        raise click.UsageError("--columns goes with the feature clustering")
    return FeatureVerbs(partial(planning, session)).enable(*features, columns=columns)
