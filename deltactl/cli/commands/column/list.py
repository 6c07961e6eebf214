"""`column list`: list the columns, one a line."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from deltactl.cli.command_options import at_option, table_command
from deltactl.cli.render.blocks import Block, Column, Grid, Label, Lines, Span, view
from deltactl.cli.render.column_facts import facts, is_not_null, type_label
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.operations.schema.column_list import ColumnsReport
from deltactl.operations.schema.show import ColumnRow


@view.register
def _(report: ColumnsReport) -> Iterable[Block]:
    if not report.columns:
        yield Lines(["The table has no columns."])
        return
    rows = [(row, list(_about(row))) for row in report.columns]
    titles = [Column("COLUMN", fold=False), Column("TYPE", fold=False)]
    if any(about for _, about in rows):
        titles.append(Column("ABOUT"))
    yield Grid(titles, ([*_cells(row), about][: len(titles)] for row, about in rows))


def _cells(row: ColumnRow) -> list[Label]:
    return [Span(str(row.node), "name" if row.node.is_field else "dim"), [type_label(row)]]


def _about(row: ColumnRow) -> Iterator[Span | str]:
    """Yield what is said about the column; two spaces are between two facts, none before."""
    said: list[Span | str] = ["  not null"] if is_not_null(row) else []
    said += facts(row)
    for position, part in enumerate(said):
        span = Span(part) if isinstance(part, str) else part
        yield span if position else Span(span.text.lstrip(), span.style)


@table_command
@at_option
def command(session: Session, table: str, at: int | datetime | None) -> None:
    """List the columns of TABLE: paths, types and settings.

    Other commands accept these paths as COLUMN. Struct fields, array elements, map keys and map
    values have their own lines.

    \b
        deltactl column list ./events
        deltactl column list ./events -o ndjson | jq -r .path
    """
    session.show(reports_of(session, table).columns(at=at))
