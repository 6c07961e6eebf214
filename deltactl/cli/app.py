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

PIPE_CLOSED = 128 + 13  # what a shell says of a program that SIGPIPE ended
SECTIONS = ("Inspect", "Change", "Maintain", "Set up")
FIRST_STEPS = (
    ("deltactl show TABLE", "version, size, schema and properties"),
    ("deltactl history TABLE", "what each commit did"),
    ("deltactl diff TABLE", "what the last change of metadata changed"),
)
MORE_HELP = (
    ("deltactl COMMAND --help", "arguments, options and examples of a command"),
    ("deltactl --help", "each command in a line, and the options of all"),
    ("deltactl help exit-codes", "what exit codes mean"),
    ("deltactl help settings", "where settings come from"),
)
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

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options before the command; nothing at all is answered with an overview."""
        if not args and not ctx.resilient_parsing:
            raise NothingTypedError(ctx, self.overview(ctx))
        return super().parse_args(ctx, args)

    def overview(self, ctx: click.Context) -> str:
        """Return the commands by section, and what to type first, on one screen."""
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        formatter.write_paragraph()
        for section in SECTIONS:
            names = [name for name in index.SECTIONS if index.SECTIONS[name] == section]
            groups = dict.fromkeys(name.partition(" ")[0] for name in names)
            with formatter.indentation():
                formatter.write_text(f"{section}: {', '.join(groups)}")
        with formatter.section("Start with"):
            formatter.write_dl((*FIRST_STEPS, *MORE_HELP))
        return formatter.getvalue().rstrip("\n")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in the sections that they name."""
        names = dict.fromkeys((*self.list_commands(ctx), *index.SECTIONS))
        for section in (*SECTIONS, None):
            rows = [
                (self.label(name), self.summary(ctx, name))
                for name in sorted(names)
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
        """Write where the help continues."""
        with formatter.section("More help"):
            formatter.write_dl([row for row in MORE_HELP if "--help" not in row[0]])


class NothingTypedError(click.exceptions.NoArgsIsHelpError):
    """The program was called without arguments; the message is what to show."""

    def __init__(self, ctx: click.Context, overview: str) -> None:
        click.UsageError.__init__(self, overview, ctx)


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
