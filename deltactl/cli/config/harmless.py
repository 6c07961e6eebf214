"""What a configuration file can set whoever wrote it, and what counts only if the user trusts it.

Harmless settings are those that say so in `SETTINGS` and in the rows of `storage.option_rows`, and
names of tables that lead to no host and to no profile of the user. Nothing of a stranger takes away
what the user's own file says: not its names, and not its profile, which may hold an endpoint.
"""

from collections.abc import Iterable
from typing import NamedTuple

from deltactl.cli.config.config_file import FileLayer
from deltactl.cli.config.settings import SETTINGS, Alias
from deltactl.storage.options.options import is_harmless_option
from deltactl.storage.urls import named_host


class Own(NamedTuple):
    """What the user's own file has: its profiles, its names, whether it chooses a profile."""

    profiles: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    chooses: bool = False


NOTHING = Own()


def own_of(layers: Iterable[FileLayer]) -> Own:
    """Return what a stranger must not use or replace of the layers of the user's own file."""
    known = list(layers)
    return Own(
        frozenset(layer.profile for layer in known if layer.profile),
        frozenset(name for layer in known for name in layer.tables),
        any(layer.profile is None and layer.values.get("profile") for layer in known),
    )


def harmless(layer: FileLayer, own: Own) -> FileLayer:
    """Return what counts of a layer of a file that is not trusted.

    Names of tables that need trust are kept, so that whoever uses one learns why it does not work.
    """
    values = {k: v for k, v in layer.values.items() if _is_harmless(k, v, own)}
    options = layer.maps.get("storage-options", {})
    kept = {key: value for key, value in options.items() if is_harmless_option(key)}
    tables = {
        name: alias._replace(distrusted=layer.path if _leads_away(name, alias, own) else "")
        for name, alias in layer.tables.items()
        if not _is_place(name)
    }
    return layer._replace(values=values, maps={"storage-options": kept}, tables=tables)


def withheld(layer: FileLayer, own: Own) -> FileLayer:
    """Return what does not count of a layer of a file that is not trusted."""
    counted = harmless(layer, own)
    maps = {
        group: {k: v for k, v in members.items() if k not in counted.maps.get(group, {})}
        for group, members in layer.maps.items()
    }
    kept = {name for name, alias in counted.tables.items() if not alias.distrusted}
    return layer._replace(
        values={k: v for k, v in layer.values.items() if k not in counted.values},
        maps=maps,
        tables={name: alias for name, alias in layer.tables.items() if name not in kept},
    )


def _is_harmless(name: str, value: object, own: Own) -> bool:
    if name == "profile":
        return not own.chooses and value not in own.profiles
    return SETTINGS[name].harmless


def _leads_away(name: str, alias: Alias, own: Own) -> bool:
    has_other_profile = alias.profile is not None and (own.chooses or alias.profile in own.profiles)
    return named_host(alias.uri) is not None or has_other_profile or name in own.names


def _is_place(name: str) -> bool:
    """Return whether whoever types the name means a path or a URL."""
    return "/" in name or name in ("", ".", "..")
