"""`constraint add`: a CHECK constraint, after a look at the existing rows."""

import click

from deltactl.changes.draft import Draft
from deltactl.changes.executor import Planner
from deltactl.changes.jobs import Engine
from deltactl.changes.plan import Plan
from deltactl.cli.change_command import change_command
from deltactl.cli.session import Session
from deltactl.cli.spark.lazy_spark import LazySpark
from deltactl.cli.spark.spark_options import on_any_engine
from deltactl.operations.constraints.add import plan_add_constraint
from deltactl.operations.constraints.check import RowCheck
from deltactl.operations.row_checks.on_spark import SparkRows


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
    help="Not needed: features that are missing are added in any case.",
)
@on_any_engine
def command(session: Session, name: str, expression: str, *, if_not_exists: bool) -> Planner:
    """Have every row of TABLE satisfy EXPR, a condition on its columns.

    The existing rows are read first: every row must satisfy EXPR; NULL fails. Violating
    rows are shown, up to ten. What compares columns with constants or one another is
    evaluated here; Spark reads the rows for other expressions, and with --engine spark.

    \b
        deltactl constraint add ./events positive "amount > 0"
        deltactl constraint add ./events known "country IN ('at', 'de') OR country IS NULL" --yes
        deltactl constraint add ./events lower "lower(country) = country" --master spark://h:7077
    """
    rows, engine = RowCheck(), Engine(session.settings.engine)
    spark = None if engine is Engine.LOCAL else SparkRows(LazySpark(session), engine)

    def plan(draft: Draft) -> Plan:
        with session.progress("reading rows") as bar:
            return plan_add_constraint(
                draft,
                name,
                expression,
                rows=rows,
                spark=spark,
                if_not_exists=if_not_exists,
                advance=bar.advance,
            )

    return plan
