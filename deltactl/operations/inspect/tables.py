"""`tables`: the tables that have a name, or lie below a folder, with what is cheap to know."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from deltactl.errors import BrokenLogError, DeltactlError, NotFoundError, Notice, StorageError
from deltactl.log.filenames import LOG
from deltactl.report import Report
from deltactl.storage.base import Storage
from deltactl.storage.missing_table import is_missing, nearby
from deltactl.table.commit.checksum import known_totals
from deltactl.table.snapshot import Snapshot
from deltactl.table.table import Table
from deltactl.table.task_pool import TaskPool
from deltactl.text.hints import naming

# Who reads logs waits for the store, so more threads than processors are of use.
THREADS = 16
# Up to this size the files of a log are read to sum up the table: that is a moment's work.
SMALL = 8 << 20

# Told how many jobs are done, of how many that are known so far.
Watch = Callable[[int, int], None]


class TableFacts(NamedTuple):
    """What a table is at its newest version; files and bytes are None if not counted."""

    version: int
    files: int | None = None
    size: int | None = None


class TablePlace(NamedTuple):
    """Where a table is, or should be.

    `name` is its alias, or its path below the folder that was searched, "." for the folder itself;
    `shown` is what to type for it, and `called` the words by which commands name it.
    """

    name: str
    shown: str
    called: str
    uri: str
    profile: str | None = None


class TableLine(NamedTuple):
    """A table of the list, and what it is, or why it cannot be opened."""

    place: TablePlace
    found: TableFacts | DeltactlError

    def to_json(self) -> dict[str, Any]:
        place, found = self.place, self.found
        facts = found if isinstance(found, TableFacts) else None
        return {
            "name": place.name,
            "uri": place.uri,
            "profile": place.profile,
            "version": facts and facts.version,
            "files": facts and facts.files,
            "bytes": facts and facts.size,
            "error": _why(found, place.called) if isinstance(found, DeltactlError) else None,
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class TablesReport(Report):
    """The tables, in order of their names; `prefix` is the folder that was searched, if one was."""

    lines: Sequence[TableLine]
    prefix: str | None = None
    warnings: tuple[Notice, ...] = ()

    def body(self) -> Mapping[str, Any]:
        return {"prefix": self.prefix, "tables": list(self.elements())}

    def elements(self) -> Iterator[Mapping[str, Any]]:
        return (line.to_json() for line in self.lines)


def report_aliases(
    places: Mapping[TablePlace, Callable[[], Table]], watch: Watch = lambda done, given: None
) -> TablesReport:
    """Look at the table of each place, which is opened by the function next to it."""
    lines: list[TableLine] = []
    with TaskPool[TableLine](THREADS) as pool:
        for place, opened in places.items():
            pool.submit(partial(_inspect, place, opened))
        for line in pool.outcomes(lambda: watch(pool.done, pool.given)):
            lines.append(line)
            watch(pool.done, pool.given)
    return _report(lines)


def report_tables_below(
    folder: Storage,
    depth: int,
    place: Callable[[str], TablePlace],
    opened: Callable[[TablePlace], Table],
    watch: Watch = lambda done, given: None,
) -> TablesReport:
    """Find the tables in `folder` and up to `depth` folders below it, and look at each.

    A table is not searched, nor is what is hidden or begins with `_`. `place` says where the table
    at a path below `folder` is ("" is the folder itself), and `opened` opens it.

    Raises:
        NotFoundError: nothing is there.
        StorageError: the folder itself cannot be listed.
    """
    lines: list[TableLine] = []
    unread: list[Notice] = []
    deeper = 0
    with TaskPool[TableLine | _Listed](THREADS) as pool:
        pool.submit(partial(_list, folder, "", 0))
        for outcome in pool.outcomes(lambda: watch(pool.done, pool.given)):
            if isinstance(outcome, TableLine):
                lines.append(outcome)
            elif outcome.error is not None:
                if not outcome.path:
                    raise outcome.error
                said = f"not searched: {outcome.error.message}"
                unread.append(Notice(outcome.error.code, said))
            elif LOG in outcome.names:
                found = place(outcome.path)
                pool.submit(partial(_inspect, found, partial(opened, found)))
            elif outcome.level < depth:
                for path in outcome.to_search():
                    pool.submit(partial(_list, folder, path, outcome.level + 1))
            else:
                deeper += len(outcome.to_search())
            watch(pool.done, pool.given)
    unread.sort()
    if deeper:
        unread.append(_too_deep(deeper, depth))
    return _report(lines, folder.uri, unread)


def read_facts(table: Table) -> TableFacts:
    """Return what the table is now; sum its files only from a checksum, or if the log is small.

    Raises:
        DeltactlError: it cannot be opened.
    """
    snapshot = table.snapshot()
    totals = known_totals(snapshot)
    if totals is None and _size(snapshot) <= SMALL:
        # Counting loads Arrow, which takes longer than to look at many a table.
        totals = import_module("deltactl.table.state.file_totals").count_files(snapshot)
    return TableFacts(snapshot.version, *(totals or ()))


class _Listed(NamedTuple):
    """A folder, how many are above it, and the folders in it, or why it cannot be listed."""

    path: str
    level: int
    names: Sequence[str] = ()
    error: DeltactlError | None = None

    def to_search(self) -> list[str]:
        """Return the paths of the folders in it in which there may be tables."""
        names = [name for name in self.names if not name.startswith((".", "_"))]
        return [f"{self.path}/{name}" if self.path else name for name in names]


def _list(folder: Storage, path: str, level: int) -> _Listed:
    try:
        names = folder.folders(path)
        if not names and not path and is_missing(folder):
            said = f"no folder at {folder.uri}: nothing is there"
            raise NotFoundError("FOLDER_NOT_FOUND", said, hint=nearby(folder))
        return _Listed(path, level, names)
    except (StorageError, NotFoundError) as error:
        return _Listed(path, level, error=error)


def _inspect(place: TablePlace, opened: Callable[[], Table]) -> TableLine:
    try:
        return TableLine(place, read_facts(opened()))
    except DeltactlError as error:
        return TableLine(place, error)
    except OSError as error:
        reason = error.strerror or str(error)
        return TableLine(place, StorageError("IO_FAILED", f"{place.uri}: {reason}"))
    except RecursionError:
        said = "its log is nested more deeply than can be read"
        return TableLine(place, BrokenLogError("NESTED_TOO_DEEPLY", said))


def _size(snapshot: Snapshot) -> int:
    checkpoint, entries = snapshot.segment.checkpoint, snapshot.segment.entries
    size = 0 if checkpoint is None else checkpoint.size
    return size + sum(entry.file.size for entry in entries)


def _report(
    lines: list[TableLine], prefix: str | None = None, unread: Sequence[Notice] = ()
) -> TablesReport:
    lines.sort(key=lambda line: line.place.name)
    failed = (
        Notice(line.found.code, _said(line.found, line.place))
        for line in lines
        if isinstance(line.found, DeltactlError)
    )
    return TablesReport(lines=lines, prefix=prefix, warnings=(*failed, *unread))


def _said(error: DeltactlError, place: TablePlace) -> str:
    """Return why a table cannot be opened, and what helps: a warning has no hint of its own."""
    # What fails in a store is told with its URL, which is what one types there.
    named = place.shown == place.uri and error.message.startswith(place.uri)
    said = error.message if named else f"{place.shown}: {error.message}"
    hint = _hint(error, place.shown)
    return f"{said}; {hint}" if hint else said


def _too_deep(folders: int, depth: int) -> Notice:
    lie = "1 folder lies" if folders == 1 else f"{folders:,} folders lie"
    said = f"{lie} deeper than --depth {depth}, and deltactl did not look there"
    return Notice("DEPTH_REACHED", said)


def _why(error: DeltactlError, called: str) -> dict[str, Any]:
    return {"code": error.code, "message": error.message, "hint": _hint(error, called)}


def _hint(error: DeltactlError, called: str) -> str | None:
    return None if error.remedy is None else str(naming(error.remedy, called))
