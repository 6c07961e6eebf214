"""`schema types`: list the types that a column can be widened to."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

import click

from deltactl.cli.command_options import at_option, completing, table_command
from deltactl.cli.render.blocks import (
    Block,
    Column,
    Fields,
    Grid,
    Heading,
    Label,
    Lines,
    Span,
    view,
)
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.operations.widen.targets import SchemaTypesReport, TargetRow
from deltactl.spec.schema.change_words import type_words
from deltactl.spec.schema.types import short_name


@view.register
def _(report: SchemaTypesReport) -> Iterable[Block]:
    node = report.node
    what: list[Span | str] = [Span(str(node), "name"), " is ", Span(short_name(node.type), "type")]
    if not report.targets:
        yield Lines([[*what, " and cannot be widened."]])
        return
    yield Lines([[*what, " and can become:"]])
    yield Grid(
        [Column("TYPE"), Column("RULE"), Column("ICEBERG", fold=False)],
        map(_row, report.targets),
    )
    if any(row.blocked_by for row in report.targets):
        yield Heading("In the way today")
        yield Fields([("", label) for label in _obstacles(report.targets)])
    else:
        yield Lines([Span("Nothing blocks these changes today.", "added")])


def _row(row: TargetRow) -> list[Label]:
    rule = row.target.rule
    return [
        Span(_type(row), "type"),
        rule.name,
        "safe" if rule.iceberg else Span("not possible", "warning"),
    ]


def _obstacles(rows: Sequence[TargetRow]) -> Iterator[Label]:
    """Yield each obstacle once, with the types that it forbids where these are not all."""
    forbidden: dict[str, list[str]] = {}
    for row in rows:
        for notice in row.blocked_by:
            forbidden.setdefault(notice.message, []).append(_type(row))
    for message, types in forbidden.items():
        head = "" if len(types) == len(rows) else f"{', '.join(types)}: "
        yield [Span(head, "type"), Span(message, "warning")]


def _type(row: TargetRow) -> str:
    return type_words(row.target.type)


@table_command
@click.argument("column", metavar="COLUMN", shell_complete=completing("columns"))
@at_option
def command(session: Session, table: str, column: str, at: int | datetime | None) -> None:
    """List the types that COLUMN of TABLE can be widened to.

    For each type it shows the rule that allows it, and whether Iceberg has the same change. It
    also shows what blocks the change on this table today.

    \b
        deltactl schema types ./events user.id
        deltactl schema types ./events tags.element -o json
    """
    session.show(reports_of(session, table).schema_types(column, at=at))
