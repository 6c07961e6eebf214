"""`schema diff`: compare the columns of two versions of a table, or of two tables."""

import click

from deltactl.cli.command_options import VERSIONS_AND_TABLES, versions_command
from deltactl.cli.comparison import DiffOptions, diff_options, screen, two_states
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of


@versions_command
@click.argument("a", metavar="A", shell_complete=VERSIONS_AND_TABLES)
@click.argument(
    "b",
    metavar="[B]",
    required=False,
    shell_complete=VERSIONS_AND_TABLES,
)
@diff_options
def command(session: Session, table: str, a: str, b: str | None, options: DiffOptions) -> None:
    """Compare the schema of TABLE at A with B, or with its newest version.

    A and B are versions (7, -1, @prev) or times (2024-05-31, 2d: two days ago). Anything else is
    another table (./5 is a path, 5 a version). Columns of one table match by column-mapping id, if
    the table has ids; a rename is then shown as one. Columns of two tables match by name.

    The line Readers names columns. Open readers of these columns must refresh.

    \b
        deltactl schema diff ./events 3
        deltactl schema diff ./events 3 7 --exit-code
        deltactl schema diff ./events ./events_copy
    """
    before, after, named = two_states(a, b, session.settings.tables)
    other = None if named is None else reports_of(session, named)
    report = reports_of(session, table).schema_diff(
        before, after, other=other, fail_on_changes=options.exit_code
    )
    session.show(screen(session, report, options))
