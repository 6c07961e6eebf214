"""`column set-not-null`: make a column NOT NULL."""

from typing import Any

from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.columns import planner, taking
from deltactl.cli.session import Session
from deltactl.cli.spark.spark_options import on_any_engine


@change_command
@taking("set-not-null")
@on_any_engine
def command(session: Session, **values: Any) -> Planner:
    """Make COLUMN of TABLE NOT NULL, in old and new rows.

    deltactl checks existing rows first, by statistics and footers. If these are not enough, it
    reads the rows; Spark reads those of files with deleted rows. It shows up to ten rows with
    NULL.

    \b
        deltactl column set-not-null ./events id
        deltactl column set-not-null ./events user.id --dry-run
        deltactl column set-not-null ./events id --engine spark
    """
    return planner(session, "set-not-null", values)
