"""`help`: show the help of a command, or a topic."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import click

from deltactl.cli.command_options import bare_command, completing
from deltactl.cli.command_tree import Folder
from deltactl.cli.config.settings import SETTINGS
from deltactl.cli.global_options import GlobalOption, global_options
from deltactl.cli.render.blocks import Block, Fields, Heading, Lines, view
from deltactl.cli.session import Session
from deltactl.errors import EXIT_CODES, InvalidUsageError
from deltactl.report import Report
from deltactl.text.suggestions import nearest

SECTION = "Set up"


@dataclass(frozen=True)
class HelpReport(Report):
    """The help of a command, or a topic with its rows."""

    topic: str
    text: str
    rows: tuple[tuple[str, str], ...] = ()

    def body(self) -> Mapping[str, Any]:
        """Return the topic, its text, and its rows as pairs of name and meaning."""
        rows = [{"name": name, "meaning": meaning} for name, meaning in self.rows]
        return {"topic": self.topic, "text": self.text, "rows": rows}


@view.register
def _(report: HelpReport) -> Iterable[Block]:
    if report.text:
        yield Lines(report.text.splitlines())
    if report.rows:
        yield Heading(_HEADINGS[report.topic])
        yield Fields([(f"  {name}", meaning) for name, meaning in report.rows])


def _exit_codes() -> HelpReport:
    rows = tuple((str(code), meaning) for code, meaning in EXIT_CODES.items())
    return HelpReport("exit-codes", "", rows)


def _settings() -> HelpReport:
    return HelpReport("settings", _PRECEDENCE, tuple(_variables().items()))


def _variables() -> Mapping[str, str]:
    """Return the environment variable of each setting."""
    of_all = (param for param in global_options() if isinstance(param, GlobalOption))
    variables = {name: setting.env for name, setting in SETTINGS.items()}
    return variables | {option.setting: option.env for option in of_all}


TOPICS: Mapping[str, Callable[[], HelpReport]] = {
    "exit-codes": _exit_codes,
    "settings": _settings,
}
_HEADINGS = {"exit-codes": "Exit codes", "settings": "Settings and their environment variables"}
_PRECEDENCE = """\
deltactl uses the first of these that has a value:
  1. the option on the command line
  2. the environment variable
  3. the profile, in deltactl.toml (here or in a folder above)
  4. the top level of that file
  5. the profile, then the top level, of ~/.config/deltactl/config.toml
  6. variables that stores read themselves, such as AWS_REGION

NO_COLOR turns colours off. FORCE_COLOR and CLICOLOR_FORCE turn them on.
--color overrides all three. A name in [tables] can have its own profile;
--profile overrides it. deltactl ignores credentials, endpoints and Spark
settings in a deltactl.toml until you trust that file: deltactl config trust.
To see each value and its origin: deltactl config show."""


@bare_command
@click.argument(
    "words", nargs=-1, metavar="[COMMAND|TOPIC]...", shell_complete=completing("help_words")
)
def command(session: Session, words: tuple[str, ...]) -> None:
    """Show the help of COMMAND or TOPIC (exit-codes, settings).

    \b
        deltactl help
        deltactl help schema diff
        deltactl help exit-codes
    """
    if words[:1] and words[0] in TOPICS and not words[1:]:
        session.show(TOPICS[words[0]]())
        return
    found = _context(words)
    session.show(HelpReport(" ".join(words), found.get_help()))


def _context(words: tuple[str, ...]) -> click.Context:
    """Return the context of the command that the words name.

    Raises:
        InvalidUsageError: no command has that name.
    """
    ctx = click.get_current_context().find_root()
    for position, word in enumerate(words):
        folder = ctx.command
        if not isinstance(folder, Folder):
            break  # what follows a command are its arguments
        name = folder.aliases.get(word, word)
        below = folder.get_command(ctx, name)
        if below is None:
            path = "".join(f"{before} " for before in words[:position])
            known = [*folder.list_commands(ctx), *(() if path else TOPICS)]
            near = [f"deltactl help {path}{name}" for name in nearest(word, known)]
            raise InvalidUsageError(
                "USAGE",
                f"there is no help on {' '.join(words)}",
                hint=f"did you mean {' or '.join(near)}?" if near else "see deltactl help",
            )
        ctx = click.Context(below, info_name=name, parent=ctx, **below.context_settings)
    return ctx
