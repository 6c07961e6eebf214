"""From an exception to what the caller gets: lines on stderr, a document, an exit code."""

import os
import traceback
from typing import ClassVar

import click

from deltactl.cli.command_tree import NoSuchCommandError
from deltactl.cli.global_options import Invocation
from deltactl.cli.process import output, redirects
from deltactl.cli.process.messages import say, say_raw
from deltactl.cli.render import document
from deltactl.cli.render.visible import visible
from deltactl.cli.spark.submit_options import instead_of
from deltactl.errors import (
    BrokenLogError,
    ConflictError,
    DeltactlError,
    InterruptedRunError,
    InvalidUsageError,
    OutcomeUnknownError,
    StorageError,
    UnfinishedError,
)
from deltactl.text.hints import Command

_OF_THE_TABLE = (ConflictError, OutcomeUnknownError, UnfinishedError, InterruptedRunError)


class BugError(DeltactlError):
    """What should not happen."""

    exit_code: ClassVar[int] = 1


def report(error: BaseException, invocation: Invocation) -> int:
    """Tell of `error` in the wanted form, and return the exit code."""
    known = foreseen(error)
    if len(invocation.tables) == 1:
        [table] = invocation.tables
        if isinstance(known, BrokenLogError) and known.remedy is None and not _verifies(invocation):
            known.remedy = Command("verify-checksum")
        known.name_table(invocation.words_of(table))
    wanted = invocation.output(os.environ)
    if wanted == "text" and isinstance(error, click.exceptions.NoArgsIsHelpError):
        say_raw(error.format_message())
        return known.exit_code
    if known.code == "OUTPUT_FAILED":
        output.discard_rest()
    elif wanted != "text":
        known = _write_document(known, wanted, invocation.command)
    _say(known, error, invocation)
    return known.exit_code


def _verifies(invocation: Invocation) -> bool:
    return invocation.command == "verify-checksum"


def foreseen(error: BaseException) -> DeltactlError:
    """Return `error` as one that has a code, an exit code, and says what to do."""
    match error:
        case DeltactlError():
            return error
        case click.exceptions.NoArgsIsHelpError():
            return InvalidUsageError("USAGE", "missing command", hint=_see_help(error))
        case NoSuchCommandError():
            return InvalidUsageError("USAGE", error.message, hint=redirects.for_command(error))
        case click.NoSuchOption():
            said = f"no such option {error.option_name}"
            hint = (instead_of(said) if _runs_spark(error) else None) or redirects.for_option(error)
            return InvalidUsageError("USAGE", said, hint=hint or _see_help(error))
        case click.UsageError() if _runs_spark(error) and (hint := instead_of(one_line(error))):
            return InvalidUsageError("USAGE", one_line(error), hint=hint)
        case click.UsageError():
            hint = redirects.for_argument(error) or _see_help(error)
            return InvalidUsageError("USAGE", one_line(error), hint=hint)
        case click.ClickException():
            return InvalidUsageError("USAGE", one_line(error))
        case click.Abort() | KeyboardInterrupt() | EOFError():
            return InterruptedRunError("INTERRUPTED", "interrupted")
        case OSError():
            return _system_failure(error)
        case RecursionError():
            return BrokenLogError(
                "NESTED_TOO_DEEPLY", "the input is nested more deeply than can be read"
            )
        case MemoryError():
            return StorageError("OUT_OF_MEMORY", "there is not enough memory to do this")
        case _:
            text = f"a bug in deltactl: {type(error).__name__}: {error}"
            hint = "run it again with -v, and please report what it prints"
            return BugError("BUG", text, hint=hint, details={"type": type(error).__name__})


def _system_failure(error: OSError) -> StorageError:
    """Return the failure of the machine or of stdout; stores report their own failures."""
    reason = error.strerror or str(error)
    if error.filename is None:
        return StorageError("OUTPUT_FAILED", f"cannot write the result: {reason}")
    return StorageError("IO_FAILED", f"{error.filename}: {reason}")


def _write_document(known: DeltactlError, wanted: str, command: str) -> DeltactlError:
    """Write `known` to stdout and return it, or return why that failed.

    An error that says what was committed is returned in either case, so that stderr can show it.

    Raises:
        BrokenPipeError: the reader of stdout is gone.
    """
    line = document.failure_line(known)
    try:
        output.write([document.failure(known, command) if wanted == "json" else line])
    except (StorageError, BrokenPipeError) as error:
        output.discard_rest()
        if isinstance(known, _OF_THE_TABLE):
            return known
        if isinstance(error, BrokenPipeError):
            raise
        return error
    return known


def _say(known: DeltactlError, error: BaseException, invocation: Invocation) -> None:
    color = invocation.color(os.environ)
    if invocation.verbose():
        for line in "".join(traceback.format_exception(error)).splitlines():
            say_raw(visible(line))
    say("error", known.message, known.code, color=color)
    if known.hint:
        say("hint", known.hint, color=color)


def one_line(error: click.ClickException) -> str:
    """Return what click says, as our own messages read."""
    message = " ".join(error.format_message().split())
    return message[:1].lower() + message[1:].removesuffix(".")


def _runs_spark(error: click.UsageError) -> bool:
    """Return whether the command that was typed has options for Spark."""
    command = error.ctx.command if error.ctx else None
    return command is not None and any("--spark-conf" in p.opts for p in command.params)


def _see_help(error: click.UsageError) -> str | None:
    return f"see {error.ctx.command_path} --help" if error.ctx else None
