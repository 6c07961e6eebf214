"""`protocol drop`: a feature goes."""

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
    help="Also delete the history that knows FEATURE, which needs two runs, a day apart.",
)
@on_any_engine
def command(session: Session, feature: str, *, truncate_history: bool) -> Planner:
    """Drop FEATURE from TABLE, with what belongs to it.

    checkConstraints, domainMetadata, inCommitTimestamp, materializePartitionColumns and
    rowTracking, which only writers need and no data file depends on, go in one commit. Others
    Delta's own DROP FEATURE takes away, on Spark: typeWidening, deletionVectors, columnMapping,
    v2Checkpoint and vacuumProtocolCheck. It rewrites the files that use the feature, and leaves
    checkpointProtection behind, which guards older versions; with --truncate-history these are
    deleted instead, by a second run, once they are old enough: the first ends with exit code 10,
    and says when. Safe to run twice. Before typeWidening goes, footers are read as by
    prune-type-changes.

    \b
        deltactl protocol drop ./events inCommitTimestamp --dry-run
        deltactl protocol drop ./events deletionVectors --yes
        deltactl protocol drop ./events checkpointProtection --truncate-history
    """
    verbs = FeatureVerbs(partial(planning, session))
    return verbs.drop(feature, truncate_history=truncate_history)
