"""Settings of a run: flag beats environment beats profile beats the files' top level."""

import os
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from deltactl.cli.config_file import MAPS, FileLayer, load, unknown_name_hint
from deltactl.cli.settings import SETTINGS, STORAGE_OPTION_ENV, Settings
from deltactl.errors import InvalidUsageError

PROJECT_FILE = "deltactl.toml"
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Layer(NamedTuple):
    """What one origin sets: `maps` are those of `MAPS` that it has.

    `origins` has names as `Settings.origins` does, where not all came from the same `origin`.
    """

    values: Mapping[str, Any] = _NOTHING
    maps: Mapping[str, Mapping[str, str]] = _NOTHING
    origin: str = ""
    origins: Mapping[str, str] = _NOTHING


def resolve(flags: Mapping[str, Any], environ: Mapping[str, str], folder: str) -> Settings:
    """Return the settings of a command that was given `flags` in `folder`.

    The keys of `flags` are names of settings, and of maps (see `MAPS`).

    Raises:
        InvalidUsageError: a variable or a file does not say what it should; it is named.
    """
    given = [_from_flags(flags), _from_environment(environ)]
    paths = config_files(environ, folder)
    files = [layer for path in paths for layer in load(path)]
    top = [_from_file(layer) for layer in files if layer.profile is None]
    profile = next((v.values["profile"] for v in (*given, *top) if "profile" in v.values), None)
    chosen = [_from_file(layer) for layer in files if profile and layer.profile == profile]
    if profile and not chosen:
        raise _no_such_profile(profile, paths, files)
    return _merge([*given, *chosen, *top])


def config_files(environ: Mapping[str, str], folder: str) -> list[str]:
    """Return the files that apply in `folder`, the one that wins first."""
    home = environ.get("HOME") or os.path.expanduser("~")
    base = environ.get("XDG_CONFIG_HOME", "")
    # The XDG specification has relative paths ignored.
    base = base if os.path.isabs(base) else os.path.join(home, ".config")
    user = os.path.join(base, "deltactl", "config.toml")
    nearest = _nearest_project_file(folder)
    return [path for path in (nearest, user) if path and os.path.exists(path)]


def _nearest_project_file(folder: str) -> str | None:
    while folder:
        path = os.path.join(folder, PROJECT_FILE)
        if os.path.exists(path):
            return path
        parent = os.path.dirname(folder)
        folder = parent if parent != folder else ""
    return None


def _from_flags(flags: Mapping[str, Any]) -> Layer:
    values = {name: value for name, value in flags.items() if name in SETTINGS}
    maps = {name: value for name, value in flags.items() if name in MAPS}
    return Layer(values, maps, origin="command line")


def _from_environment(environ: Mapping[str, str]) -> Layer:
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    if environ.get("NO_COLOR"):
        values["no-color"], origins["no-color"] = True, "NO_COLOR"
    for setting in SETTINGS.values():
        text = environ.get(setting.env)
        if not text:  # as everywhere, an empty variable is one that is not set
            continue
        try:
            values[setting.name] = setting.parse(text)
        except ValueError as error:
            raise InvalidUsageError("ENVIRONMENT_INVALID", f"{setting.env}: {error}") from error
        origins[setting.name] = setting.env
    options: dict[str, str] = {}
    for variable, value in environ.items():
        key = variable.removeprefix(STORAGE_OPTION_ENV)
        if key and key != variable:
            options[key] = value
            origins[f"storage-options.{key}"] = variable
    return Layer(values, {"storage-options": options}, origins=origins)


def _from_file(layer: FileLayer) -> Layer:
    return Layer(layer.values, layer.maps, origin=layer.origin)


def _merge(layers: Iterable[Layer]) -> Settings:
    """Return the settings where the first layer that has a value wins."""
    values = {name: setting.default for name, setting in SETTINGS.items()}
    maps: dict[str, dict[str, str]] = {name: {} for name in MAPS}
    origins = dict.fromkeys(values, "default")
    for layer in reversed(list(layers)):
        for name, value in layer.values.items():
            values[name] = value
            origins[name] = layer.origins.get(name, layer.origin)
        for group, members in layer.maps.items():
            for key, member in members.items():
                maps[group][key] = member
                name = f"{group}.{key}"
                origins[name] = layer.origins.get(name, layer.origin)
    named: dict[str, Any] = {**values, **maps}
    return Settings(
        **{name.replace("-", "_"): value for name, value in named.items()}, origins=origins
    )


def _no_such_profile(
    profile: str, paths: list[str], files: Iterable[FileLayer]
) -> InvalidUsageError:
    known = sorted({layer.profile for layer in files if layer.profile})
    where = " or ".join(paths) if paths else "any file: there is no deltactl.toml here or above"
    return InvalidUsageError(
        "PROFILE_UNKNOWN",
        f"no profile {profile!r} in {where}",
        hint=unknown_name_hint(profile, known, "profiles"),
        details={"profile": profile, "files": paths, "profiles": known},
    )
