"""`schema show`: show the schema as a tree."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from deltactl.cli.command_options import at_option, table_command
from deltactl.cli.render.blocks import Block, Fields, Heading, Span, Tree, view
from deltactl.cli.render.column_facts import facts, is_not_null, type_label
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.operations.schema.show import ColumnRow, SchemaReport
from deltactl.spec.schema.schema import Path


@view.register
def _(report: SchemaReport) -> Iterable[Block]:
    version = f"version {report.snapshot.version}"
    yield Tree(
        [Span(report.table.name or report.table.uri, "heading"), "  ", Span(version, "dim")],
        _trees(report.columns),
    )
    if report.checks:
        yield Heading("Constraints")
        yield Fields([(f"  {check.name}", check.expression) for check in report.checks])


def _trees(rows: Sequence[ColumnRow]) -> Sequence[Tree]:
    """Return the rows, which have parents first, as trees."""
    below: dict[Path, list[Tree]] = {}
    for row in reversed(rows):
        path = row.node.path
        tree = Tree(list(_label(row)), below.pop(path, []))
        below.setdefault(path[:-1], []).insert(0, tree)
    return below.get((), [])


def _label(row: ColumnRow) -> Iterator[Span | str]:
    yield Span(row.node.path[-1], "name" if row.node.is_field else "dim")
    yield " "
    yield type_label(row)
    if is_not_null(row):
        yield " not null"
    yield from facts(row)


@table_command
@at_option
def command(session: Session, table: str, at: int | datetime | None) -> None:
    """Show the schema of TABLE as a tree, with type changes.

    If a column has them, the tree also shows its physical name, default, generation expression,
    identity, constraints and comment.

    \b
        deltactl schema show ./events
        deltactl schema show ./events --at 12 -o json
    """
    session.show(reports_of(session, table).schema(at=at))
