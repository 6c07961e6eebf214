"""The options that mean the same everywhere, before the command and after it."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib import import_module
from itertools import pairwise
from typing import Any

import click
from click.shell_completion import CompletionItem

from deltactl.cli.config.config import TRUST, TRUST_VARIABLE, Sources, color_of_environment
from deltactl.cli.config.settings import (
    COLORS,
    DIFF_OUTPUTS,
    OUTPUTS,
    SETTINGS,
    Settings,
    is_secret,
    parse_option,
)
from deltactl.spark.install.urls import shown, without_login
from deltactl.storage.options.settings import OPTION_VARIABLE
from deltactl.text.hints import words_of
from deltactl.text.quoting import quoted


@dataclass(slots=True, eq=False, repr=False)
class Invocation:
    """One run of the program: what was typed, and what is known of it so far.

    `table` is the TABLE that the command was given, whose settings are those of the run.
    `inputs` are the texts that were read, by the name of their file, `-` for stdin. `tables` are
    those that were opened, as they were typed. `is_tried` while the shell completes a line:
    nothing of a project file may then run or send anything. `is_part` for one command of several.
    `is_sealed` where `inputs` are all that there are: no other file is read. `began` is when the
    command started, by the monotonic clock. `at_end` closes what lasts as long as the run.
    """

    args: Sequence[str] = ()
    command: str = ""
    flags: dict[str, Any] = field(default_factory=dict)
    settings: Settings | None = None
    sources: Sources | None = None
    table: str | None = None
    inputs: dict[str, str] = field(default_factory=dict)
    tables: set[str] = field(default_factory=set)
    exit_code: int = 0
    is_tried: bool = False
    is_part: bool = False
    is_sealed: bool = False
    began: float = field(default_factory=time.monotonic)
    at_end: ExitStack = field(default_factory=ExitStack)

    def output(self, environ: Mapping[str, str]) -> str:
        """Return the format to report a failure in, however early it came."""
        if self.settings:
            return "text" if self.settings.output in DIFF_OUTPUTS else self.settings.output
        wanted = self.flags.get("output") or _typed_output(self.args)
        wanted = wanted or environ.get(SETTINGS["output"].env, "")
        return wanted if wanted in OUTPUTS else "text"

    def words_of(self, typed: str) -> str:
        """Return the words by which commands to type next name a table, or the plan for one.

        A profile that was typed holds for one command only; one that came otherwise is in force.
        """
        return " ".join([words_of(typed, self.flags.get("profile")), *self._typed_settings()])

    def _typed_settings(self) -> Iterator[str]:
        """Yield the other options by which the table is reached, if they were typed."""
        for key, value in self.flags.get("storage-options", {}).items():
            yield f"--storage-option {quoted(_shown(key, value))}"
        if TRUST in self.flags:
            yield f"--{TRUST} {quoted(str(self.flags[TRUST]))}"

    def again(self, *options: str) -> str:
        """Return the command line that was typed, with more options, for a person to type.

        Secrets are left out, and how to print the result.
        """
        typed = _options(self.args)
        rest = self.args[len(typed) :]
        words = [*_without_secrets(_without_output(typed)), *options, *rest]
        return " ".join(["deltactl", *map(quoted, words)])

    def color(self, environ: Mapping[str, str]) -> str:
        """Return when to print colours in a message about a failure, however early it came."""
        if self.settings:
            return self.settings.color
        return _typed_color(self.args) or color_of_environment(environ)

    def verbose(self) -> bool:
        """Return whether stack traces are wanted."""
        if self.settings:
            return self.settings.verbose
        typed = set(_options(self.args))
        return "verbose" in self.flags or not {"-v", "--verbose"}.isdisjoint(typed)


def _shown(key: str, value: str) -> str:
    """Return `KEY=VALUE`, with dots for a value that must not be shown."""
    return f"{key}=..." if is_secret(key) else f"{key}={_without_login(value)}"


def _without_login(url: str) -> str:
    """Return the URL with dots for the user and the password in it."""
    return url if without_login(url) == url else without_login(url).replace("//", "//...@", 1)


def _without_token(master: str) -> str:
    """Return the URL of a master, with dots for what can hold the token of Spark Connect."""
    return master if shown(master) == master else f"{shown(master)}/;..."


def _without_secrets(args: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command line, with dots for values that must not be shown."""
    before = ""
    for arg in args:
        flag, is_one, given = arg.partition("=") if arg.startswith("--") else (before, "", arg)
        key, _, value = given.partition("=")
        start = f"{flag}=" if is_one else ""
        if flag in _PAIRS and value:
            yield start + _shown(key, value)
        elif flag in _MASTERS and given:
            yield start + _without_token(given)
        else:
            yield arg
        before = arg


def _without_output(args: Sequence[str]) -> Sequence[str]:
    """Return the words of a command line without `-o` and its value."""
    found, is_value = [], False
    for arg in args:
        if is_value:
            is_value = False
        elif arg in ("-o", "--output"):
            is_value = True
        elif not arg.startswith(("--output=", *_SHORT_OUTPUTS)):
            found.append(arg)
    return found


_SHORT_OUTPUTS = tuple(f"-o{form}" for form in OUTPUTS)
_PAIRS = ("--storage-option", "--spark-conf")
_MASTERS = ("--master", "--remote")


def _options(args: Sequence[str]) -> Sequence[str]:
    """Return those of `args` that may be options: none is behind `--`."""
    return args[: args.index("--")] if "--" in args else args


def _typed_output(args: Sequence[str]) -> str:
    """Return the last -o among `args`, which could not be parsed."""
    wanted = ""
    args = _options(args)
    for position, arg in enumerate(args):
        if arg in ("-o", "--output"):
            wanted = args[position + 1] if position + 1 < len(args) else ""
        elif arg.startswith("--output="):
            wanted = arg.removeprefix("--output=")
        elif arg.startswith("-o") and arg[2:].lstrip("=") in OUTPUTS:
            wanted = arg[2:].lstrip("=")
    return wanted


def _typed_color(args: Sequence[str]) -> str:
    """Return the last --color among `args`, which could not be parsed."""
    wanted = ""
    args = _options(args)
    for before, arg in pairwise(["", *args]):
        if arg == "--no-color":
            wanted = "never"
        elif before == "--color" or arg.startswith("--color="):
            wanted = arg.removeprefix("--color=")
    return wanted if wanted in COLORS else ""


class GlobalOption(click.Option):
    """An option that is noted in the `Invocation`; the innermost level that has it wins."""

    def __init__(self, *declarations: str, setting: str, **attributes: Any) -> None:
        super().__init__(declarations, expose_value=False, callback=noting(setting), **attributes)
        self.setting = setting

    @property
    def env(self) -> str:
        """The environment variable that has the same meaning."""
        if self.setting == TRUST:
            return TRUST_VARIABLE
        known = SETTINGS.get(self.setting)
        return known.env if known else f"{OPTION_VARIABLE}KEY"


_SWITCHES = {
    "-q --quiet": "Hide warnings, notes, and the plan of a change; --dry-run still shows it.",
    "-v --verbose": "Print requests to stores, retries and timings; show stack traces.",
    "--no-progress": "Show no progress bars.",
    "--no-pager": "Print long output without a pager (DELTACTL_PAGER, PAGER or less).",
}


def global_options() -> list[click.Parameter]:
    """Return the options for one more command or group."""
    return [
        GlobalOption(
            "-o",
            "--output",
            setting="output",
            type=click.Choice((*OUTPUTS, *DIFF_OUTPUTS)),
            help="How to print the result.",
        ),
        GlobalOption(
            "--color",
            setting="color",
            type=click.Choice(COLORS),
            help="When to use colours; auto: on a terminal.",
        ),
        GlobalOption("--no-color", setting="no-color", is_flag=True, hidden=True),
        *(
            GlobalOption(*names.split(), setting=names.split("--")[1], is_flag=True, help=text)
            for names, text in _SWITCHES.items()
        ),
        GlobalOption(
            "--profile",
            setting="profile",
            metavar="NAME",
            shell_complete=_offered,
            help="Use [profiles.NAME] of deltactl.toml.",
        ),
        GlobalOption(
            "--storage-option",
            setting="storage-options",
            metavar="KEY=VALUE",
            multiple=True,
            type=typed(parse_option),
            shell_complete=_offered,
            help="Set a store option; can be repeated.",
        ),
        GlobalOption(
            "--timeout",
            setting="timeout",
            metavar="TIME",
            type=typed(SETTINGS["timeout"].parse),
            help="Wait at most TIME (30s, 2m) for each answer from a store.",
        ),
        GlobalOption(
            f"--{TRUST}",
            setting=TRUST,
            metavar="FILE",
            type=click.Path(),
            help="Trust all settings in the configuration file FILE, for this run.",
        ),
    ]


def _offered(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the completions for `param`; their module is loaded on demand."""
    function = getattr(import_module("deltactl.cli.completion.complete_settings"), str(param.name))
    found: list[CompletionItem] = function(incomplete)
    return found


def typed(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return `parse` as a type of Click, for which a ValueError is wrong usage."""

    def convert(value: str) -> Any:
        try:
            return parse(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from error

    return convert


def noting(
    setting: str, *, rival: str | None = None
) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Return the callback of an option that notes its value as `setting`, if it was typed.

    `rival` is another option of the same command with the same setting: one of them at most.
    """

    def note(ctx: click.Context, param: click.Parameter, value: Any) -> None:
        assert param.name is not None
        typed = ctx.get_parameter_source(param.name) is click.core.ParameterSource.COMMANDLINE
        invocation = ctx.find_object(Invocation)
        if invocation is None or not typed:
            return
        if rival is not None and setting in invocation.flags:
            raise click.UsageError(f"give {param.opts[0]} or {rival}, not both")
        if param.multiple:
            value = {**invocation.flags.get(setting, {}), **dict(value)}
        invocation.flags[setting] = value

    return note
