"""`column set-default`: set the default of a column."""

from typing import Any

from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.columns import planner, taking
from deltactl.cli.session import Session


@change_command
@taking("set-default")
def command(session: Session, **values: Any) -> Planner:
    """Set the default of COLUMN to EXPR.

    New rows without a value get the default. EXPR is a value of the column's type, NULL,
    current_date(), current_timestamp(), now(), localtimestamp() or current_user(). Existing rows
    do not change.

    \b
        deltactl column set-default ./events amount 0
        deltactl column set-default ./events country "'NL'" --enable --yes
    """
    return planner(session, "set-default", values)
