"""`schema export`: export the schema for another program."""

from collections.abc import Iterable
from datetime import datetime

import click

from deltactl.cli.command_options import at_option, table_command
from deltactl.cli.render.blocks import Block, Verbatim, view
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.operations.schema.export import Form, SchemaExportReport


@view.register
def _(report: SchemaExportReport) -> Iterable[Block]:
    yield Verbatim(report.text)


@table_command
@click.option(
    "--as",
    "form",
    type=click.Choice(["ddl", "json", "arrow"]),
    default="ddl",
    show_default=True,
    help="CREATE TABLE for Spark, Delta's JSON, or Arrow's text form.",
)
@at_option
def command(session: Session, table: str, form: Form, at: int | datetime | None) -> None:
    """Export the schema of TABLE as DDL, JSON or Arrow.

    \b
        deltactl schema export ./events > events.sql
        deltactl schema export ./events --as json --at 3
    """
    session.show(reports_of(session, table).schema_export(form, at=at))
