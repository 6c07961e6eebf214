"""`column drop`: remove columns and fields from the schema."""

from typing import Any

from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.columns import planner, taking
from deltactl.cli.session import Session


@change_command
@taking("drop")
def command(session: Session, **values: Any) -> Planner:
    """Drop each COLUMN of TABLE, in one commit.

    No file is rewritten. It needs column mapping; --enable enables it in the same commit. Files
    keep the values until they are rewritten, but readers no longer see them.

    \b
        deltactl column drop ./events country
        deltactl column drop ./events user.age prices.element.note --enable --yes
    """
    return planner(session, "drop", values)
