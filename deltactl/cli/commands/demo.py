"""`demo`: make a small table, and run commands on it."""

import contextlib
import io
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import click

from deltactl.api.demo import make_demo_table
from deltactl.cli import app
from deltactl.cli.command_options import bare_command
from deltactl.cli.completion.shells import PROGRAM
from deltactl.cli.consent import can_ask, says_yes
from deltactl.cli.process import output
from deltactl.cli.process.messages import say
from deltactl.cli.render.blocks import Block, Lines, Span, view
from deltactl.cli.session import Session
from deltactl.cli.spark.spark_options import on_spark
from deltactl.errors import DeltactlError, InvalidUsageError, StorageError
from deltactl.report import Report, TableRef
from deltactl.spark.install.installation import find_installation
from deltactl.spark.install.urls import CONNECT, is_local, shown
from deltactl.spark.settings.master import check_reachable
from deltactl.storage.urls import is_remote, kind_of

SECTION = "Set up"
FOLDER = "./deltactl-demo"
# The flags that a store may be reached by, and the settings that they are noted as.
REACHING = {
    "profile": "--profile",
    "storage-options": "--storage-option",
    "trust-config": "--trust-config",
}


class Lesson(NamedTuple):
    """A command to run, with `TABLE` for the table, and what it is good for."""

    command: str
    shows: str


LESSONS = (
    Lesson("show TABLE", "The table on one screen."),
    Lesson("history TABLE", "What happened to it, newest first, and what that did to the schema."),
    Lesson("schema show TABLE", "Its columns, with the types that they had before."),
    Lesson("diff TABLE 0", "What changed since version 0."),
    Lesson("schema types TABLE amount", "What a column can become without a rewrite."),
    Lesson("files TABLE --physical amount", "The types in which the data files hold a column."),
    Lesson("protocol show TABLE", "What the table requires of clients."),
    Lesson(
        "widen TABLE items.element.quantity long --dry-run",
        "What a change would do, who would notice it, and how to go back.",
    ),
    Lesson(
        "widen TABLE items.element.quantity long",
        "The change: one commit, which touches no data file.",
    ),
    Lesson("diff TABLE", "What that changed."),
    Lesson("history TABLE --limit 2", "And how the history tells it."),
    Lesson("checkpoint TABLE", "The table in one file, so that readers need no older commits."),
    Lesson("verify-checksum TABLE", "Whether all of its log agrees."),
)
ON_SPARK = (
    Lesson(
        "prune-type-changes TABLE --rewrite --yes",
        "Spark rewrites old files in the current types; then the type changes can be removed.",
    ),
    Lesson("files TABLE --physical amount", "No file holds an int in that column any more."),
)
INSTALL = Lesson("spark install", "The jars that Spark needs, once, from Maven Central.")
OFFER = "Spark needs Delta's jars (10 MB) for the last commands. Fetch them from Maven Central?"
WOULD_SHOW = (
    "Delta's own writer would rewrite both files without a change of data: one holds amount as "
    "int, both hold items.element.quantity as int. Then one more commit would remove the type "
    "changes of both columns."
)


class Lack(NamedTuple):
    """Why Spark cannot work on the table, and what to do; `jars` if only jars are missing."""

    why: str
    hint: str | None
    jars: bool = False


class LeftOut(NamedTuple):
    """A command that needs Spark, which does not run here: why, what to do, what it would show."""

    command: str
    why: str
    hint: str | None
    shows: str


@dataclass(frozen=True)
class LessonReport(Report):
    """A command of the demo, before it runs."""

    line: str
    shows: str
    above: tuple[str, ...] = ("",)

    def body(self) -> Mapping[str, Any]:
        """Return the command as it can be typed."""
        return {"command": self.line}


@dataclass(frozen=True, kw_only=True)
class DemoReport(Report):
    """The table that was made, how each command on it ended, and the flags that reach it."""

    table: TableRef
    folder: str
    steps: tuple[tuple[str, int], ...]
    left_out: LeftOut | None = None
    flags: tuple[str, ...] = ()
    exit_code: int = 0

    @property
    def done(self) -> str:
        """The table that was made."""
        return f"the table in {self.folder} was made"

    def body(self) -> Mapping[str, Any]:
        """Return the folder, the commands with their exit codes, and what was left out."""
        left_out = None if self.left_out is None else self.left_out._asdict()
        return {"folder": self.folder, "steps": list(self.elements()), "leftOut": left_out}

    def elements(self) -> Iterator[Mapping[str, Any]]:
        """Yield each command as it can be typed, with its exit code."""
        for line, exit_code in self.steps:
            yield {"command": line, "exit": exit_code}


@view.register
def _(report: LessonReport) -> Iterable[Block]:
    comment, line = Span(f"# {report.shows}", "dim"), Span(f"$ {report.line}", "heading")
    yield Lines([*report.above, comment, line])


@view.register
def _(report: DemoReport) -> Iterable[Block]:
    if (left := report.left_out) is not None:
        yield Lines(["", Span(f"# Left out, for Spark does not run here: {left.why}", "dim")])
        yield Lines([Span(f"# {left.command}", "heading"), left.shows])
        if left.hint is not None:
            yield Lines([f"To see it: {left.hint}"])
    rest = "all that lies below that URL" if is_remote(report.folder) else "the folder"
    last = ["", f"The table stays in {report.folder}: try more on it, or remove {rest}."]
    if report.flags:
        flags = " and ".join(report.flags)
        last.append(f"Commands on it take the same {flags} as this one.")
    yield Lines(last)


@bare_command
@click.argument("folder", default=FOLDER, metavar="[FOLDER]", type=click.Path())
@click.option(
    "-y", "--yes", is_flag=True, help="Fetch missing Delta jars; skip confirmation prompts."
)
@on_spark
def command(session: Session, folder: str, *, yes: bool) -> None:
    """Make a small Delta table in FOLDER, and run commands on it.

    FOLDER must not exist; the default is ./deltactl-demo. It can be the URL of an empty place in a
    store. The table has five versions: one creates it, two add rows, one widens a column, one adds
    a column. The commands show the table, widen a field inside an array as the sixth version, and
    write a checkpoint. At the end, Spark rewrites old files, and deltactl removes type changes
    that are no longer needed.

    If only jars are missing, the demo offers to download them; with --yes it does not ask. If
    Spark cannot run, the demo says what Spark would have shown. Each command is printed before its
    output, so that you can type it again. Settings of the demo apply to every command in it.

    \b
        deltactl demo --yes
        deltactl demo /tmp/orders
        deltactl demo s3://bucket/orders --storage-option AWS_PROFILE=lake
    """
    if folder in session.settings.tables:
        said = f"{folder} is a name in [tables], and the demo makes a table of its own"
        hint = f"type {shlex.quote(f'./{folder}')} for a folder of that name"
        raise InvalidUsageError("USAGE", said, hint=hint)
    table = _table(folder)
    session.invocation.tables.add(table)
    made = make_demo_table(folder, session.store_settings(table))
    steps: list[tuple[str, int]] = []
    lack = _missing(session, folder)
    try:
        last, lack = _teach_all(session, folder, steps, lack, yes=yes)
    except _UnreadError as stop:
        output.discard_rest()
        said = f"the table in {folder} was made; {stop}"
        say("warning", said, "OUTPUT_FAILED", color=session.settings.color)
        return
    left_out = None
    if lack is not None and not last:
        line = shlex.join([PROGRAM, *_words(ON_SPARK[0], table)])
        left_out = LeftOut(line, lack.why, lack.hint, WOULD_SHOW)
    session.show(
        DemoReport(
            table=made,
            folder=folder,
            steps=tuple(steps),
            left_out=left_out,
            flags=_flags_to_reach(session, folder),
            exit_code=last,
        )
    )


class _UnreadError(Exception):
    """Stdout cannot be written any more; the message says why."""


def _teach_all(
    session: Session, folder: str, steps: list[tuple[str, int]], lack: Lack | None, *, yes: bool
) -> tuple[int, Lack | None]:
    """Run the commands; return the exit code of the last, and what keeps Spark from working.

    Raises:
        _UnreadError: stdout cannot be written any more.
    """
    for lesson in LESSONS:
        _teach(session, lesson, folder, steps)
        if steps[-1][1]:
            return steps[-1][1], lack
    if lack is not None and lack.jars and (yes or _agrees(session)):
        _teach(session, _install(folder), folder, steps)
        lack = _missing(session, folder)
    for lesson in ON_SPARK if lack is None else ():
        _teach(session, lesson, folder, steps)
        if steps[-1][1]:
            return steps[-1][1], lack
    return 0, lack


def _teach(session: Session, lesson: Lesson, folder: str, steps: list[tuple[str, int]]) -> None:
    """Run the command, and add to `steps` how it ended; print it before its output.

    Raises:
        _UnreadError: stdout cannot be written any more.
    """
    words = _words(lesson, _table(folder))
    line = shlex.join([PROGRAM, *words])
    aloud = session.settings.output == "text"
    if aloud:
        above = ("",) if steps else (f"Made a table of orders in {folder}.", "")
        try:
            session.show(LessonReport(line, lesson.shows, above), is_last=False)
        except (StorageError, BrokenPipeError) as error:
            raise _UnreadError(output.failure_of(error)[1]) from error
    was_discarded = output.is_discarded()
    steps.append((line, _run(words, session.invocation.flags, aloud=aloud)))
    if output.is_discarded() and not was_discarded:
        raise _UnreadError("cannot write the result")


def _table(folder: str) -> str:
    """Return the folder as commands name it; `./` in front keeps it from being an option."""
    return folder if folder.startswith(("/", "./", "../")) or is_remote(folder) else f"./{folder}"


def _agrees(session: Session) -> bool:
    return can_ask(session) and says_yes(OFFER)


def _install(folder: str) -> Lesson:
    """Return the command that fetches the jars for a table in that folder or store."""
    kind = kind_of(folder)
    return INSTALL if kind is None else INSTALL._replace(command=f"{INSTALL.command} --{kind}")


def _words(lesson: Lesson, table: str) -> list[str]:
    return [table if word == "TABLE" else word for word in lesson.command.split()]


def _missing(session: Session, folder: str) -> Lack | None:
    """Return what keeps Spark from working on the table, if anything does, and what helps."""
    settings, kind = session.settings, kind_of(folder)
    master, here = settings.master, "type it with --master 'local[*]'"
    if not is_local(master) and not is_remote(folder):
        return Lack(f"the settings name {shown(master)}, which may not see this folder", here)
    if master.startswith(CONNECT):
        return Lack(
            f"the settings name {shown(master)}, and Spark Connect cannot rewrite files", here
        )
    try:
        find_installation(os.environ, settings.jars).with_stores([] if kind is None else [kind])
        if not is_local(master):
            check_reachable(master, os.environ)
    except DeltactlError as error:
        # A folder that was named is the user's own.
        jars = error.code in ("JARS_MISSING", "JAR_DAMAGED") and settings.jars is None
        return Lack(error.message, error.hint, jars)
    return None


def _run(words: list[str], flags: Mapping[str, Any], *, aloud: bool) -> int:
    """Run a command with the flags of this one: some are secret, and no part of a command line."""
    if aloud:
        return app.main(words, flags, is_part=True)
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")):
        return app.main(words, flags, is_part=True)


def _flags_to_reach(session: Session, folder: str) -> tuple[str, ...]:
    """Return the flags without which the table may not be reached as it was here."""
    given = session.invocation.flags if is_remote(folder) else ()
    return tuple(flag for setting, flag in REACHING.items() if setting in given)
