"""`apply`: a plan that was saved and reviewed becomes a commit."""

from typing import Any

import click

from deltactl.cli import plan_file
from deltactl.cli.app import root
from deltactl.cli.changes import OPTIONS, Chosen, Subject, carry_out, with_options
from deltactl.cli.context import Session
from deltactl.cli.options import bare_command
from deltactl.cli.requests import planner_of
from deltactl.cli.spark_options import SPARK
from deltactl.operations.change.saved_plan import bound
from deltactl.table.table import open_table

SECTION = "Change"


def _apply(session: Session, file: str, **chosen: Any) -> None:
    """Carry out the plan in FILE, which a command with --plan-out saved.

    The plan is for one table, as it was: if the protocol or the metadata of the table has changed
    since, or it is another table, nothing is written and the exit code is 6. Data that was written
    meanwhile does not matter. What is committed is what was saved, new names included.

    The settings are those of this run, not of the one that saved the plan: --profile where it is
    given, else the profile of the name in [tables] that has the place of the plan's table.

    \b
        deltactl widen ./events amount long --plan-out plan.json
        deltactl apply plan.json
    """
    saved = plan_file.read(file)
    # A plan knows the place of its table only: the profile is that of the name which stands for it.
    session.invocation.table = session.name_of(saved.uri)
    settings = session.store_settings(session.invocation.table or saved.uri)
    session.invocation.inputs.update(saved.inputs)
    planner = bound(saved, planner_of(session, root(), saved.request, saved.uri))
    subject = Subject(open_table(saved.uri, settings), session.invocation.words_of(saved.uri))
    carry_out(session, subject, planner, Chosen(**chosen), saved.names)


command = bare_command(
    click.argument("file", metavar="FILE", type=click.Path())(
        with_options({**OPTIONS, **SPARK}, _apply)
    )
)
