"""`protocol features`: list all known table features, or describe one."""

from collections.abc import Iterable

import click

from deltactl.api.reading.reports import known_features
from deltactl.cli.command_options import bare_command, completing
from deltactl.cli.render.blocks import Block, Column, Fields, Grid, Heading, Label, Span, view
from deltactl.cli.render.words import KINDS
from deltactl.cli.session import Session
from deltactl.operations.protocol.features import FeaturesReport
from deltactl.spec.protocol.clients import CLIENTS, fact
from deltactl.spec.protocol.features import Feature, Support


@view.register
def _(report: FeaturesReport) -> Iterable[Block]:
    if len(report.features) == 1:
        yield from _one(report.features[0])
        return
    yield Grid(
        [
            Column("FEATURE", fold=False),
            Column("NEEDED BY", fold=False),
            Column("PROTOCOL", fold=False),
            Column("DELTACTL", fold=False),
            Column("PURPOSE"),
        ],
        (
            [Span(row.name, "name"), KINDS[row.kind], _since(row), _support(row), row.purpose]
            for row in report.features
        ),
    )


def _one(row: Feature) -> Iterable[Block]:
    keys = ", ".join(row.activation.keys)
    facts: list[tuple[str, Label]] = [
        ("Needed by", KINDS[row.kind]),
        ("Protocol", _since(row)),
        ("Requires", ", ".join(row.requires) or "-"),
        ("Active by", f"{row.activation.by.value}{f': {keys}' if keys else ''}"),
        ("Enabling", f"{row.enabling.value}. {row.enabling_note}".rstrip()),
        ("Dropping", f"{row.dropping.value}. {row.dropping_note}".rstrip()),
        ("deltactl", _support(row)),
    ]
    yield Heading([Span(row.name, "name"), f": {row.purpose}"])
    yield Fields(facts)
    yield Grid(
        [Column(title) for title in ("CLIENT", "READS", "WRITES", "REMARK")],
        (
            [client.title, found.reads.value, found.writes.value, found.remark or "-"]
            for client in CLIENTS
            for found in (fact(client, row.name),)
        ),
    )


def _since(row: Feature) -> str:
    return f"{row.min_reader}/{row.min_writer}"


def _support(row: Feature) -> str:
    words = [("reads", Support.READ), ("writes", Support.WRITE)]
    return ", ".join(word for word, flag in words if flag in row.support) or "no"


@bare_command
@click.argument(
    "feature", required=False, metavar="[FEATURE]", shell_complete=completing("features")
)
def command(session: Session, feature: str | None) -> None:
    """List all known table features, or describe one FEATURE.

    \b
        deltactl protocol features
        deltactl protocol features typeWidening
    """
    session.show(known_features(feature))
