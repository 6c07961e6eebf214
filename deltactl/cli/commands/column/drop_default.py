"""`column drop-default`: remove the default of a column."""

from typing import Any

from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.columns import planner, taking
from deltactl.cli.session import Session


@change_command
@taking("drop-default")
def command(session: Session, **values: Any) -> Planner:
    """Remove the default of COLUMN.

    New rows without a value then get NULL.

    \b
        deltactl column drop-default ./events amount
    """
    return planner(session, "drop-default", values)
