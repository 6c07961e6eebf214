"""`column rename`: another name for a column or a field."""

from typing import Any

from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.columns import planner, taking
from deltactl.cli.session import Session


@change_command
@taking("rename")
def command(session: Session, **values: Any) -> Planner:
    """Rename COLUMN of TABLE to NEW, which is the new name alone.

    It needs column mapping, which --enable switches on in the same commit. Properties and
    partitioning that name the column follow it.

    \b
        deltactl column rename ./events ts event_time
        deltactl column rename ./events user.id user_id --enable --yes
    """
    return planner(session, "rename", values)
