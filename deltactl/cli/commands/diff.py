"""`diff`: compare two versions of a table, or two tables."""

import click

from deltactl.cli.command_options import VERSIONS_AND_TABLES, versions_command
from deltactl.cli.comparison import DiffOptions, diff_options, screen, two_states
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of

SECTION = "Inspect"


@versions_command
@click.argument(
    "a",
    metavar="[A]",
    required=False,
    shell_complete=VERSIONS_AND_TABLES,
)
@click.argument(
    "b",
    metavar="[B]",
    required=False,
    shell_complete=VERSIONS_AND_TABLES,
)
@diff_options
def command(
    session: Session, table: str, a: str | None, b: str | None, options: DiffOptions
) -> None:
    """Compare two versions of TABLE, or two tables.

    It compares columns, type changes, protocol, properties, constraints, domains and clustering,
    but not rows. Without A and B, it shows the last change of TABLE; with only A, all changes
    since A. A and B are versions (7, -1, @prev) or times (2024-05-31, 2d: two days ago). Anything
    else is another table (./5 is a path, 5 a version).

    Columns of one table match by column-mapping id, columns of two tables by name.

    \b
        deltactl diff ./events
        deltactl diff ./events 3 7
        deltactl diff ./events @prev
        deltactl diff ./events ./events_copy --exit-code
    """
    reports = reports_of(session, table)
    if a is None:
        report = reports.last_change(fail_on_changes=options.exit_code)
    else:
        before, after, named = two_states(a, b, session.settings.tables)
        other = None if named is None else reports_of(session, named)
        report = reports.diff(before, after, other=other, fail_on_changes=options.exit_code)
    session.show(screen(session, report, options))
