"""What the shell offers while a command is typed; a failure here offers nothing."""

from collections.abc import Iterable, Iterator

import click
from click.shell_completion import CompletionItem

from deltactl.cli.command_tree import Folder
from deltactl.cli.commands.help import TOPICS
from deltactl.cli.completion.offers import starting, typed_table
from deltactl.cli.global_options import Invocation
from deltactl.cli.session import Session
from deltactl.cli.tables import open_named
from deltactl.errors import DeltactlError
from deltactl.explanations import explanations
from deltactl.operations.domains.list import is_system
from deltactl.spec.keys import CONSTRAINT_PREFIX
from deltactl.spec.properties.registry import PROPERTIES, Owner, Type, lookup
from deltactl.spec.protocol.features import FEATURES
from deltactl.spec.protocol.protocol import supported
from deltactl.spec.schema.schema import Node, format_path, parse_path, walk
from deltactl.spec.schema.types import PRIMITIVES, short_name
from deltactl.spec.schema.widening import targets
from deltactl.spec.write_compat import Mode
from deltactl.table.snapshot import Snapshot
from deltactl.table.state.small_actions import read_domains

DECIMAL = "decimal("
SETTABLE = (Owner.USER, Owner.FEATURE)


def tables(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names in `[tables]`; folders are completed by the shell itself."""
    return [*_names(ctx, incomplete), CompletionItem(incomplete, type="dir")]


def columns(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the column paths of the table that was typed before."""
    return starting(incomplete, _paths(_nodes(ctx)))


def fields(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer columns and fields, which have names of their own, but none that was typed before."""
    typed = _words(ctx, param)
    nodes = (node for node in _nodes(ctx) if node.is_field and str(node) not in typed)
    return starting(incomplete, _paths(nodes))


def neighbours(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the columns beside which the new one is to be: those of its struct, if it has one."""
    words = [str(ctx.params[name]) for name in ("table", "column") if ctx.params.get(name)]
    words += ctx.args
    try:
        above = parse_path(words[1])[:-1] if len(words) > 1 else ()
    except DeltactlError:  # no path: told when the command runs
        return []
    beside = (n for n in _nodes(ctx) if n.is_field and n.path[:-1] == above)
    named = ((format_path(n.path[-1:]), short_name(n.type)) for n in beside)
    return starting(incomplete, named)


def columns_and_types(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer a column that can be widened, and behind a column the types that it can become."""
    typed = _words(ctx, param)
    nodes = {str(node): node for node in _nodes(ctx)}
    if len(typed) % 2 == 0:
        left = (n for name, n in nodes.items() if any(targets(n.type)) and name not in typed[::2])
        return starting(incomplete, _paths(left))
    node = nodes.get(typed[-1])
    found = targets(node.type) if node else ()
    return starting(incomplete, ((str(target.example), target.type) for target in found))


def constraints(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the names of the table's CHECK constraints."""
    snapshot = _snapshot(ctx)
    known = snapshot.configuration if snapshot else {}
    named = (
        (k[len(CONSTRAINT_PREFIX) :], t)
        for k, t in known.items()
        if k.startswith(CONSTRAINT_PREFIX)
    )
    return starting(incomplete, named)


def domains(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names of the table's metadata domains that are an application's."""
    snapshot = _snapshot(ctx)
    try:
        known = read_domains(snapshot) if snapshot else {}
    except DeltactlError:  # a broken log: told when the command runs
        return []
    return starting(incomplete, ((name, None) for name in known if not is_system(name)))


def codes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the codes of errors and warnings."""
    return starting(incomplete.upper(), ((c, e.summary) for c, e in explanations().items()))


def help_words(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer commands, and the topics of help behind no other word."""
    above, typed = ctx.find_root(), _words(ctx, param)
    for name in typed:
        below = (
            above.command.get_command(above, name) if isinstance(above.command, Folder) else None
        )
        if below is None:
            return []
        above = click.Context(below, info_name=name, parent=above)
    folder = above.command
    if not isinstance(folder, Folder):
        return []
    topics = [(topic, None) for topic in TOPICS] if not typed else []
    names = [(name, folder.summary(above, name)) for name in folder.list_commands(above)]
    return starting(incomplete, [*names, *topics])


def types(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names of Delta's types."""
    return starting(incomplete, ((name, None) for name in [*PRIMITIVES, DECIMAL]))


def features(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names of table features."""
    return starting(incomplete, ((name, row.purpose) for name, row in FEATURES.items()))


def features_it_has(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the features of the table."""
    had = _features(ctx)
    offered = ((n, FEATURES[n].purpose if n in FEATURES else None) for n in sorted(had))
    return starting(incomplete, offered)


def features_it_lacks(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the features that the table does not have, but none that was typed before."""
    known = {*_features(ctx), *_words(ctx, param)}
    offered = ((name, row.purpose) for name, row in FEATURES.items() if name not in known)
    return starting(incomplete, offered)


def settings(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the properties that can be set, as `KEY=`, and behind that their values."""
    key, equals, value = incomplete.partition("=")
    if equals:
        row = lookup(key)
        words = ("true", "false") if row and row.type is Type.BOOLEAN else row.words if row else ()
        return [CompletionItem(f"{key}={w}") for w in words if w.startswith(value.casefold())]
    typed = {pair.key for pair in ctx.params.get(param.name or "") or ()}
    free = (r for r in PROPERTIES.values() if r.owner in SETTABLE and not r.is_family)
    offered = ((f"{row.name}=", row.meaning) for row in free if row.name not in typed)
    return starting(incomplete, offered)


def set_properties(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the properties that are set on the table, but none that was typed before."""
    snapshot, typed = _snapshot(ctx), _words(ctx, param)
    known = snapshot.configuration if snapshot else {}
    free = ((k, v) for k, v in known.items() if not k.startswith(CONSTRAINT_PREFIX))
    return starting(incomplete, ((k, v) for k, v in free if k not in typed))


def properties_to_read(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the properties that are set on the table, then the others that have a default."""
    snapshot = _snapshot(ctx)
    known = dict(snapshot.configuration) if snapshot else {}
    free = (row for row in PROPERTIES.values() if row.default is not None and not row.is_family)
    others = ((row.name, row.meaning) for row in free if row.name not in known)
    return starting(incomplete, [*known.items(), *others])


def modes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the kinds of writes, as Spark spells them."""
    return starting(incomplete, ((mode.value, None) for mode in Mode))


def properties(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names of table properties."""
    return starting(incomplete, ((name, row.meaning) for name, row in PROPERTIES.items()))


def _words(ctx: click.Context, param: click.Parameter) -> list[str]:
    """Return what was typed for the parameter, which takes several words, or may."""
    known = ctx.params.get(param.name or "") or ()
    return [known] if isinstance(known, str) else list(known)


def _snapshot(ctx: click.Context) -> Snapshot | None:
    """Return the newest version of the table that was typed before, None if there is nothing."""
    invocation = ctx.find_object(Invocation)
    table = typed_table(ctx)
    if invocation is None or not table:
        return None
    try:
        return open_named(Session(invocation), table).snapshot(even_if_unsupported=True)
    except DeltactlError:  # no such table, or a broken one: told when the command runs
        return None


def _nodes(ctx: click.Context) -> Iterator[Node]:
    snapshot = _snapshot(ctx)
    try:
        schema = snapshot.schema if snapshot else None
    except DeltactlError:  # no schema that can be read: told when the command runs
        return
    if schema is not None:
        yield from walk(schema)


def _paths(nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    return ((str(node), short_name(node.type)) for node in nodes)


def _features(ctx: click.Context) -> frozenset[str]:
    snapshot = _snapshot(ctx)
    return supported(snapshot.protocol) if snapshot else frozenset()


def _names(ctx: click.Context, incomplete: str) -> Iterator[CompletionItem]:
    invocation = ctx.find_object(Invocation)
    if invocation is None:
        return
    try:
        named = Session(invocation).settings.tables
    except DeltactlError:  # a broken file is told when the command runs
        return
    yield from starting(incomplete, ((name, alias.shown) for name, alias in named.items()))
