"""`column apply`: make several column changes in one commit, from a file or stdin."""

import re

import click

from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.columns import planner_of_steps, read_steps
from deltactl.cli.session import Session
from deltactl.errors import InvalidUsageError

# Python's splitlines ends a line at letters that a comment may hold, such as U+2028.
_LINE_END = re.compile(r"\r\n|\r|\n")


@change_command
@click.argument("file", type=click.Path(), default="-", metavar="[FILE]")
@click.option("--enable", is_flag=True, help="Add the features that are missing.")
def command(session: Session, file: str, *, enable: bool) -> Planner:
    """Make the changes listed in FILE, in one commit.

    deltactl makes them in the order of the lines. Write one change on each line, as for deltactl
    column but without TABLE: `rename ts event_time`. The sign # begins a comment. Without FILE, or
    if it is -, deltactl reads stdin.

    \b
        deltactl column apply ./events changes.txt --dry-run
        echo "rename ts event_time" | deltactl column apply ./events
    """
    steps = read_steps(_LINE_END.split(session.input_text(file)))
    if not steps:
        raise InvalidUsageError(
            "NO_CHANGES_GIVEN",
            f"no changes were given: {'stdin' if file == '-' else file} has no line with a verb",
            hint="write one verb a line, such as: rename user_id id",
        )
    return planner_of_steps(session, steps, enable=enable)
