"""The program: finds the command, runs it, and turns every failure into its exit code."""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any

import click
from click.shell_completion import shell_complete

from deltactl import __version__
from deltactl.cli import commands
from deltactl.cli.command_tree import Folder
from deltactl.cli.commands import _index as index
from deltactl.cli.completion.shells import PROGRAM, VARIABLE
from deltactl.cli.global_options import GlobalOption, Invocation
from deltactl.cli.process import output
from deltactl.errors import EXIT_CODES

PIPE_CLOSED = 128 + 13  # what a shell says of a program that SIGPIPE ended
SECTIONS = ("Inspect", "Change", "Maintain", "Set up")
_NONE: Mapping[str, Any] = MappingProxyType({})


def main(
    args: Sequence[str] | None = None, flags: Mapping[str, Any] = _NONE, *, is_part: bool = False
) -> int:
    """Run the command line `args`, the process's own by default, and return the exit code.

    `flags` are settings by name, as if they were typed: a command that runs another one as a part
    of itself passes its own on. Flags in `args` win.
    """
    words = sys.argv[1:] if args is None else list(args)
    invocation = Invocation(words, flags=dict(flags), is_part=is_part)
    if instruction := os.environ.get(VARIABLE):
        return _complete(invocation, instruction)
    with invocation.at_end:
        try:
            return _run(invocation)
        except BaseException as error:
            return _failed(error, invocation)


def root() -> Folder:
    """Return the command that holds all others."""
    program = Root(commands, PROGRAM)
    program.help = "Inspect and change Delta Lake tables from the command line, without Spark."
    program.params.append(
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
            help="Show the version.",
        )
    )
    return program


class Root(Folder):
    """The top level, whose help groups the commands by what they are for."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in the sections that they name."""
        names = self.list_commands(ctx)
        for section in (*SECTIONS, None):
            rows = [
                (name, self.summary(ctx, name))
                for name in names
                if index.SECTIONS.get(name) == section
            ]
            if rows:
                with formatter.section(section or "Other"):
                    formatter.write_dl(rows)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options of every command with their variables."""
        self.format_commands(ctx, formatter)
        rows = []
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record and isinstance(param, GlobalOption):
                record = (record[0], f"{record[1]}  [{param.env}]")
            rows += [record] if record else []
        with formatter.section("Options, before or after the command [environment variable]"):
            formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write where settings come from, and the exit codes."""
        with formatter.section("Settings"):
            formatter.write_text(
                "A flag beats the environment, which beats the profile and the top level of "
                "deltactl.toml (here or in a folder above), then of "
                "~/.config/deltactl/config.toml. NO_COLOR is honoured. A name in [tables] can have "
                "a profile of its own, which --profile beats. Variables that stores read "
                "themselves, such as AWS_REGION, come after all these. Credentials, endpoints and "
                "settings of Spark in a deltactl.toml count once you trust it: "
                "deltactl config trust."
            )
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), text) for code, text in EXIT_CODES.items()])


def _print_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"{PROGRAM} {__version__}")
        ctx.exit()


def _run(invocation: Invocation) -> int:
    program = root()
    try:
        with program.make_context(PROGRAM, list(invocation.args), obj=invocation) as ctx:
            program.invoke(ctx)
    except click.exceptions.Exit as done:
        invocation.exit_code = done.exit_code
    if sys.stdout is not None:
        sys.stdout.flush()
    return invocation.exit_code


def _failed(error: BaseException, invocation: Invocation) -> int:
    if isinstance(error, SystemExit | GeneratorExit):
        raise error
    try:
        if isinstance(error, BrokenPipeError):
            raise error
        # Only a failure pays for JSON and stack traces.
        code: int = import_module("deltactl.cli.process.failures").report(error, invocation)
        return code
    except BrokenPipeError:
        output.discard_rest()
        return PIPE_CLOSED


def _complete(invocation: Invocation, instruction: str) -> int:
    """Answer the shell; after any failure there are no completions."""
    invocation.is_tried = True
    try:
        return shell_complete(root(), {"obj": invocation}, PROGRAM, VARIABLE, instruction)
    except Exception:  # any: a traceback would be printed into the line that the user types
        return 1
