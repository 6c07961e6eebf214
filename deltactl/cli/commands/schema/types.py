"""`schema types`: what a column may become."""

from collections.abc import Iterable
from datetime import datetime

import click

from deltactl.cli.context import Session
from deltactl.cli.options import at_option, completing, table_command
from deltactl.cli.render.blocks import Block, Column, Grid, Label, Lines, Span, view
from deltactl.cli.tables import open_named
from deltactl.model.schema import parse_path
from deltactl.model.types import short_name
from deltactl.operations.schema_types import SchemaTypesReport, TargetRow, report_schema_types


@view.register
def _(report: SchemaTypesReport) -> Iterable[Block]:
    node = report.node
    what = [Span(str(node), "name"), " is ", Span(short_name(node.type), "type")]
    if not report.targets:
        yield Lines([[*what, " and can become nothing wider."]])
        return
    yield Lines([[*what, " and can become:"]])
    yield Grid(
        [Column("TYPE"), Column("RULE"), Column("ICEBERG"), Column("IN THE WAY TODAY")],
        map(_row, report.targets),
    )


def _row(row: TargetRow) -> list[Label]:
    rule = row.target.rule
    blocked = "; ".join(notice.message for notice in row.blocked_by)
    return [
        Span(row.target.type.replace("integer", "int"), "type"),
        rule.name if rule.draft else f"{rule.name} (not in the draft)",
        "safe" if rule.iceberg else Span("not possible", "warning"),
        Span(blocked, "warning") if blocked else Span("nothing", "added"),
    ]


@table_command
@click.argument("column", metavar="COLUMN", shell_complete=completing("columns"))
@at_option
def command(session: Session, table: str, column: str, at: int | datetime | None) -> None:
    """List the types that COLUMN of TABLE can be widened to.

    Each comes with the rule that allows it and what stands in its way today.

    \b
        deltactl schema types ./events user.id
        deltactl schema types ./events tags.element -o json
    """
    session.show(report_schema_types(open_named(session, table), parse_path(column), at))
