"""`property get`: print the value of one property."""

from collections.abc import Iterable
from datetime import datetime

import click

from deltactl.cli.command_options import at_option, completing, table_command
from deltactl.cli.render.blocks import Block, Lines, view
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.operations.properties.get import PropertyReport


@view.register
def _(report: PropertyReport) -> Iterable[Block]:
    yield Lines([report.in_force])


@table_command
@click.argument("key", metavar="KEY", shell_complete=completing("properties_to_read"))
@at_option
def command(session: Session, table: str, key: str, at: int | datetime | None) -> None:
    """Print the value of the property KEY of TABLE.

    If KEY is not set, deltactl prints its default, with a note on stderr. If there is no default
    either, it exits with code 3.

    \b
        deltactl property get ./events delta.appendOnly
        deltactl property get ./events owner.team -q
    """
    report = reports_of(session, table).property(key, at=at)
    session.show(report)
    if report.row.value is None and session.settings.output == "text":
        session.note(f"{report.row.key} is not set; this is its default")
