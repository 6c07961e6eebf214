"""What a command has to work with: the settings, the names of tables, a place for its report."""

import errno
import os
import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, TextIO

from deltactl.cli.config import config
from deltactl.cli.config.settings import DIFF_OUTPUTS, OUTPUTS, Settings
from deltactl.cli.global_options import Invocation
from deltactl.cli.process import output
from deltactl.cli.process.messages import say
from deltactl.cli.process.signals import nothing_written
from deltactl.cli.render import document, plain
from deltactl.cli.render.blocks import formatted, view
from deltactl.cli.render.progress import CountingProgress
from deltactl.cli.render.waiting import Waiting
from deltactl.errors import (
    DeltactlError,
    InterruptedRunError,
    InvalidUsageError,
    Notice,
    RefusedError,
)
from deltactl.report import Report
from deltactl.storage.local.regular_file import open_named
from deltactl.storage.options.settings import StoreSettings, Watch
from deltactl.storage.urls import named_host, scheme_of, trimmed

if TYPE_CHECKING:
    from deltactl.api.work import Work
    from deltactl.changes.saved_plan import Call

ON_A_TERMINAL = 20
_COMPARISONS = frozenset({"diff", "schema diff"})


class Session:
    """One run of one command."""

    def __init__(self, invocation: Invocation) -> None:
        self.invocation = invocation
        self.work: Work | None = None
        self.call: Call | None = None  # what asked for the change, as programs ask for it

    @property
    def settings(self) -> Settings:
        """The settings of this run and of its TABLE, read when first asked for: help needs none.

        Raises:
            InvalidUsageError: a variable or a file does not say what it should; it is named.
        """
        if self.invocation.settings is None:
            self.invocation.settings = self._sources.settings(self.invocation.table)
            self._check_output()
            self._warn_of_distrust()
            self._log_requests()
        return self.invocation.settings

    def _check_output(self) -> None:
        """Refuse, before anything is done, a format that the command does not have.

        Raises:
            InvalidUsageError: only comparisons have it.
        """
        wanted, command = self.settings.output, self.invocation.command
        if wanted in DIFF_OUTPUTS and command not in _COMPARISONS:
            said = f"-o {wanted} is for {' and '.join(sorted(_COMPARISONS))}, not for {command}"
            hint = f"choose one of {', '.join(OUTPUTS)}"
            raise InvalidUsageError("OUTPUT_NOT_OF_COMMAND", said, hint=hint)

    def settings_of(self, table: str) -> Settings:
        """Return the settings of the table that `table` names: its alias can have a profile.

        Raises:
            InvalidUsageError: there is no such profile.
        """
        return self._sources.settings(table)

    def name_of(self, uri: str) -> str | None:
        """Return the name in `[tables]` of the table at `uri`, None if it has none.

        Raises:
            InvalidUsageError: it has several, with different profiles, and none was given; or there
                is no such profile.
        """
        tables = self._sources.settings().tables
        names = [
            name
            for name, alias in tables.items()
            if trimmed(alias.uri) == trimmed(uri) and not alias.distrusted
        ]
        profiles = {name: self.settings_of(name).profile for name in names}
        if len(set(profiles.values())) > 1:
            shown = (f"{name} with {_profile(profiles[name])}" for name in names)
            raise InvalidUsageError(
                "PROFILE_AMBIGUOUS",
                f"the table {tables[names[0]].shown} has several names in [tables], "
                f"and their profiles differ: {', '.join(shown)}",
                hint="say which profile is meant: --profile NAME",
                details={"profiles": profiles},
            )
        return names[0] if names else None

    def leads_to_known_host(self, uri: str) -> bool:
        """Return if a URL has no host of its own, or that of a URL in a trusted `[tables]`."""

        def way(uri: str) -> tuple[str | None, str | None]:
            return scheme_of(uri), named_host(uri)

        aliases = self._sources.settings().tables.values()
        known = {way(alias.uri) for alias in aliases if not alias.distrusted}
        return named_host(uri) is None or way(uri) in known

    def store_settings(self, table: str) -> StoreSettings:
        """Return what to open the store of the table with that `table` names.

        Raises:
            InvalidUsageError: its alias names a profile that there is not.
        """
        settings = self.settings_of(table)
        return StoreSettings(
            settings.storage_options, settings.timeout, settings.spark_conf, self._watch
        )

    @property
    def _sources(self) -> config.Sources:
        if self.invocation.sources is None:
            self.invocation.sources = config.read(
                self.invocation.flags,
                os.environ,
                _working_folder(),
                trusting=not self.invocation.is_tried,
            )
        return self.invocation.sources

    def distrusted(self) -> tuple[config.Distrusted, ...]:
        """Return the configuration files of which something does not count."""
        return self._sources.distrusted

    def _warn_of_distrust(self) -> None:
        for file in () if self.invocation.is_part else self.distrusted():
            # Such a file cannot silence what is said about it.
            if not self.settings.quiet or self.settings.origins["quiet"].startswith(file.path):
                color = self.settings.color
                say("warning", _distrust(file), "CONFIG_UNTRUSTED", color=color)
                say("hint", _remedy(file), color=color)

    def _log_requests(self) -> None:
        # Whoever runs this command as a part of another one tells already.
        silent = self.invocation.is_tried or self.invocation.is_part
        if self.settings.verbose and not self.settings.quiet and not silent:
            notes = import_module("deltactl.cli.process.request_notes")
            handler = notes.RequestNotes(color=self.settings.color)
            self.invocation.at_end.callback(handler.close)

    def config_files(self) -> tuple[str, ...]:
        """Return the configuration files that apply here, the one that wins first."""
        return tuple(config.config_files(os.environ, _working_folder()))

    def table_uri(self, text: str) -> str:
        """Return the path or URL of the table that `text` names: itself, unless in `[tables]`.

        Raises:
            InvalidUsageError: its alias names a profile that there is not.
            RefusedError: its alias is of a file that the user has to trust for that.
        """
        alias = self.settings_of(text).tables.get(text)
        if alias is None:
            return text
        if self.invocation.is_tried and alias.distrusted:
            raise RefusedError("CONFIG_UNTRUSTED", f"{text} is not opened to complete a line")
        for file in self.distrusted():
            if file.path == alias.distrusted:
                raise RefusedError(
                    "CONFIG_UNTRUSTED",
                    f"{text} stands for {alias.shown} in {file.path}, which {file.reason}; "
                    "nothing was sent there",
                    hint=_remedy(file),
                    details={"file": file.path, "name": text},
                )
        return alias.uri

    def input_text(self, name: str) -> str:
        """Return the text of a file, or of stdin for `-`; a saved plan brings its own.

        Raises:
            InvalidUsageError: it cannot be read, or is not UTF-8.
            InterruptedRunError: the user ended it meanwhile.
        """
        inputs = self.invocation.inputs
        if name not in inputs:
            if self.invocation.is_sealed:
                said = f"the plan was made from {name}, and does not hold it"
                hint = "save the plan again with --plan-out"
                raise InvalidUsageError("REQUEST_NOT_UNDERSTOOD", said, hint=hint)
            with nothing_written():
                inputs[name] = _text_of(name)
        return inputs[name]

    def show(self, report: Report, *, is_last: bool = True) -> None:
        """Print `report` in the chosen format, and its warnings; its exit code becomes ours.

        A long one goes through the pager, unless something follows that must not wait for it.

        Raises:
            StorageError: stdout cannot be written, and nothing else was.
            BrokenPipeError: stdout is closed, and nothing was written.
            InterruptedRunError: the user ended it after something was written; it says what.
        """
        try:
            self._print(report, is_last=is_last)
        except (DeltactlError, OSError) as error:
            if report.done is None:
                raise
            # The exit code tells what became of the table.
            output.discard_rest()
            code, reason = output.failure_of(error)
            said = f"{report.done}; {reason}"
            say("warning", said, code, color=self.settings.color)
        except KeyboardInterrupt:
            if report.done is None:
                raise
            stop = InterruptedRunError("INTERRUPTED", f"interrupted; {report.done}")
            stop.table = report.table and report.table.to_json()
            raise stop from None
        self.invocation.exit_code = report.exit_code

    def _print(self, report: Report, *, is_last: bool) -> None:
        match self.settings.output:
            case "text":
                self._paint(report, is_last=is_last)
                self.warn(report.warnings)
            case "patch" | "markdown" as form:
                output.write_text(formatted(report, form))
                self.warn(report.warnings)
            case "ndjson" if document.has_elements(report):
                output.write(document.element_lines(report))
                self.warn(report.warnings)
            case "json" if report.streamed is None and output.is_terminal(sys.stdout):
                output.write(document.document(report, self.invocation.command, indent=2))
            case _:
                output.write_whole(document.document(report, self.invocation.command))
        errors = report.errors
        for error, following in zip(errors, [*errors[1:], None], strict=False):
            self.fail(error, hint=following is None or error.hint != following.hint)

    def warn(self, notices: Iterable[Notice]) -> None:
        """Print `notices` on stderr, unless -q."""
        for notice in () if self.settings.quiet else notices:
            say("warning", notice.message, notice.code, color=self.settings.color)

    def fail(self, error: DeltactlError, *, hint: bool = True) -> None:
        """Print why what was asked for was not done, and what to type next, on stderr."""
        say("error", error.message, error.code, color=self.settings.color)
        if error.hint and hint:
            say("hint", error.hint, color=self.settings.color)

    def note(self, text: str) -> None:
        """Print `text` on stderr, unless -q."""
        if not self.settings.quiet:
            say("note", text, color=self.settings.color)

    def progress(self, label: str, total: int | None = None) -> CountingProgress:
        """Return a bar to use in a `with` block, shown after a second, on a terminal only.

        Its clock starts with the command: a command may have several bars, one for each job.
        """
        began = self.invocation.began
        return CountingProgress(label, total, shown=self._shows_progress, began=began)

    @property
    def _shows_progress(self) -> bool:
        # Notes of requests would break the lines of a bar.
        settings = self.settings
        wanted = not (settings.no_progress or settings.quiet or settings.verbose)
        return wanted and output.is_terminal(sys.stderr)

    @cached_property
    def _watch(self) -> Watch | None:
        return Waiting(self.invocation.began) if self._shows_progress else None

    def terminal_width(self) -> int | None:
        """Return how wide the terminal is that shows the result as text; None off a terminal."""
        if self.settings.output != "text" or not output.is_terminal(sys.stdout):
            return None
        import shutil  # loads the modules of archives, which a pipe does without

        return shutil.get_terminal_size().columns

    def rows_to_show(self, limit: int | None) -> int | None:
        """Return how many rows to show, None for all: `limit`, where 0 means all.

        Without it a terminal gets what fits a screen, and everything else gets all.
        """
        if limit is None and self.terminal_width() is not None:
            return ON_A_TERMINAL
        return limit or None

    def _paint(self, report: Report, *, is_last: bool) -> None:
        blocks = view(report)
        color = self.settings.color
        if output.is_terminal(sys.stdout):
            # Rich costs more than most commands, and a pipe does without it.
            output.tolerate(sys.stdout)
            terminal = import_module("deltactl.cli.render.terminal")
            with self._screen(report, is_last=is_last) as screen:
                console = terminal.console(screen, color=color)
                terminal.paint(blocks, console, shortens=not self.settings.verbose)
        elif color == "always":
            terminal = import_module("deltactl.cli.render.terminal")
            output.write_text([terminal.colored(blocks)])
        else:
            output.write_text(plain.paint(blocks))

    def _screen(self, report: Report, *, is_last: bool) -> AbstractContextManager[TextIO]:
        """Return where to print: through a pager if nothing was written, and nothing follows."""
        pages = is_last and report.done is None and not self.invocation.is_part
        if pages and not self.settings.no_pager:
            pager = import_module("deltactl.cli.process.pager")
            if command := pager.pager_command(os.environ):
                screen: AbstractContextManager[TextIO] = pager.paged(sys.stdout, command)
                return screen
        return nullcontext(sys.stdout)


def _profile(name: str | None) -> str:
    return f"the profile {name}" if name else "none"


_NAMED = 6  # more settings than that are counted


def _distrust(file: config.Distrusted) -> str:
    """Return the warning about a file that is not trusted."""
    shown = ", ".join(file.names[:_NAMED])
    more = f" and {rest} more" if (rest := len(file.names[_NAMED:])) else ""
    return f"{file.path} {file.reason}: deltactl ignores its {shown}{more}"


def _remedy(file: config.Distrusted) -> str:
    if file.remedy.startswith("--"):
        return f"to use them anyway, add {file.remedy}"
    return f"read the file, and to use them run {file.remedy}"


def _text_of(name: str) -> str:
    shown = "stdin" if name == "-" else name
    try:
        if name == "-":
            if sys.stdin is None:
                raise OSError(errno.EBADF, "it is closed")
            return sys.stdin.buffer.read().decode("utf-8-sig")
        with open(name, encoding="utf-8-sig", newline="", opener=open_named) as file:
            return file.read()
    except OSError as error:
        said = f"{shown}: {error.strerror or error}"
        hint = "name a file that can be read, or - for stdin"
        raise InvalidUsageError("INPUT_UNREADABLE", said, hint=hint) from error
    except UnicodeDecodeError as error:
        said = f"{shown} is not text in UTF-8"
        hint = "save it as UTF-8: iconv -t UTF-8 does that"
        raise InvalidUsageError("INPUT_UNREADABLE", said, hint=hint) from error


def _working_folder() -> str:
    """Return the folder we are in; one that was deleted has no files, and none above it."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""
