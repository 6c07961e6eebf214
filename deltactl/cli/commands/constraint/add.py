"""`constraint add`: add a CHECK constraint, after a check of the existing rows."""

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
    "--if-not-exists", is_flag=True, help="Do nothing if a constraint of this name exists."
)
@click.option(
    "--enable",
    is_flag=True,
    expose_value=False,
    hidden=True,  # missing features are added without it
)
@on_any_engine
def command(session: Session, name: str, expression: str, *, if_not_exists: bool) -> Planner:
    """Add the CHECK constraint NAME to TABLE: every row must satisfy EXPR.

    deltactl checks the existing rows first: a row fails if EXPR is false or NULL. It shows up to
    ten of these rows. deltactl itself evaluates comparisons of columns with constants or with
    other columns. For other expressions, or with --engine spark, Spark reads the rows.

    \b
        deltactl constraint add ./events positive "amount > 0"
        deltactl constraint add ./events known "c IN ('at', 'de') OR c IS NULL"
        deltactl constraint add ./events lower "lower(c) = c" --engine spark
    """
    verbs = ConstraintVerbs(partial(planning, session))
    return verbs.add(name, expression, if_not_exists=if_not_exists)
