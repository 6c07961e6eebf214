"""`property list`: list the properties of a table, with their defaults and meaning."""

import json
from collections.abc import Iterable
from datetime import datetime

import click

from deltactl.cli.command_options import at_option, table_command
from deltactl.cli.render.blocks import Block, Column, Grid, Label, Lines, Span, view
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.operations.properties.list import PropertiesReport, PropertyRow


@view.register
def _(report: PropertiesReport) -> Iterable[Block]:
    if not report.properties:
        yield Lines(["No property is set; --all lists those that are known."])
        return
    yield Grid(
        [
            Column("PROPERTY", fold=False),
            Column("VALUE"),
            Column("DEFAULT"),
            Column("FEATURE", fold=False),
            Column("MEANING"),
        ],
        (_cells(row) for row in report.properties),
    )


def _cells(row: PropertyRow) -> list[Label]:
    known = row.row
    meaning = "" if known is None else known.meaning
    return [
        Span(row.key, "name"),
        _value(row),
        Span((known and known.default) or "-", "dim"),
        (known and known.feature) or "-",
        Span(row.problem, "warning") if row.problem else Span(meaning or "-", "dim"),
    ]


def _value(row: PropertyRow) -> Label:
    if row.value is None:
        return "-"
    # An empty value, or one with spaces at its ends, must not look like another.
    return row.value if row.value.strip() == row.value != "" else json.dumps(row.value)


@table_command
@at_option
@click.option("--all", "every", is_flag=True, help="Also list known properties that are not set.")
def command(session: Session, table: str, at: int | datetime | None, *, every: bool) -> None:
    """List the properties of TABLE, with values and defaults.

    Each line also shows the table feature and the meaning of the property.

    \b
        deltactl property list ./events
        deltactl property list ./events --all
    """
    session.show(reports_of(session, table).properties(at=at, every=every))
