"""`constraint list`: list the conditions that every row must satisfy."""

from collections.abc import Iterable
from datetime import datetime

from deltactl.cli.command_options import at_option, table_command
from deltactl.cli.render.blocks import Block, Column, Grid, Lines, Span, view
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.operations.constraints.list import ConstraintsReport


@view.register
def _(report: ConstraintsReport) -> Iterable[Block]:
    if not report.constraints:
        yield Lines(["The table has no constraints."])
        return
    yield Grid(
        [
            Column("CONSTRAINT", fold=False),
            Column("KIND", fold=False),
            Column("EXPRESSION"),
            Column("COLUMNS"),
        ],
        (
            [
                Span(row.rule.name, "name"),
                row.rule.kind.value,
                row.rule.expression,
                "?" if row.columns is None else ", ".join(row.columns) or "-",
            ]
            for row in report.constraints
        ),
    )


@table_command
@at_option
def command(session: Session, table: str, at: int | datetime | None) -> None:
    """List the conditions that every row of TABLE must satisfy.

    These are CHECK constraints, expressions of generated columns, and column invariants from old
    writers.

    \b
        deltactl constraint list ./events
        deltactl constraint list ./events -o json | jq -r '.constraints[].name'
    """
    session.show(reports_of(session, table).constraints(at=at))
