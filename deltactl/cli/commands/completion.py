"""`completion`: print the completion script for a shell."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from deltactl.cli.command_options import bare_command
from deltactl.cli.completion.shells import SHELLS, script
from deltactl.cli.render.blocks import Block, Verbatim, view
from deltactl.cli.session import Session
from deltactl.report import Report

SECTION = "Set up"


@dataclass(frozen=True)
class CompletionReport(Report):
    """The script for one shell."""

    shell: str
    script: str

    def body(self) -> Mapping[str, Any]:
        """Return the shell and the script."""
        return {"shell": self.shell, "script": self.script}


@view.register
def _(report: CompletionReport) -> Iterable[Block]:
    return [Verbatim(report.script)]


@bare_command
@click.argument("shell", type=click.Choice(SHELLS))
def command(session: Session, shell: str) -> None:
    """Print the completion script for a shell.

    It completes commands, options, tables, columns, types, features and properties. Save it in
    your shell's folder of completions, or load it from the shell's start-up file:

    \b
        eval "$(deltactl completion bash)"  # in ~/.bashrc
        deltactl completion zsh > "${fpath[1]}/_deltactl"
        deltactl completion fish > ~/.config/fish/completions/deltactl.fish
    """
    session.show(CompletionReport(shell, script(shell)))
