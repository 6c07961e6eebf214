"""`tables`: list named tables, or find tables below a folder."""

from collections.abc import Iterable
from functools import partial

import click

from deltactl.api.reading.tables import DEPTH, Opener, joined, tables_at, tables_below
from deltactl.cli.command_options import bare_command, completing, whole_number
from deltactl.cli.render.blocks import Block, Column, Grid, Label, Lines, Span, view
from deltactl.cli.render.words import count, size
from deltactl.cli.session import Session
from deltactl.cli.tables import open_alias, open_folder
from deltactl.errors import DeltactlError, InvalidUsageError
from deltactl.operations.inspect.tables import (
    TableFacts,
    TableLine,
    TablePlace,
    TablesReport,
)
from deltactl.storage.urls import is_remote

SECTION = "Inspect"
FIGURES = [Column(title, "right", fold=False) for title in ("VERSION", "FILES", "SIZE")]


@view.register
def _(report: TablesReport) -> Iterable[Block]:
    if not report.lines:
        yield Lines([_nothing(report)])
        return
    lines, named = report.lines, report.prefix is None
    titles = [Column("TABLE", fold=False)] if named else []
    titles += FIGURES
    has_profile = any(line.place.profile for line in lines) and named
    fails = any(isinstance(line.found, DeltactlError) for line in lines)
    titles += [Column("PROFILE", fold=False)] if has_profile else []
    titles += [Column("PROBLEM", fold=False)] if fails else []
    titles += [Column("PATH", whole=True)]

    def row(line: TableLine) -> list[Label]:
        place, found = line.place, line.found
        cells: list[Label] = [Span(place.name, "name")] if named else []
        cells += _figures(found)
        cells += [place.profile or "-"] if has_profile else []
        if fails:
            cells.append(Span(found.code, "error") if isinstance(found, DeltactlError) else "-")
        return [*cells, place.uri if named else Span(place.shown, "name")]

    yield Grid(titles, map(row, lines))


def _figures(found: TableFacts | DeltactlError) -> list[Label]:
    if isinstance(found, DeltactlError):
        return ["-", "-", "-"]
    files = "-" if found.files is None else count(found.files)
    held = "-" if found.size is None else size(found.size)
    return [Span(str(found.version), "number"), files, held]


def _nothing(report: TablesReport) -> str:
    if report.prefix is None:
        return "No table has a name: there is no [tables] in deltactl.toml, here or above."
    return f"No Delta table in {report.prefix}."


@bare_command
@click.argument("prefix", metavar="[PREFIX]", required=False, shell_complete=completing("tables"))
@click.option(
    "--depth",
    type=whole_number(most=1000),
    metavar="N",
    help=f"Search PREFIX and N levels of folders below it (default: {DEPTH}).",
)
def command(session: Session, prefix: str | None, depth: int | None) -> None:
    """List the tables in [tables], or find tables below PREFIX.

    PREFIX is a folder. Named tables come from [tables] in deltactl.toml, each with its profile if
    it has one. Below PREFIX, deltactl does not search folders inside a table, or folders whose
    names begin with . or _.

    Files and size are counted if the newest version has a checksum file (.crc), or if the log is
    small. `deltactl show` always counts them. The list includes tables that cannot be opened.

    \b
        deltactl tables
        deltactl tables ./lake --depth 2
        deltactl tables ./lake -o ndjson | jq -r 'select(.error) | .uri'
    """
    if prefix is None:
        if depth is not None:
            raise InvalidUsageError("USAGE", "--depth goes with PREFIX, the folder to search")
        with session.progress("opening tables") as bar:
            report = tables_at(
                _named(session), lambda done, given: bar.reached(done, given, bar.label)
            )
    else:
        with session.progress("searching") as bar:
            uri = session.table_uri(prefix)
            folder = open_folder(session, prefix)
            is_path = not (is_remote(uri) or uri.startswith("file:"))
            report = tables_below(
                folder,
                session.store_settings(prefix),
                DEPTH if depth is None else depth,
                # What is typed for a table continues from what was typed for its folder.
                partial(_place, session, folder.uri, uri if is_path else folder.uri),
                lambda done, given: bar.reached(done, given, bar.label),
            )
    session.show(report)


def _named(session: Session) -> dict[TablePlace, Opener]:
    """Return the places of all aliases, each with what opens its table with its own settings."""
    names = session.settings.tables
    return {_alias_place(session, name): partial(open_alias, session, name) for name in names}


def _alias_place(session: Session, name: str) -> TablePlace:
    alias = session.settings.tables[name]
    return TablePlace(name, name, session.invocation.words_of(name), alias.shown, alias.profile)


def _place(session: Session, uri: str, typed: str, path: str) -> TablePlace:
    """Return where the table at `path` below a folder is."""
    shown = joined(typed, path)
    return TablePlace(path or ".", shown, session.invocation.words_of(shown), joined(uri, path))
