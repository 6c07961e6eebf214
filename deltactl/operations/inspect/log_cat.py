"""`log cat`: one file of the log, action by action."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from deltactl.errors import BrokenLogError, NotFoundError, Notice, RefusedError
from deltactl.log.commit import commit_lines
from deltactl.log.filenames import (
    LOG,
    SIDECARS,
    STAGED_COMMITS,
    CheckpointKind,
    LogFile,
    commit_name,
)
from deltactl.log.segment import Checkpoint
from deltactl.report import Report, TableRef
from deltactl.spec.versions import parse_versions_back
from deltactl.table.checkpoint.reader import EVERY_ACTION, CheckpointReader
from deltactl.table.table import Table
from deltactl.text.hints import Command, Words
from deltactl.text.suggestions import nearest


@dataclass(kw_only=True)
class LogCatReport(Report):
    """One file of a log, whose actions `elements` reads as they are taken.

    Attributes:
        table: its place, its id and its name.
        file: its name, its size and its time.
        source: the table that it is read from.
        warnings: what is odd, each with a `code` and a `message`; known at the end.
    """

    streamed: ClassVar[str | None] = "actions"
    table: TableRef
    file: LogFile
    source: Table
    warnings: tuple[Notice, ...] = field(default=())

    def body(self) -> Mapping[str, Any]:
        return {"file": self.file.name, "size": self.file.size}

    def elements(self) -> Iterator[Mapping[str, Any]]:
        if self.file.name.endswith(".parquet"):
            # Read as what it is, alone: its sidecars are files of their own.
            checkpoint = Checkpoint(0, CheckpointKind.CLASSIC, (self.file,), 1)
            reader = CheckpointReader(self.source.storage, checkpoint)
            for kind, body in reader.actions(EVERY_ACTION, enough=lambda: False):
                yield {kind: body}
            return
        yield from self._lines()

    def _lines(self) -> Iterator[Mapping[str, Any]]:
        """Yield the lines verbatim; one that is not JSON is a string."""
        for first, block in self.source.log.blocks(self.file):
            for number, line in commit_lines.lines(block, first):
                try:
                    yield commit_lines.parse_line(line, self.file.name, number)
                except BrokenLogError as error:
                    self.warnings = (*self.warnings, Notice(error.code, error.message))
                    yield {"line": number, "text": line.decode("utf-8", "replace")}


def _files(table: Table, name: str) -> Iterator[LogFile]:
    """Yield the files in the folder that `name` refers to, by their names below `_delta_log`."""
    folder = name.rpartition("/")[0]
    if folder == "":
        yield from table.storage.list_from(LOG)
    elif folder in (SIDECARS, STAGED_COMMITS):
        for entry in table.storage.list_from(f"{LOG}/{folder}"):
            yield entry._replace(name=f"{folder}/{entry.name}")


def report_log_cat(table: Table, wanted: str) -> LogCatReport:
    """Return the file of the log that `wanted` names: a version, or a file's name.

    Raises:
        NotFoundError: the log has no such file.
        RefusedError: it is a file without actions.
    """
    if (back := parse_versions_back(wanted)) is not None:
        wanted = str(table.absolute(back))
    name = commit_name(int(wanted)) if wanted.isdecimal() and len(wanted) <= 20 else wanted
    files = {file.name: file for file in _files(table, name)}
    if name not in files:
        versions = sorted(table.log.listing().commits)
        near = nearest(name, files)
        hint: str | Words = Command("log") + " lists them"
        if near:
            hint = f"did you mean {' or '.join(near)}?"
        if name != wanted and versions:
            hint = f"its oldest commit is {versions[0]}, its newest {versions[-1]}"
        raise NotFoundError("LOG_FILE_NOT_FOUND", f"the log has no {name}", hint=hint)
    is_hidden = name.rpartition("/")[2].startswith(".")
    if is_hidden or not name.endswith((".json", ".crc", ".parquet", "_last_checkpoint")):
        raise RefusedError("NOT_A_LOG_FILE", f"{name} holds no actions")
    return LogCatReport(table=TableRef(table.uri), file=files[name], source=table)
