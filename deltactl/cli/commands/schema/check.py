"""`schema check`: check whether a table would accept a write."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

import click

from deltactl.api.reading.data_schemas import schema_in, schema_of
from deltactl.api.reading.reports import WriteMode
from deltactl.cli.command_options import at_option, completing, table_command
from deltactl.cli.global_options import typed
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
from deltactl.cli.render.words import changed
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.operations.schema.check import SchemaCheckReport
from deltactl.spec.write_compat import Mode, WriteVerdict
from deltactl.table.parquet.data_schema import DataSchema

_WORDS = {
    Mode.APPEND: "append",
    Mode.MERGE_SCHEMA: "append with mergeSchema",
    Mode.TYPE_WIDENING: "append with mergeSchema and type widening",
    Mode.OVERWRITE_SCHEMA: "overwrite with overwriteSchema",
}


@view.register
def _(report: SchemaCheckReport) -> Iterable[Block]:
    yield Fields(
        [
            ("Table", [Span(report.table.uri, "name"), Span(f"  version {report.version}", "dim")]),
            ("Against", [Span(report.against, "name"), Span(f"  {report.data.form}", "dim")]),
        ]
    )
    yield Grid([Column("WRITE"), Column("ANSWER"), Column("CHANGES")], _rows(report))
    for heading, answers in _grouped(report.answers, lambda found: found.clashes):
        yield Heading(f"Why not: {heading}")
        yield Lines(["  ", Span(clash.message, "error")] for clash in answers[0].clashes)
    for heading, answers in _grouped(report.answers[1:], _made):
        yield Heading(f"What would change: {heading}")
        yield Lines(_change_lines(answers[0]))
    for heading, answers in _grouped(report.answers, lambda found: _conditions(report, found)):
        yield Heading(f"On condition: {heading}")
        yield Lines([f"  {said}"] for said in _conditions(report, answers[0]))
    if report.remarks:
        yield Heading("To know")
        yield Lines([f"  {remark.message}"] for remark in report.remarks)


def _rows(report: SchemaCheckReport) -> Iterator[Sequence[Label]]:
    for found in report.answers:
        answer = Span("accepted", "added") if found.accepted else Span("refused", "error")
        changes = str(len(found.changes)) if found.accepted and found.changes else ""
        asked = "  (asked for)" if found.mode is report.asked else ""
        yield [_WORDS[found.mode], Span(asked, "dim")], [answer], changes


def _grouped(
    answers: Iterable[WriteVerdict], part: Callable[[WriteVerdict], tuple[object, ...]]
) -> Iterator[tuple[str, list[WriteVerdict]]]:
    """Yield the answers with such a part, equal ones together, and their names."""
    groups: dict[tuple[object, ...], list[WriteVerdict]] = {}
    for found in answers:
        if key := part(found):
            groups.setdefault(key, []).append(found)
    for same in groups.values():
        yield "; ".join(_WORDS[found.mode] for found in same), same


def _conditions(report: SchemaCheckReport, found: WriteVerdict) -> tuple[str, ...]:
    """Return on what an answer rests that changes the table."""
    if not (found.accepted and found.changes):
        return ()
    return tuple(notice.message for notice in report.conditions[found.mode])


def _made(found: WriteVerdict) -> tuple[object, ...]:
    return tuple(map(str, found.changes)) if found.accepted else ()


def _change_lines(found: WriteVerdict) -> Iterator[Label]:
    for change in found.changes:
        yield ["  ", changed(change)]
    again = sum(not change.readers_can_continue for change in found.changes)
    if again:
        said = f"{again} of these changes: open readers must refresh"
        yield ["  ", Span(said, "warning")]
    else:
        yield ["  ", Span("Open readers continue.", "dim")]


def _mode(text: str) -> str:
    """Return the mode of that name, in any letter case, or raise ValueError."""
    for mode in Mode:
        if mode.value.casefold() == text.casefold():
            return mode.value
    raise ValueError(f"{text!r} is not one of {', '.join(Mode)}")


@table_command
@click.argument(
    "data",
    metavar="FILE|COLUMNS",
    required=False,
    type=click.Path(path_type=str, allow_dash=True),
)
@click.option("--against", hidden=True, type=click.Path(path_type=str, allow_dash=True))
@click.option(
    "--mode",
    metavar="|".join(Mode),
    type=typed(_mode),
    default=Mode.APPEND.value,
    show_default=True,
    help="Exit 0 only if this kind of write would be accepted.",
    shell_complete=completing("modes"),
)
@at_option
def command(
    session: Session,
    table: str,
    data: str | None,
    against: str | None,
    mode: WriteMode,
    at: int | datetime | None,
) -> None:
    """Check whether TABLE would accept a write with this schema.

    FILE, or - for stdin, is Parquet, Arrow, a Delta schema as JSON, or columns in Spark SQL.
    COLUMNS is such a list of columns, typed directly.

    deltactl answers as Delta 4.4 would for a DataFrame. It checks four modes: append, mergeSchema,
    mergeSchema with type widening, and overwrite with overwriteSchema. For each mode it shows the
    schema changes, the conflicts and their reasons. It does not look at rows.

    Exit 0 if the write of --mode would be accepted, 5 if not.

    \b
        deltactl schema check ./events new.parquet
        deltactl schema check ./events "id bigint, note string" --mode mergeSchema
        deltactl schema check ./events schema.json -o json
    """
    if data is not None and against is not None:
        raise click.UsageError(f"got {data} and --against {against}: give one of them")
    named = against if data is None else data
    if named is None:
        raise click.UsageError("missing argument 'FILE|COLUMNS'")
    found = _data_schema(session, named)
    report = reports_of(session, table).schema_check(found, against=named, mode=mode, at=at)
    session.show(report)


def _data_schema(session: Session, against: str) -> DataSchema:
    """Return the schema from a file, from stdin, or from the words that were typed."""
    if against == "-":
        return schema_of(session.input_text("-"), "stdin")
    if len(against.split()) > 1 and not os.path.lexists(against):
        return schema_of(against, "the text")
    return schema_in(against, session.store_settings(against))
