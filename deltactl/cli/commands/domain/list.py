"""`domain list`: list the metadata domains of a table."""

from collections.abc import Iterable
from datetime import datetime

from deltactl.cli.command_options import at_option, table_command
from deltactl.cli.render.blocks import Block, Column, Grid, Lines, Span, view
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.operations.domains.list import DomainsReport, is_system


@view.register
def _(report: DomainsReport) -> Iterable[Block]:
    if not report.domains:
        yield Lines(["The table has no domains."])
        return
    yield Grid(
        [Column("DOMAIN", fold=False), Column("OF"), Column("TEXT")],
        (
            [
                Span(row.domain, "name"),
                "a feature" if is_system(row.domain) else "an application",
                str(row.configuration),
            ]
            for row in report.domains
        ),
    )


@table_command
@at_option
def command(session: Session, table: str, at: int | datetime | None) -> None:
    """List the metadata domains of TABLE and the string stored in each.

    Names with the prefix delta. belong to table features, which maintain them.

    \b
        deltactl domain list ./events
        deltactl domain list ./events -o json | jq -r '.domains[].domain'
    """
    session.show(reports_of(session, table).domains(at=at))
