"""What the shell offers while a command is typed; a failure here offers nothing."""

from collections.abc import Iterable, Iterator

import click
from click.shell_completion import CompletionItem

from deltactl.cli.context import Session
from deltactl.cli.flags import Invocation
from deltactl.cli.tables import open_named
from deltactl.errors import DeltactlError
from deltactl.explanations import EXPLANATIONS
from deltactl.model.features import FEATURES
from deltactl.model.properties import PROPERTIES
from deltactl.model.schema import find, parse_path, walk
from deltactl.model.types import PRIMITIVES, short_name
from deltactl.model.widening import targets

DECIMAL = "decimal("


def tables(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names in `[tables]`; folders are completed by the shell itself."""
    return [*_names(ctx, incomplete), CompletionItem(incomplete, type="dir")]


def columns(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the column paths of the table that was typed before."""
    invocation = ctx.find_object(Invocation)
    # Behind an option that still waits for its value, click has not told the arguments apart.
    table = ctx.params.get("table") or next(iter(ctx.args), None)
    if invocation is None or not table:
        return []
    try:
        paths = column_paths(Session(invocation), table)
    except DeltactlError:  # no such table, or no schema: told when the command runs
        return []
    return _starting(incomplete, paths)


def column_paths(session: Session, table: str) -> list[tuple[str, str]]:
    """Return every column path of the newest version of `table`, with its type."""
    opened = open_named(session, table)
    schema = opened.snapshot(even_if_unsupported=True).schema
    return [(str(node), short_name(node.type)) for node in walk(schema)] if schema else []


def columns_and_types(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer a column, and behind a column the types that it can be widened to."""
    typed = list(ctx.params.get(param.name or "") or ())
    table = ctx.params.get("table")
    invocation = ctx.find_object(Invocation)
    if invocation is None or not table or len(typed) % 2 == 0:
        return columns(ctx, param, incomplete)
    try:
        snapshot = open_named(Session(invocation), table).snapshot(even_if_unsupported=True)
        node = None if snapshot.schema is None else find(snapshot.schema, parse_path(typed[-1]))
    except DeltactlError:  # no such table or column: told when the command runs
        return []
    found = targets(node.type) if node else ()
    return _starting(incomplete, ((str(target.example), target.type) for target in found))


def codes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the codes of errors and warnings."""
    return _starting(incomplete.upper(), ((c, e.summary) for c, e in EXPLANATIONS.items()))


def types(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names of Delta's types."""
    return _starting(incomplete, ((name, None) for name in [*PRIMITIVES, DECIMAL]))


def features(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names of table features."""
    return _starting(incomplete, ((name, row.purpose) for name, row in FEATURES.items()))


def properties(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names of table properties."""
    return _starting(incomplete, ((name, row.meaning) for name, row in PROPERTIES.items()))


def _starting(prefix: str, words: Iterable[tuple[str, str | None]]) -> list[CompletionItem]:
    folded = prefix.casefold()
    return [
        CompletionItem(word, help=about)
        for word, about in words
        if word.casefold().startswith(folded) or word.casefold().lstrip("`").startswith(folded)
    ]


def _names(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
    invocation = ctx.find_object(Invocation)
    if invocation is None:
        return
    try:
        named = Session(invocation).settings.tables
    except DeltactlError:  # a broken file is told when the command runs
        return
    yield from _starting(incomplete, named.items())
