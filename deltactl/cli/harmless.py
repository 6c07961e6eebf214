"""What a configuration file can set whoever wrote it, and what counts only if the user trusts it.

Harmless settings are those that say so in `SETTINGS` and in the rows of `storage.option_rows`, and
names of tables that lead to no host and to no profile of the user.
"""

from collections.abc import Set

from deltactl.cli.config_file import FileLayer
from deltactl.cli.settings import SETTINGS, Alias
from deltactl.storage.options import is_harmless_option
from deltactl.storage.urls import named_host


def harmless(layer: FileLayer, own_profiles: Set[str]) -> FileLayer:
    """Return what counts of a layer of a file that is not trusted.

    `own_profiles` are those of the user's own configuration. Names of tables that need trust are
    kept, so that whoever uses one learns why it does not work.
    """
    values = {k: v for k, v in layer.values.items() if _is_harmless(k, v, own_profiles)}
    options = layer.maps.get("storage-options", {})
    kept = {key: value for key, value in options.items() if is_harmless_option(key)}
    tables = {
        name: alias._replace(distrusted=layer.path if _leads_away(alias, own_profiles) else "")
        for name, alias in layer.tables.items()
        if not _is_place(name)
    }
    return layer._replace(values=values, maps={"storage-options": kept}, tables=tables)


def withheld(layer: FileLayer, own_profiles: Set[str]) -> FileLayer:
    """Return what does not count of a layer of a file that is not trusted."""
    counted = harmless(layer, own_profiles)
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


def _is_harmless(name: str, value: object, own_profiles: Set[str]) -> bool:
    if name == "profile":
        return value not in own_profiles
    return SETTINGS[name].harmless


def _leads_away(alias: Alias, own_profiles: Set[str]) -> bool:
    return named_host(alias.uri) is not None or alias.profile in own_profiles


def _is_place(name: str) -> bool:
    """Whether whoever types the name means a path or a URL."""
    return "/" in name or name in ("", ".", "..")
