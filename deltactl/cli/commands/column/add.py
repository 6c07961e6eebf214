"""`column add`: add a column, or a field of a struct."""

from typing import Any

from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.columns import planner, taking
from deltactl.cli.session import Session
from deltactl.cli.spark.spark_options import on_any_engine


@change_command
@taking("add")
@on_any_engine
def command(session: Session, **values: Any) -> Planner:
    """Add COLUMN of TYPE to TABLE.

    Existing rows read NULL in the new column. COLUMN is a path: a, s.x, ar.element.x, m.value.x.
    TYPE is any Spark SQL type. Without --first or --after, the new column comes last. Safe to run
    twice.

    --backfill also sets the default in existing rows. It needs two commits: deltactl adds the
    column, then Delta's UPDATE on Spark rewrites files. If the UPDATE fails, run the same command
    again to continue.

    \b
        deltactl column add ./events country string --comment "ISO 3166"
        deltactl column add ./events user.age int --dry-run
        deltactl column add ./events tags "map<string, array<int>>"
        deltactl column add ./events amount int --default 0 --enable --yes
        deltactl column add ./events region string --default "'EU'" --backfill
    """
    return planner(session, "add", values)
