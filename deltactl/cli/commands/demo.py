"""`demo`: a small table to try the commands on, and the commands that show it."""

import contextlib
import io
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import click

from deltactl.cli import app
from deltactl.cli.context import Session
from deltactl.cli.options import bare_command
from deltactl.cli.render.blocks import Block, Lines, Span, view
from deltactl.cli.shells import PROGRAM
from deltactl.errors import DeltactlError
from deltactl.operations.demo.writer import write_demo_table
from deltactl.operations.report import Report, TableRef
from deltactl.spark.installation import find_installation
from deltactl.spark.urls import is_local, shown

SECTION = "Set up"
FOLDER = "./deltactl-demo"


class Lesson(NamedTuple):
    """A command to run, with `TABLE` for the table, and what it is good for."""

    command: str
    shows: str


LESSONS = (
    Lesson("show TABLE", "The table on one screen."),
    Lesson("history TABLE", "What happened to it, newest first, and what that did to the schema."),
    Lesson("schema show TABLE", "Its columns, with the types that they had before."),
    Lesson("schema diff TABLE 0", "What changed in the schema since version 0."),
    Lesson("schema types TABLE amount", "What a column can become without a rewrite."),
    Lesson("files TABLE --physical amount", "The types in which the data files hold a column."),
    Lesson("protocol show TABLE", "What the table demands of programs that open it."),
    Lesson(
        "widen TABLE items.element.quantity long --dry-run",
        "What a change would do, who would notice it, and how to go back.",
    ),
    Lesson(
        "widen TABLE items.element.quantity long",
        "The change: one commit, which touches no data file.",
    ),
    Lesson("schema diff TABLE 4", "What it did to the schema."),
    Lesson("history TABLE --limit 2", "And how the history tells it."),
    Lesson("checkpoint TABLE", "The table in one file, so that readers need no older commits."),
    Lesson("verify-checksum TABLE", "Whether all of its log agrees."),
)
ON_SPARK = (
    Lesson(
        "prune-type-changes TABLE --rewrite --yes",
        "Spark writes old files again in the types of today; then the columns forget the old ones.",
    ),
    Lesson("files TABLE --physical amount", "No file holds an int in that column any more."),
)
WOULD_SHOW = (
    "Both files would be written again, by Delta's own writer and without a change of data: one "
    "holds amount as int, both hold items.element.quantity as int. Then, in one more commit, both "
    "columns would forget that they were int."
)


class LeftOut(NamedTuple):
    """A command that takes Spark, which does not run here: why, what to do, what it would show."""

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
    """The table that was made, and how each command on it ended."""

    table: TableRef
    folder: str
    steps: tuple[tuple[str, int], ...]
    left_out: LeftOut | None = None
    exit_code: int = 0

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
    yield Lines(["", f"The table stays in {report.folder}: try more on it, or remove the folder."])


@bare_command
@click.argument("folder", default=FOLDER, metavar="[FOLDER]", type=click.Path())
def command(session: Session, folder: str) -> None:
    """Make a small Delta table in FOLDER, and run commands on it.

    FOLDER must not exist; it is ./deltactl-demo by default. The table has five versions: one
    creates it, two add rows, one widens a column, one adds a column. The commands look at it, and
    make a sixth one, which widens a field inside an array, and a checkpoint. Where Spark runs on
    this machine (deltactl spark check), old files are rewritten at the end, and their types
    forgotten; elsewhere the demo says what that would have shown. Each command is printed before
    its output, so that you can type it again.

    \b
        deltactl demo
        deltactl demo /tmp/orders
    """
    made = write_demo_table(folder)
    # With a path in front it cannot be taken for an option or for a name in [tables].
    table = folder if folder.startswith(("/", "./", "../")) else f"./{folder}"
    aloud = session.settings.output == "text"
    steps: list[tuple[str, int]] = []
    lacking = _lacking(session)
    for lesson in (*LESSONS, *(() if lacking else ON_SPARK)):
        words = _words(lesson, table)
        line = shlex.join([PROGRAM, *words])
        if aloud:
            above = ("",) if steps else (f"Made a table of orders in {folder}.", "")
            session.show(LessonReport(line, lesson.shows, above))
        steps.append((line, _run([*_flags(session), *words], aloud=aloud)))
        if steps[-1][1]:
            break
    last = steps[-1][1]
    left_out = None
    if lacking is not None and not last:
        line = shlex.join([PROGRAM, *_words(ON_SPARK[0], table)])
        left_out = LeftOut(line, *lacking, WOULD_SHOW)
    session.show(
        DemoReport(table=made, folder=folder, steps=tuple(steps), left_out=left_out, exit_code=last)
    )


def _words(lesson: Lesson, table: str) -> list[str]:
    return [table if word == "TABLE" else word for word in lesson.command.split()]


def _lacking(session: Session) -> tuple[str, str | None] | None:
    """What keeps Spark from running on this machine, if anything does, and what helps."""
    settings = session.settings
    if not is_local(settings.master):
        why = f"the settings name {shown(settings.master)}, which may not see this folder"
        return why, "type it with --master 'local[*]'"
    try:
        find_installation(os.environ, settings.jars)
    except DeltactlError as error:
        return error.message, error.hint
    return None


def _run(args: list[str], *, aloud: bool) -> int:
    if aloud:
        return app.main(args)
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")):
        return app.main(args)


def _flags(session: Session) -> list[str]:
    """Return the settings of this run as flags of another command."""
    settings = session.settings
    given = {
        "--quiet": settings.quiet,
        "--verbose": settings.verbose,
        "--no-color": settings.no_color,
        "--no-progress": settings.no_progress,
    }
    return ["--output", settings.output, *(flag for flag, wanted in given.items() if wanted)]
