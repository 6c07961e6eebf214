"""`show`: show a table on one screen."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

import click

from deltactl.cli.command_options import at_option, table_command
from deltactl.cli.render.blocks import Block, Column, Fields, Grid, Heading, Label, Span, view
from deltactl.cli.render.words import count, joined, moment, size
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.operations.inspect.show import ShowReport
from deltactl.spec.keys import COMMENT
from deltactl.spec.protocol.protocol import supported
from deltactl.spec.schema.types import Struct, short_name
from deltactl.table.commit_times import rfc3339
from deltactl.text.hints import Command

SECTION = "Inspect"

# One screen: what does not fit is one command away.
SHOWN_COLUMNS = 20
SHOWN_NAMES = 10


@view.register
def _(report: ShowReport) -> Iterable[Block]:
    yield Fields(list(_facts(report)))
    schema = report.snapshot.schema
    if schema is not None:
        yield from _schema(report, schema)
    if properties := report.snapshot.configuration:
        yield Heading("Properties")
        yield Fields([(f"  {key}", str(properties[key])) for key in sorted(properties)])


def _facts(report: ShowReport) -> Iterator[tuple[str, Label]]:
    metadata, files = report.snapshot.metadata, report.files
    yield (
        "Table",
        [Span(report.table.uri, "name"), *([f"  {metadata.name}"] if metadata.name else [])],
    )
    if metadata.description:
        yield "", metadata.description
    yield "Version", _version(report)
    yield "Files", f"{count(files.count)}, {size(files.size)}"
    yield "Rows", _rows(report)
    if files.with_vectors:
        marked = count(files.with_vectors, "file")
        yield (
            "Deleted",
            f"{count(files.deleted_rows, 'row')} marked in {marked} with deletion vectors",
        )
    yield "Health", _health(report)
    yield "Protocol", _protocol(report)
    provider = metadata.format.get("provider")
    if provider not in (None, "parquet"):
        yield "Format", Span(f"{provider}: not parquet", "warning")
    if metadata.partition_columns:
        yield "Partitions", joined([Span(c, "name") for c in metadata.partition_columns])
    yield from _extras(report)


def _version(report: ShowReport) -> Label:
    when = "" if report.timestamp is None else f"  {moment(rfc3339(report.timestamp))}"
    checkpoint = report.checkpoint
    since = "no checkpoint"
    if checkpoint is not None:
        parts = f" in {checkpoint.parts} parts" if checkpoint.parts > 1 else ""
        since = f"{checkpoint.kind} checkpoint{parts} at {checkpoint.version}"
    return [Span(str(report.snapshot.version), "number"), when, Span(f"  {since}", "dim")]


def _rows(report: ShowReport) -> Label:
    files = report.files
    if files.records is not None:
        return f"{count(files.records - files.deleted_rows)}"
    if files.counts_records:
        return Span("not known: not every file has statistics", "dim")
    return Span("not counted: --rows counts them, where the files' statistics have them", "dim")


def _health(report: ShowReport) -> Label:
    if not report.health:
        return Span("OK (quick check)", "dim")
    codes = ", ".join(dict.fromkeys(finding.code for finding in report.health))
    number = count(len(report.health), "finding")
    look = Command("verify-checksum").named(report.called)
    return [Span(f"{number}: {codes}", "error"), f"; see {look!s}"]


def _protocol(report: ShowReport) -> Label:
    protocol = report.snapshot.protocol
    versions = f"{protocol.min_reader_version}/{protocol.min_writer_version}"
    names = sorted(supported(protocol))
    return [Span(versions, "number"), "  ", ", ".join(names)]


def _extras(report: ShowReport) -> Iterator[tuple[str, Label]]:
    if report.domains:
        yield "Domains", _some([d.domain for d in report.domains])
    if report.transactions:
        yield "Applications", _some([f"{t.app_id} at {t.version}" for t in report.transactions])


def _some(names: list[str]) -> Label:
    more = len(names) - SHOWN_NAMES
    return joined(names[:SHOWN_NAMES]) + ([f" and {more} more"] if more > 0 else [])


def _schema(report: ShowReport, schema: Struct) -> Iterator[Block]:
    fields = schema.fields
    yield Heading(f"Schema  {count(len(fields), 'column')}")
    rows: list[list[Label]] = [
        [
            Span(f"  {field.name}", "name"),
            Span(short_name(field.type), "type"),
            "" if field.nullable else "not null",
            Span(str(field.metadata.get(COMMENT) or ""), "dim"),
        ]
        for field in fields[:SHOWN_COLUMNS]
    ]
    if len(fields) > SHOWN_COLUMNS:
        more = f"  … {len(fields) - SHOWN_COLUMNS} more: {Command('schema').named(report.called)!s}"
        rows.append([Span(more, "dim"), "", "", ""])
    if rows:
        yield Grid([Column(""), Column(""), Column(""), Column("")], rows)


@table_command
@at_option
@click.option("--rows", is_flag=True, help="Count the rows, even if that is slow.")
def command(session: Session, table: str, at: int | datetime | None, *, rows: bool) -> None:
    """Show TABLE on one screen: version, size, protocol, schema and properties.

    TABLE is a folder that contains _delta_log, or a name from [tables] in deltactl.toml. Rows are
    counted if that is cheap. --rows always counts them.

    \b
        deltactl show ./events
        deltactl show ./events --at 2026-11-01 -o json
    """
    report = reports_of(session, table).show(at=at, rows=rows)
    session.show(replace(report, called=session.invocation.words_of(table)))
