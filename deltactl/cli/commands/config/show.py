"""`config show`: show each setting, its value and its origin."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from deltactl.cli.command_options import bare_command
from deltactl.cli.config.config_file import FileLayer
from deltactl.cli.config.settings import HIDDEN, SETTINGS, Settings, is_secret
from deltactl.cli.render.blocks import Block, Column, Grid, Lines, Span, view
from deltactl.cli.session import Session
from deltactl.report import Report
from deltactl.spark.install.urls import without_login
from deltactl.storage.options.options import variables_beside


@dataclass(frozen=True)
class ConfigReport(Report):
    """The settings of this run, and the files that were read for them.

    `variables` are those that stores read from the environment, beside the storage options.
    `ignored` are settings of files that the user does not trust.
    """

    settings: Settings
    files: tuple[str, ...]
    variables: Mapping[str, str]
    ignored: tuple[FileLayer, ...] = ()

    def body(self) -> Mapping[str, Any]:
        """Return the files and the settings."""
        return {"files": list(self.files), "settings": list(self.elements())}

    def elements(self) -> Iterator[Mapping[str, Any]]:
        """Yield each setting, then the ignored ones, with secrets hidden."""
        yield from self._counting()
        for layer in self.ignored:
            for name, value in _values(layer):
                yield _element(name, value, layer.origin, ignored=True)

    def _counting(self) -> Iterator[Mapping[str, Any]]:
        for name, setting in SETTINGS.items():
            value = getattr(self.settings, name.replace("-", "_"))
            yield self._element(name, setting.shown(value))
        for group in ("storage-options", "spark-conf"):
            members = getattr(self.settings, group.replace("-", "_"))
            for key, value in sorted(members.items()):
                yield self._element(f"{group}.{key}", _shown(key, value))
            if group == "storage-options":
                for key, value in self.variables.items():
                    yield _element(f"{group}.{key}", _shown(key, value), key)
        for name, alias in sorted(self.settings.tables.items()):
            if alias.distrusted:
                continue
            origin = self.settings.origins[f"tables.{name}"]
            yield _element(f"tables.{name}", alias.shown, origin)
            if alias.profile is not None:
                yield _element(f"tables.{name}.profile", alias.profile, origin)

    def _element(self, name: str, value: Any) -> Mapping[str, Any]:
        return _element(name, value, self.settings.origins[name])


def _shown(key: str, value: str) -> str:
    return HIDDEN if is_secret(key) else without_login(value)


def _values(layer: FileLayer) -> Iterator[tuple[str, Any]]:
    for name, value in layer.values.items():
        yield name, SETTINGS[name].shown(value)
    for group, members in layer.maps.items():
        yield from ((f"{group}.{key}", _shown(key, value)) for key, value in members.items())
    for name, alias in layer.tables.items():
        yield f"tables.{name}", alias.shown


def _element(name: str, value: Any, origin: str, *, ignored: bool = False) -> Mapping[str, Any]:
    return {"name": name, "value": value, "origin": origin, "ignored": ignored}


@view.register
def _(report: ConfigReport) -> Iterable[Block]:
    yield Grid(
        [Column("SETTING"), Column("VALUE"), Column("FROM")],
        (
            [Span(row["name"], "name"), _text(row["value"]), Span(_origin(row), "dim")]
            for row in report.elements()
        ),
    )
    if not report.files:
        yield Lines(["No deltactl.toml here or above, and none of the user."])


def _origin(row: Mapping[str, Any]) -> str:
    return f"ignored: {row['origin']}" if row["ignored"] else str(row["origin"])


def _text(value: Any) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return str(value).lower()
        case float():
            return f"{value:g}s"
        case _:
            return str(value)


@bare_command
def command(session: Session) -> None:
    """Show each setting, its value and its origin.

    The origin is the command line, an environment variable, a file, or the default. Storage
    options also include variables that stores read themselves, such as AWS_REGION. Ignored
    variables are not shown: if you set any credential, credentials from the environment are
    ignored. Secrets in storage options and Spark settings are shown as ****.

    If a name in [tables] has its own profile, a second line shows it. Settings in files that you
    do not trust are ignored, and come last (see deltactl config trust).

    \b
        deltactl config show --profile prod
    """
    settings = session.settings
    found = variables_beside(settings.storage_options, os.environ)
    variables = {name: os.environ[name] for name in found}
    ignored = tuple(layer for file in session.distrusted() for layer in file.layers)
    session.show(ConfigReport(settings, session.config_files(), variables, ignored))
