"""`apply`: commit a saved plan."""

from importlib import import_module
from typing import Any

import click

from deltactl.api.saved import files
from deltactl.changes.executor import Planner
from deltactl.changes.saved_plan import SavedPlan, bound
from deltactl.cli.app import root
from deltactl.cli.change_command import OPTIONS, ChangeOptions, Target, execute, with_options
from deltactl.cli.command_options import bare_command, completing
from deltactl.cli.process.signals import nothing_written
from deltactl.cli.requests import planner_of
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import planning
from deltactl.cli.spark.spark_options import SPARK
from deltactl.cli.tables import open_named, open_uri
from deltactl.errors import RefusedError
from deltactl.storage.urls import named_host
from deltactl.table.table import Table
from deltactl.text.quoting import quoted

SECTION = "Change"


def _apply(session: Session, file: str, named: str | None, **chosen: Any) -> None:
    """Apply the plan in FILE, saved with --plan-out.

    A plan belongs to one state of one table. For another table, or after a change of protocol or
    metadata, deltactl writes nothing and exits with code 6. New data does not matter. deltactl
    commits exactly what was saved, including new names.

    Settings come from this run, not from the run that saved the plan. Without --profile, deltactl
    uses the profile of the [tables] entry with the same URL as the plan's table.

    If the plan's URL has its own host (hdfs://HOST/...), give --table, unless a name in [tables]
    uses that host. Otherwise the author of a plan could choose who gets your credentials.

    \b
        deltactl widen ./events amount long --plan-out plan.json
        deltactl apply plan.json
        deltactl apply plan.json --table ./events
    """
    with nothing_written():
        saved = files.read(file)
    # A plan knows the place of its table only: the profile is that of the name which stands for it.
    session.invocation.table = named or session.name_of(saved.uri)
    table = _opened(session, file, saved, named)
    session.invocation.inputs.update(saved.inputs)
    session.invocation.is_sealed = True
    planner = bound(saved, _planner(session, saved))
    subject = Target(table, session.invocation.words_of(saved.uri))
    execute(session, subject, planner, ChangeOptions(**chosen), saved.names)


def _planner(session: Session, saved: SavedPlan) -> Planner:
    """Return what plans what was asked for, by a command or by a program."""
    if saved.request or saved.call is None:
        return planner_of(session, root(), saved.request, saved.uri)
    # Those of programs need what every change does; commands know theirs.
    plans = import_module("deltactl.api.saved.plans")
    return planning(session, plans.request_of(saved), {})


def _opened(session: Session, file: str, saved: SavedPlan, named: str | None) -> Table:
    """Open the table of the plan, at a host that the user chose.

    Raises:
        RefusedError: the plan is for another table than `named`, or only the plan names its host.
    """
    if named is not None:
        table = open_named(session, named)
        files.check_table(saved, file, table.uri, named)
        return table
    if not session.leads_to_known_host(saved.uri):
        host = named_host(saved.uri)
        raise RefusedError(
            "PLAN_HOST_UNKNOWN",
            f"{file} is a plan for {saved.uri}, and no name in [tables] leads to {host}; nothing "
            "was sent there",
            hint=f"deltactl apply {session.invocation.words_of(file)} --table {quoted(saved.uri)}",
            details={"uri": saved.uri, "host": host},
        )
    return open_uri(session, saved.uri, session.invocation.table or saved.uri)


TABLE = click.option(
    "--table",
    "named",
    metavar="TABLE",
    help="Apply the plan only to this table, and trust its host.",
    shell_complete=completing("tables"),
)

command = bare_command(
    click.argument("file", metavar="FILE", type=click.Path())(
        with_options({"named": TABLE, **OPTIONS, **SPARK}, _apply)
    )
)
