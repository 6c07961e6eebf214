"""`constraint add`: a CHECK constraint, after a look at the existing rows."""

from functools import partial

import click

from deltactl.api.verbs.constraints import ConstraintVerbs
from deltactl.changes.executor import Planner
from deltactl.cli.change_command import change_command
from deltactl.cli.session import Session
from deltactl.cli.spark.command_work import planning
from deltactl.cli.spark.spark_options import on_any_engine


@change_command
@click.argument("name", metavar="NAME")
@click.argument("expression", metavar="EXPR")
@click.option(
    "--if-not-exists", is_flag=True, help="Do nothing if there is a constraint of that name."
)
@click.option(
    "--enable",
    is_flag=True,
    expose_value=False,
    hidden=True,  # missing features are added without it
)
@on_any_engine
def command(session: Session, name: str, expression: str, *, if_not_exists: bool) -> Planner:
    """Have every row of TABLE satisfy EXPR, a condition on its columns.

    The existing rows are read first: every row must satisfy EXPR; NULL fails. Violating
    rows are shown, up to ten. What compares columns with constants or one another is
    evaluated here; Spark reads the rows for other expressions, and with --engine spark.

    \b
        deltactl constraint add ./events positive "amount > 0"
        deltactl constraint add ./events known "c IN ('at', 'de') OR c IS NULL"
        deltactl constraint add ./events lower "lower(c) = c" --engine spark
    """
    verbs = ConstraintVerbs(partial(planning, session))
    return verbs.add(name, expression, if_not_exists=if_not_exists)
