"""`log`: list the files in a table's `_delta_log`."""

from collections.abc import Iterable

from deltactl.cli.command_options import table_command
from deltactl.cli.render.blocks import Block, Column, Grid, Lines, Span, view
from deltactl.cli.render.words import count, moment, size
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.log.filenames import LogFileKind
from deltactl.operations.inspect.log_list import LogReport
from deltactl.table.commit_times import rfc3339


@view.register
def _(report: LogReport) -> Iterable[Block]:
    yield Grid(
        [
            Column("KIND", fold=False),
            Column("VERSION", "right", fold=False),
            Column("SIZE", "right", fold=False),
            Column("MODIFIED", fold=False),
            Column("FILE", whole=True),
        ],
        (
            [
                _kind(row.kind),
                "-" if row.version is None else str(row.version),
                size(row.file.size),
                moment(rfc3339(row.file.modified)),
                Span(row.name, "name"),
            ]
            for row in report.files
        ),
    )
    total = sum(row.file.size for row in report.files)
    oldest = "none" if report.oldest_recreatable is None else str(report.oldest_recreatable)
    newest = "none" if report.newest is None else str(report.newest)
    yield Lines(
        [
            f"{count(len(report.files), 'file')}, {size(total)}; newest version {newest}, "
            f"oldest that can be rebuilt {oldest}"
        ]
    )


def _kind(kind: str) -> str:
    """Return the kind in a word: which kind of checkpoint it is, its name says."""
    return "hint" if kind == LogFileKind.LAST_CHECKPOINT else kind.split()[-1].replace("-", " ")


@table_command
def command(session: Session, table: str) -> None:
    """List the files of TABLE's log: commits, checkpoints, checksums, sidecars.

    It works on any log, even a damaged one. `deltactl log cat` shows the actions of one file.

    \b
        deltactl log ./events
        deltactl log cat ./events 12
    """
    session.show(reports_of(session, table).log())
