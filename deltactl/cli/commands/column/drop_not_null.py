"""`column drop-not-null`: allow NULL in a column."""

from typing import Any

from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.columns import planner, taking
from deltactl.cli.session import Session


@change_command
@taking("drop-not-null")
def command(session: Session, **values: Any) -> Planner:
    """Allow NULL in COLUMN.

    \b
        deltactl column drop-not-null ./events user.id
    """
    return planner(session, "drop-not-null", values)
