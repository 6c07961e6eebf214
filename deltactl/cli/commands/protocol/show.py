"""`protocol show`: show the protocol of a table, and which clients can open it."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from deltactl.cli.command_options import at_option, table_command
from deltactl.cli.render.blocks import (
    Block,
    Column,
    Fields,
    Grid,
    Heading,
    Label,
    Lines,
    Span,
    Style,
    view,
)
from deltactl.cli.render.words import KINDS
from deltactl.cli.session import Session
from deltactl.cli.tables import reports_of
from deltactl.operations.protocol.show import FeatureRow, ProtocolReport
from deltactl.spec.protocol.clients import Client, ClientSupport, Verdict
from deltactl.spec.protocol.features import DRAFT_REMARK, FeatureKind

_STYLES: dict[ClientSupport, Style] = {
    ClientSupport.YES: "added",
    ClientSupport.NO: "removed",
    ClientSupport.UNKNOWN: "warning",
}


@view.register
def _(report: ProtocolReport) -> Iterable[Block]:
    protocol = report.protocol
    yield Lines(
        [
            [
                "reader version ",
                Span(str(protocol.min_reader_version), "number"),
                ", writer version ",
                Span(str(protocol.min_writer_version), "number"),
                Span(f"  at version {report.version} of the table", "dim"),
            ]
        ]
    )
    if report.features:
        yield Grid(
            [
                Column("FEATURE", fold=False),
                Column("NEEDED BY"),
                Column("REQUIRED"),
                Column("ACTIVE", fold=False),
                Column("PURPOSE"),
            ],
            map(_feature, report.features),
        )
    if report.clients:
        yield from _clients(report.clients)


def _clients(clients: Sequence[tuple[Client, Verdict]]) -> Iterable[Block]:
    yield Heading("Clients, as far as is known")
    yield Grid(
        [Column("CLIENT", fold=False), *map(Column, ("READS", "WRITES", "KNOWN FROM"))],
        (
            [
                Span(client.title, "name"),
                Span(found.reads, _STYLES[found.reads]),
                Span(found.writes, _STYLES[found.writes]),
                Span(client.evidence, "dim"),
            ]
            for client, found in clients
        ),
    )
    for client, found in clients:
        if found.because:
            yield Heading(f"About {client.title}")
            yield Fields([("", reason) for reason in found.because])


def _feature(row: FeatureRow) -> list[Label]:
    purpose = "unknown" if row.row is None else row.row.purpose
    if row.draft_of is not None:
        purpose = f"{DRAFT_REMARK}; now {row.draft_of}"
    kind = "-" if row.row is None else KINDS[row.row.kind]
    active: dict[bool | None, Label] = {True: Span("yes", "added"), False: "no", None: "-"}
    name, purpose_span = Span(row.name, "name"), Span(purpose, "dim")
    return [name, kind, _required(row), active[row.is_active], purpose_span]


def _required(row: FeatureRow) -> str:
    if row.is_implied:
        return "by version"
    is_for_readers = row.row is None or row.row.kind is not FeatureKind.WRITER
    if row.in_reader_list == is_for_readers and row.in_writer_list:
        return "listed"
    # Engines read such lists in different ways, so it is said which one has the feature.
    lists = ("readers" if row.in_reader_list else "", "writers" if row.in_writer_list else "")
    return f"listed for {' and '.join(filter(None, lists))}"


@table_command
@at_option
def command(session: Session, table: str, at: int | datetime | None) -> None:
    """Show the protocol of TABLE, and which clients can open it.

    It also works on tables that deltactl itself cannot read.

    \b
        deltactl protocol show ./events
        deltactl protocol show ./events -o json | jq .clients
    """
    session.show(reports_of(session, table).protocol(at=at))
