"""`column add`: a new column, or a new field of a struct."""

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
    """Add COLUMN of TYPE to TABLE; existing rows read NULL in it.

    COLUMN is a path: a, s.x, ar.element.x, m.value.x. TYPE is any type of Spark SQL. The new
    column comes last, unless --first or --after says otherwise. Safe to run twice.

    --backfill gives existing rows the default, too, and needs two commits: ours adds the
    column, and an UPDATE of Delta's on Spark follows, which rewrites files. If that fails, the same
    command, run again, continues with it.

    \b
        deltactl column add ./events country string --comment "ISO 3166"
        deltactl column add ./events user.age int --dry-run
        deltactl column add ./events tags "map<string, array<int>>"
        deltactl column add ./events amount int --default 0 --enable --yes
        deltactl column add ./events region string --default "'EU'" --backfill
    """
    return planner(session, "add", values)
