"""Settings of a run: flag beats environment beats profile beats the files' top level."""

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

from deltactl.cli.config.config_file import MAPS, FileLayer, load, read_bytes, unknown_name_hint
from deltactl.cli.config.settings import PRINTING, SETTINGS, Alias, Settings
from deltactl.errors import InvalidUsageError
from deltactl.spark.install.urls import CONNECT, parse_remote
from deltactl.storage.options.settings import OPTION_VARIABLE
from deltactl.storage.urls import is_remote

PROJECT_FILE = "deltactl.toml"
USER_FILE = "config.toml"
TRUST = "trust-config"
"""The flag that names a file to trust for one run; no file sets it."""
TRUST_VARIABLE = "DELTACTL_TRUST_CONFIG"
_COLOR_VARIABLES = {"NO_COLOR": "never", "FORCE_COLOR": "always", "CLICOLOR_FORCE": "always"}
_NO_FILES = "any file: there is no deltactl.toml here or above"
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Layer(NamedTuple):
    """What one origin sets: `maps` are those of `MAPS` that it has, `tables` its aliases.

    `origins` has names as `Settings.origins` does, where not all came from the same `origin`.
    """

    values: Mapping[str, Any] = _NOTHING
    maps: Mapping[str, Mapping[str, str]] = _NOTHING
    origin: str = ""
    origins: Mapping[str, str] = _NOTHING
    tables: Mapping[str, Alias] = _NOTHING


class Distrusted(NamedTuple):
    """An untrusted file: why, what to type to trust it, and its settings that are ignored."""

    path: str
    reason: str
    remedy: str
    layers: tuple[FileLayer, ...]

    @property
    def names(self) -> list[str]:
        """The ignored settings, named as in the file."""
        return [name for layer in self.layers for name in layer.names()]


class Sources(NamedTuple):
    """Where a run has its settings from: `given` are the command line and the environment.

    `files` are the layers of files that count, `distrusted` the files with ignored settings.
    `others` are variables of other programs, which count if nothing else sets the same.
    """

    given: tuple[Layer, ...]
    paths: tuple[str, ...]
    files: tuple[FileLayer, ...]
    distrusted: tuple[Distrusted, ...] = ()
    others: Layer = Layer()

    def settings(self, table: str | None = None) -> Settings:
        """Return what holds for the run, or for the table that was typed.

        A profile that was given wins; else that of the table's alias, and if it has none, the
        one at the top level of a file. How results are printed is the run's, whatever the table.

        Raises:
            InvalidUsageError: there is no such profile; who named it is said.
        """
        given = _profile_of(self.given)
        usual = given if given is not None else _profile_of(self._layers(None))
        if usual and not self._layers(usual):
            where = " or ".join(self.paths) if self.paths else _NO_FILES
            raise self._no_such_profile(usual, f"no profile {usual!r} in {where}")
        found = _merge([*self.given, *(self._layers(usual) if usual else ()), *self._usual()])
        alias = found.tables.get(table) if table is not None else None
        if given is not None or alias is None or alias.profile is None or alias.distrusted:
            return found
        own = self._layers(alias.profile)
        if not own:
            said = f"{alias.where}: the table {table!r} has the profile {alias.profile!r}, "
            raise self._no_such_profile(alias.profile, f"{said}which is in no file")
        return _printed_as(found, _merge([*self.given, *own, *self._usual()]), alias.profile)

    def _layers(self, profile: str | None) -> list[Layer]:
        return [_from_file(layer) for layer in self.files if layer.profile == profile]

    def _usual(self) -> list[Layer]:
        return [*self._layers(None), self.others]

    def _no_such_profile(self, profile: str, message: str) -> InvalidUsageError:
        known = sorted({layer.profile for layer in self.files if layer.profile})
        return InvalidUsageError(
            "PROFILE_UNKNOWN",
            message,
            hint=unknown_name_hint(profile, known, "profiles")
            or f"a profile is a table [profiles.{profile}] in {PROJECT_FILE}, here or above, or in "
            "~/.config/deltactl/config.toml",
            details={"profile": profile, "files": list(self.paths), "profiles": known},
        )


def read(
    flags: Mapping[str, Any], environ: Mapping[str, str], folder: str, *, trusting: bool = True
) -> Sources:
    """Return the sources of settings for a command with `flags` in `folder`.

    The keys of `flags` are names of settings, of maps (see `MAPS`), and `TRUST`. Without
    `trusting` no project file is trusted, and no table that such a file names in a store is opened.

    Raises:
        InvalidUsageError: a variable or a file has a wrong value; the message names it.
    """
    given = (_from_flags(flags), _from_environment(environ))
    paths = config_files(environ, folder)
    contents = {path: read_bytes(path) for path in paths}
    loaded = {path: load(path, content) for path, content in contents.items()}
    own = user_file(environ)
    named = flags.get(TRUST) or environ.get(TRUST_VARIABLE)
    files: list[FileLayer] = []
    distrusted: list[Distrusted] = []
    for path, layers in loaded.items():
        is_own = path == own
        kinds = import_module("deltactl.cli.config.harmless")  # only for files
        of_user = kinds.NOTHING if is_own else kinds.own_of(loaded.get(own, ()))
        kept = tuple(kinds.withheld(layer, of_user) for layer in layers)
        reason = None
        if any(True for layer in kept for _ in layer.names()) and (trusting or is_own):
            trust = import_module("deltactl.cli.config.trust")  # most runs do not need it
            told = named and os.path.join(folder, named)
            base = os.path.dirname(own)
            reason = trust.distrust(path, contents[path], told, base, is_own=is_own)
        if reason is not None:
            distrusted.append(Distrusted(path, reason.reason, reason.remedy, kept))
        if reason is None and (trusting or is_own):
            files += layers
            continue
        counted = (kinds.harmless(layer, of_user) for layer in layers)
        files += counted if trusting else map(_near, counted)
    return Sources(given, tuple(paths), tuple(files), tuple(distrusted), _from_others(environ))


def config_files(environ: Mapping[str, str], folder: str) -> list[str]:
    """Return the files that apply in `folder`, the one that wins first."""
    nearest = nearest_project_file(folder)
    return [path for path in (nearest, user_file(environ)) if path and os.path.exists(path)]


def config_folder(environ: Mapping[str, str]) -> str:
    """Return the folder with the user's own configuration; it may not exist."""
    home = environ.get("HOME") or os.path.expanduser("~")
    base = environ.get("XDG_CONFIG_HOME", "")
    # The XDG specification has relative paths ignored.
    base = base if os.path.isabs(base) else os.path.join(home, ".config")
    return os.path.join(base, "deltactl")


def user_file(environ: Mapping[str, str]) -> str:
    """Return the path of the user's own configuration; it may not exist."""
    return os.path.join(config_folder(environ), USER_FILE)


def nearest_project_file(folder: str) -> str | None:
    """Return the project file in `folder`, or in the nearest one above that has one."""
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
    if variable := _color_variable(environ):
        values["color"], origins["color"] = _COLOR_VARIABLES[variable], variable
    for setting in SETTINGS.values():
        text = environ.get(setting.env)
        if not text:  # as everywhere, an empty variable is one that is not set
            continue
        try:
            values[setting.name] = setting.parse(text)
        except ValueError as error:
            raise InvalidUsageError("ENVIRONMENT_INVALID", f"{setting.env}: {error}") from error
        origins[setting.name] = setting.env
    if "no-color" in values and origins.get("color") != SETTINGS["color"].env:
        values.pop("color", None)  # our own variable is the more specific one
    options: dict[str, str] = {}
    for variable, value in environ.items():
        key = variable.removeprefix(OPTION_VARIABLE)
        if key and key != variable:
            options[key] = value
            origins[f"storage-options.{key}"] = variable
    return Layer(values, {"storage-options": options}, origins=origins)


def _from_others(environ: Mapping[str, str]) -> Layer:
    """Return what PySpark's own variable says of where Spark runs, if that is a server."""
    url = environ.get("SPARK_REMOTE", "")
    if not url.startswith(CONNECT):
        return Layer()
    try:
        return Layer({"master": parse_remote(url)}, origin="SPARK_REMOTE")
    except ValueError as error:
        raise InvalidUsageError("ENVIRONMENT_INVALID", f"SPARK_REMOTE: {error}") from error


def _from_file(layer: FileLayer) -> Layer:
    return Layer(layer.values, layer.maps, origin=layer.origin, tables=layer.tables)


def _near(layer: FileLayer) -> FileLayer:
    """Return the layer with the names of tables in stores marked: these are not opened."""
    tables = {
        name: alias._replace(distrusted=layer.path) if is_remote(alias.uri) else alias
        for name, alias in layer.tables.items()
    }
    return layer._replace(tables=tables)


def _profile_of(layers: Iterable[Layer]) -> str | None:
    """Return the profile of the first layer that names one; "" chooses no profile."""
    return next((v.values["profile"] for v in layers if "profile" in v.values), None)


def _printed_as(run: Settings, table: Settings, profile: str) -> Settings:
    """Return the settings of a table, where results are printed, and names known, as in `run`."""

    def is_of_run(name: str) -> bool:
        return name in PRINTING or name.startswith("tables.")

    own = {name: origin for name, origin in table.origins.items() if not is_of_run(name)}
    kept = {name: origin for name, origin in run.origins.items() if is_of_run(name)}
    return table._replace(
        profile=profile,
        tables=run.tables,
        output=run.output,
        quiet=run.quiet,
        verbose=run.verbose,
        color=run.color,
        no_color=run.no_color,
        no_progress=run.no_progress,
        no_pager=run.no_pager,
        origins={**own, **kept},
    )


def _with_both_spellings(layer: Layer) -> Layer:
    """Return the layer with `color` and its former spelling, `no-color`, in agreement."""
    values, origins = dict(layer.values), dict(layer.origins)
    if "color" in values:
        values["no-color"] = values["color"] == "never"
    elif "no-color" in values:
        values["color"] = "never" if values["no-color"] else "auto"
    for name, other in (("color", "no-color"), ("no-color", "color")):
        if name in origins:
            origins.setdefault(other, origins[name])
    return layer._replace(values=values, origins=origins)


def color_of_environment(environ: Mapping[str, str]) -> str:
    """Return when to print colours if no flag and no file says so."""
    try:
        layer = _with_both_spellings(_from_environment(environ))
    except InvalidUsageError:
        return "auto"
    return str(layer.values.get("color", "auto"))


def _color_variable(environ: Mapping[str, str]) -> str | None:
    """Return the variable of many programs that says when to print colours, if one does."""
    if environ.get("NO_COLOR"):
        return "NO_COLOR"
    forcing = (name for name in _COLOR_VARIABLES if environ.get(name, "0") not in ("", "0"))
    return next(forcing, None)


def _merge(layers: Iterable[Layer]) -> Settings:
    """Return the settings if the first layer that has a value wins."""
    values = {name: setting.default for name, setting in SETTINGS.items()}
    maps: dict[str, dict[str, str]] = {name: {} for name in MAPS}
    tables: dict[str, Alias] = {}
    origins = dict.fromkeys(values, "default")
    for layer in reversed([*map(_with_both_spellings, layers)]):
        for name, value in layer.values.items():
            values[name] = value
            origins[name] = layer.origins.get(name, layer.origin)
        for group, members in layer.maps.items():
            for key, member in members.items():
                # The order of the keys is that of the layers: of two spellings of an option of a
                # store, the last one counts.
                maps[group].pop(key, None)
                maps[group][key] = member
                name = f"{group}.{key}"
                origins[name] = layer.origins.get(name, layer.origin)
        for alias, place in layer.tables.items():
            if place.distrusted and alias in tables:
                continue
            tables[alias] = place
            origins[f"tables.{alias}"] = layer.origin
    named: dict[str, Any] = {**values, **maps, "tables": tables}
    return Settings(
        **{name.replace("-", "_"): value for name, value in named.items()}, origins=origins
    )
