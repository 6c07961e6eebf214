"""`protocol drop`: drop a table feature."""

from functools import partial

import click

from deltactl.api.verbs.features import FeatureVerbs
from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.command_options import completing
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import planning
from deltactl.cli.spark.spark_options import on_any_engine

SECTION = "Change"


@change_command
@click.argument("feature", metavar="FEATURE", shell_complete=completing("features_it_has"))
@click.option(
    "--truncate-history",
    is_flag=True,
    help="Also delete the history that uses FEATURE; needs two runs, a day apart.",
)
@on_any_engine
def command(session: Session, feature: str, *, truncate_history: bool) -> Planner:
    """Drop FEATURE from TABLE, with its properties and metadata.

    One commit drops checkConstraints, domainMetadata, inCommitTimestamp, rowTracking or
    materializePartitionColumns. Only writers need these, and no data file depends on them.

    Delta's own DROP FEATURE, on Spark, drops the others: typeWidening, deletionVectors,
    columnMapping, v2Checkpoint and vacuumProtocolCheck. It rewrites the files that use the
    feature. It also adds the feature checkpointProtection, which guards older versions. Before it
    drops typeWidening, deltactl reads footers as prune-type-changes does.

    --truncate-history deletes the older versions instead of guarding them, in two runs. The first
    run exits with code 10 and shows when to run the command again. Safe to run twice.

    \b
        deltactl protocol drop ./events inCommitTimestamp --dry-run
        deltactl protocol drop ./events deletionVectors --yes
        deltactl protocol drop ./events checkpointProtection --truncate-history
    """
    verbs = FeatureVerbs(partial(planning, session))
    return verbs.drop(feature, truncate_history=truncate_history)
