"""`column comment`: set the comment of a column."""

from typing import Any

from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.columns import planner, taking
from deltactl.cli.session import Session


@change_command
@taking("comment")
def command(session: Session, **values: Any) -> Planner:
    """Set the comment of COLUMN to TEXT; an empty TEXT removes it.

    \b
        deltactl column comment ./events amount "in euros"
        deltactl column comment ./events amount ""
    """
    return planner(session, "comment", values)
