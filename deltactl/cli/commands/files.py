"""`files`: list the live files of a table, or count them by physical type."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain
from typing import Any

import click

from deltactl.cli.command_options import at_option, completing, table_command, whole_number
from deltactl.cli.render.blocks import Block, Column, Grid, Label, Lines, Prose, Span, view
from deltactl.cli.render.words import count, size
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.operations.inspect.files import FilesReport
from deltactl.operations.physical_types import PhysicalTypesReport
from deltactl.spec.schema.types import short_name

SECTION = "Inspect"


@view.register
def _(report: FilesReport) -> Iterable[Block]:
    columns = report.state.snapshot.metadata.partition_columns
    titles = [Column(title, "right", fold=False) for title in ("SIZE", "ROWS", "DELETED")]
    titles += [Column("PARTITION", fold=False, shorten="end")] if columns else []
    titles += [Column("PATH", whole=True, shorten="path")]
    rows = _rows(report, partitioned=bool(columns))
    first = next(rows, None)
    if first is None:
        yield Lines([f"Version {report.version} has no files."])
    else:
        yield Grid(titles, chain([first], rows))
    replay = report.state.replay
    if replay.change_files:
        held = f"{count(replay.change_files, 'file')} of the change data feed"
        since = f"written since version {report.state.first_version}"
        yield Prose(f"and {held}, {size(replay.change_bytes)}, {since}")


def _rows(report: FilesReport, *, partitioned: bool) -> Iterator[list[Label]]:
    for batch, counts in report.batches():
        for row, records in zip(batch.to_pylist(), counts.to_pylist(), strict=True):
            cells: list[Label] = [
                size(row["size"] or 0),
                "-" if records is None else count(records),
                "-" if row["cardinality"] is None else count(row["cardinality"]),
            ]
            if partitioned:
                cells.append(_partition(row["partitionValues"]))
            yield [*cells, Span(row["path"], "name")]


def _partition(values: list[tuple[str, Any]] | None) -> str:
    return ", ".join(f"{k}={'null' if v is None else v}" for k, v in values or ())


@view.register
def _(report: PhysicalTypesReport) -> Iterable[Block]:
    declared = Span(short_name(report.node.type), "type")
    yield Lines([[Span(str(report.node), "name"), " is ", declared]])
    if report.types:
        yield Grid(
            [Column("IN THE FILES"), Column("FILES", "right"), Column("SIZE", "right")],
            (
                [Span(_held(found.type), "type"), count(found.files), size(found.size)]
                for found in report.types
            ),
        )


def _held(type_name: str | None) -> str:
    match type_name:
        case None:
            return "not in the file"
        case "integer":
            return "int"
        case _:
            return type_name


@table_command
@at_option
@click.option(
    "--physical",
    metavar="COLUMN",
    shell_complete=completing("columns"),
    help="Count files by their physical type of COLUMN; reads footers.",
)
@click.option("-n", "--limit", type=whole_number(), metavar="N", help="Show N files; 0: all.")
def command(
    session: Session,
    table: str,
    at: int | datetime | None,
    physical: str | None,
    limit: int | None,
) -> None:
    """List the live data files of TABLE, with size and rows.

    It also shows deleted rows and partition. ROWS includes deleted rows. After a widening,
    --physical shows how many files still hold the old type. A terminal shows the first 20 files,
    one on each line; -n shows more, -v prints long paths in full.

    \b
        deltactl files ./events -o ndjson | jq .path
        deltactl files ./events --physical user.id
    """
    reports = reports_of(session, table)
    if physical is None:
        shown = session.rows_to_show(limit)
        files = reports.files(at=at, limit=shown)
        session.show(files)
        if limit is None and files.has_more:
            session.note(f"the first {shown} files; -n 0 shows all")
        return
    session.show(reports.physical_types(physical, at=at))
