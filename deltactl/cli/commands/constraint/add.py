"""`constraint add`: a CHECK constraint, after a look at the rows that are there."""

import click

from deltactl.cli.changes import change_command
from deltactl.cli.context import Session
from deltactl.operations.change.carry_out import Planner
from deltactl.operations.change.draft import Draft
from deltactl.operations.change.plan import Plan
from deltactl.operations.constraint.add import plan_add_constraint
from deltactl.operations.constraint.check import RowCheck


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
def command(session: Session, name: str, expression: str, *, if_not_exists: bool) -> Planner:
    """Have every row of TABLE satisfy EXPR, a condition on its columns.

    The rows that are there are read first: EXPR must be true for each; NULL will not do. What
    compares columns with constants or one another is evaluated here, other expressions need Spark.

    \b
        deltactl constraint add ./events positive "amount > 0"
        deltactl constraint add ./events known "country IN ('at', 'de') OR country IS NULL" --yes
    """
    rows = RowCheck()

    def plan(draft: Draft) -> Plan:
        with session.progress("reading rows") as bar:
            return plan_add_constraint(
                draft,
                name,
                expression,
                rows=rows,
                if_not_exists=if_not_exists,
                advance=bar.advance,
            )

    return plan
