"""`column rename`: rename a column or a field."""

from typing import Any

from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.columns import planner, taking
from deltactl.cli.session import Session


@change_command
@taking("rename")
def command(session: Session, **values: Any) -> Planner:
    """Rename COLUMN of TABLE to NEW.

    NEW is the name alone, without a path. It needs column mapping; --enable enables it in the same
    commit. Properties and partition columns that use the old name change with it.

    \b
        deltactl column rename ./events ts event_time
        deltactl column rename ./events user.id user_id --enable --yes
    """
    return planner(session, "rename", values)
