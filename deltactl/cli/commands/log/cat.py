"""`log cat`: print the actions of one file of the log."""

import json
from collections.abc import Iterable

import click

from deltactl.cli.command_options import completing, versions_command
from deltactl.cli.render.blocks import Block, Lines, view
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.operations.inspect.log_cat import LogCatReport


@view.register
def _(report: LogCatReport) -> Iterable[Block]:
    yield Lines(
        json.dumps(action, ensure_ascii=False, separators=(",", ":"), default=str)
        for action in report.elements()
    )


@versions_command
@click.argument(
    "file", metavar="VERSION|FILE", shell_complete=completing("log_files", "complete_log")
)
def command(session: Session, table: str, file: str) -> None:
    """Print the actions of a commit of TABLE, or of another file of its log.

    VERSION can count back from the newest (-1, @prev). FILE is a name from `deltactl log`: a
    checkpoint, a checksum file, _last_checkpoint.

    \b
        deltactl log cat ./events 12
        deltactl log cat ./events 12 -o json | jq '.actions[].metaData | values'
    """
    session.show(reports_of(session, table).log_file(file))
