"""`config trust`: trust all settings of a project file, until it changes."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from deltactl.cli.command_options import bare_command
from deltactl.cli.config import trust
from deltactl.cli.config.config import PROJECT_FILE, config_folder, nearest_project_file, user_file
from deltactl.cli.config.config_file import load, read_bytes
from deltactl.cli.config.harmless import own_of, withheld
from deltactl.cli.render.blocks import Block, Lines, Span, view
from deltactl.cli.session import Session
from deltactl.errors import NotFoundError, RefusedError
from deltactl.report import Report
from deltactl.text.quoting import quoted


@dataclass(frozen=True)
class TrustReport(Report):
    """The trusted file, and those of its settings that count only in a trusted file."""

    file: str
    settings: tuple[str, ...]

    def body(self) -> Mapping[str, Any]:
        """Return the file and the names of the settings."""
        return {"file": self.file, "settings": list(self.settings)}


@view.register
def _(report: TrustReport) -> Iterable[Block]:
    yield Lines([f"Trusted {report.file} until it changes. These settings count now:"])
    yield Lines([Span(f"  {name}", "name") for name in report.settings] or ["  (none)"])


@bare_command
@click.argument("file", metavar="[FILE]", required=False, type=click.Path())
def command(session: Session, file: str | None) -> None:
    """Trust all settings of a project file.

    If the file changes, its trust ends. FILE is a deltactl.toml. The default is the one in this
    folder or in the nearest folder above. Without trust, deltactl ignores its credentials,
    endpoints, proxies and Spark settings, and names in [tables] that lead to another host. Read
    the file first: these settings can run programs as you, and can send your credentials away.
    Your own config.toml needs no trust.

    If others can change the file, you cannot trust it permanently. Name it in each run, with
    --trust-config FILE or DELTACTL_TRUST_CONFIG, as CI does.

    \b
        deltactl config trust
        deltactl config trust ../deltactl.toml
    """
    path = project_file(file)
    content = read_bytes(path)
    layers = load(path, content)
    if (reason := trust.others_may_change(path)) is not None:
        raise RefusedError(
            "CONFIG_UNTRUSTED",
            f"{path} {reason}: what it says can change at any time; it is not trusted",
            hint=f"for one run, add --trust-config {quoted(path)}",
            details={"file": path},
        )
    trust.record(path, content, config_folder(os.environ))
    user = user_file(os.environ)
    own = own_of(load(user) if os.path.exists(user) else ())
    names = (name for layer in layers for name in withheld(layer, own).names())
    session.show(TrustReport(path, tuple(names)))


def project_file(named: str | None) -> str:
    """Return the path of the project file `named`, or of the nearest one.

    Raises:
        NotFoundError: there is no such file.
    """
    path = os.path.abspath(named) if named else nearest_project_file(os.getcwd())
    if path and os.path.isdir(path):
        path = os.path.join(path, PROJECT_FILE)
    path = path and found_as(path)
    if path is None or not os.path.exists(path):
        said = f"there is no {PROJECT_FILE} here or above" if path is None else f"no file at {path}"
        raise NotFoundError("CONFIG_NOT_FOUND", said, hint="name one: deltactl config trust FILE")
    return path


def found_as(path: str) -> str:
    """Return the path with the links of its folder resolved; the file may be a link."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)
