"""Commands found by name: a file is a command, a folder is a group; only what is called loads."""

import os
import pkgutil
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType

import click
from click.core import augment_usage_errors
from click.shell_completion import CompletionItem

from deltactl.cli.commands import _index as index
from deltactl.cli.global_options import GlobalOption, Invocation, global_options
from deltactl.errors import DeltactlError
from deltactl.text.suggestions import nearest

# What the name of a command never has, and a path or a URL often does.
_NO_COMMAND = re.compile(r"[^a-z-]")
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class NoSuchCommandError(click.UsageError):
    """A word is no command of `folder`; `words` are it and what follows."""

    def __init__(self, ctx: click.Context, folder: "Folder", words: Sequence[str]) -> None:
        super().__init__(f"no such command {typed_name(ctx)} {words[0]}".replace("  ", " "), ctx)
        self.folder = folder
        self.words = tuple(words)


class Folder(click.Group):
    """The group of commands in one package.

    Constants of the package:
    `ALIASES` are further names of commands. `RENAMED` are names that commands had before: they
    still work, in documents too, and no help shows them.
    `DEFAULT` is the command that runs if none is named, whose only argument is TABLE: with
    `DEFAULT = "list"` in `log`, `log TABLE` is `log list TABLE`.
    `DOCUMENT` is the name of that command in documents, if it has a shorter one.
    """

    def __init__(self, package: ModuleType, name: str) -> None:
        super().__init__(
            name,
            help=package.__doc__,
            params=global_options(),
            context_settings=CONTEXT,
        )
        self.package = package
        self.aliases: Mapping[str, str] = getattr(package, "ALIASES", {})
        self.renamed: Mapping[str, str] = getattr(package, "RENAMED", {})
        self.default: str | None = getattr(package, "DEFAULT", None)
        self.document: str | None = getattr(package, "DOCUMENT", None)
        self.no_args_is_help = True
        if self.default:
            self.subcommand_metavar = "TABLE | COMMAND ARGS..."

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the files and folders, sorted."""
        return sorted(module.replace("_", "-") for module in self._modules())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the file or folder of that name, or return None."""
        cmd_name = self.aliases.get(cmd_name) or self.renamed.get(cmd_name, cmd_name)
        module = cmd_name.replace("-", "_")
        if module.replace("_", "-") != cmd_name or module not in (modules := self._modules()):
            return None
        loaded = import_module(f"{self.package.__name__}.{module}")
        if modules[module]:
            return Folder(loaded, cmd_name)
        command = loaded.command
        if not isinstance(command, click.Command):
            raise TypeError(f"{loaded.__name__}.command is not a command")
        command.name = cmd_name
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that `args` name, with the arguments left for it.

        Raises:
            NoSuchCommandError: no command has that name.
        """
        name = self.aliases.get(args[0], args[0])
        command = self.get_command(ctx, name)
        if command is None and not ctx.resilient_parsing:
            raise NoSuchCommandError(ctx, self, args)
        return name if command else None, command, args[1:]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options before the command."""
        note_command(ctx)
        if self.default:
            args = self._with_default(ctx, args)
        with augment_usage_errors(ctx):
            return super().parse_args(ctx, args)

    def _with_default(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the default command before the first word that is not an option of this group."""
        takes_value = {
            flag: not param.is_flag
            for param in self.params
            if isinstance(param, GlobalOption)
            for flag in param.opts
        }
        position = 0
        while position < len(args) and (words := _words_of_option(args[position], takes_value)):
            position += words
        rest = args[position:]
        asks_for_help = rest[:1] in (["-h"], ["--help"])
        if not rest or self.default is None or asks_for_help or self._is_command(ctx, rest):
            return args
        return [*args[:position], self.default, *rest]

    def _is_command(self, ctx: click.Context, words: list[str]) -> bool:
        """Return whether the first of `words` is a command, or a misspelt one: no table."""
        name = words[0]
        known = {*self.list_commands(ctx), *self.aliases, *self.renamed}
        if name in known:
            return True
        if name.startswith("-") or _NO_COMMAND.search(name) or os.path.lexists(name):
            return False
        # The default command has one argument.
        has_more = len(words) > 1 and not words[1].startswith("-")
        return has_more or (bool(nearest(name, known)) and not _is_alias(name))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands; the options are those of every command."""
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each command with its line of help, which the index knows without imports."""
        names = self.list_commands(ctx)
        rows = [(self.label(name), self.summary(ctx, name)) for name in names]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def label(self, name: str) -> str:
        """Return the command `name` with its aliases, as help lists it."""
        aliases = [alias for alias, meant in self.aliases.items() if meant == name]
        label = ", ".join([name, *aliases])
        return f"{label} (default)" if name == self.default else label

    def summary(self, ctx: click.Context, name: str) -> str:
        """Return the line of help of the command `name`."""
        known = index.SUMMARIES.get(f"{typed_name(ctx)} {name}".strip())
        if known is not None:
            return known
        command = self.get_command(ctx, name)  # newer than the index
        return command.get_short_help_str(limit=100) if command else ""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete commands, options, and the arguments of the default command."""
        known = self.list_commands(ctx)
        names = [name for name in known if name.startswith(incomplete)]
        # A command is offered once, by its own name if that fits.
        names += [
            alias
            for alias, meant in self.aliases.items()
            if alias.startswith(incomplete) and meant not in names
        ]
        found = [
            CompletionItem(name, help=self.summary(ctx, self.aliases.get(name, name)))
            for name in names
        ]
        found += click.Command.shell_complete(self, ctx, incomplete)
        default = self.get_command(ctx, self.default) if self.default else None
        if default is not None:
            argument = next(p for p in default.params if isinstance(p, click.Argument))
            found += argument.shell_complete(ctx, incomplete)
        return found

    def _modules(self) -> Mapping[str, bool]:
        return _modules(tuple(self.package.__path__))


def _words_of_option(arg: str, takes_value: Mapping[str, bool]) -> int:
    """Return how many words the option that `arg` begins has; 0 if `arg` begins no option."""
    if arg.startswith("--"):
        flag, equals, _ = arg.partition("=")
        known = takes_value.get(flag)
        return 0 if known is None else 2 if known and not equals else 1
    letters = arg[1:] if arg.startswith("-") else ""
    for position, letter in enumerate(letters):
        known = takes_value.get(f"-{letter}")
        if known is None:
            return 0
        if known:  # the rest of the word is its value, if there is a rest
            return 1 if letters[position + 1 :] else 2
    return 1 if letters else 0


def _is_alias(name: str) -> bool:
    """Return whether `[tables]` has that name; only a word that looks misspelt is looked for."""
    # One of its own: the settings of the run are read when all options are parsed.
    unread = Invocation(is_tried=True, is_part=True)
    try:
        return name in import_module("deltactl.cli.session").Session(unread).settings.tables
    except DeltactlError:  # told when a command runs
        return False


@cache
def _modules(folders: tuple[str, ...]) -> Mapping[str, bool]:
    """Return the module names of the commands, True for groups."""
    found = pkgutil.iter_modules(folders)
    return {module.name: module.ispkg for module in found if not module.name.startswith("_")}


def typed_name(ctx: click.Context) -> str:
    """Return the command of `ctx` as it can be typed in full: `schema show`, `log list`."""
    if ctx.parent is None:
        return ""
    return f"{typed_name(ctx.parent)} {ctx.info_name}".strip()


def command_name(ctx: click.Context) -> str:
    """Return the command of `ctx` as the documents name it: `schema show`, but `log`."""
    above = ctx.parent.command if ctx.parent else None
    if isinstance(above, Folder) and above.default == ctx.info_name and above.document:
        return above.document
    return typed_name(ctx)


def note_command(ctx: click.Context) -> None:
    """Note which command runs, for the document of a failure."""
    invocation = ctx.find_object(Invocation)
    if invocation is not None:
        invocation.command = command_name(ctx)
