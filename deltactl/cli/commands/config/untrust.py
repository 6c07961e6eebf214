"""`config untrust`: stop trusting a project file."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from deltactl.cli.command_options import bare_command
from deltactl.cli.commands.config.trust import found_as, project_file
from deltactl.cli.config import trust
from deltactl.cli.config.config import config_folder
from deltactl.cli.render.blocks import Block, Lines, view
from deltactl.cli.session import Session
from deltactl.report import Report


@dataclass(frozen=True)
class UntrustReport(Report):
    """The file that is not trusted now, and whether it was."""

    file: str
    trusted_before: bool

    def body(self) -> Mapping[str, Any]:
        """Return the file, and whether it was trusted."""
        return {"file": self.file, "trustedBefore": self.trusted_before}


@view.register
def _(report: UntrustReport) -> Iterable[Block]:
    said = "is no longer trusted" if report.trusted_before else "was not trusted"
    yield Lines([f"{report.file} {said}."])


@bare_command
@click.argument("file", metavar="[FILE]", required=False, type=click.Path())
def command(session: Session, file: str | None) -> None:
    """Stop trusting a project file.

    It undoes `deltactl config trust`. FILE is a deltactl.toml, even a deleted one. The default is
    the one in this folder or in the nearest folder above. Its harmless settings still count.

    \b
        deltactl config untrust
        deltactl config untrust ../deltactl.toml
    """
    path = found_as(file) if file and not os.path.exists(file) else project_file(file)
    session.show(UntrustReport(path, trust.forget(path, config_folder(os.environ))))
